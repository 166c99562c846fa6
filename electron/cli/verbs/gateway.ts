/** `holdfast gateway status`, `holdfast gateway token list|add|revoke`, `holdfast usage` */
import { createHash } from 'node:crypto';
import { type Command, InvalidArgumentError } from 'commander';
import { USAGE_PARTS, type UsagePart } from '../../../shared/states';
import type { GatewayClient, GatewayStatus, UsageLine } from '../../../shared/types/gateway';
import { usageCsv } from '../../../shared/usage-csv';
import type { Program, Run } from '../command';
import { asks, calls, optional, shows, where, wholeNumber } from '../command';
import { countText, facts, ifKnown, inertLine, joinParts } from '../render';

const money = (usd: number | undefined): string => (usd === undefined ? '-' : `$${usd.toFixed(4)}`);

function headline(status: GatewayStatus): string {
  const why = status.problem === undefined ? '' : `: ${inertLine(status.problem)}`;
  switch (status.state) {
    case 'listening':
      return `The gateway is listening on 127.0.0.1:${String(status.port ?? 0)}.`;
    case 'not_listening':
      return `The gateway is not listening${why}`;
    case 'off':
      return 'The gateway is off. Turn it on: holdfast config set gateway.enabled true';
  }
}

function statusText(status: GatewayStatus, run: Run): string {
  const otherPort = 'the configured port is in use by another program';
  const rows = facts([
    ['token', `in ${inertLine(status.tokenPath)}; agents use it as their API key`],
    ['port', status.isOtherPort ? otherPort : undefined],
    [
      'waiting',
      status.waiting === 0 ? undefined : `${countText(status.waiting, 'request')} queued`,
    ],
  ]);
  const providers = status.providers.map((one) => [
    inertLine(one.name),
    one.kind,
    one.baseUrl ?? '-',
    `${money(one.spentTodayUsd)}${one.budgetUsd === undefined ? '' : ` of ${money(one.budgetUsd)}`}${one.hasPrices ? '' : ' (no prices)'}`,
  ]);
  return [
    run.paint(status.state === 'not_listening' ? 'warn' : 'strong', headline(status)),
    rows,
    run.table(['PROVIDER', 'TYPE', 'BASE URL FOR AGENTS', 'TODAY'], providers),
  ].join('\n');
}

/** An interrupted answer counts as far as its usage was reported. */
const cutText = ({ cut }: UsageLine): string => (cut === 0 ? '' : `, ${String(cut)} incomplete`);

function usageText(lines: readonly UsageLine[], run: Run): string {
  if (lines.length === 0) return 'No usage in this period.';
  const table = run.table(
    ['DAY', 'PROVIDER', 'BY', 'IN', 'OUT', 'COST', 'SAVED'],
    lines.map(usageRow),
  );
  return lines.every((line) => line.cut === 0)
    ? table
    : `${table}\nFor incomplete responses, tokens and cost are at least the values shown.`;
}

const clientRow = (client: GatewayClient, run: Run): string[] => [
  inertLine(client.name),
  client.addedAtMs === undefined ? '-' : run.when(client.addedAtMs),
  client.lastAnswerAtMs === undefined ? '-' : run.when(client.lastAnswerAtMs),
];

const usageRow = (line: UsageLine): string[] => [
  line.day,
  line.account === undefined
    ? inertLine(line.provider)
    : `${inertLine(line.provider)} (${inertLine(line.account)})`,
  line.source === 'turns'
    ? joinParts(
        [
          countText(line.count, 'turn'),
          ifKnown(line.agent, (agent) => `agent ${inertLine(agent)}`),
          ifKnown(line.taskId, (id) => `task ${String(id)}`),
        ],
        ', ',
      )
    : `${inertLine(line.client ?? '')}: ${countText(line.count, 'request')}, ${String(line.remembered)} cached${cutText(line)}`,
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

function usageParts(text: string): UsagePart[] {
  const asked = text.split(',').map((part) => part.trim());
  const parts = USAGE_PARTS.filter((part) => asked.includes(part));
  if (parts.length === 0 || parts.length !== new Set(asked).size)
    throw new InvalidArgumentError(`Choose from ${USAGE_PARTS.join(', ')}.`);
  return parts;
}

export function addGateway(root: Command, program: Program): void {
  const gateway = root
    .command('gateway')
    .description('Show the LLM gateway for external agents and manage its tokens');
  addTokens(gateway, program);
  asks(
    program,
    gateway
      .command('status')
      .description('Show the gateway port, base URLs, token file and cost today'),
    'read',
    shows('gateway.status', statusText),
  );

  asks(
    program,
    root
      .command('usage')
      .description('Show tokens and cost by day and provider')
      .option('--days <n>', 'Number of days (default 7)', wholeNumber)
      .option('--by <parts>', 'Split by agent, task, account, or several: agent,task', usageParts)
      .option('--csv', 'Print comma-separated values'),
    'read',
    calls(
      'usage.list',
      (run) => ({
        ...where('days', optional<number>(run, 'days')),
        ...where('by', optional<UsagePart[]>(run, 'by')),
      }),
      ({ lines }, run) =>
        run.options['csv'] === true ? usageCsv(lines, inertLine) : usageText(lines, run),
    ),
  );
}

function addTokens(gateway: Command, program: Program): void {
  const token = gateway.command('token').description('List, add and revoke gateway tokens');
  asks(
    program,
    token.command('list').description('List clients with a token and their last response'),
    'read',
    shows('gateway.clients', ({ clients }, run) =>
      run.table(
        ['CLIENT', 'ADDED', 'LAST RESPONSE'],
        clients.map((client) => clientRow(client, run)),
      ),
    ),
  );
  asks(
    program,
    token
      .command('add')
      .description('Create a token for a client and show it once')
      .argument('<name>', 'Client name, shown in usage'),
    'decide',
    async (engine, run, name) => {
      const made = run.io.newToken();
      const tokenHash = createHash('sha256').update(made).digest('hex');
      const value = {
        ...(await engine.call('gateway.addClient', { name, tokenHash })),
        token: made,
      };
      const text = [
        `Token for "${inertLine(value.name)}" (shown only once, not saved):`,
        value.token,
      ].join('\n');
      return { value, text };
    },
  );
  asks(
    program,
    token
      .command('revoke')
      .description("Revoke a client's token and end its requests")
      .argument('<name>', 'Client name'),
    'decide',
    calls(
      'gateway.revokeClient',
      (_run, name) => ({ name }),
      ({ name, isReplaced }) =>
        isReplaced
          ? 'The token in the file was replaced. Agents that used it need the new one.'
          : `Token for "${inertLine(name)}" revoked.`,
    ),
  );
}
