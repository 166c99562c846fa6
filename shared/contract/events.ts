/** Events that are sent without a request. */
import { z } from 'zod';
import { restartNotice, statusSnapshot, turnState } from '../types';
import { turnId, nothing } from './base';

/** Events to windows and `--watch` clients; coalesced, at most 10 a second each (I6). */
export const EVENTS = {
  'status.changed': statusSnapshot,
  'turn.changed': z.strictObject({
    turnId,
    state: turnState,
    sessionId: z.number().int().positive(),
  }),
  /** Provisional text of an answer in progress; withdrawn if the stream is interrupted. */
  'turn.delta': z.strictObject({ turnId, text: z.string().max(100_000), isWithdrawn: z.boolean() }),
  /** The latest output of a running command: in memory only, replaced by the next. */
  'step.output': z.strictObject({
    turnId,
    step: z.number().int().positive(),
    text: z.string().max(4_000),
  }),
  'session.changed': z.strictObject({
    sessionId: z.number().int().positive(),
    seq: z.number().int().nonnegative(),
  }),
  'inbox.changed': z.strictObject({ open: z.number().int().nonnegative() }),
  /** Breakers, providers or the queue changed: read them again. Coalesced. */
  'outage.changed': nothing,
  /** Tasks, timers, heartbeats or a run of theirs changed: read them again. Coalesced. */
  'schedule.changed': nothing,
  /** The disk queue or the dead letters changed: read them again. Coalesced. */
  'queue.changed': z.strictObject({
    depth: z.number().int().nonnegative(),
    deadLetters: z.number().int().nonnegative(),
  }),
  /** Pending items on other computers changed: read them again. Coalesced. */
  'hosts.changed': nothing,
  /** A session on another computer has news: lists read from it may be outdated. Coalesced. */
  'hosts.news': z.strictObject({ host: z.string().max(64) }),
  'config.changed': z.strictObject({ keys: z.array(z.string().max(200)).max(200) }),
  'restart.noticed': restartNotice,
  /** "Copy as Markdown" was chosen: the window copies its selection as Markdown. */
  'copy.markdown': nothing,
  /** Main asks the window to go to a page; the only thing a deep link can do (D1). */
  navigate: z.strictObject({ route: z.string().max(200) }),
} as const satisfies Record<string, z.ZodType>;
