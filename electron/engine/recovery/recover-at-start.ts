import { because, reasonText } from '../../../shared/reason';
import type { ForeseenStart } from '../../../shared/quit-words';
import type { Clock } from '../../ports/clock';
import type { Basics } from '../kernel/basics';
import type { JournalReads } from '../../ports/journal/reads';
import type { StepRow, TurnRow } from '../../ports/journal/rows';
import type { JournalEntry, StepEnd } from '../../ports/journal/entries';
import type { WorkReads } from '../../ports/journal/work';
import { toHoldfastError } from '../kernel/errors';
import { idempotencyKey } from '../journal/step-keys';
import { isEffect } from './ledger';
import { asSettled, discardedTurn, runEntries } from './skill-discard';
import {
  goesAlone,
  planResume,
  planWithoutSteps,
  type Planned,
  type RecoveryPolicy,
} from './plan-resume';
import { waitForDecision } from '../inbox/entries';
import { openUnanswered } from '../inbox/unanswered';
import type { Blobs } from '../../ports/blobs';
import type { Drafts } from '../drafts/drafts';
import type { LeftProcessesRoom } from './left-processes';

export interface RecoverDeps extends Pick<Basics, 'journal' | 'clock' | 'crashPoints' | 'audit'> {
  readonly reads: JournalReads;
  readonly policy: () => RecoveryPolicy;
  /** Whether a turn's end is reported on its channel. */
  readonly hasReply: (turn: TurnRow) => boolean;
}

/** The inputs of a verdict. */
type JudgeDeps = Pick<RecoverDeps, 'reads' | 'clock' | 'policy'>;

/** What a start did with the unfinished turns of dead processes. */
export interface RecoveryReport {
  readonly resumed: readonly {
    readonly turn: TurnRow;
    readonly delayMs: number;
    /** It may have crashed Holdfast: nothing runs next to it (S0-+04). */
    readonly isAlone: boolean;
  }[];
  readonly held: readonly number[];
  readonly parked: readonly number[];
  readonly stale: readonly number[];
  readonly discarded: readonly number[];
}

const NOTHING: RecoveryReport = { resumed: [], held: [], parked: [], stale: [], discarded: [] };

interface AtStartDeps extends RecoverDeps {
  readonly blobs: Blobs;
  readonly workReads: QueueDeps['workReads'];
}

/** The rooms in which a start settles what the last run left open. */
interface LeftOpen {
  readonly drafts: Pick<Drafts, 'settle'>;
  /**
   * What the hooks of command-line agents wrote after Holdfast died.
   * Implemented by engine/executors/command/lazy-commands.ts.
   */
  readonly commands: { settle(): Promise<void> };
  readonly leftProcesses: Pick<LeftProcessesRoom, 'tidy'>;
  /** Agents whose runs settle leftover processes themselves. */
  readonly settlesItself: (agent: string) => boolean;
  readonly scheduler: QueueDeps['scheduler'];
}

/** Handles what the last run left open, in a fixed order. */
export async function recoverAtStart(
  deps: AtStartDeps,
  rooms: LeftOpen,
  start: {
    readonly startId: number;
    readonly isUnexpected: boolean;
    readonly restoreSkipped: boolean;
  },
): Promise<RecoveryReport> {
  // Which of two files is in place is a fact, not a decision: also without restore.
  await rooms.drafts.settle();
  // Without restore nothing that waits is touched, the inbox included (S4-29).
  if (start.restoreSkipped) return NOTHING;
  await rooms.commands.settle();
  const report = await judgeOpenTurns(deps, start);
  await rooms.leftProcesses.tidy({
    isQuiet: Object.values<readonly unknown[]>({ ...report }).every((turns) => turns.length === 0),
    resumed: new Set(report.resumed.map(({ turn }) => turn.id)),
    settlesItself: rooms.settlesItself,
  });
  queueAtStart({ ...deps, scheduler: rooms.scheduler }, report);
  await openUnanswered(deps);
  return report;
}

/**
 * Judges every turn that a dead process left open, each separately, and writes all verdicts and
 * their notices in one commit. Asks nothing, runs nothing, waits for nothing (S4-35). Source:
 * S0-05, S0-08..S0-13, S0-34, S0-+01, S0-+04.
 */
async function judgeOpenTurns(
  deps: RecoverDeps,
  start: { readonly startId: number; readonly isUnexpected: boolean },
): Promise<RecoveryReport> {
  deps.crashPoints.hit('recovery.plan.before');
  const verdicts = verdictsOver(deps, start.isUnexpected);
  const entries = verdicts.flatMap((verdict) => entriesOf(deps, verdict, start.startId));
  deps.crashPoints.hit('recovery.decide.before');
  if (entries.length > 0) await deps.journal.commit(entries);
  deps.crashPoints.hit('recovery.decide.after');
  for (const { turn, plan } of verdicts) {
    deps.audit.record('turn_recovered', {
      turnId: turn.id,
      action: plan.action,
      reason: reasonText(plan.reason),
    });
  }
  const ids = (action: Planned['action']): readonly number[] =>
    verdicts.filter((verdict) => verdict.plan.action === action).map((verdict) => verdict.turn.id);
  return {
    resumed: verdicts
      .filter((verdict) => verdict.plan.action === 'resume')
      .map(({ turn, plan, crashes }) => ({
        turn,
        delayMs: plan.delayMs,
        isAlone: goesAlone({ crashes }, deps.policy()),
      })),
    held: ids('hold'),
    parked: ids('park'),
    stale: ids('stale'),
    discarded: ids('discard'),
  };
}

function verdictsOver(deps: JudgeDeps, isUnexpected: boolean): readonly RecoveryVerdict[] {
  // The store decides who has a shared turn: it is judged when this computer claims it.
  const open = deps.reads.openTurns().filter((turn) => !isShared(turn));
  const atWork = open.filter(isAtWork).length;
  return [
    ...open
      .filter(wasRunning)
      .map((turn) =>
        judgeOrPark(deps, turn, { isUnexpected, wasAlone: isAtWork(turn) && atWork === 1 }),
      ),
    ...open
      .filter((turn) => turn.state === 'requires_action')
      .flatMap((turn) => judgeAsking(deps, turn, isUnexpected)),
  ];
}

/**
 * What the next start would do with the open turns if Holdfast stopped now. Uses the verdicts of
 * the start itself, so labels match what happens. Reads only.
 */
export function foreseeStart(deps: JudgeDeps): ForeseenStart & { readonly queued: number } {
  const verdicts = verdictsOver(deps, false);
  const count = (...actions: readonly Planned['action'][]): number =>
    verdicts.filter(({ plan }) => actions.includes(plan.action)).length;
  const judged = new Set(verdicts.map(({ turn }) => turn.id));
  const queued = deps.reads
    .openTurns()
    .filter(
      (turn) =>
        !judged.has(turn.id) &&
        !isShared(turn) &&
        (turn.state === 'queued' || turn.state === 'waiting'),
    );
  return {
    resume: count('resume'),
    ask: count('hold', 'stale', 'park'),
    discard: count('discard'),
    queued: queued.length,
  };
}

const isShared = ({ sharedWith }: TurnRow): boolean => sharedWith !== undefined;

/** Running when the process died, or resumed by an earlier start and not started since. */
function wasRunning(turn: TurnRow): boolean {
  return isAtWork(turn) || (turn.state === 'queued' && turn.attempt > 0);
}

function isAtWork(turn: TurnRow): boolean {
  return turn.state === 'running';
}

/** How the run of a turn ended. */
interface RunEnded {
  readonly isUnexpected: boolean;
  /** Nothing else was running. */
  readonly wasAlone: boolean;
}

interface RecoveryVerdict {
  readonly turn: TurnRow;
  readonly cut: readonly StepRow[];
  /** Steps that waited for permission. */
  readonly notBegun?: readonly StepRow[];
  readonly crashes: number;
  readonly plan: Planned;
  /** Consequences for skill runs; before `cut`, which skips what is settled here. */
  readonly settled: readonly JournalEntry[];
}

/** A turn with an unreadable record needs review; the others continue (S4-34). */
function judgeOrPark(deps: JudgeDeps, turn: TurnRow, ended: RunEnded): RecoveryVerdict {
  try {
    return judge(deps, turn, ended);
  } catch (error) {
    const { message } = toHoldfastError(error);
    const reason = because('reason.unreadable', { text: message });
    const { mode } = deps.policy();
    const attempt = turn.attempt + 1;
    const plan = planWithoutSteps(turn.id, { action: 'park', reason, mode, attempt });
    return { turn, cut: [], crashes: turn.crashes, plan, settled: [] };
  }
}

/**
 * An agent may work on one call while another waits for approval. The request stays open, but the
 * outcome of the working call is unknown: if that pauses a turn for review, it pauses this one
 * (S0-09). A call that only asked cannot have started.
 */
function judgeAsking(
  deps: JudgeDeps,
  turn: TurnRow,
  isUnexpected: boolean,
): readonly RecoveryVerdict[] {
  try {
    const calls = deps.reads.outsideCalls(turn.id).filter(({ asking }) => asking === 'asked');
    const asked = new Set(calls.map(({ step }) => step));
    const steps = deps.reads.steps(turn.id);
    const begun = steps.filter(({ step }) => !asked.has(step));
    if (!begun.some((step) => step.state === 'started' && isEffect(step))) return [];
    const verdict = judge(deps, turn, { isUnexpected, wasAlone: false }, begun);
    if (verdict.plan.action !== 'hold') return [];
    const notBegun = steps.filter(({ step, state }) => asked.has(step) && state === 'started');
    return [{ ...verdict, notBegun }];
  } catch {
    return []; // Its record is unreadable: the run that its answer starts will report that.
  }
}

/** The verdict on one turn whose run has ended. Reads only. */
export function judge(
  deps: JudgeDeps,
  turn: TurnRow,
  ended: RunEnded,
  steps: readonly StepRow[] = deps.reads.steps(turn.id),
): RecoveryVerdict {
  // Only a turn that was really running can have crashed the process.
  const crashes = turn.crashes + (ended.isUnexpected && isAtWork(turn) ? 1 : 0);
  const origin = deps.reads.keyOrigin(turn.id);
  const runs = deps.reads.runsOfTurn(turn.id);
  const over = new Set(runs.filter((run) => run.state !== 'running').map((run) => run.id));
  const plan = planResume({
    turn: { ...turn, crashes },
    steps: asSettled(steps, over),
    runs,
    policy: deps.policy(),
    nowMs: deps.clock.nowMs(),
    isAnswered: turn.isAnswered,
    wasAlone: ended.wasAlone,
    idempotencyKeyOf: (root) => idempotencyKey(origin, root),
  });
  const settled = runEntries(plan, { runs, steps, isAnswered: turn.isAnswered });
  const known = new Set(settled.map((entry) => ('step' in entry ? entry.step : 0)));
  const cut = steps.filter((step) => step.state === 'started' && !known.has(step.step));
  return { turn, cut, crashes, plan, settled };
}

/** The entries of a verdict. */
export function entriesOf(
  deps: RecoverDeps,
  verdict: RecoveryVerdict,
  startId: number,
): readonly JournalEntry[] {
  const { turn, plan, crashes } = verdict;
  const turnId = turn.id;
  return [
    ...verdict.settled,
    ...verdict.cut.map((step) => ({
      kind: 'step.ended' as const,
      turnId,
      step: step.step,
      end: cutEnd(step),
    })),
    ...(verdict.notBegun ?? []).map((step) => ({
      kind: 'step.ended' as const,
      turnId,
      step: step.step,
      end: { state: 'failed' as const, error: NOT_BEGUN, isCutOff: true },
    })),
    { kind: 'turn.recovered', turnId, action: plan.action, reason: plan.reason, crashes, startId },
    ...afterward(deps, turn, plan),
  ];
}

const NOT_BEGUN = 'Not started: it was still waiting for approval when Holdfast ended.';

/** An effect without an end is unknown; a read or a model request was only interrupted. S4-20. */
export function cutEnd(
  step: StepRow,
  words = {
    unknown: 'Holdfast ended before the result was recorded.',
    cut: 'Interrupted when Holdfast ended.',
  },
): StepEnd {
  return isEffect(step)
    ? { state: 'ambiguous', error: words.unknown }
    : { state: 'failed', error: words.cut, isCutOff: true };
}

/** Applies a verdict to its turn. */
export function afterward(
  deps: RecoverDeps,
  turn: TurnRow,
  plan: Planned,
  resumes = because('reason.restarted'),
): readonly JournalEntry[] {
  const turnId = turn.id;
  const asked = (decision: 'held' | 'stale' | 'parked'): readonly JournalEntry[] =>
    waitForDecision(deps.journal.allocate('inbox'), turn, decision, plan.reason);
  switch (plan.action) {
    case 'resume':
      return [{ kind: 'turn.state', turnId, state: 'queued', reason: resumes }];
    case 'hold':
    case 'stale':
      return asked(plan.action === 'hold' ? 'held' : 'stale');
    case 'park':
      return asked('parked');
    case 'discard':
      if (plan.runs?.some((run) => run.isWholeTurn) === true)
        return discardedTurn(deps, turn, plan.reason);
      return [
        {
          kind: 'turn.closed',
          turnId,
          sessionId: turn.sessionId,
          state: 'discarded',
          reason: plan.reason,
          hasReply: false,
        },
      ];
    case 'none':
      return [];
  }
}

interface QueueDeps {
  readonly reads: Pick<JournalReads, 'openTurns' | 'held' | 'sharedTurn'>;
  readonly workReads: Pick<WorkReads, 'activations'>;
  readonly clock: Clock;
  /** Implemented by engine/turns/scheduler.ts. */
  readonly scheduler: {
    enqueue(
      turn: TurnRow,
      wait?: { readonly delayMs?: number; readonly untilMs?: number; readonly isAlone?: boolean },
    ): void;
  };
}

/** At startup, after open turns are judged: resumes turns and restores queued and timed ones. */
function queueAtStart(deps: QueueDeps, { resumed }: Pick<RecoveryReport, 'resumed'>): void {
  const { reads, scheduler } = deps;
  for (const { turn, delayMs, isAlone } of resumed) scheduler.enqueue(turn, { delayMs, isAlone });
  const goingOn = new Set(resumed.map(({ turn }) => turn.id));
  for (const turn of reads.openTurns()) {
    if (goingOn.has(turn.id) || isShared(turn)) continue;
    // A turn that waited for its next try waits for the remaining time (S3-12).
    const dueAtMs = turn.state === 'waiting' ? turn.retry?.dueAtMs : undefined;
    // A turn that waits for its provider stays at its place (S0-18).
    const isHeld = turn.state === 'waiting' && reads.held(turn.id)?.isOut === false;
    if (dueAtMs !== undefined)
      scheduler.enqueue(turn, { untilMs: restOfWait(deps, turn, dueAtMs) });
    else if (turn.state === 'queued' || isHeld) scheduler.enqueue(turn);
  }
}

/**
 * Caps the rest of a wait at its full length: the clock may have been ahead when it was written.
 */
function restOfWait({ workReads, clock }: QueueDeps, turn: TurnRow, dueAtMs: number): number {
  const { id, sessionId } = turn;
  const [last] = workReads.activations({ sessionId, events: ['requeued'], limit: 1 });
  return last?.turnId === id
    ? Math.min(dueAtMs, clock.nowMs() + Math.max(0, dueAtMs - last.atMs))
    : dueAtMs;
}
