/** The last day, and the journal as text. */
import { z } from 'zod';
import { atMs, count, id, text } from './base';
import { RESTART_REASONS } from './recovery';

export const DAY_RANGES = ['hour', 'day', 'week'] as const;
export type DayRange = (typeof DAY_RANGES)[number];

/** A stretch of the past in numbers that the journal, the starts and the log really hold. */
export const dayLine = z.strictObject({
  /** How long it is: the last 24 hours, unless another length was requested. */
  range: z.enum(DAY_RANGES),
  /** Start of the first slot. */
  fromMs: atMs,
  /** The right end: the moment of the answer, or an earlier one that was requested. */
  toMs: atMs,
  slotMs: z.number().int().positive(),
  /** Steps that were finished in each slot, oldest first; the first and the last slot may be cut. */
  steps: z.array(count).max(200),
  /** Without a gap from the first known start on, oldest first; nothing before it. */
  stretches: z
    .array(
      z.strictObject({
        kind: z.enum(['running', 'asleep', 'stopped']),
        fromMs: atMs,
        toMs: atMs,
      }),
    )
    .max(10_000),
  /** Unexpected ends, oldest first. */
  stops: z
    .array(z.strictObject({ atMs, backAtMs: atMs, reason: z.enum(RESTART_REASONS) }))
    .max(2000),
  /** Outages of providers that reach into these hours, oldest first; one in force has no end. */
  outages: z
    .array(z.strictObject({ provider: text(64), fromMs: atMs, toMs: atMs.optional() }))
    .max(500)
    .optional(),
  /** Turns that were completed since local midnight. */
  turnsFinishedToday: count,
});
export type DayLine = z.infer<typeof dayLine>;

/** A message of the catalogue and its values; a value may be a message itself. */
interface HistorySentence {
  readonly key: string;
  readonly values?: Readonly<Record<string, string | number | HistorySentence>> | undefined;
}
const historySentence: z.ZodType<HistorySentence> = z.lazy(() =>
  z.strictObject({
    key: text(80),
    values: z.record(text(32), z.union([text(4000), z.number(), historySentence])).optional(),
  }),
);

/** One line of the journal or of the audit, as text. Never a payload, never a secret. */
export const historyEvent = z.strictObject({
  /** Unique and stable: `j<sequence>` or `a<month>:<byte>`. */
  id: text(40),
  atMs,
  kind: text(200),
  /** In English; the same as `sentence`, for search, logs and the command line. */
  words: text(500),
  /** For a window, which renders it in its own language. Absent if the text is just a name. */
  sentence: historySentence.optional(),
  /** Its outcome, if the kind does not say it: a state, an answer, a reason. */
  outcome: text(60).optional(),
  turnId: id.optional(),
  sessionId: id.optional(),
  step: z.number().int().positive().optional(),
  detail: text(2000).optional(),
  /** Where the detail is made of messages, too. */
  detailSentences: z.array(historySentence).max(5).optional(),
});
export type HistoryEvent = z.infer<typeof historyEvent>;
