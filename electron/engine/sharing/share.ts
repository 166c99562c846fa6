import type { JournalEntry } from '../../ports/journal/entries';
import type { SessionRow, TurnRow } from '../../ports/journal/rows';
import type { Log } from '../../ports/log';
import type { MovedFiles } from '../../ports/moved-files';
import type { LookAnswer, SharedStore } from '../../ports/shared-store';
import { toHoldfastError } from '../kernel/errors';
import type { Approvals } from '../permissions/approvals';
import { isEffect } from '../recovery/ledger';
import type { RecoverDeps } from '../recovery/recover-at-start';
import type { SessionsRoom } from '../sessions/intake';
import { createTurnImport, type TaskTarget } from './import-turn';
import { createAwayTurns } from './away-turns';
import { createClaims } from './claims';
import { createLimitExchange, type CommonLimits } from './common-limits';
import { createFilesBack, type GiveBack } from './files-back';
import { createHeldTurns, type HeldTurns } from './held-turns';
import { createSends, type NewShared } from './send-shared';
import { createSharedQuestions, type SharedQuestions } from './shared-questions';
import { createTurnFiles, type TurnFiles } from './turn-files';
import type { TurnsHere } from './turns-here';
import { createWaitingTurns, type WaitingTurn } from './waiting-turns';
import type { WireTexts } from './wire';

/** First delay after a failed connection; it grows. */
const FIRST_RETRY_MS = 500;
const MAX_RETRY_MS = 15_000;
/** Between two looks for ended turns that are old enough to go. */
const PRUNE_EVERY_MS = 6 * 3_600_000;
/** How long files of a turn that is not in the journal are kept. */
const UNKNOWN_KEPT_MS = 86_400_000;
/** How long a run waits for the store once Holdfast is stopping. */
const STOP_WAIT_MS = 1_000;

interface SharePolicy {
  readonly leaseMs: number;
  /** Maximum time that a turn waits behind newer work. */
  readonly maxWaitMs: number;
  /** Poll interval of an idle computer. */
  readonly pollMs: number;
  /** How long ended turns stay in the store. */
  readonly keepMs: number;
}

interface ShareDeps {
  readonly store: SharedStore;
  readonly texts: WireTexts;
  readonly recovery: RecoverDeps;
  readonly sessions: Pick<SessionsRoom, 'accept'>;
  readonly self: {
    readonly key: string;
    readonly life: string;
    readonly version: string;
    readonly name: () => string;
    readonly caps: () => readonly string[];
    readonly newId: () => string;
  };
  readonly turns: TurnsHere;
  readonly agents: {
    workspaceOf(agent: string): string | undefined;
    /** Why turns of this agent cannot be shared. Undefined if they can. */
    whyNot(agent: string): string | undefined;
    /** The capability that a computer must offer to run turns of this agent. */
    needOf(agent: string): string;
    /** Where the task of this name delivers its replies on this computer. */
    taskTarget(name: string): TaskTarget | undefined;
    /** Files that move with a turn. */
    readonly files: MovedFiles;
  };
  /** Usage limits that count on every computer. */
  readonly limits: CommonLimits;
  readonly policy: () => SharePolicy;
  readonly answers: {
    readonly approvals: Pick<Approvals, 'apply'>;
    /** Entries that close the open questions of a turn that goes to another computer. */
    readonly clearing: (turn: TurnRow) => readonly JournalEntry[];
  };
  readonly log: Log;
  readonly onChange: () => void;
}

/** This computer's connection to the store. */
export interface ShareStand {
  readonly state: 'connecting' | 'connected' | 'asking' | 'refused' | 'halted';
  readonly problem: string | undefined;
  readonly held: number;
  /** When the store last answered. Undefined: not yet. */
  readonly answeredAtMs: number | undefined;
}

/** Connected shared work, from start to stop. */
export interface Share {
  start(): void;
  /** Called after each commit of our journal. */
  follow(entries: readonly JournalEntry[]): void;
  /** Resolves when the commit is in the store and the turn is still ours. @throws LEASE_LOST */
  settled(entries: readonly JournalEntry[]): Promise<void>;
  isHeld(turnId: number): boolean;
  isFenced(turnId: number): boolean;
  /** The folder of a turn with its own files. Undefined: it works in its agent's folder. */
  folderOf(turnId: number): string | undefined;
  /**
   * Resolves when the turn is in the store. @throws SHARE_UNREACHABLE, SHARE_REFUSED, INPUT_INVALID
   */
  send(turn: NewShared): Promise<{ readonly turn: TurnRow; readonly session: SessionRow }>;
  /** Why turns of this agent cannot be shared. Undefined if they can. */
  whyNot(agent: string): string | undefined;
  readonly questions: Pick<SharedQuestions, 'claim'>;
  /** Returns what a turn changed in the files that it took along. */
  readonly giveBack: GiveBack;
  /** Turns that no computer owns, and why. */
  waiting(): Promise<readonly WaitingTurn[]>;
  stand(): ShareStand;
  /** Polls now: there may be a free slot. */
  look(): void;
  /** Claims nothing more. Runs that wait for an unreachable store end. */
  beginStop(): void;
  /** Gives unfinished turns back, within a time limit. */
  stop(graceMs: number): Promise<void>;
}

/** Removes old ended turns from the store from time to time. Nothing waits for it. */
function createPruning({ store, policy, recovery, agents, log }: ShareDeps): () => void {
  let prunedAtMs: number | undefined;
  /** Files that no turn in the journal needs may belong to a turn that is just being imported. */
  const isOver = (uid: string, ageMs: number): boolean => {
    const row = recovery.reads.sharedByUid(uid);
    const turn = row === undefined ? undefined : recovery.reads.turn(row.turnId);
    if (turn === undefined) return ageMs > UNKNOWN_KEPT_MS;
    return (
      turn.endedAtMs !== undefined && recovery.clock.nowMs() - turn.endedAtMs > policy().keepMs
    );
  };
  return () => {
    const nowMs = recovery.clock.monotonicMs();
    if (prunedAtMs !== undefined && nowMs - prunedAtMs < PRUNE_EVERY_MS) return;
    prunedAtMs = nowMs;
    agents.files.sweep(recovery.clock.nowMs(), isOver).catch((error: unknown) => {
      log.warn('share.files.sweep.failed', { error });
    });
    store.prune(policy().keepMs).then(
      (isDone) => {
        if (!isDone) prunedAtMs = undefined;
      },
      (error: unknown) => {
        // A store that has not been upgraded to this version keeps everything.
        log.info('share.prune.failed', { code: toHoldfastError(error).code });
      },
    );
  };
}

/** New turns of tasks, and questions of turns, are sent with the next poll. */
const ASKED: ReadonlySet<JournalEntry['kind']> = new Set(['task.fired', 'approval.requested']);

/** The connection status reports these errors, so nothing else has to. */
const TOLD: ReadonlySet<string> = new Set([
  ...['SHARE_UNREACHABLE', 'SHARE_REFUSED', 'SHARE_VERSION', 'SHARE_SERVER'],
]);

const capsText = ({ name, caps }: ShareDeps['self']): string => JSON.stringify([name(), caps()]);

/** Schedules the polls of the store. */
function createLooks(clock: RecoverDeps['clock'], stopped: AbortSignal) {
  let kick: AbortController | undefined;
  let isWanted = false;
  return {
    /** Polls again now, because a poll in progress may have read too early. */
    now: (): void => {
      isWanted = true;
      kick?.abort();
    },
    begin: (): void => {
      isWanted = false;
    },
    async rest(delayMs: number): Promise<void> {
      if (isWanted) return;
      kick = new AbortController();
      await clock.sleep(delayMs, AbortSignal.any([kick.signal, stopped])).catch(() => undefined);
    },
  };
}

/** Keeps running while the engine stops: until then the turns are ours. */
function createLeasing(held: Pick<HeldTurns, 'tick'>, clock: RecoverDeps['clock']) {
  const ended = new AbortController();
  let kick: AbortController | undefined;
  const run = async (): Promise<void> => {
    while (!ended.signal.aborted) {
      const nextMs = await held.tick();
      const kicked = new AbortController();
      kick = kicked;
      await clock
        .sleep(nextMs ?? 3_600_000, AbortSignal.any([kicked.signal, ended.signal]))
        .catch(() => undefined);
    }
  };
  return {
    start: () => void run(),
    /** There is another lease to renew. */
    again: () => kick?.abort(),
    end: () => {
      ended.abort();
    },
  };
}

const turnFilesOf = ({ texts, recovery, agents, store, policy }: ShareDeps): TurnFiles =>
  createTurnFiles({
    ...texts,
    ...recovery,
    ...agents,
    store,
    leaseMs: () => policy().leaseMs,
  });

export function createShare(deps: ShareDeps): Share {
  const { store, recovery, log, turns } = deps;
  const { journal, reads, clock } = recovery;
  const stopping = new AbortController();
  const looks = createLooks(clock, stopping.signal);
  const losing = new Set<Promise<void>>();
  let claiming: Promise<boolean> | undefined;
  let answeredAtMs: number | undefined;
  let stand: Pick<ShareStand, 'state' | 'problem'> = { state: 'connecting', problem: undefined };
  const prune = createPruning(deps);

  const setStand = (state: ShareStand['state'], problem?: string): void => {
    if (stand.state === state && stand.problem === problem) return;
    stand = { state, problem };
    log.info('share.stand', { state, problem: problem ?? '' });
    deps.onChange();
  };

  const track = (work: Promise<void>): void => {
    const own = work
      .catch((error: unknown) => {
        log.error('share.failed', { error });
      })
      .finally(() => losing.delete(own));
    losing.add(own);
  };

  const exchange = createLimitExchange(deps.limits, store, track);

  const turnFiles = turnFilesOf(deps);

  const held: HeldTurns = createHeldTurns({
    store,
    texts: deps.texts,
    clock,
    crashPoints: recovery.crashPoints,
    log,
    lease: deps.policy,
    filesAfter({ turnId, step }) {
      const row = reads.sharedTurn(turnId);
      const files = row?.ask?.files;
      if (row === undefined || files === undefined) return undefined;
      const ended = reads.steps(turnId).find((one) => one.step === step);
      return ended !== undefined && isEffect(ended) && ended.hasEffects
        ? () => turnFiles.now(row.uid, files)
        : undefined;
    },
    holdAlive: (turnId) => turns.holdAlive(turnId),
    onLost: (turnId, loss) => {
      track(awayTurns.lose(turnId, loss));
    },
    onEnded: (turnId) => {
      track(journal.commit([{ kind: 'share.ended', turnId }]).then(() => undefined));
      looks.now();
    },
    onReturned: (turnId) => {
      const turn = reads.turn(turnId);
      const row = reads.sharedTurn(turnId);
      if (turn === undefined || row === undefined || row.state !== 'here') return;
      track(
        journal
          .commit(awayTurns.away(turn, { epoch: row.epoch, machine: '', why: 'given_back' }))
          .then(() => undefined),
      );
    },
  });
  const parts = { ...deps, ...deps.answers, ...deps.agents, ...deps.self, held, turnFiles };
  const turnImport = createTurnImport({ ...parts, mark: () => store.mark() });

  const claims = createClaims({ ...deps, held, turnImport, onHeld: () => leasing.again() });
  const questions = createSharedQuestions(parts);

  const awayTurns = createAwayTurns({
    ...parts,
    fence: (turnId) => turns.fence(turnId),
    followEnd: (row, machine) => turnImport.followEnd(row, machine),
    look: looks.now,
  });

  /**
   * Capabilities that the store knows; those of an agent added later are sent with the next poll.
   */
  let toldCaps = '';

  const connect = async (): Promise<boolean> => {
    const { self } = deps;
    toldCaps = capsText(deps.self);
    const answer = await store.hello({
      key: self.key,
      name: self.name(),
      life: self.life,
      version: self.version,
      caps: self.caps(),
      clockMs: clock.nowMs(),
    });
    if (answer.state === 'admitted') return true;
    setStand('asking', 'This computer is waiting to be admitted by the person who invited it.');
    return false;
  };

  /** One poll of the store, and acting on its answer. Returns the delay to the next poll. */
  const round = async (): Promise<number> => {
    const isKnown = stand.state === 'connected' || stand.state === 'halted';
    if ((!isKnown || toldCaps !== capsText(deps.self)) && !(await connect())) return MAX_RETRY_MS;
    await claims.importPending();
    const rows = reads.openShared().filter((row) => !held.has(row.turnId));
    const answer: LookAnswer = await store.look(
      rows.map(({ uid }) => uid),
      exchange.from(),
    );
    answeredAtMs = clock.nowMs();
    if (answer.refused !== undefined) {
      setStand('halted', WHY_HALTED[answer.refused]);
      return MAX_RETRY_MS;
    }
    setStand('connected');
    await exchange.after(answer);
    prune();
    const known = new Map(answer.turns.map((turn) => [turn.id, turn]));
    for (const row of rows)
      await awayTurns.follow(row, known.get(row.uid)).catch((error: unknown) => {
        if (toHoldfastError(error).code === 'SHARE_UNREACHABLE') throw error;
        // A turn that cannot be followed does not block the others.
        log.warn('share.follow.failed', { turnId: row.turnId, error });
      });
    await questions.after(answer.questions).catch((error: unknown) => {
      if (toHoldfastError(error).code === 'SHARE_UNREACHABLE') throw error;
      log.warn('share.questions.failed', { error });
    });
    let hasMore = answer.hasWork;
    while (hasMore && !stopping.signal.aborted && turns.free() > 0) {
      claiming = claims.one();
      hasMore = await claiming;
    }
    const { pollMs } = deps.policy();
    return Math.max(50, Math.min(pollMs, (answer.nextLeaseMs ?? pollMs) + 50));
  };

  const failed = (error: unknown): void => {
    const { code, message } = toHoldfastError(error);
    if (!TOLD.has(code)) log.error('share.round.failed', { error });
    setStand(code === 'SHARE_UNREACHABLE' ? 'connecting' : 'refused', message);
  };

  const looking = async (): Promise<void> => {
    let retryMs = FIRST_RETRY_MS;
    while (!stopping.signal.aborted) {
      let waitMs = retryMs;
      looks.begin();
      try {
        waitMs = await round();
        retryMs = FIRST_RETRY_MS;
      } catch (error) {
        failed(error);
        retryMs = Math.min(MAX_RETRY_MS, retryMs * 2);
      }
      await looks.rest(waitMs);
    }
  };

  const leasing = createLeasing(held, clock);

  const sends = createSends({
    ...deps,
    turnFiles,
    hasher: deps.texts.hasher,
    newId: () => deps.self.newId(),
    whyNot: (agent) => deps.agents.whyNot(agent),
    stand: () => stand,
    deliver: (row, turn) => awayTurns.send(row, turn),
    look: looks.now,
  });

  return {
    start() {
      store.onNews(looks.now);
      void looking();
      leasing.start();
    },
    follow(entries) {
      held.follow(entries);
      const isNews = deps.limits.follow(entries) || entries.some(({ kind }) => ASKED.has(kind));
      const isCancelled = entries.some(
        (entry) =>
          entry.kind === 'turn.closed' && !held.has(entry.turnId) && entry.state === 'cancelled',
      );
      if (isCancelled || isNews) looks.now();
    },
    async settled(entries) {
      const mine = new Set(
        entries.flatMap((entry) =>
          'turnId' in entry && typeof entry.turnId === 'number' ? [entry.turnId] : [],
        ),
      );
      for (const turnId of mine) if (held.has(turnId)) await held.settled(turnId);
    },
    isHeld: (turnId) => held.has(turnId),
    isFenced: (turnId) => held.has(turnId) && !held.isLive(turnId),
    folderOf(turnId) {
      const row = reads.sharedTurn(turnId);
      const files = row?.ask?.files;
      return row === undefined || files === undefined
        ? undefined
        : turnFiles.folderOf({ uid: row.uid, agent: '', files });
    },
    send: (wanted) => sends.send(wanted),
    whyNot: (agent) => deps.agents.whyNot(agent),
    questions,
    giveBack: createFilesBack(parts),
    waiting: createWaitingTurns(parts),
    stand: () => ({ ...stand, held: held.list().length, answeredAtMs }),
    look: looks.now,
    beginStop() {
      stopping.abort();
      store.drain().catch(() => undefined); // If this message is lost, it costs one lease time.
      void clock.sleep(STOP_WAIT_MS).then(() => {
        for (const { turnId } of held.list()) {
          if (!held.isWaiting(turnId)) continue;
          track(turns.fence(turnId));
          held.release(turnId);
        }
      });
    },
    async stop(graceMs) {
      const back = (async () => {
        // Turns granted meanwhile are given back with the rest.
        await Promise.race([claiming?.catch(() => undefined), clock.sleep(STOP_WAIT_MS)]);
        // End the runs: once its turn is given back, another computer may run it.
        await Promise.all(held.list().map(({ turnId }) => turns.fence(turnId)));
        await Promise.all(held.list().map(({ turnId }) => held.giveBack(turnId)));
        await Promise.all(losing);
      })();
      await Promise.race([back, clock.sleep(graceMs)]);
      leasing.end();
      for (const { turnId } of held.list()) held.drop(turnId);
      await Promise.race([store.close().catch(() => undefined), clock.sleep(500)]);
    },
  };
}

const WHY_HALTED = {
  halted: 'The shared store has lost data: no turn is claimed until its owner accepts the loss.',
  incarnation:
    'The shared store was accepted after a loss of data. Restart Holdfast to use it again.',
  superseded: 'A newer start of this data directory uses the shared store.',
} as const;
