import { cutText } from '../../../shared/cut-text';
import { because, NO_REASON, reasonText, type Reason } from '../../../shared/reason';
import type { NotNow } from '../outage/gate';
import type { Blobs } from '../../ports/blobs';
import type { Journal } from '../../ports/journal/journal';
import type { Audit } from '../../ports/log';
import { toHoldfastError } from '../kernel/errors';
import type { ModelAnswer, ProviderFailure } from '../../ports/provider';
import type { TurnRow } from '../../ports/journal/rows';
import type { JournalEntry } from '../../ports/journal/entries';
import type { Refusal } from '../../ports/breakers';
import type { AfterCall } from '../outage/outages';
import type { BudgetStop } from '../budgets/budgets';
import type { Over } from './run-limits';
import { planRequeue, requeueReason } from './plan-requeue';
import type { RunStop, TurnRun, TurnRunDeps } from './run-record';
import { MAX_REASON, waitForDecision } from '../inbox/entries';

/** How a run left its turn. All but `stopped` are committed when this is returned. */
export type RunEnd =
  | { readonly kind: 'closed'; readonly state: 'completed' | 'failed' | 'discarded' }
  | { readonly kind: 'held' }
  | { readonly kind: 'parked' }
  | { readonly kind: 'limit' }
  /** Failed temporarily: retried at this time (S3-12). */
  | { readonly kind: 'requeued'; readonly dueAtMs: number }
  /** Waits for its provider, on disk, and resumes automatically (S0-18). */
  | { readonly kind: 'waits' }
  /** Taken over: the turn continues in another run, and this one wrote nothing more (S3-19). */
  | { readonly kind: 'lost' }
  /** Waits for an approval or an external result; nothing runs meanwhile. */
  | { readonly kind: 'requires_action' }
  /** Canceled or shutting down: the canceler or the next start decides. */
  | { readonly kind: 'stopped' };

/** The signal's reason for stopping a run. */
export class RunStopped extends Error {
  constructor(readonly why: RunStop) {
    super(`The run was stopped: ${why}`);
  }
}

/** The model's final answer of a conversation. */
export interface LastAnswer {
  readonly step: number;
  readonly answer: Pick<ModelAnswer, 'parts' | 'finish'>;
}

/** The turn waits for its provider on disk; nothing sleeps for it. */
export type WaitForProvider =
  /**
   * The breaker is not closed and this was no probe: no request was sent, so there is no result.
   */
  { readonly kind: 'refused'; readonly provider: string; readonly refusal: Refusal } | NotNow;

/** A turn whose budget is spent retries in the next period; any other one asks the user. */
export async function pause(deps: TurnRunDeps, run: TurnRun, over: Over): Promise<RunEnd> {
  const { reason, budget } = over;
  if (budget?.untilMs !== undefined) return waitForBudget(deps, run, budget, budget.untilMs);
  const full = because('reason.paused', { what: reason });
  await run.flush(waitForDecision(deps.store.journal.allocate('inbox'), run.turn, 'limit', full));
  return { kind: 'limit' };
}

async function waitForBudget(
  deps: TurnRunDeps,
  run: TurnRun,
  { reason, ref }: BudgetStop,
  dueAtMs: number,
): Promise<RunEnd> {
  const streak = deps.store.reads.turn(run.turn.id)?.retry?.streak ?? 0;
  deps.store.crashPoints.hit('turn.requeue.before');
  await run.flush([
    {
      kind: 'turn.requeued',
      turnId: run.turn.id,
      streak,
      dueAtMs,
      failure: 'budget',
      error: cutText(reasonText(reason), MAX_REASON),
      reason,
      budget: ref,
    },
  ]);
  deps.store.crashPoints.hit('turn.requeue.after');
  return { kind: 'requeued', dueAtMs };
}

/** A temporary failure is requeued a limited number of times; any other one needs review. S3-12. */
export async function requeueOrPark(
  deps: TurnRunDeps,
  run: TurnRun,
  failure: ProviderFailure,
  provider = run.frame.provider,
): Promise<RunEnd> {
  const wait = deps.model.outages.afterCall(run.turn, provider, { kind: 'failure', failure });
  if (wait !== undefined) return waitOrPark(deps, run, wait);
  // Read now, because a step that finished in this run has reset the count.
  const streak = deps.store.reads.turn(run.turn.id)?.retry?.streak ?? 0;
  const plan = planRequeue({
    failure,
    streak,
    policy: deps.model.requeue(),
    random: deps.model.random(),
  });
  if (plan.kind === 'park') return park(deps, run.turn, plan.reason, [], run);
  const dueAtMs = deps.store.clock.nowMs() + plan.delayMs;
  deps.store.crashPoints.hit('turn.requeue.before');
  await run.flush([
    {
      kind: 'turn.requeued',
      turnId: run.turn.id,
      streak: plan.streak,
      dueAtMs,
      failure: plan.failure,
      error: cutText(failure.message, MAX_REASON),
      reason: requeueReason(failure.message, deps.notify.time(dueAtMs), plan.streak),
    },
  ]);
  deps.store.crashPoints.hit('turn.requeue.after');
  return { kind: 'requeued', dueAtMs };
}

/** A wait that the provider or its breaker requests is not a failure: the streak stays (R10). */
export async function waitForProvider(
  deps: TurnRunDeps,
  run: TurnRun,
  wait: WaitForProvider,
): Promise<RunEnd> {
  const held = deps.model.outages.afterCall(run.turn, wait.provider, wait);
  if (held !== undefined) return waitOrPark(deps, run, held);
  const nowMs = deps.store.clock.nowMs();
  const [dueAtMs, error, failure] =
    wait.kind === 'refused'
      ? ([nowMs + Math.max(wait.refusal.retryInMs, 1_000), wait.refusal.reason, 'server'] as const)
      : ([
          wait.kind === 'later' ? wait.untilMs : nowMs,
          wait.failure.message,
          'rate_limited',
        ] as const);
  const streak = deps.store.reads.turn(run.turn.id)?.retry?.streak ?? 0;
  deps.store.crashPoints.hit('turn.requeue.before');
  await run.flush([
    {
      kind: 'turn.requeued',
      turnId: run.turn.id,
      streak,
      dueAtMs,
      failure,
      error: cutText(error, MAX_REASON),
      reason: requeueReason(error, deps.notify.time(dueAtMs), streak),
    },
  ]);
  deps.store.crashPoints.hit('turn.requeue.after');
  return { kind: 'requeued', dueAtMs };
}

/** Time that a turn waits for its provider counts toward no limit (R10). */
async function waitOrPark(deps: TurnRunDeps, run: TurnRun, wait: AfterCall): Promise<RunEnd> {
  if (wait.kind === 'park') return park(deps, run.turn, wait.reason, [], run);
  deps.store.crashPoints.hit('turn.wait.before');
  await run.flush(wait.entries);
  deps.store.crashPoints.hit('turn.wait.after');
  return { kind: 'waits' };
}

/** What has happened is on disk first: in memory alone, the next start would take it for unknown. */
export async function stopRun(run: TurnRun): Promise<Extract<RunEnd, { kind: 'stopped' }>> {
  await run.flush();
  return { kind: 'stopped' };
}

export async function hold(
  deps: TurnRunDeps,
  run: TurnRun,
  reason: Reason,
  entries: readonly JournalEntry[] = [],
): Promise<RunEnd> {
  await run.flush([
    ...entries,
    ...waitForDecision(deps.store.journal.allocate('inbox'), run.turn, 'held', reason),
  ]);
  return { kind: 'held' };
}

export async function park(
  deps: TurnRunDeps,
  turn: TurnRow,
  reason: Reason,
  entries: readonly JournalEntry[],
  run?: TurnRun,
): Promise<RunEnd> {
  const isOver = deps.notify.isForNobody(turn.id);
  const end: readonly JournalEntry[] = isOver
    ? [
        {
          kind: 'turn.closed',
          turnId: turn.id,
          sessionId: turn.sessionId,
          state: 'failed',
          reason,
          hasReply: false,
        },
      ]
    : waitForDecision(deps.store.journal.allocate('inbox'), turn, 'parked', reason);
  const all = [...entries, ...end];
  if (run === undefined) await deps.store.journal.commit(all);
  else await run.flush(all);
  if (!isOver) return { kind: 'parked' };
  deps.store.audit.record('reply_swallowed', { turnId: turn.id, text: reasonText(reason) });
  return { kind: 'closed', state: 'failed' };
}

export async function close(deps: TurnRunDeps, run: TurnRun, asked: LastAnswer): Promise<RunEnd> {
  const reason =
    asked.answer.finish === 'length'
      ? because('reason.lengthLimit')
      : asked.answer.finish === 'content_filter'
        ? because('reason.contentFilter')
        : NO_REASON;
  return closeTurn(deps, run, { state: 'completed', reason, answerStep: asked.step });
}

/** Commits the end of the turn, together with `entries`. */
export async function closeTurn(
  deps: {
    readonly store: Pick<TurnRunDeps['store'], 'crashPoints'>;
    readonly notify: Pick<TurnRunDeps['notify'], 'hasReply'>;
  },
  { turn, flush }: Pick<TurnRun, 'turn' | 'flush'>,
  end: {
    readonly state: Extract<RunEnd, { kind: 'closed' }>['state'];
    readonly reason: Reason;
    readonly answerStep: number;
  },
  entries: readonly JournalEntry[] = [],
): Promise<RunEnd> {
  const { id: turnId, sessionId } = turn;
  const hasReply = deps.notify.hasReply(turn);
  deps.store.crashPoints.hit('turn.close.before');
  await flush([...entries, { kind: 'turn.closed', turnId, sessionId, ...end, hasReply }]);
  deps.store.crashPoints.hit('turn.close.after');
  return { kind: 'closed', state: end.state };
}

/**
 * An unexpected error ends the run, not the turn: the user can resume it. False if this could not
 * be written.
 */
export async function parkAfterError(
  journal: Journal,
  turn: TurnRow,
  error: unknown,
): Promise<boolean> {
  const known = toHoldfastError(error);
  // Errors with a code come with advice on what to do next.
  const reason =
    known.code === 'INTERNAL' || known.hint === undefined
      ? because('reason.error', { text: known.message })
      : because('reason.errorHint', { text: known.message, what: known.hint });
  try {
    await journal.commit([
      {
        kind: 'turn.abandoned',
        turnId: turn.id,
        attempt: turn.attempt + 1,
        why: 'wake_failed',
        message: cutText(reasonText(reason), MAX_REASON),
        crashes: turn.crashes,
      },
      ...waitForDecision(journal.allocate('inbox'), turn, 'parked', reason),
    ]);
    return true;
  } catch {
    // The disk accepts no writes: the turn stays open there and the next start judges it.
    return false;
  }
}

/** Once the end of a turn is on disk: its large texts in memory go, and the audit has its result. */
export function followTurnEnds(deps: {
  readonly journal: Pick<Journal, 'onCommitted'>;
  readonly blobs: Pick<Blobs, 'release'>;
  readonly audit: Audit;
}): void {
  deps.journal.onCommitted(
    (entries) => {
      for (const entry of entries) {
        if (entry.kind !== 'turn.closed') continue;
        void deps.blobs.release(entry.turnId);
        // Without this entry the audit would show each turn's steps but not its result (S4-33).
        deps.audit.record('turn_ended', { turnId: entry.turnId, state: entry.state });
      }
    },
    { skipsSteps: true },
  );
}
