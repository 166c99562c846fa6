import type { SessionView, TurnSummary } from '../../shared/types';
import type { SessionStatus } from '../../shared/types/work';

const RESILIENCE: SessionStatus['resilience'] = {
  leaseRenewMs: 60_000,
  leaseStaleMs: 600_000,
  requeueDelayMs: 2_000,
  requeueMaxDelayMs: 30_000,
  maxRequeues: 10,
  jitter: 0.1,
  recoveryMode: 'safe_only',
};

/** A status of a session that waits for nothing, around what a test is about. */
export function sessionStatusOf(
  session: SessionView,
  openTurns: readonly TurnSummary[] = [],
  extra: Partial<SessionStatus> = {},
): SessionStatus {
  return {
    session,
    environment: { executor: 'llm', provider: 'main', model: 'm-1', workspace: '/home/mara/code' },
    openTurns: [...openTurns],
    status: session.status,
    stopReason: session.stopReason,
    outcome: null,
    turns: session.turns,
    pendingEvents: session.pendingEvents,
    runnablePendingEvent: null,
    nextRetryAt: null,
    retryStreak: 0,
    pendingQueuedWakes: 0,
    nextQueuedWakeAt: null,
    activeWakeLeaseOwner: null,
    activeWakeLeaseAcquiredAt: null,
    resilience: RESILIENCE,
    stagedDrafts: { count: 0, drafts: [] },
    lastActivationKind: null,
    lastActivationAt: null,
    lastActivationClaimId: null,
    lastActivationReason: null,
    pendingCustomTool: null,
    pendingToolConfirmation: null,
    retryPosture: {
      isRetrying: false,
      nextRetryAt: null,
      streak: 0,
      lastError: null,
      policy: RESILIENCE,
    },
    pendingRequests: [],
    queuedWakeBacklog: [],
    activeLease: null,
    latestOutcome: null,
    claimHistory: [],
    stagedDraftStatus: [],
    ...extra,
  };
}
