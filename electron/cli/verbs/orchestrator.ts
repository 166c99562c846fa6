/**
 * `holdfast debug orchestrator`: one block per activity of the sessions, from the running instance or as
 * its host.
 */
import type { Command } from 'commander';
import type { VerbOutput } from '../../../shared/contract';
import type { ActivationEvent } from '../../../shared/types/work';
import type { Program, Run } from '../command';
import { does, optional, plainNumber, where, wholeNumber } from '../command';
import type { ExitCode } from '../exit-codes';
import { EXIT } from '../exit-codes';
import { FIRST_SETTINGS, FIRST_START } from '../headless';
import type { Reach } from '../reach';
import { connectRunning, isAbsence, reachAgain, silentError, withReach } from '../reach';
import { countText } from '../render';
import { activationBlock, activationRow } from './activity';

/** Number of checks without `--watch` before the command ends. */
const DEFAULT_CYCLES = 10;
const DEFAULT_POLL_MS = 1_000;
const PAGE = 500;

interface Wanted {
  readonly session: string | undefined;
  readonly isWatching: boolean;
  readonly isLogged: boolean;
  readonly stopWhenIdle: boolean;
  /** 0 means no limit. */
  readonly maxCycles: number;
  readonly pollMs: number;
  /** 0 means never. */
  readonly idleTimeoutMs: number;
}

function wantedOf(run: Run): Wanted {
  const isWatching = optional<boolean>(run, 'watch') === true;
  return {
    session: optional<string>(run, 'session'),
    isWatching,
    isLogged: optional<boolean>(run, 'log') === true,
    stopWhenIdle: optional<boolean>(run, 'stopWhenIdle') === true || !isWatching,
    maxCycles: optional<number>(run, 'maxCycles') ?? (isWatching ? 0 : DEFAULT_CYCLES),
    pollMs: optional<number>(run, 'pollIntervalMs') ?? DEFAULT_POLL_MS,
    idleTimeoutMs: optional<number>(run, 'idleTimeoutMs') ?? 0,
  };
}

const FINAL: ReadonlySet<string> = new Set(['acked', 'requeued', 'blocked', 'abandoned']);

/** The progress so far; it survives restarts of the instance. */
interface Progress {
  afterSeq: number;
  /** Activations that came to an end. */
  cycles: number;
  activities: number;
}

type Ended = 'asked' | 'idle' | 'cycles' | 'idle_timeout';

/** True while a turn runs or could run now. Waiting for a later time or for the user is idle. */
async function isBusy(engine: Reach, session: string | undefined): Promise<boolean> {
  const { turns }: VerbOutput<'turns.list'> = await engine.call('turns.list', {
    states: ['running', 'queued'],
    limit: 1,
    ...where('session', session),
  });
  return turns.length > 0;
}

/** Follows one connection until it must end or has nothing left to do. */
async function follow(
  engine: Reach,
  run: Run,
  wanted: Wanted,
  progress: Progress,
  isAsked: () => boolean,
  onWake: (wake: () => void) => void,
): Promise<Ended> {
  let wake: () => void = () => undefined;
  onWake(() => wake());
  const off = engine.on('session.changed', () => wake());
  void engine.closed.then(() => wake());
  await engine.subscribe(['session.changed']);
  let idleSinceMs: number | undefined;
  try {
    for (;;) {
      const changed = new Promise<void>((resolve) => {
        wake = resolve;
        setTimeout(resolve, wanted.pollMs);
      });
      const { events } = await engine.call('activations.events', {
        ...where('session', wanted.session),
        afterSeq: progress.afterSeq,
        limit: PAGE,
      });
      for (const event of events) {
        print(event, run, wanted);
        progress.afterSeq = event.seq;
        progress.activities += 1;
        if (FINAL.has(event.kind) && event.blockedReason !== 'lease_contended')
          progress.cycles += 1;
        if (wanted.maxCycles > 0 && progress.cycles >= wanted.maxCycles) return 'cycles';
      }
      if (isAsked()) return 'asked';
      if (events.length > 0) {
        // Entries written during the output are checked before the state counts as idle.
        idleSinceMs = undefined;
        continue;
      }
      if (await isBusy(engine, wanted.session)) idleSinceMs = undefined;
      else {
        idleSinceMs ??= performance.now();
        if (wanted.stopWhenIdle) return 'idle';
        const idleMs = performance.now() - idleSinceMs;
        if (wanted.idleTimeoutMs > 0 && idleMs >= wanted.idleTimeoutMs) return 'idle_timeout';
      }
      await changed;
    }
  } finally {
    off();
  }
}

function print(event: ActivationEvent, run: Run, wanted: Wanted): void {
  run.emit(
    event,
    wanted.isLogged ? `${activationBlock(event)}\n` : activationRow(event, run).join('  '),
  );
}

/** The newest entry: earlier ones are not printed again. */
async function newestSeq(engine: Reach): Promise<number> {
  const { events } = await engine.call('activations.events', { limit: 1 });
  return events.at(-1)?.seq ?? 0;
}

/** Runs as a client of the running instance; continues when that is back. */
async function asClient(first: Reach, run: Run, wanted: Wanted, stop: StopSign): Promise<Ended> {
  const progress: Progress = { afterSeq: await newestSeq(first), cycles: 0, activities: 0 };
  let engine: Reach | undefined = first;
  try {
    for (;;) {
      try {
        return await follow(engine, run, wanted, progress, stop.isAsked, stop.onWake);
      } catch (thrown) {
        if (!isAbsence(thrown)) throw thrown;
      }
      if (stop.isAsked()) return 'asked';
      run.note('Holdfast stopped. Waiting for it to restart.');
      if (engine !== first) await engine.close();
      engine = await reachAgain(run.dataDir, run.io, {
        timeoutMs: Infinity,
        isWanted: () => !stop.isAsked(),
      });
      if (engine === undefined) return 'asked';
    }
  } finally {
    if (engine !== undefined && engine !== first) await engine.close();
  }
}

interface StopSign {
  readonly isAsked: () => boolean;
  /** Registers the callback for wake-ups. */
  readonly onWake: (wake: () => void) => void;
}

/** The engine in this process, as a command reaches it over the socket. */
async function host(
  run: Run,
): Promise<{ readonly engine: Reach; stop(): Promise<void> } | undefined> {
  const composer = await run.io.composer();
  const { holdfast, lifecycle } = await composer.compose({
    dataDir: run.dataDir,
    mode: 'headless',
    flags: { noRestore: false, hidden: true, takeover: false, afterCrash: false },
    version: run.io.version,
    env: run.io.env,
    firstSettings: { values: FIRST_SETTINGS, onWritten: () => run.note(FIRST_START) },
  });
  const outcome = await lifecycle.start();
  if (outcome.kind !== 'started') return undefined;
  return {
    engine: {
      isRunning: true,
      call: (verb, input) => holdfast.call(verb, input, 'cli'),
      subscribe: () => Promise.resolve(),
      on: (event, listener) => holdfast.on(event, listener),
      closed: lifecycle.stopped.then(() => undefined),
      close: () => Promise.resolve(),
    },
    async stop() {
      await lifecycle.stop('stop');
      await lifecycle.stopped;
    },
  };
}

/** Work that was accepted at the moment of the stop is on disk: it still runs. S3-34 */
async function isLeftOver(run: Run, wanted: Wanted): Promise<boolean> {
  const opened = await run.io.offline.openReadOnly(run.dataDir);
  try {
    const engine = {
      call: (verb: never, input: never) => opened.holdfast.call(verb, input, 'cli'),
    };
    return await isBusy(engine as unknown as Reach, wanted.session);
  } finally {
    await opened.close();
  }
}

/** If nothing runs, becomes the host until stopped or idle. */
async function asHost(run: Run, wanted: Wanted, stop: StopSign): Promise<Ended> {
  const progress: Progress = { afterSeq: -1, cycles: 0, activities: 0 };
  for (;;) {
    const hosted = await host(run);
    if (hosted === undefined) {
      // Another process started in between: use that instance.
      return withReach('running', run, (engine) => asClient(engine, run, wanted, stop));
    }
    let ended: Ended;
    try {
      // Includes what this start found open.
      if (progress.afterSeq < 0) progress.afterSeq = await firstToTell(hosted.engine);
      ended = await follow(hosted.engine, run, wanted, progress, stop.isAsked, stop.onWake);
    } catch (thrown) {
      // Stopped from elsewhere, in order.
      if (!isAbsence(thrown)) throw thrown;
      ended = 'asked';
    } finally {
      await hosted.stop();
    }
    if (ended !== 'idle' || !(await isLeftOver(run, wanted))) return ended;
  }
}

/** Before the oldest entry of turns that are still open. */
async function firstToTell(engine: Reach): Promise<number> {
  const { events } = await engine.call('activations.events', { limit: 100 });
  const { turns } = await engine.call('turns.list', { states: ['running', 'queued'], limit: 200 });
  const open = new Set(turns.map((turn) => turn.id));
  const first = events.find((event) => event.turnId !== undefined && open.has(event.turnId));
  return first === undefined ? (events.at(-1)?.seq ?? 0) : first.seq - 1;
}

const WORDS: Readonly<Record<Ended, string>> = {
  asked: 'Stopped.',
  idle: 'Nothing more to do.',
  cycles: 'The maximum number of cycles is reached.',
  idle_timeout: 'The idle timeout is reached.',
};

async function orchestrate(run: Run): Promise<ExitCode> {
  const wanted = wantedOf(run);
  let isAsked = false;
  let wake: () => void = () => undefined;
  const off = run.io.onSignal(() => {
    if (isAsked) run.io.exitNow(EXIT.failed);
    isAsked = true;
    wake();
  });
  const stop: StopSign = {
    isAsked: () => isAsked,
    onWake: (one) => {
      wake = one;
    },
  };
  try {
    const running = await connectRunning(run.dataDir, run.io);
    if (running.kind === 'connected') running.client.close();
    if (running.kind === 'silent') throw silentError(run.dataDir);
    let ended: Ended;
    if (running.kind === 'absent') {
      run.note('Holdfast is not running. This command runs it until it ends.');
      ended = await asHost(run, wanted, stop);
    } else {
      ended = await withReach('running', run, (engine) => asClient(engine, run, wanted, stop));
    }
    if (!run.isJson) run.note(WORDS[ended]);
    return EXIT.ok;
  } finally {
    off();
  }
}

export function addDebug(root: Command, program: Program): void {
  const debug = root.command('debug').description('Inspect internals of the engine');
  does(
    program,
    debug
      .command('orchestrator')
      .description("Show live session activity. Starts the engine if it isn't running")
      .option('--session <session>', 'Only this session')
      .option('-w, --watch', 'Keep running until stopped')
      .option('--log', 'Print a block for each activity instead of a line')
      .option('--stop-when-idle', 'End when nothing is running or queued')
      .option(
        '--max-cycles <n>',
        `Maximum number of activations (default ${countText(DEFAULT_CYCLES, 'cycle')} without --watch)`,
        wholeNumber,
      )
      .option('--poll-interval-ms <n>', 'Poll interval in milliseconds (default 1000)', wholeNumber)
      .option(
        '--idle-timeout-ms <n>',
        'Idle timeout in milliseconds (default 0: none)',
        plainNumber,
      ),
    orchestrate,
  );
}
