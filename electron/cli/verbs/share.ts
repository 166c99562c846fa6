/** `holdfast share host|invite|join|leave|status|admit|revoke|release|accept-loss`, `machines list` */
import type { Command } from 'commander';
import { InvalidArgumentError } from 'commander';
import { parseDuration } from '../../../shared/durations';
import { looksLike } from '../../../shared/own-hosts';
import { flatLine } from '../../../shared/unseen';
import type { ComputerView, ShareStatus } from '../../../shared/types/share';
import type { Program, Run } from '../command';
import { asks, calls, optional, shows, where } from '../command';
import { facts, ifKnown, inertLine, joinParts, spanText } from '../render';

const STATES: Readonly<Record<ShareStatus['state'], string>> = {
  off: 'off: this computer does not share work',
  connecting: 'connecting',
  connected: 'connected',
  asking: 'waiting to be admitted',
  refused: 'refused',
  halted: 'halted',
};

function statusText(status: ShareStatus, run: Run): string {
  if (status.state === 'off')
    return 'This computer does not share work. Join: holdfast share join INVITATION';
  return facts([
    ['state', STATES[status.state]],
    ['shared store', inertLine(status.address)],
    ['last answer', run.when(status.answeredAtMs)],
    ['served from here', ifKnown(status.listens, inertLine)],
    ['this computer', inertLine(status.name)],
    ['turns here', String(status.held)],
    ['problem', ifKnown(status.problem, inertLine)],
  ]);
}

const ALONE =
  'Only this computer can reach it. For others: holdfast share leave, then holdfast share host --listen ADDRESS';

function duration(text: string): number {
  const parsed = parseDuration(text);
  if (!parsed.ok) throw new InvalidArgumentError(parsed.reason);
  return parsed.ms;
}

const offset = (ms: number): string =>
  Math.abs(ms) < 1_000 ? '-' : `${ms < 0 ? '-' : '+'}${spanText(Math.abs(ms))}`;

/** With its id where its name does not tell it from another, or cannot be typed. */
const named = ({ id, name }: ComputerView, all: readonly ComputerView[]): string => {
  const isPlain =
    flatLine(name) === name && all.filter((one) => looksLike(one.name, name)).length === 1;
  return isPlain || id === undefined ? inertLine(name) : `${inertLine(name)} (${id})`;
};

const row = (one: ComputerView, _at: number, all: readonly ComputerView[]): string[] => [
  named(one, all) + (one.isThis ? ' (this one)' : ''),
  one.state === 'asking' ? 'asks to be admitted' : one.isStopping ? 'stopping' : one.state,
  inertLine(one.version) || '-',
  String(one.leases),
  offset(one.clockOffsetMs),
  one.contactAgoMs === undefined ? 'never' : `${spanText(Math.max(0, one.contactAgoMs))} ago`,
];

export function addMachines(root: Command, program: Program): void {
  const machines = root.command('machines').description('List the computers that share work');
  asks(
    program,
    machines
      .command('list')
      .description('List computers, their turns, and waiting turns with the reason'),
    'running',
    shows('machines.list', (value, run) => {
      const table = run.table(
        ['COMPUTER', 'STATE', 'VERSION', 'TURNS', 'CLOCK', 'LAST CONTACT'],
        value.machines.map(row),
      );
      const waiting = run.table(
        ['WAITING TURN', 'SESSION', 'SINCE', 'WHY'],
        value.waiting.map((one) => [
          one.id,
          inertLine(one.session),
          spanText(one.waitsMs),
          inertLine(one.why),
        ]),
      );
      return joinParts([table, waiting], '\n\n');
    }),
  );
}

function addOwner(share: Command, program: Program): void {
  asks(
    program,
    share
      .command('host')
      .description('Set up the shared store in a PostgreSQL database, and join it')
      .argument(
        '[address]',
        'Database, as postgres://user:password@host:port/name; the user must be able to create roles. Default: Holdfast creates and runs its own PostgreSQL',
      )
      .option(
        '--listen <address>',
        'Name or address at which the others reach this computer, with an optional port (default: only this computer can connect)',
      )
      .option(
        '--fetch',
        'Fetch PostgreSQL into the data directory with npm (24 MB) if no compatible version is installed',
      ),
    'running',
    async (engine, run, address) => {
      const listen = optional<string>(run, 'listen');
      const fetch = optional<boolean>(run, 'fetch');
      const value = await engine.call('share.host', {
        ...(address === '' ? {} : { address }),
        ...where('listen', listen),
        ...where('fetch', fetch),
      });
      const isAlone = value.listens !== undefined && listen === undefined;
      return {
        value,
        text: isAlone ? `${statusText(value, run)}\n\n${ALONE}` : statusText(value, run),
      };
    },
  );
  asks(
    program,
    share
      .command('invite')
      .description('Print an invitation for one more computer')
      .argument('<name>', 'Name for the computer until it gives its own')
      .option('--for <duration>', 'How long it is valid (default 1d)', duration),
    'running',
    calls(
      'share.invite',
      (run, name) => ({ name, ...where('forMs', optional<number>(run, 'for')) }),
      ({ invitation, expiresAtMs }, run) =>
        `${invitation}\n\nExpires ${run.when(expiresAtMs)}; valid for one computer. On it: holdfast share join INVITATION. Then here: holdfast share admit NAME`,
    ),
  );
  for (const [word, verb, about] of [
    ['admit', 'share.admit', 'Admit a computer that used an invitation'],
    ['revoke', 'share.revoke', 'Revoke the access of a computer; its turns go to the others'],
  ] as const)
    asks(
      program,
      share.command(word).description(about).argument('<name>', 'Name of the computer'),
      'running',
      async (engine, _run, name) => ({
        value: await engine.call(verb, { name }),
        text:
          word === 'admit'
            ? `${inertLine(name)} may take work now.`
            : `${inertLine(name)} no longer has access.`,
      }),
    );
  asks(
    program,
    share.command('accept-loss').description('Continue with a shared store that has lost data'),
    'running',
    async (engine) => ({
      value: await engine.call('share.acceptLoss', {}),
      text: 'Accepted. Restart Holdfast on each computer: the turns that the store still has continue.',
    }),
  );
}

export function addShare(root: Command, program: Program): void {
  const share = root.command('share').description('Share work with other computers');
  asks(
    program,
    share.command('status').description("Show this computer's connection to the shared store"),
    'read',
    shows('share.status', statusText),
  );
  asks(
    program,
    share
      .command('join')
      .description('Join a shared store')
      .argument('<invitation>', 'Line printed by "holdfast share invite"'),
    'running',
    calls('share.join', (_run, invitation) => ({ invitation }), statusText),
  );
  asks(
    program,
    share.command('leave').description('Return shared turns to the queue and stop sharing work'),
    'running',
    async (engine) => ({
      value: await engine.call('share.leave', {}),
      text: 'This computer no longer shares work. Its shared turns go to the other computers.',
    }),
  );
  asks(
    program,
    share
      .command('release')
      .description('Let any computer run a shared turn that was for one computer only')
      .argument('<id>', 'Turn, as listed by "holdfast machines list"'),
    'running',
    async (engine, _run, id) => ({
      value: await engine.call('share.release', { id }),
      text: 'Any computer that offers what it needs may take it now.',
    }),
  );
  addOwner(share, program);
}
