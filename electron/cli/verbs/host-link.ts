/**
 * `holdfast hosts link`: the far end of the connection that the Holdfast of another computer keeps to this one,
 * over the `ssh` that it started. It says how this one is, again at each change, answers what is asked over it, which
 * only reads, and ends with its input. It listens nowhere. HO-02, HO-03
 */
import type { Command } from 'commander';
import { tellAsks } from '../../../shared/far-asks';
import { LINK_BEAT_MS, LINK_PROTOCOL, type LinkState } from '../../../shared/host-link';
import type { StatusSnapshot } from '../../../shared/types';
import { toHoldfastError } from '../../engine/kernel/errors';
import type { Program, Run } from '../command';
import { does, groupOf } from '../command';
import { EXIT } from '../exit-codes';
import type { CliIo } from '../io';
import { reach, type Reach } from '../reach';
import { safeJson } from '../render';
import { questionReader } from './host-question';

/**
 * While nothing runs here: how often to check whether it does, and whether a command has changed
 * the data on disk.
 */
const LOOK_AGAIN_MS = 10_000;
/** The instance has just ended: it may be starting again. */
const LOOK_SOON_MS = 500;
const ANSWER_MS = 10_000;
/** Minimum interval between lists of what waits here, because a list may be long. */
const ASKS_PAUSE_MS = 1_000;
/** Minimum interval between news about sessions: the other side requests a list each time. */
const NEWS_PAUSE_MS = 5_000;

/** Added to `holdfast hosts`. */
export function addHostLink(root: Command, program: Program): void {
  const hosts = groupOf(root, 'hosts');
  does(
    program,
    hosts
      .command('link', { hidden: true })
      .description(
        'Send the state of this computer to Holdfast on another one, until the input ends',
      ),
    async (run) => {
      await serveLink(run);
      return EXIT.ok;
    },
  );
}

async function serveLink(run: Run): Promise<void> {
  const say = (line: object): void => run.io.stdout.write(`${safeJson(line, 0)}\n`);
  say({ holdfast: { link: [LINK_PROTOCOL], version: run.io.version, tells: ['asks', 'answers'] } });
  const over = inputEnds(run.io);
  const sayLine = (line: string): void => run.io.stdout.write(`${line}\n`);
  run.io.stdin.on('data', questionReader(run, sayLine));
  // A line that is sent regularly lets the system notice that the other side is gone.
  const beat = setInterval(() => {
    say({ beat: true });
  }, LINK_BEAT_MS);
  const tell: Tell = {
    state: changesOnly(say),
    asks: changesOnly(say),
    news: () => {
      say({ news: true });
    },
  };
  let isOver = false;
  void over.then(() => (isOver = true));
  try {
    while (!isOver) {
      const pauseMs = await tellUntilGone(run, tell, over).catch((thrown: unknown) => {
        tell.state(problemOf(thrown));
        return LOOK_AGAIN_MS;
      });
      if (!isOver) await Promise.race([over, pause(pauseMs)]);
    }
  } finally {
    clearInterval(beat);
  }
}

const pause = (ms: number): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, ms).unref();
  });

/** Sends a line only if it differs from the last one. */
function changesOnly(say: (line: object) => void): (line: object) => void {
  let last = '';
  return (line) => {
    const text = JSON.stringify(line);
    if (text === last) return;
    last = text;
    say(line);
  };
}

/** Each sends only what differs from what it sent last. */
interface Tell {
  readonly state: (line: object) => void;
  readonly asks: (line: object) => void;
  /** Something about sessions changed: what the other side has read may be outdated. */
  readonly news: () => void;
}

/**
 * Reports each change while the instance runs, or the state on disk once if it does not. Resolves
 * with the delay to the next check, in ms.
 */
async function tellUntilGone(run: Run, tell: Tell, over: Promise<void>): Promise<number> {
  const engine = await reach('read', run.dataDir, run.io, true);
  const tellState = (status: StatusSnapshot): void => {
    tell.state({ state: stateOf(status) });
  };
  try {
    if (!engine.isRunning) {
      tellState(await engine.call('status.get', {}));
      tell.asks(await asksOf(engine));
      return LOOK_AGAIN_MS;
    }
    const asks = askTeller(engine, tell);
    engine.on('status.changed', (status) => {
      tellState(status);
      asks.lookAgain();
    });
    engine.on('inbox.changed', asks.look);
    const news = seldom(tell.news, NEWS_PAUSE_MS);
    engine.on('session.changed', news.call);
    await engine.subscribe(['status.changed', 'inbox.changed', 'session.changed']);
    tellState(await engine.call('status.get', {}));
    asks.look();
    // An instance that hangs announces nothing, and its last report must not stand for its state.
    const check = setInterval(() => {
      engine.call('status.get', {}, ANSWER_MS).then(tellState, (thrown: unknown) => {
        tell.state(problemOf(thrown));
      });
    }, LINK_BEAT_MS);
    await Promise.race([engine.closed, over]);
    clearInterval(check);
    asks.stop();
    news.stop();
    return LOOK_SOON_MS;
  } finally {
    await engine.close();
  }
}

/** Calls at once, then at most once per pause, and once after the last of several. */
function seldom(
  act: () => void,
  pauseMs: number,
): { readonly call: () => void; readonly stop: () => void } {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isDue = false;
  const call = (): void => {
    isDue = timer !== undefined;
    if (isDue) return;
    act();
    timer = setTimeout(() => {
      timer = undefined;
      if (isDue) call();
    }, pauseMs);
    timer.unref();
  };
  return {
    call,
    stop: () => {
      clearTimeout(timer);
    },
  };
}

/** Everything that waits for a decision here. */
async function asksOf(engine: Reach): Promise<object> {
  const [{ requests }, { decisions }, { items }] = await Promise.all([
    engine.call('approvals.list', { limit: 1000 }, ANSWER_MS),
    engine.call('recovery.list', {}, ANSWER_MS),
    engine.call('inbox.list', { limit: 1000 }, ANSWER_MS),
  ]);
  return { asks: tellAsks({ requests, decisions, items }) };
}

interface AskTeller {
  readonly look: () => void;
  /** Call if the last check failed: an instance that is starting does not list yet. */
  readonly lookAgain: () => void;
  readonly stop: () => void;
}

/** Reports what waits after each change: one check at a time, with a pause after each. */
function askTeller(engine: Reach, tell: Tell): AskTeller {
  let isLooking = false;
  let hasFailed = false;
  let isStale = false;
  let isOver = false;
  const look = async (): Promise<void> => {
    if (isLooking) {
      isStale = true;
      return;
    }
    isLooking = true;
    do {
      isStale = false;
      await asksOf(engine).then(
        (line) => {
          hasFailed = false;
          if (!isOver) tell.asks(line);
        },
        (thrown: unknown) => {
          hasFailed = true;
          if (!isOver) tell.state(problemOf(thrown));
        },
      );
      await pause(ASKS_PAUSE_MS);
    } while (isStale && !isOver);
    isLooking = false;
  };
  return {
    look: () => void look(),
    lookAgain: () => {
      if (hasFailed && !isLooking) void look();
    },
    stop: () => {
      isOver = true;
    },
  };
}

const problemOf = (thrown: unknown): { readonly problem: string } => ({
  problem: toHoldfastError(thrown).message.slice(0, 300),
});

const stateOf = ({ phase, counts }: StatusSnapshot): LinkState => ({
  phase,
  needsYou: counts.needsYou,
  running: counts.running,
});

/** Resolves when the other side is gone. */
const inputEnds = (io: CliIo): Promise<void> =>
  new Promise((resolve) => {
    const off = io.onSignal(() => {
      resolve();
    });
    const end = (): void => {
      off();
      resolve();
    };
    io.stdin.on('end', end).on('close', end).on('error', end);
    io.stdin.resume();
  });
