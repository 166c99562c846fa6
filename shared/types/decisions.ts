/** What needs a person's decision. */
import { z } from 'zod';
import { INBOX_KINDS } from '../states';
import { atMs, id, text } from './base';

/** Permission for a call, or the result of an external tool; durable. S3-06..S3-11. */
export const approvalView = z.strictObject({
  requestId: id,
  kind: z.enum(['approval', 'custom_tool']),
  turnId: id,
  sessionId: id,
  sessionKey: text(200),
  agent: text(64),
  promptStart: text(200),
  tool: text(200),
  hint: text(300),
  /** Why permission is needed. */
  reason: text(500),
  /** What permission for the session would cover: the tool, or `shell.shell git push`. */
  covers: text(200),
  /** It reaches beyond this computer and cannot be undone here. */
  leaves: z.boolean().optional(),
  /**
   * Its destination, determined by this computer and not the agent; permission for one call is for
   * it alone.
   */
  goesTo: z.strictObject({ address: text(500), name: text(200) }).optional(),
  /** Why the destination is unknown: the end of a sentence. */
  notTold: text(300).optional(),
  /** Where the call runs, as shown: `~/project`. Absent if it is unknown. */
  folder: text(4096).optional(),
  /** The file that the call changes, below that folder. Absent if it changes none in there. */
  file: text(4096).optional(),
  /** Exact input as JSON, escaped for display, at most 4,000 characters. */
  args: text(4000),
  isTruncated: z.boolean(),
  /** sha256 over tool and canonical input: an answer is for exactly this. */
  inputHash: text(64),
  requestedAtMs: atMs,
  requestHash: text(64),
  answer: z.enum(['allowed', 'denied', 'result', 'cleared']).optional(),
  answeredAtMs: atMs.optional(),
  scope: z.enum(['once', 'session', 'always']).optional(),
  by: text(64).optional(),
  note: text(4000).optional(),
});
export type ApprovalView = z.infer<typeof approvalView>;

/** Anything that needs a person's decision. */
export const inboxItem = z.strictObject({
  id,
  kind: z.enum(INBOX_KINDS),
  turnId: id.optional(),
  sessionId: id.optional(),
  /** The task that was missed. */
  taskId: id.optional(),
  /** The timer of that session that was missed. */
  timerId: text(64).optional(),
  /** The budget that is spent, and whose: more of it can be allowed. */
  budget: z.strictObject({ name: text(64), key: text(200) }).optional(),
  /** Waiting turns of this agent could continue with another model or agent. FB-02 */
  fallback: z.strictObject({ agent: text(64), to: text(300) }).optional(),
  title: text(300),
  detail: text(1000),
  createdAtMs: atMs,
  settledAtMs: atMs.optional(),
  outcome: text(300).optional(),
});
export type InboxItem = z.infer<typeof inboxItem>;
