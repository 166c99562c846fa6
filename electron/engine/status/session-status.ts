import type { ActivationKind } from '../../../shared/activations';
import type { SessionView, TurnSummary } from '../../../shared/types';
import type { Environment } from '../../../shared/types/agents';
import type { SessionStatus } from '../../../shared/types/work';
import { durationMs } from '../../../shared/settings';
import type { Clock } from '../../ports/clock';
import type { JournalReads } from '../../ports/journal/reads';
import type { SessionRow, TurnRow } from '../../ports/journal/rows';
import type { RequestRow } from '../../ports/journal/approvals';
import type { QueuedWake, WakeRow, WorkReads } from '../../ports/journal/work';
import type { SettingsPort } from '../../ports/settings';
import type { Drafts } from '../drafts/drafts';
import { showText } from '../journal/show-text';
import { JITTER } from '../turns/plan-requeue';
import type { TurnScheduler } from '../turns/scheduler';
import { activationView } from './activation-view';

export interface SessionStatusDeps {
  readonly work: WorkReads;
  readonly settings: SettingsPort;
  readonly reads: Pick<JournalReads, 'requests' | 'sharedTurn'>;
  readonly drafts: Pick<Drafts, 'stagedDrafts'>;
  readonly scheduler: Pick<TurnScheduler, 'leaseOf'>;
  readonly clock: Pick<Clock, 'monotonicMs'>;
  readonly isSharing: () => boolean;
}

/** The shared queue or another computer has the turn. */
export const isElsewhere = (
  { isSharing, reads }: Pick<SessionStatusDeps, 'isSharing' | 'reads'>,
  turnId: number,
): boolean => isSharing() && reads.sharedTurn(turnId)?.state === 'away';

const MOST_REQUESTS = 100;

const OUTCOMES: readonly ActivationKind[] = ['acked', 'requeued', 'blocked', 'abandoned'];
const HISTORY = 20;
const iso = (atMs: number): string => new Date(atMs).toISOString();
const isoOrNull = (atMs: number | undefined): string | null =>
  atMs === undefined ? null : iso(atMs);

/** Current values for leases and retries. */
function resilienceOf(settings: SettingsPort): SessionStatus['resilience'] {
  return {
    leaseRenewMs: durationMs(settings.get('work.lease_renew')),
    leaseStaleMs: durationMs(settings.get('work.lease_stale')),
    requeueDelayMs: durationMs(settings.get('work.requeue_delay')),
    requeueMaxDelayMs: durationMs(settings.get('work.requeue_max_delay')),
    maxRequeues: settings.get('work.max_requeues'),
    jitter: JITTER,
    recoveryMode: settings.get('resilience.recovery.mode'),
  };
}

/** It runs or will run automatically, without an answer or approval first. */
const isRunnable = ({ state, retry }: TurnRow): boolean =>
  state === 'queued' ||
  state === 'running' ||
  (state === 'waiting' && retry?.dueAtMs !== undefined);

/** The user's view of one session, running or not. S3-15, S3-30, S3-31. */
export async function sessionStatus(
  deps: SessionStatusDeps,
  facts: {
    readonly row: SessionRow;
    readonly view: SessionView;
    readonly environment: Environment | null;
    readonly open: readonly TurnRow[];
    readonly openTurns: readonly TurnSummary[];
    readonly outcome: string | undefined;
  },
): Promise<SessionStatus> {
  const { work } = deps;
  const { row, view, open } = facts;
  const resilience = resilienceOf(deps.settings);
  const backlog = backlogOf(work, row.id, open);
  const requests = deps.reads
    .requests({ includeAnswered: false, sessionId: row.id, limit: MOST_REQUESTS })
    .map((one) => pendingOf(one));
  const drafts = await deps.drafts.stagedDrafts(row.id);
  const lease = leaseOf(deps, row.id);
  return {
    session: view,
    environment: facts.environment,
    openTurns: [...facts.openTurns],
    status: view.status,
    stopReason: view.stopReason,
    outcome: facts.outcome === undefined ? null : showText(facts.outcome, 2000).text,
    turns: row.turnCount,
    pendingEvents: row.openTurnCount,
    runnablePendingEvent: runnableOf(open),
    pendingQueuedWakes: work.countPendingWakes(row.id),
    nextQueuedWakeAt: backlog[0]?.dueAt ?? null,
    activeWakeLeaseOwner: lease?.owner ?? null,
    activeWakeLeaseAcquiredAt: lease?.acquiredAt ?? null,
    resilience,
    stagedDrafts: { count: drafts.length, drafts: drafts.slice(0, 5) },
    pendingCustomTool: requests.find((one) => one.kind === 'custom_tool') ?? null,
    pendingToolConfirmation: requests.find((one) => one.kind === 'approval') ?? null,
    ...retryOf(open, resilience),
    ...activationsOf(work, row.id),
    pendingRequests: requests.slice(0, 100),
    queuedWakeBacklog: backlog.slice(0, 200),
    activeLease: lease ?? null,
    stagedDraftStatus: drafts.slice(0, 100),
  };
}

/** The oldest turn that runs or will run automatically. */
function runnableOf(open: readonly TurnRow[]): SessionStatus['runnablePendingEvent'] {
  const oldest = open.filter(isRunnable).toSorted((a, b) => a.id - b.id)[0];
  if (oldest === undefined) return null;
  return {
    eventId: oldest.promptSeq,
    turnId: oldest.id,
    deferUntil: isoOrNull(oldest.retry?.dueAtMs),
  };
}

function retryOf(
  open: readonly TurnRow[],
  policy: SessionStatus['resilience'],
): Pick<SessionStatus, 'nextRetryAt' | 'retryStreak' | 'retryPosture'> {
  const retrying = open.find((turn) => turn.retry?.dueAtMs !== undefined);
  const retry = (retrying ?? open.find((turn) => turn.retry !== undefined))?.retry;
  const nextRetryAt = isoOrNull(retry?.dueAtMs);
  const streak = retry?.streak ?? 0;
  return {
    nextRetryAt,
    retryStreak: streak,
    retryPosture: {
      isRetrying: retrying !== undefined,
      nextRetryAt,
      streak,
      lastError: retry === undefined ? null : showText(retry.error, 500).text,
      policy,
    },
  };
}

function activationsOf(
  work: SessionStatusDeps['work'],
  sessionId: number,
): Pick<
  SessionStatus,
  | 'lastActivationKind'
  | 'lastActivationAt'
  | 'lastActivationClaimId'
  | 'lastActivationReason'
  | 'latestOutcome'
  | 'claimHistory'
> {
  const queuedBy = (turnId: number): readonly QueuedWake[] => work.wakesQueuedBy(turnId);
  const claimHistory = work
    .activations({ sessionId, limit: HISTORY })
    .map((one) => activationView(one, queuedBy));
  const outcome = work.activations({ sessionId, events: OUTCOMES, limit: 1 })[0];
  const last = claimHistory.at(-1);
  return {
    lastActivationKind: last?.kind ?? null,
    lastActivationAt: last?.createdAt ?? null,
    lastActivationClaimId: last?.claimId ?? null,
    lastActivationReason:
      last === undefined
        ? null
        : (last.errorMessage ?? last.stopReason ?? last.blockedReason ?? last.reason),
    latestOutcome: outcome === undefined ? null : activationView(outcome, queuedBy),
    claimHistory,
  };
}

function leaseOf(
  deps: SessionStatusDeps,
  sessionId: number,
): NonNullable<SessionStatus['activeLease']> | undefined {
  const stored = deps.work.lease(sessionId);
  if (stored === undefined) return undefined;
  const held = deps.scheduler.leaseOf(sessionId);
  const isAlive = held?.lease.claimId === stored.claimId;
  return {
    owner: showText(stored.owner, 200).text,
    claimId: showText(stored.claimId, 40).text,
    turnId: stored.turnId,
    attempt: stored.attempt,
    acquiredAt: iso(stored.sinceMs),
    isAlive,
    ...(isAlive && held !== undefined
      ? { renewedAgoMs: Math.max(0, Math.round(deps.clock.monotonicMs() - held.renewedAtMs)) }
      : {}),
  };
}

/** Pending wake-ups, and consumed ones whose turn has not resumed yet. Next due first. */
function backlogOf(
  work: WorkReads,
  sessionId: number,
  open: readonly TurnRow[],
): SessionStatus['queuedWakeBacklog'] {
  const view = (wake: WakeRow, turn?: TurnRow): SessionStatus['queuedWakeBacklog'][number] => ({
    wakeId: wake.wakeId,
    dedupeKey: wake.dedupeKey.slice(0, 300),
    dueAt: iso(turn?.retry?.dueAtMs ?? wake.dueAtMs),
    note: wake.note.slice(0, 2000),
    priority: wake.priority,
    queuedBy: wake.queuedBy.slice(0, 64),
    ...(turn === undefined ? {} : { turnId: turn.id }),
  });
  const unfinished = open
    .filter((turn) => turn.state !== 'running')
    .flatMap((turn) => {
      const wake = work.wakeOfTurn(turn.id);
      return wake === undefined ? [] : [view(wake, turn)];
    });
  const pending = work.pendingWakes({ sessionId, limit: 200 }).map((wake) => view(wake));
  return [...unfinished, ...pending].sort((a, b) => a.dueAt.localeCompare(b.dueAt));
}

function pendingOf(row: RequestRow): SessionStatus['pendingRequests'][number] {
  const id = String(row.requestId);
  const input = row.input.kind === 'inline' ? row.input.text : (row.input.start ?? '');
  return {
    requestId: row.requestId,
    kind: row.request,
    turnId: row.turnId,
    tool: row.tool.slice(0, 200),
    hint: showText(row.hint, 300).text,
    reason: row.reason.slice(0, 500),
    input: showText(input, 4000).text,
    requestedAt: iso(row.requestedAtMs),
    answerWith:
      row.request === 'custom_tool'
        ? [`holdfast approvals answer ${id} --text TEXT`]
        : [`holdfast approvals allow ${id}`, `holdfast approvals deny ${id}`],
  };
}
