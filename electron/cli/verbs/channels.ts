/** `holdfast channels list|add|edit|remove|set-secret|link|test` */
import type { Command } from 'commander';
import { Option } from 'commander';
import type { ChannelView } from '../../../shared/types/channels';
import type { Program, Run, Reply } from '../command';
import { asks, calls, list, optional, optionalPath, shows, where, withOldNames } from '../command';
import { EXIT } from '../exit-codes';
import { keyText, keyOf } from '../input';
import { countText, ifKnown, inertLine, joinParts, spanText } from '../render';
import {
  CHANNEL_KINDS,
  channelKinds,
  type ChannelSettings,
} from '../../../shared/settings/channels';
import { REMOTE_DECISIONS } from '../../../shared/settings/channel-parts';
import { HoldfastError, invalidInput } from '../../engine/kernel/errors';
import type { Reach } from '../reach';
import { entryOf } from '../../../shared/table';

const TEST_TIMEOUT_MS = 620_000;
const STATE_WORDS = {
  ready: 'ready',
  off: 'off',
  not_ready: 'not ready',
  gone: 'removed',
} as const;

const isFailing = (one: ChannelView): boolean =>
  one.state === 'ready' && (one.breaker !== 'closed' || one.failures > 0);

function remarks(one: ChannelView, run: Run): string {
  const isDue = one.pending > 0 && one.nextTryAtMs !== undefined;
  const parts = [
    one.isDefault ? 'default' : undefined,
    one.speaks ? undefined : 'inbound only',
    ifKnown(one.key, keyText),
    ifKnown(one.inboundUrl, (url) => `receives on ${inertLine(url)}`),
    ifKnown(one.listenProblem, (why) => `not receiving: ${inertLine(why)}`),
    ifKnown(one.lastError, inertLine),
    isDue ? `next attempt ${run.when(one.nextTryAtMs)}` : undefined,
  ];
  return joinParts(parts, '; ') || '-';
}

const row = (one: ChannelView, run: Run): string[] => [
  inertLine(one.name),
  one.kind,
  isFailing(one) ? countText(one.failures, 'consecutive failure') : STATE_WORDS[one.state],
  one.pending === 0 ? '-' : countText(one.pending, 'reply', 'replies'),
  one.deliveredAtMs === undefined
    ? '-'
    : `${String(one.delivered)}, last ${run.when(one.deliveredAtMs)}`,
  remarks(one, run),
];

export function addChannels(root: Command, program: Program): void {
  const channels = root
    .command('channels')
    .description('List, add, test and remove channels for replies and inbound messages');

  asks(
    program,
    channels.command('list').description('List channels with their state and deliveries'),
    'read',
    shows('channels.list', (value, run) => {
      const hears = value.channels.some((one) => one.inboundUrl !== undefined);
      const head = ['CHANNEL', 'TYPE', 'STATE', 'PENDING', 'DELIVERED', 'NOTES'];
      const table = run.table(
        head,
        value.channels.map((one) => row(one, run)),
      );
      return hears ? `${table}\nSenders use the token in ${inertLine(value.tokenPath)}.` : table;
    }),
  );

  addChannelChanges(channels, program);
  addChannelLink(channels, program);

  asks(
    program,
    channels
      .command('test')
      .description('Send a test message now')
      .argument('<name>', 'Channel name'),
    'running',
    async (engine, _run, name) => {
      const value = await engine.call('channels.test', { name }, TEST_TIMEOUT_MS);
      return {
        value,
        text: `${value.ok ? 'Delivered' : 'Not delivered'} (${spanText(value.tookMs)}): ${inertLine(value.message)}`,
        exitCode: value.ok ? EXIT.ok : EXIT.failed,
      };
    },
  );
}

function addChannelLink(channels: Command, program: Program): void {
  asks(
    program,
    channels
      .command('link')
      .description('Print a link that subscribes a browser to a web push channel')
      .argument('<name>', 'Channel name')
      .option(
        '--person <name>',
        'Person who uses the browser (default: the only person who decides there)',
      ),
    'running',
    calls(
      'channels.link',
      (run, name) => ({ name, ...where('person', optional<string>(run, 'person')) }),
      ({ url, person }) =>
        `${url}\nWithin 15 minutes, open this link in the browser where ${inertLine(person)} is to be notified.`,
    ),
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
    .option('--url <url>', 'webhook: URL to send replies to')
    .addOption(choice('--inbound <true|false>', 'webhook: receive messages on this computer'))
    .option('--chats <ids>', 'Allowed chat IDs, comma-separated (telegram, slack, discord)', list)
    .addOption(choice('--questions <true|false>', 'Send requests that need a decision there'))
    .addOption(choice('--show-input <true|false>', 'Show commands and inputs in questions'))
    .option('--people <ids>', 'IDs of the people who may decide, comma-separated', list)
    .option('--digest <time>', 'Time of its daily digest, such as 08:00, or "off"')
    .addOption(
      new Option('--decide <what>', 'What they may decide there').choices([...REMOTE_DECISIONS]),
    )
    .option('--base-url <url>', 'Base URL of the API (telegram, slack, discord)')
    .option('--host <name>', 'SMTP server (mail)')
    .option('--port <number>', 'Port of the SMTP server (mail)', Number)
    .addOption(
      new Option('--security <how>', 'Encryption (mail)').choices(['tls', 'starttls', 'none']),
    )
    .option('--user <name>', 'Account on the SMTP server (mail)')
    .option('--from <address>', 'Address that mail comes from (mail)')
    .option('--to <addresses>', 'Addresses that get mail, comma-separated (mail)', list)
    .option('--imap-host <name>', 'IMAP server whose mailbox is read (mail)')
    .option('--imap-port <number>', 'Port of the IMAP server (mail)', Number)
    .addOption(
      new Option('--imap-security <how>', 'Its encryption (mail)').choices(['tls', 'none']),
    )
    .option('--imap-folder <name>', 'Folder that is read (mail)')
    .option(
      '--writers <addresses>',
      'Addresses whose mail starts work, comma-separated (mail)',
      list,
    )
    .option('--auth-server <name>', 'Server that vouches for senders (mail)')
    .addOption(choice('--page <true|false>', 'Link to a page that takes the answer (mail)'))
    .option('--contact <address>', 'Mail address that push services can write to (webpush)')
    .option('--server <url>', 'URL of the server (ntfy)')
    .option('--topic <name>', 'Topic to publish to (ntfy)')
    .option('--reply-topic <name>', 'Topic for the answers (ntfy)')
    .option('--command <program>', 'command: program that gets each reply')
    .option('--arg <text>', 'command: argument; repeatable', each)
    .option('--env <names>', 'command: environment variables to pass, comma-separated', list)
    .option('--cwd <dir>', 'command: working directory')
    .option('--agent <name>', 'Agent for sessions that start there')
    .option('--secret-env <name>', 'Environment variable with the token or secret')
    .option('--secret-file <path>', 'File (0600) with the token or secret')
    .option('--timeout <time>', 'Timeout for one message, such as 10s')
    .addOption(choice('--enabled <true|false>', 'false: keep replies pending'));
}

const SWITCHES = new Set(['inbound', 'enabled', 'questions', 'showInput', 'page']);

/** Sets a field, also one inside another one such as `decide.people`; undefined removes it. */
function setField(spec: Record<string, unknown>, field: string, value: unknown): void {
  const [outer = '', inner] = field.split('.');
  if (inner === undefined) {
    if (value === undefined) Reflect.deleteProperty(spec, field);
    else spec[field] = value;
    return;
  }
  const group = { ...(spec[outer] as Record<string, unknown> | undefined) };
  setField(group, inner, value);
  // If no one is listed, no one can decide there.
  if (group['people'] === undefined && value === undefined) Reflect.deleteProperty(spec, outer);
  else spec[outer] = group;
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
      throw invalidInput(
        `A ${before.kind} channel takes no --${option.replace(/[A-Z]/g, (big) => `-${big.toLowerCase()}`)}.`,
        'Nothing was changed. See "holdfast channels add --help".',
      );
    const isEmpty = value === '' || (Array.isArray(value) && value.every((one) => one === ''));
    setField(spec, field, isEmpty ? undefined : SWITCHES.has(option) ? value === 'true' : value);
  }
  // The contract reports what is invalid.
  return spec as unknown as ChannelSettings;
}

async function stored(engine: Reach, name: string): Promise<ChannelSettings> {
  const { value } = await engine.call('config.get', { key: 'channels.own' });
  const all = value as unknown as Readonly<Record<string, ChannelSettings>>;
  const found = entryOf(all, name);
  if (found !== undefined) return found;
  throw new HoldfastError('CHANNEL_UNKNOWN', `There is no channel "${name.slice(0, 60)}".`, {
    hint: 'Nothing was changed. List them: holdfast channels list',
  });
}

const told = (value: ChannelView, what: string): Reply => ({
  value,
  text: `Channel ${inertLine(value.name)} ${what}${value.key === undefined ? '' : ` Its token or secret: ${keyText(value.key)}.`}`,
});

function addChannelChanges(channels: Command, program: Program): void {
  asks(
    program,
    withOldNames(
      withFields(
        channels.command('add').description('Add a channel').argument('<name>', 'Channel name'),
      )
        .option('--secret-stdin', 'Store its token or secret, read from standard input')
        .option('--allow-plaintext', 'Store it unencrypted (0600) if no keyring exists'),
      new Option('--type <type>', 'Type of channel').choices(channelKinds).makeOptionMandatory(),
      '--kind <type>',
    ),
    'decide',
    async (engine, run, name) => {
      const channel = specOf({ kind: run.options['type'] as ChannelSettings['kind'] }, run);
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
        .description('Update a channel. Omitted options stay; pass "" to clear one')
        .argument('<name>', 'Channel name'),
    ),
    'decide',
    async (engine, run, name) => {
      if (GIVEN.every((option) => optional(run, option) === undefined))
        throw invalidInput(
          'Nothing to change.',
          'Specify at least one option: see "holdfast channels edit --help".',
        );
      const channel = specOf(await stored(engine, name), run);
      return told(
        await engine.call('channels.edit', { name, channel }),
        'is updated. The change applies from the next message.',
      );
    },
  );

  asks(
    program,
    channels
      .command('remove')
      .description('Remove a channel and its stored token or secret')
      .argument('<name>', 'Channel name'),
    'decide',
    calls(
      'channels.remove',
      (_run, name) => ({ name }),
      ({ name, pending, defaultChannel }) => {
        const waiting = pending === 0 ? '' : ` ${countText(pending, 'reply', 'replies')} pending.`;
        return `Channel ${inertLine(name)} is removed.${waiting} Its replies go to ${inertLine(defaultChannel)}, with a note.`;
      },
    ),
  );

  asks(
    program,
    withOldNames(
      channels
        .command('set-secret')
        .description('Store a token or secret, read from standard input; it can never be read back')
        .argument('<name>', 'Channel name')
        .option('--remove', 'Delete the stored one')
        .option('--allow-plaintext', 'Store it unencrypted (0600) if no keyring exists'),
      new Option('--from-env <name>', 'Take it from this environment variable instead'),
      '--env <name>',
    ),
    'decide',
    async (engine, run, name) => {
      const key =
        optional<boolean>(run, 'remove') === true
          ? null
          : await keyOf(run, optional<string>(run, 'fromEnv'), ASKED);
      const value = await engine.call('channels.setKey', {
        name,
        key,
        ...where('allowPlaintext', optional<boolean>(run, 'allowPlaintext')),
      });
      return told(value, key === null ? 'no longer has a secret.' : 'is updated.');
    },
  );
}
