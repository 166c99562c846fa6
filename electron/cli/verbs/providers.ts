/** `holdfast provider list|status|ping|set|set-key|test` */
import type { Command } from 'commander';
import { Option } from 'commander';
import { createHash } from 'node:crypto';
import type { ProviderSettings } from '../../../shared/settings';
import type { Program, Run } from '../command';
import { asks, optional, optionalPath, plainNumber, where, wholeNumber } from '../command';
import { EXIT } from '../exit-codes';
import { keyOf, keyText } from '../input';
import { inertLine, spanText, countText, facts, whenText } from '../render';
import { addProviderStanding } from './outage';
import type { GatewayClient, GatewayStatus, UsageLine } from '../../../shared/types/gateway';

const TEST_TIMEOUT_MS = 180_000;

export function addProviders(root: Command, program: Program): void {
  const provider = root.command('provider').description('Model providers and their keys');

  asks(
    program,
    provider.command('list').description('every provider'),
    'read',
    async (engine, run) => {
      const value = await engine.call('provider.list', {});
      const rows = value.providers.map((one) => [
        inertLine(one.name),
        one.kind,
        keyText(one.key),
        inertLine(one.baseUrl ?? '-'),
      ]);
      return {
        value,
        text: run.table(['PROVIDER', 'KIND', 'KEY', 'ADDRESS'], rows) || 'No providers.',
      };
    },
  );

  addProviderStanding(provider, program);

  asks(
    program,
    provider
      .command('set')
      .description('add or change a provider')
      .argument('<name>', 'its name')
      .addOption(
        new Option('--kind <kind>', 'how it speaks')
          .choices(['openai-compatible', 'anthropic', 'google'])
          .makeOptionMandatory(),
      )
      .option('--base-url <url>', 'https, or http on this computer')
      .option('--key-env <name>', 'environment variable that holds the key')
      .option('--key-file <path>', 'file (0600) that holds the key')
      .option('--price-in <usd>', 'US dollars for a million input tokens', plainNumber)
      .option('--price-out <usd>', 'US dollars for a million output tokens', plainNumber),
    'set',
    async (engine, run, name) => {
      const value = await engine.call('provider.set', {
        name,
        provider: {
          kind: run.options['kind'] as ProviderSettings['kind'],
          ...where('base_url', optional<string>(run, 'baseUrl')),
          ...where('api_key_env', optional<string>(run, 'keyEnv')),
          ...where('api_key_file', optionalPath(run, 'keyFile')),
          ...where('price_input_per_million_usd', optional<number>(run, 'priceIn')),
          ...where('price_output_per_million_usd', optional<number>(run, 'priceOut')),
        },
      });
      return { value, text: `Provider ${inertLine(value.name)} is saved: ${keyText(value.key)}` };
    },
  );

  asks(
    program,
    provider
      .command('set-key')
      .description('store a key, read from standard input; it can never be read back')
      .argument('<name>', 'its provider')
      .option('--env <name>', 'take it from this environment variable instead')
      .option('--remove', 'forget the stored key')
      .option('--allow-plaintext', 'store it unencrypted (0600) where no keyring exists'),
    'set',
    async (engine, run, name) => {
      const key =
        optional<boolean>(run, 'remove') === true
          ? null
          : await keyOf(run, optional<string>(run, 'env'));
      const value = await engine.call('provider.setKey', {
        name,
        key,
        ...where('allowPlaintext', optional<boolean>(run, 'allowPlaintext')),
      });
      return { value, text: `Provider ${inertLine(value.name)}: ${keyText(value.key)}` };
    },
  );

  asks(
    program,
    provider
      .command('test')
      .description('one small request')
      .argument('<name>', 'its provider')
      .option('--model <model>', 'model to ask'),
    'running',
    async (engine, run, name) => {
      const value = await engine.call(
        'provider.test',
        { name, ...where('model', optional<string>(run, 'model')) },
        TEST_TIMEOUT_MS,
      );
      return {
        value,
        text: `${value.ok ? 'It answers' : 'It does not answer'} (${spanText(value.tookMs)}): ${inertLine(value.message)}`,
        exitCode: value.ok ? EXIT.ok : EXIT.failed,
      };
    },
  );
}

// `holdfast gateway status`, `holdfast gateway token list|add|revoke`, `holdfast usage`

const money = (usd: number | undefined): string => (usd === undefined ? '-' : `$${usd.toFixed(4)}`);

function headline(status: GatewayStatus): string {
  const why = status.problem === undefined ? '' : `: ${inertLine(status.problem)}`;
  switch (status.state) {
    case 'listening':
      return `The gateway listens on 127.0.0.1:${String(status.port ?? 0)}.`;
    case 'not_listening':
      return `The gateway does not listen${why}`;
    case 'off':
      return 'The gateway is off. Switch it on: holdfast config set gateway.enabled true';
  }
}

function statusText(status: GatewayStatus, run: Run): string {
  const rows: [string, string][] = [
    ['token', `in ${inertLine(status.tokenPath)}; agents show it as their key`],
    ...(status.isOtherPort
      ? [['port', 'another program has the one of the settings'] as [string, string]]
      : []),
    ...(status.waiting === 0
      ? []
      : [
          ['waiting', countText(status.waiting, 'request waits', 'requests wait')] as [
            string,
            string,
          ],
        ]),
  ];
  const providers = status.providers.map((one) => [
    inertLine(one.name),
    one.kind,
    one.baseUrl ?? '-',
    `${money(one.spentTodayUsd)}${one.budgetUsd === undefined ? '' : ` of ${money(one.budgetUsd)}`}${one.hasPrices ? '' : ' (no prices)'}`,
  ]);
  return [
    run.paint(status.state === 'not_listening' ? 'warn' : 'strong', headline(status)),
    facts(rows),
    run.table(['PROVIDER', 'KIND', 'BASE ADDRESS FOR AGENTS', 'TODAY'], providers),
  ].join('\n');
}

/** An interrupted answer counts as far as its usage was reported. */
const cutText = ({ cut }: UsageLine): string => (cut === 0 ? '' : `, ${String(cut)} broke off`);

function usageText(lines: readonly UsageLine[], run: Run): string {
  if (lines.length === 0) return 'Nothing was used in these days.';
  const table = run.table(
    ['DAY', 'PROVIDER', 'BY', 'IN', 'OUT', 'COST', 'SAVED'],
    lines.map(usageRow),
  );
  return lines.every((line) => line.cut === 0)
    ? table
    : `${table}\nWhere answers broke off or never came, tokens and cost are at least what stands there.`;
}

const clientRow = (client: GatewayClient, run: Run): string[] => [
  inertLine(client.name),
  client.addedAtMs === undefined ? '-' : whenText(client.addedAtMs, run.nowMs),
  client.lastAnswerAtMs === undefined ? '-' : whenText(client.lastAnswerAtMs, run.nowMs),
];

const usageRow = (line: UsageLine): string[] => [
  line.day,
  inertLine(line.provider),
  line.source === 'turns'
    ? countText(line.count, 'turn')
    : `${inertLine(line.client ?? '')}: ${countText(line.count, 'request')}, ${String(line.remembered)} unpaid${cutText(line)}`,
  String(line.inputTokens),
  String(line.outputTokens),
  money(line.costUsd),
  savedText(line),
];

/** Answers that were used again after a restart instead of paid again. */
function savedText({ savedInputTokens, savedOutputTokens, savedUsd }: UsageLine): string {
  const tokens = savedInputTokens + savedOutputTokens;
  if (tokens === 0) return '-';
  return savedUsd === undefined ? countText(tokens, 'token') : money(savedUsd);
}

export function addGateway(root: Command, program: Program): void {
  const gateway = root.command('gateway').description('a gateway for agents of other programs');
  addTokens(gateway, program);
  asks(
    program,
    gateway
      .command('status')
      .description('its address for each provider, its token file, what was spent today'),
    'read',
    async (engine, run) => {
      const value = await engine.call('gateway.status', {});
      return { value, text: statusText(value, run) };
    },
  );

  asks(
    program,
    root
      .command('usage')
      .description('tokens and cost by day and provider')
      .option('--days <n>', 'how many days (default 7)', wholeNumber),
    'read',
    async (engine, run) => {
      const value = await engine.call('usage.list', where('days', optional<number>(run, 'days')));
      return { value, text: usageText(value.lines, run) };
    },
  );
}

function addTokens(gateway: Command, program: Program): void {
  const token = gateway.command('token').description('who may use the gateway');
  asks(
    program,
    token
      .command('list', { isDefault: true })
      .description('clients with a token, and when each had its last answer'),
    'read',
    async (engine, run) => {
      const value = await engine.call('gateway.clients', {});
      return {
        value,
        text: run.table(
          ['CLIENT', 'ADDED', 'LAST ANSWER'],
          value.clients.map((client) => clientRow(client, run)),
        ),
      };
    },
  );
  asks(
    program,
    token
      .command('add')
      .description('a token for one more client; it is shown once')
      .argument('<name>', 'what the client is called in usage, as laptop-codex'),
    'decide',
    async (engine, run, name) => {
      const made = run.io.newToken();
      const tokenHash = createHash('sha256').update(made).digest('hex');
      const value = {
        ...(await engine.call('gateway.addClient', { name, tokenHash })),
        token: made,
      };
      const text = [
        `The token of ${inertLine(value.name)}, which is shown only now and kept nowhere:`,
        value.token,
      ].join('\n');
      return { value, text };
    },
  );
  asks(
    program,
    token
      .command('revoke')
      .description('end the token of a client, and what it has under way')
      .argument('<name>', 'a client of "gateway token list"'),
    'decide',
    async (engine, _run, name) => {
      const value = await engine.call('gateway.revokeClient', { name });
      const text = value.isReplaced
        ? 'The token in the file is another now: agents that used it need the new one.'
        : `The token of ${inertLine(value.name)} is worth nothing any more.`;
      return { value, text };
    },
  );
}
