import type { SentQuestion } from '../../ports/journal/questions';

/** Settings and times that affect questions on channels now. */
export interface QuestionTimes {
  readonly nowMs: number;
  /** True during quiet hours: only questions marked as urgent may notify. */
  readonly isQuiet: boolean;
  /** When the last quiet time ended; 0 if there was none. */
  readonly awakeSinceMs: number;
  /** `reminders.after`; 0: never. */
  readonly afterMs: number;
}

/** An open question, as far as its times matter. */
interface Timed {
  readonly inboxId: number;
  readonly createdAtMs: number;
  readonly isUrgent: boolean;
}

/** Whether a message about it may notify a person now. PH-07 */
export const mayDisturb = ({ isUrgent }: Timed, { isQuiet }: QuestionTimes): boolean =>
  !isQuiet || isUrgent;

/**
 * When the question's reminder is due on a channel; undefined: it gets none there, or no further
 * one.
 */
export const reminderAtMs = (
  row: SentQuestion | undefined,
  { afterMs }: QuestionTimes,
): number | undefined =>
  afterMs === 0 || row?.sent === undefined || row.sent.remindedAtMs !== undefined
    ? undefined
    : row.sent.atMs + afterMs;

/**
 * When a question goes to the escalation channel: as long after its reminder as the reminder came
 * after the question. If it could not be sent or reminded anywhere, twice as long after it arose.
 * Quiet hours do not count. Undefined: never. Pure. PH-07
 */
export function escalationAtMs(
  question: Timed,
  /** On the other channels. */
  elsewhere: readonly SentQuestion[],
  { afterMs, awakeSinceMs }: QuestionTimes,
): number | undefined {
  if (afterMs === 0) return undefined;
  const sent = elsewhere.flatMap((row) => (row.sent === undefined ? [] : [row.sent]));
  const reminded = sent.flatMap((one) => one.remindedAtMs ?? []);
  if (reminded.length > 0) return Math.min(...reminded) + afterMs;
  const askedAtMs = Math.min(question.createdAtMs, ...sent.map(({ atMs }) => atMs));
  return Math.max(askedAtMs, question.isUrgent ? 0 : awakeSinceMs) + 2 * afterMs;
}
