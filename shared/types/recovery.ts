/** What a start does with interrupted turns, what it asks, and how it reports. */
import { z } from 'zod';
import { atMs, count, id, purity, text, usage } from './base';

/** One line of a resume plan. S4-05. */
export const planStep = z.strictObject({
  index: z.number().int().positive(),
  tool: text(200),
  purity,
  hint: text(300),
  action: z.enum(['reuse', 'reissue', 'run_again', 'ask', 'skip', 'run']),
  reason: text(300),
  isListed: z.boolean(),
  idempotencyKey: text(200).optional(),
});
export type PlanStep = z.infer<typeof planStep>;

/** What a resume does with one open run of a skill. S4-06. */
const runVerdict = z.strictObject({
  runId: id,
  skill: text(64),
  phase: text(64),
  visit: count,
  /** The message itself requested this run: it ends with its turn. */
  isWholeTurn: z.boolean(),
  action: z.enum(['resume', 'retry', 'skip', 'discard']),
  reason: text(500),
});
export type RunVerdict = z.infer<typeof runVerdict>;

/** What a start would do (or did) with an open turn: inspectable before and after. */
export const resumePlan = z.strictObject({
  turnId: id,
  action: z.enum(['resume', 'hold', 'park', 'stale', 'discard', 'none']),
  reason: text(500),
  mode: z.enum(['safe_only', 'always', 'never']),
  attempt: count,
  delayMs: count,
  steps: z.array(planStep).max(100_000),
  /** Open runs of skills in the turn. */
  runs: z.array(runVerdict).max(10_000).optional(),
  reused: count,
  reissued: count,
  ambiguous: z.array(z.number().int().positive()).max(100_000),
  /** The provider answer that comes next, and any step by policy. */
  toRun: count,
  savedUsage: usage,
});
export type ResumePlan = z.infer<typeof resumePlan>;

/** A command that an earlier run of Holdfast started and that outlived it. */
export const leftProcess = z.strictObject({
  /** Number of its notice. */
  inboxId: id,
  turnId: id.optional(),
  step: z.number().int().positive().optional(),
  pid: z.number().int().positive(),
  /** How many processes of its group were there when it was found. */
  processes: count,
  startedAtMs: atMs,
  /** Its command line, escaped for display. */
  command: text(300),
  state: z.enum([
    'running',
    'ended',
    'ended_by_you',
    /** Gone, and its end went unseen. */
    'ended_unseen',
  ]),
  /** The user's last answer about it. */
  answer: z.enum(['wait', 'end', 'leave']).optional(),
  /** When its end was seen. Its exit code is unknown. */
  endedAtMs: atMs.optional(),
  /** sha256 of which process it is; an answer carries it back (I4). */
  requestHash: text(64),
});
export type LeftProcessView = z.infer<typeof leftProcess>;

/** An open question about an interrupted turn; durable until answered. */
export const replayDecision = z.strictObject({
  inboxId: id,
  turnId: id,
  kind: z.enum(['held', 'stale', 'parked', 'limit']),
  /** The question in one sentence. */
  question: text(300),
  reason: text(500),
  agent: text(64),
  sessionKey: text(200),
  promptStart: text(200),
  /** Where its tools work, as shown: `~/project`. Absent if it is unknown. */
  folder: text(4096).optional(),
  createdAtMs: atMs,
  /** Steps whose result is unknown. */
  ambiguous: z.array(
    z.strictObject({
      index: z.number().int().positive(),
      tool: text(200),
      purity,
      isListed: z.boolean(),
      startedAtMs: atMs,
      /** Exact input, escaped for display, at most 4,000 characters. */
      args: text(4000),
      isTruncated: z.boolean(),
      hasStatusCheck: z.boolean(),
      isIdempotent: z.boolean(),
      /** Where the call carried its idempotency key; absent: not known. */
      keyIn: z.enum(['environment', 'request', 'none']).optional(),
    }),
  ),
  /** Listed tools that had started, for the sentence. */
  listedTools: z.array(text(200)),
  /** Commands of the turn that outlived the crash, also what has ended since. Absent: none. */
  processes: z.array(leftProcess).max(1000).optional(),
  plan: resumePlan,
  /** sha256 of the exact facts shown; a decision carries it back (I4). */
  requestHash: text(64),
});
/** Name used by the documents of the product. */
export type ReplayDecision = z.infer<typeof replayDecision>;

export const RESTART_REASONS = [
  'first_start',
  'clean',
  'crash',
  'kill',
  'takeover',
  'os_shutdown',
  'power_loss',
  'stop_cut_off',
  'update',
  'data_copied',
] as const;
const restartReason = z.enum(RESTART_REASONS);
export type RestartReason = z.infer<typeof restartReason>;

/** The report of one restart: why, how long, what was done with the open turns. S0-29, S0-30. */
export const restartNotice = z.strictObject({
  inboxId: id.optional(),
  reason: restartReason,
  startedAtMs: atMs,
  /** When the last process was last known alive. */
  downSinceMs: atMs.optional(),
  downMs: count,
  resumedTurns: z.array(id).max(10_000),
  heldTurns: z.array(id).max(10_000),
  parkedTurns: z.array(id).max(10_000),
  staleTurns: z.array(id).max(10_000),
  /** Marks of `holdfast start --no-restore`. */
  restoreSkipped: z.boolean(),
  isDismissed: z.boolean(),
});
export type RestartNotice = z.infer<typeof restartNotice>;
