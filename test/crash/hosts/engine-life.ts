/**
 * One life of the engine in a process that the crash tests kill: the real composition on a real
 * data directory, with only the edges of the world faked. Speaks one JSON object per line; what
 * it prints has happened on disk before.
 */
import fs from 'node:fs';
import path from 'node:path';
import readline from 'node:readline';
import { compose } from '../../../electron/compose/compose';
import { openDatabase } from '../../../electron/adapters/sqlite/open-database';
import { pruneClosedTurns } from '../../../electron/adapters/sqlite/retention';
import { createGroupCommit } from '../../../electron/adapters/sqlite/journal/group-commit';
import { createSystemClock } from '../../../electron/adapters/clock/system-clock';
import { createHasher } from '../../../electron/adapters/blobs/hasher';
import { modelKey } from '../../../electron/engine/journal/step-keys';
import type { CrashPointName, CrashPoints } from '../../../electron/engine/kernel/crash-points';
import type {
  ModelRequest,
  ProviderFailure,
  ProviderOutcome,
} from '../../../electron/ports/provider';
import type { ToolSpec } from '../../../electron/ports/tools';
import type { ToolCall, ToolOutcome } from '../../../electron/ports/tool-call';
import type { Verb, VerbInput } from '../../../shared/contract';
import {
  createFakeChannel,
  createFakeProvider,
  createFakeTools,
  FAKE_SPECS,
  promptOf,
  resultsSoFar,
  type Script,
} from '../../helpers/fake-world';
import { createVirtualClock } from '../../helpers/virtual-clock';
import { BIG_CHARS, planOf } from '../plans';

/** What the parent says before the start. */
export interface HostOptions {
  readonly dataDir: string;
  /** Folder of what the world sees: logs of effects, requests and deliveries. */
  readonly outside: string;
  readonly noRestore: boolean;
  /** Kill this process at the n-th time that the point is reached (1-based). */
  readonly crash?: { readonly point: CrashPointName; readonly hit: number };
  /** Tools that are not there in this life. */
  readonly missingTools: readonly string[];
  /** Name of the tool host: qualified names in the journal are `<host>.<tool>`. */
  readonly host: string;
  /** The tool host can tell whether an earlier call took effect. */
  readonly hasStatusCheck: boolean;
  /** `kill_host` ends the process only in lives that say so. */
  readonly isPoisoned: boolean;
  /** Kill this process in the very moment in which a turn is announced to be in that state. */
  readonly endsWhenTold?: string;
  /** Time begins here, and passes only when it is told to; else it is that of the computer. */
  readonly clockMs?: number;
}

/** Commands on standard input. */
export type HostCommand =
  | {
      readonly kind: 'accept';
      readonly id: number;
      readonly channel: string;
      readonly peer: string;
      readonly text: string;
    }
  | { readonly kind: 'call'; readonly id: number; readonly verb: Verb; readonly input: unknown }
  | { readonly kind: 'quiet'; readonly id: number }
  /** Kills this process when the point is reached the next time, or so many times later. */
  | {
      readonly kind: 'arm';
      readonly id: number;
      readonly point: CrashPointName;
      readonly later?: number;
    }
  /** Time passes, a minute after the other: what runs comes to its end between two of them. */
  | { readonly kind: 'advance'; readonly id: number; readonly byMs: number }
  /** The lid is shut for so long. */
  | { readonly kind: 'suspend'; readonly id: number; readonly forMs: number }
  | { readonly kind: 'stop'; readonly id: number }
  | { readonly kind: 'prune'; readonly id: number }
  /** Takes memory until there is none. */
  | { readonly kind: 'exhaust'; readonly id: number };

const options = JSON.parse(process.argv[2] ?? '{}') as HostOptions;
const { dataDir, outside } = options;

/** Written at once: a line that the parent reads was true before the kill. */
function say(line: Record<string, unknown>): void {
  fs.writeSync(1, `${JSON.stringify(line)}\n`);
}

const counts = new Map<CrashPointName, number>();
let crash = options.crash;
const crashPoints: CrashPoints = {
  hit(name) {
    const count = (counts.get(name) ?? 0) + 1;
    counts.set(name, count);
    if (crash?.point !== name || crash.hit !== count) return;
    say({ killed: name, hit: count });
    process.kill(process.pid, 'SIGKILL');
    // The signal is delivered before this call returns; if ever it were not, nothing may go on.
    for (;;);
  },
};

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** A file `hold-<name>` makes the named edge of the world stand still until it is removed. */
async function held(name: string, signal?: AbortSignal): Promise<void> {
  const file = path.join(outside, `hold-${name}`);
  if (!fs.existsSync(file)) return;
  say({ stalled: name });
  while (fs.existsSync(file) && signal?.aborted !== true) await pause(5);
}

const anything = { type: 'object', additionalProperties: true };
const OWN_SPECS: readonly ToolSpec[] = [
  { name: 'stop_me', description: 'Stops its turn', inputSchema: anything, purity: 'world' },
  { name: 'tick', description: 'Another value each time', inputSchema: anything, purity: 'world' },
  { name: 'ask_me', description: 'Is asked about', inputSchema: anything, purity: 'external' },
  { name: 'kill_host', description: 'Ends Holdfast', inputSchema: anything, purity: 'side_effect' },
  {
    name: 'extra',
    description: 'A tool that may go',
    inputSchema: anything,
    purity: 'side_effect',
  },
];

const effectsLog = path.join(outside, 'effects.log');
const tools = createFakeTools({
  dir: outside,
  host: options.host,
  specs: [...FAKE_SPECS, ...OWN_SPECS].filter((spec) => !options.missingTools.includes(spec.name)),
  async gate(at, call) {
    if (at === 'before' && call.tool === 'stop_me') {
      void composition.holdfast.call('turns.cancel', { turnId: call.turnId }, 'test');
      await new Promise((resolve) => {
        call.signal.addEventListener('abort', resolve, { once: true });
      });
    }
    await held(`${call.tool}-${at}`, call.signal);
    if (at === 'after' && call.tool === 'kill_host' && options.isPoisoned) {
      say({ killed: 'kill_host' });
      process.kill(process.pid, 'SIGKILL');
      for (;;);
    }
  },
  outcome: outcomeOf,
  ...(options.hasStatusCheck
    ? {
        status: (call: ToolCall) =>
          fs.existsSync(effectsLog) &&
          fs.readFileSync(effectsLog, 'utf8').includes(`"${call.idempotencyKey}"`)
            ? ('done' as const)
            : ('not_done' as const),
      }
    : {}),
});

function outcomeOf(call: ToolCall): ToolOutcome | undefined {
  const args = call.args as { readonly big?: boolean };
  if (call.tool === 'stop_me') return { kind: 'failed', message: 'Stopped.', isRetryable: true };
  if (call.tool === 'tick') {
    return { kind: 'result', content: process.hrtime.bigint().toString(), isError: false };
  }
  if (args.big === true) {
    return { kind: 'result', content: `big: ${'x'.repeat(BIG_CHARS)}`, isError: false };
  }
  return undefined;
}

const hasher = createHasher();
const UNREACHABLE: ProviderFailure = {
  kind: 'network',
  message: 'It cannot be reached.',
  hint: '',
  isRetryable: true,
};
/** A file `provider-down` is a provider that cannot be reached; `later`: from its second request on. */
const downFile = path.join(outside, 'provider-down');
const isDown = (): boolean => fs.existsSync(downFile);
const script = (request: ModelRequest): ReturnType<Script> => {
  const plan = planOf(promptOf(request));
  const asked = answersSoFar(request);
  const calls = plan.answers[asked];
  const told = request.messages.filter((message) => message.role === 'tool');
  const seen = told.find((message) => message.tool === 'look') ?? told.at(-1);
  if (calls === undefined) {
    return { text: `${plan.text}${seen === undefined ? '' : ` (${seen.content.slice(0, 40)})`}` };
  }
  return asked === 0 && plan.firstText !== undefined ? { text: plan.firstText, calls } : { calls };
};
/** The same model elsewhere, which is never down. */
const spare = createFakeProvider({ dir: outside, name: 'spare', script });
const provider = createFakeProvider({
  dir: outside,
  probe: () => (isDown() ? { kind: 'failed', failure: UNREACHABLE } : { kind: 'ok' }),
  script,
  async gate(request): Promise<ProviderOutcome | undefined> {
    const prompt = promptOf(request);
    const fd = fs.openSync(path.join(outside, 'bodies.log'), 'a');
    const body = {
      hash: modelKey(hasher, request),
      prompt: prompt.slice(0, 60),
      before: JSON.stringify(request.messages.at(-2) ?? null).slice(0, 120),
    };
    fs.writeSync(fd, `${JSON.stringify(body)}\n`);
    fs.closeSync(fd);
    await held('provider');
    const isLater = isDown() && fs.readFileSync(downFile, 'utf8') === 'later';
    if (isDown() && (!isLater || resultsSoFar(request) > 0))
      return { kind: 'failure', failure: UNREACHABLE };
    // Fails once, in a way that may pass.
    const failed = path.join(outside, 'flaky-failed');
    if (prompt.startsWith('flaky ') && !fs.existsSync(failed)) {
      fs.writeFileSync(failed, '');
      return {
        kind: 'failure',
        failure: { kind: 'server', message: 'Overloaded.', hint: '', isRetryable: true },
      };
    }
    if (!prompt.startsWith('refused ') || fs.existsSync(path.join(outside, 'provider-mended'))) {
      return undefined;
    }
    return {
      kind: 'failure',
      failure: { kind: 'config', message: 'Key refused.', hint: 'Mend it.', isRetryable: false },
    };
  },
});

/** Answers that the model has given since the last message of the user. */
function answersSoFar(request: ModelRequest): number {
  const from = request.messages.findLastIndex((message) => message.role === 'user');
  return request.messages.slice(from).filter((message) => message.role === 'assistant').length;
}

const chanA = createFakeChannel({ dir: outside, name: 'chanA' });
const chanB = createFakeChannel({ dir: outside, name: 'chanB' });
/** A file `window` is a desktop; a file `quiet` is a person who is not to be disturbed. */
const isThere = (name: string): boolean => fs.existsSync(path.join(outside, name));
const window = createFakeChannel({
  dir: outside,
  name: 'window',
  isQuiet: () => isThere('quiet'),
});
const clock = options.clockMs === undefined ? undefined : createVirtualClock(options.clockMs);
const composition = compose({
  dataDir,
  mode: 'headless',
  flags: { noRestore: options.noRestore, hidden: true, takeover: false, afterCrash: false },
  version: '0.0.0-test',
  env: { PATH: process.env['PATH'], HOME: outside, HOLDFAST_HOME: dataDir },
  self: { command: process.execPath, args: [path.resolve('dist/node/holdfast.cjs')] },
  toolHosts: [tools],
  providers: [provider, spare],
  channels: [chanA, chanB, ...(isThere('window') ? [window] : [])],
  crashPoints,
  ...(clock === undefined ? {} : { clock, ticker: clock.ticker }),
});
const { holdfast, lifecycle } = composition;

/** Accepts that are not answered yet. */
let accepting = 0;

/** Nothing is being accepted, runs or is queued, and every answer for the channel is delivered. */
async function quiet(): Promise<void> {
  for (;;) {
    const { turns } = await holdfast.call('turns.list', { limit: 200 }, 'test');
    const isBusy = turns.some((turn) => turn.state === 'running' || turn.state === 'queued');
    const answered = turns.filter((turn) => turn.state === 'completed' && turn.channel === 'chanB');
    const told = new Set(chanB.received().map((delivery) => delivery.deliveryId));
    if (accepting === 0 && !isBusy && answered.length <= told.size) break;
    await pause(5);
  }
  // Confirmations of deliveries are commits of their own.
  await pause(10);
}

const MINUTE_MS = 60_000;
/** Processes of agents take time of the computer, whatever the clock says. */
const ROUNDS = 4_000;
const running = new Set<number>();

async function advance(byMs: number): Promise<void> {
  for (let leftMs = byMs; leftMs > 0; leftMs -= MINUTE_MS) {
    await clock?.advance(Math.min(leftMs, MINUTE_MS));
    await pause(2);
    for (let round = 0; running.size > 0 && round < ROUNDS; round += 1) await pause(5);
    say({ nowMs: clock?.nowMs() });
  }
}

async function prune(): Promise<number> {
  await lifecycle.stop('stop');
  const nowMs = Date.now();
  const db = await openDatabase({
    dataDir,
    isReadOnly: false,
    newId: () => 'unused',
    nowMs,
    crashPoints,
  });
  const journal = createGroupCommit({
    db,
    clock: createSystemClock(),
    crashPoints,
    assertOwner: () => undefined,
  });
  const pruned = await pruneClosedTurns(db, {
    beforeMs: nowMs + 1000,
    commit: (entries) => journal.commit(entries),
    crashPoints,
    pause: () => {
      say({ prunedBatch: true });
      return pause(0);
    },
    signal: new AbortController().signal,
  });
  db.close();
  return pruned;
}

async function obey(command: HostCommand): Promise<void> {
  const { id } = command;
  try {
    switch (command.kind) {
      case 'accept': {
        const { channel, peer, text } = command;
        const turnId =
          channel === 'chanB'
            ? (await chanB.intake().accept({ peer, text, agent: 'fake' })).turnId
            : (await holdfast.call('send', { text, session: peer, agent: 'fake' }, 'cli')).turnId;
        say({ id, acked: turnId });
        return;
      }
      case 'call': {
        const { verb, input } = command;
        say({ id, result: await holdfast.call(verb, input as VerbInput<Verb>, 'test') });
        return;
      }
      case 'quiet':
        await quiet();
        say({ id, isQuiet: true, counts: Object.fromEntries(counts) });
        return;
      case 'arm':
        crash = {
          point: command.point,
          hit: (counts.get(command.point) ?? 0) + 1 + (command.later ?? 0),
        };
        say({ id, isArmed: true });
        return;
      case 'advance':
        await advance(command.byMs);
        say({ id, hasAdvanced: true });
        return;
      case 'suspend':
        clock?.suspend(command.forMs);
        say({ id, nowMs: clock?.nowMs() });
        return;
      case 'stop':
        await lifecycle.stop('stop');
        say({ id, isStopped: true, counts: Object.fromEntries(counts) });
        return;
      case 'prune':
        say({ id, pruned: await prune() });
        return;
      case 'exhaust':
        for (const hoard: unknown[] = []; ;) hoard.push(new Array(100_000).fill(hoard.length));
    }
  } catch (error) {
    const known = error as { readonly code?: string; readonly message?: string };
    say({ id, failed: known.code ?? 'ERROR', message: known.message ?? '' });
  }
}

readline.createInterface({ input: process.stdin }).on('line', (line) => {
  const command = JSON.parse(line) as HostCommand;
  const isAccept = command.kind === 'accept';
  if (isAccept) accepting += 1;
  void obey(command).finally(() => {
    if (isAccept) accepting -= 1;
  });
});
// The parent is gone: nobody would ever stop this process.
process.stdin.on('end', () => process.exit(0));

holdfast.on('turn.changed', ({ turnId, state }) => {
  if (state === 'running') running.add(turnId);
  else running.delete(turnId);
  say({ changed: turnId, state });
  if (state !== options.endsWhenTold) return;
  say({ killed: `told ${state}` });
  process.kill(process.pid, 'SIGKILL');
  for (;;);
});
lifecycle.start().then(
  () => {
    say({ isReady: true, counts: Object.fromEntries(counts) });
  },
  (error: unknown) => {
    say({ startFailed: error instanceof Error ? error.message : String(error) });
    process.exit(1);
  },
);
