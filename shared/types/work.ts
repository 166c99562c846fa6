/**
 * What a session is doing and what it waits for, as the command line, the windows and `--json` show
 * it. Fields that the documents name keep those names, with instants in ISO 8601 (S3-22..S3-33);
 * everything else has epoch ms (`…AtMs`) as everywhere.
 */
import { z } from 'zod';
import { ACTIVATION_KINDS, ACTIVATION_SOURCES, PRIORITIES } from '../activations';
import { environment } from './agents';
import { sessionView } from './sessions';
import { turnSummary } from './turns';
import { count, id, text } from './base';

const iso = text(30);

/** One entry of the history of activations. S3-22..S3-29. */
export const activationEvent = z.strictObject({
  seq: id,
  createdAt: iso,
  kind: z.enum(ACTIVATION_KINDS),
  /** Absent until a worker has leased it. */
  claimId: text(40).optional(),
  agentId: text(64),
  sessionId: id,
  session: text(200),
  turnId: id.optional(),
  /** Which run of the turn: the fencing epoch. */
  attempt: count,
  activationKind: z.enum(ACTIVATION_SOURCES),
  priority: z.enum(PRIORITIES),
  dueAt: iso,
  reason: text(500),
  note: text(2000),
  dueWakeIds: z.array(text(40)).max(100),
  leaseOwner: text(200).optional(),
  blockedReason: z
    .enum([
      'lease_contended',
      'requires_action',
      /** An external agent requests permission. */
      'permission',
      /** Its provider does not answer. */
      'outage',
      /** For its provider, until a time that is known, or until its settings are changed. */
      'waiting',
      'limit',
      'held',
      'parked',
    ])
    .optional(),
  wakeId: text(40).optional(),
  stopReason: text(500).optional(),
  queuedWakeIds: z.array(text(40)).max(100).optional(),
  processedEventIds: z.array(id).max(100).optional(),
  immediateRetryAt: iso.optional(),
  nextQueuedWakeAt: iso.optional(),
  abandonReason: z.enum(['idle', 'wake_failed', 'wake_lease_renew_failed']).optional(),
  errorMessage: text(1000).optional(),
});
export type ActivationEvent = z.infer<typeof activationEvent>;

/** A wake that waits, or whose turn has not ended. */
const queuedWake = z.strictObject({
  wakeId: text(40),
  dedupeKey: text(300),
  dueAt: iso,
  note: text(2000),
  priority: z.enum(PRIORITIES),
  queuedBy: text(64),
  /** The turn created from it that waits to continue. */
  turnId: id.optional(),
});

/** A request that waits, with the command that answers it. */
const pendingRequest = z.strictObject({
  requestId: id,
  kind: z.enum(['approval', 'custom_tool']),
  turnId: id,
  tool: text(200),
  hint: text(300),
  reason: text(500),
  input: text(4000),
  requestedAt: iso,
  /** Ready to paste: a name of 200 quotes is four times as long in it. */
  answerWith: z.array(text(1000)).max(4),
});

/** A draft of a session. S3-20, S3-21. */
const stagedDraft = z.strictObject({
  path: text(4096),
  target: text(4096),
  status: text(40),
  sourceChanged: z.boolean(),
  draftChanged: z.boolean(),
});
export type StagedDraft = z.infer<typeof stagedDraft>;

/** The values in force, read now (S3-+02). */
const resiliencePolicy = z.strictObject({
  leaseRenewMs: count,
  leaseStaleMs: count,
  requeueDelayMs: count,
  requeueMaxDelayMs: count,
  maxRequeues: count,
  /** Share by which a wait is made longer or shorter. */
  jitter: z.number(),
  recoveryMode: z.enum(['safe_only', 'always', 'never']),
});

/** One session: the fields of S3-31 first, then the seven things of S3-30. */
export const sessionStatus = z.strictObject({
  session: sessionView,
  /** As its agent has it now; null if the agent is gone. */
  environment: environment.nullable(),
  openTurns: z.array(turnSummary),

  status: sessionView.shape.status,
  stopReason: text(500),
  /** What the session is to reach, as it was defined last. */
  outcome: text(2000).nullable(),
  turns: count,
  pendingEvents: count,
  /** The oldest message whose turn runs or will run automatically; not before `deferUntil`. */
  runnablePendingEvent: z
    .strictObject({ eventId: id, turnId: id, deferUntil: iso.nullable() })
    .nullable(),
  nextRetryAt: iso.nullable(),
  retryStreak: count,
  pendingQueuedWakes: count,
  nextQueuedWakeAt: iso.nullable(),
  activeWakeLeaseOwner: text(200).nullable(),
  activeWakeLeaseAcquiredAt: iso.nullable(),
  resilience: resiliencePolicy,
  stagedDrafts: z.strictObject({ count, drafts: z.array(stagedDraft).max(5) }),
  lastActivationKind: z.enum(ACTIVATION_KINDS).nullable(),
  lastActivationAt: iso.nullable(),
  lastActivationClaimId: text(40).nullable(),
  lastActivationReason: text(1000).nullable(),
  pendingCustomTool: pendingRequest.nullable(),
  pendingToolConfirmation: pendingRequest.nullable(),

  retryPosture: z.strictObject({
    isRetrying: z.boolean(),
    nextRetryAt: iso.nullable(),
    streak: count,
    lastError: text(500).nullable(),
    policy: resiliencePolicy,
  }),
  pendingRequests: z.array(pendingRequest).max(100),
  queuedWakeBacklog: z.array(queuedWake).max(200),
  activeLease: z
    .strictObject({
      owner: text(200),
      claimId: text(40),
      turnId: id,
      attempt: count,
      acquiredAt: iso,
      /** False: its process is gone, the next start takes it at once. */
      isAlive: z.boolean(),
      /** Since its last renewal. */
      renewedAgoMs: z.number().nonnegative().optional(),
    })
    .nullable(),
  latestOutcome: activationEvent.nullable(),
  claimHistory: z.array(activationEvent).max(50),
  stagedDraftStatus: z.array(stagedDraft).max(100),
});
export type SessionStatus = z.infer<typeof sessionStatus>;
