/** `holdfast channels list|test`; what changes them is in channel-changes.ts */
import type { Command } from 'commander';
import { Option } from 'commander';
import type { ChannelView } from '../../../shared/types/channels';
import type { Program, Run, Reply } from '../command';
import { asks, list, optional, optionalPath, where } from '../command';
import { EXIT } from '../exit-codes';
import { keyText, keyOf } from '../input';
import { countText, inertLine, spanText, whenText } from '../render';
import {
  CHANNEL_KINDS,
  channelKinds,
  type ChannelSettings,
} from '../../../shared/settings/channels';
import { HoldfastError } from '../../engine/kernel/errors';
import type { Reach } from '../reach';

const TEST_TIMEOUT_MS = 620_000;
const STATE_WORDS = {
  ready: 'ready',
  off: 'switched off',
  not_ready: 'not ready',
  gone: 'removed',
} as const;

const isFailing = (one: ChannelView): boolean =>
  one.state === 'ready' && (one.breaker !== 'closed' || one.failures > 0);

function remarks(one: ChannelView, run: Run): string {
  const parts = [
    ...(one.isDefault ? ['default'] : []),
    ...(one.speaks ? [] : ['only listens']),
    ...(one.key === undefined ? [] : [keyText(one.key)]),
    ...(one.inboundUrl === undefined ? [] : [`hears ${inertLine(one.inboundUrl)}`]),
    ...(one.listenProblem === undefined ? [] : [`does not hear: ${inertLine(one.listenProblem)}`]),
    ...(one.lastError === undefined ? [] : [inertLine(one.lastError)]),
    ...(one.pending > 0 && one.nextTryAtMs !== undefined
      ? [`next try ${whenText(one.nextTryAtMs, run.nowMs)}`]
      : []),
  ];
  return parts.join('; ') || '-';
}

const row = (one: ChannelView, run: Run): string[] => [
  inertLine(one.name),
  one.kind,
  isFailing(one) ? `${countText(one.failures, 'failure')} in a row` : STATE_WORDS[one.state],
  one.pending === 0 ? '-' : countText(one.pending, 'answer'),
  one.deliveredAtMs === undefined
    ? '-'
    : `${String(one.delivered)}, last ${whenText(one.deliveredAtMs, run.nowMs)}`,
  remarks(one, run),
];

export function addChannels(root: Command, program: Program): void {
  const channels = root
    .command('channels')
    .alias('channel')
    .description('channels: where answers go and messages come from');

  asks(
    program,
    channels
      .command('list', { isDefault: true })
      .description('every channel: its state, what waits, what was taken, what failed'),
    'read',
    async (engine, run) => {
      const value = await engine.call('channels.list', {});
      const hears = value.channels.some((one) => one.inboundUrl !== undefined);
      const head = ['CHANNEL', 'KIND', 'STATE', 'WAITS', 'TAKEN', 'REMARKS'];
      const table = run.table(
        head,
        value.channels.map((one) => row(one, run)),
      );
      return {
        value,
        text: hears ? `${table}\nThe token of senders is in ${inertLine(value.tokenPath)}.` : table,
      };
    },
  );

  addChannelChanges(channels, program);

  asks(
    program,
    channels
      .command('test')
      .description('send one test message, now')
      .argument('<name>', 'the channel'),
    'running',
    async (engine, _run, name) => {
      const value = await engine.call('channels.test', { name }, TEST_TIMEOUT_MS);
      return {
        value,
        text: `${value.ok ? 'Taken' : 'Not taken'} (${spanText(value.tookMs)}): ${inertLine(value.message)}`,
        exitCode: value.ok ? EXIT.ok : EXIT.failed,
      };
    },
  );
}

// `holdfast channels add|edit|remove|set-secret`

const ASKED = 'Token or secret (not shown): ';

const GIVEN = [
  ...new Set(Object.values(CHANNEL_KINDS).flatMap(({ options }) => Object.keys(options))),
];

const PATHS = new Set(['cwd', 'secretFile']);

const each = (text: string, before: string[] | undefined): string[] => [...(before ?? []), text];

function withFields(command: Command): Command {
  const choice = (flags: string, about: string): Option =>
    new Option(flags, about).choices(['true', 'false']);
  return command
    .option('--url <url>', 'webhook: where answers are sent')
    .addOption(choice('--inbound <true|false>', 'webhook: messages are heard on this computer'))
    .option('--chats <ids>', 'telegram: chats it may talk to, separated by commas', list)
    .option('--base-url <url>', 'telegram: another address of the Bot API')
    .option('--command <program>', 'command: the program that is given each answer')
    .option('--arg <text>', 'command: one argument of it; again for each', each)
    .option('--env <names>', 'command: variables that it receives, separated by commas', list)
    .option('--cwd <dir>', 'command: folder it runs in')
    .option('--agent <name>', 'agent of the conversations that begin there')
    .option('--secret-env <name>', 'variable that holds the token or secret')
    .option('--secret-file <path>', 'file (0600) that holds the token or secret')
    .option('--timeout <time>', 'longest wait for one message, such as 10s')
    .addOption(choice('--enabled <true|false>', 'false: answers wait'));
}

/** The options applied to the existing settings; an empty text removes a field. */
function specOf(
  before: ChannelSettings | { kind: ChannelSettings['kind'] },
  run: Run,
): ChannelSettings {
  const fields = CHANNEL_KINDS[before.kind].options;
  const spec: Record<string, unknown> = { ...before };
  for (const option of GIVEN) {
    const value = PATHS.has(option) ? optionalPath(run, option) : optional<unknown>(run, option);
    if (value === undefined) continue;
    const field = fields[option];
    if (field === undefined)
      throw new HoldfastError(
        'INPUT_INVALID',
        `A ${before.kind} channel takes no --${option.replace(/[A-Z]/g, (big) => `-${big.toLowerCase()}`)}.`,
        { hint: 'Nothing was changed. See "holdfast channels add --help".' },
      );
    if (value === '' || (Array.isArray(value) && value.every((one) => one === '')))
      Reflect.deleteProperty(spec, field);
    else spec[field] = option === 'inbound' || option === 'enabled' ? value === 'true' : value;
  }
  // The contract reports what is invalid.
  return spec as unknown as ChannelSettings;
}

async function stored(engine: Reach, name: string): Promise<ChannelSettings> {
  const { value } = await engine.call('config.get', { key: 'channels.own' });
  const all = value as unknown as Readonly<Record<string, ChannelSettings>>;
  const found = Object.hasOwn(all, name) ? all[name] : undefined;
  if (found !== undefined) return found;
  throw new HoldfastError(
    'CHANNEL_UNKNOWN',
    `No channel of yours is called "${name.slice(0, 60)}".`,
    {
      hint: 'Nothing was changed. See which there are: holdfast channels list',
    },
  );
}

const told = (value: ChannelView, what: string): Reply => ({
  value,
  text: `Channel ${inertLine(value.name)} ${what}${value.key === undefined ? '' : ` Its token or secret: ${keyText(value.key)}.`}`,
});

function addChannelChanges(channels: Command, program: Program): void {
  asks(
    program,
    withFields(
      channels
        .command('add')
        .description('add a channel')
        .argument('<name>', 'its name')
        .addOption(
          new Option('--kind <kind>', 'what it is').choices(channelKinds).makeOptionMandatory(),
        ),
    )
      .option('--secret-stdin', 'store its token or secret, read from standard input')
      .option('--allow-plaintext', 'store it unencrypted (0600) where no keyring exists'),
    'decide',
    async (engine, run, name) => {
      const channel = specOf({ kind: run.options['kind'] as ChannelSettings['kind'] }, run);
      const isGiven = optional<boolean>(run, 'secretStdin') === true;
      const value = await engine.call('channels.add', {
        name,
        channel,
        ...(isGiven ? { key: await keyOf(run, undefined, ASKED) } : {}),
        ...where('allowPlaintext', optional<boolean>(run, 'allowPlaintext')),
      });
      return told(value, 'is added.');
    },
  );

  asks(
    program,
    withFields(
      channels
        .command('edit')
        .description('change what is named of a channel; an empty text takes it away')
        .argument('<name>', 'its name'),
    ),
    'decide',
    async (engine, run, name) => {
      if (GIVEN.every((option) => optional(run, option) === undefined))
        throw new HoldfastError('INPUT_INVALID', 'Nothing was named to change.', {
          hint: 'Name at least one option: see "holdfast channels edit --help".',
        });
      const channel = specOf(await stored(engine, name), run);
      return told(
        await engine.call('channels.edit', { name, channel }),
        'is changed. The next message takes it.',
      );
    },
  );

  asks(
    program,
    channels
      .command('remove')
      .description('remove a channel and its stored token or secret')
      .argument('<name>', 'its name'),
    'decide',
    async (engine, _run, name) => {
      const value = await engine.call('channels.remove', { name });
      const where_ = inertLine(value.defaultChannel);
      const waiting =
        value.pending === 0 ? '' : ` ${countText(value.pending, 'answer')} waited for it.`;
      return {
        value,
        text: `Channel ${inertLine(value.name)} is removed.${waiting} Answers for it go to ${where_}, with a note.`,
      };
    },
  );

  asks(
    program,
    channels
      .command('set-secret')
      .description('store its token or secret, read from standard input; it can never be read back')
      .argument('<name>', 'its name')
      .option('--env <name>', 'take it from this environment variable instead')
      .option('--remove', 'forget the stored one')
      .option('--allow-plaintext', 'store it unencrypted (0600) where no keyring exists'),
    'decide',
    async (engine, run, name) => {
      const key =
        optional<boolean>(run, 'remove') === true
          ? null
          : await keyOf(run, optional<string>(run, 'env'), ASKED);
      const value = await engine.call('channels.setKey', {
        name,
        key,
        ...where('allowPlaintext', optional<boolean>(run, 'allowPlaintext')),
      });
      return told(value, key === null ? 'forgot it.' : 'has it.');
    },
  );
}
