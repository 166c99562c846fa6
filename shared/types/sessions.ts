/** Sessions and what happened in them. */
import { z } from 'zod';
import { atMs, count, id, purity, stepState, text } from './base';
import { doing, stepFate } from './turns';

export const sessionView = z.strictObject({
  id,
  key: text(200),
  title: text(200),
  agent: text(64),
  status: z.enum(['idle', 'running', 'requires_action', 'rescheduling', 'terminated']),
  stopReason: text(300),
  turns: count,
  pendingEvents: count,
  createdAtMs: atMs,
  lastEventAtMs: atMs,
  /** The parent session. */
  parent: text(200).optional(),
  isPinned: z.literal(true).optional(),
  isArchived: z.literal(true).optional(),
  /** It continues after this turn of another session. */
  fork: z.strictObject({ sessionId: id, turnId: id, title: text(200) }).optional(),
  /** What its running turn is at. */
  doing: doing.optional(),
  /** The other computer that has its last turn, or that it ended on. */
  computer: text(64).optional(),
});
export type SessionView = z.infer<typeof sessionView>;

const SESSION_EVENT_TYPES = [
  'user.message',
  'user.define_outcome',
  'user.interrupt',
  'user.tool_confirmation',
  'user.custom_tool_result',
  'session.status_changed',
  'session.status_idle',
  'span.started',
  'span.completed',
  'agent.message',
  'agent.tool_use',
  'agent.custom_tool_use',
  'session.child_created',
  'session.child_idle',
] as const;
export const sessionEvent = z.strictObject({
  seq: id,
  sessionId: id,
  turnId: id.optional(),
  type: z.enum(SESSION_EVENT_TYPES),
  atMs,
  /** Pending means not yet consumed by a committed turn. */
  isPending: z.boolean(),
  text: text(20_000),
  isTruncated: z.boolean(),
  tool: text(200).optional(),
  purity: purity.optional(),
  stepIndex: z.number().int().positive().optional(),
  stepState: stepState.optional(),
  stepFate: stepFate.optional(),
  startedAtMs: atMs.optional(),
  endedAtMs: atMs.optional(),
  /** Of `session.child_*`: the session that was started in this one. */
  child: z.strictObject({ id, key: text(200) }).optional(),
});
export type SessionEvent = z.infer<typeof sessionEvent>;
