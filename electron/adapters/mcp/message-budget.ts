/** Limits for the output of a server. Pure. */
import { MAX_VALUES } from '../../engine/kernel/json-meter';

export interface BudgetLimits {
  /** Maximum size of one message, in bytes. */
  readonly messageBytes: number;
  /** Values in one message: see `MAX_VALUES`. */
  readonly messageValues: number;
  readonly windowMs: number;
  readonly windowBytes: number;
  readonly windowMessages: number;
}

/**
 * A result of 5 MB is ordinary; a server that sends more than this is broken or hostile. A message
 * is parsed at once, which blocks everything else.
 */
export const BUDGET_LIMITS: BudgetLimits = {
  messageBytes: 8 * 1024 * 1024,
  messageValues: MAX_VALUES,
  windowMs: 10_000,
  windowBytes: 64 * 1024 * 1024,
  windowMessages: 20_000,
};

/** Counts the input; each call returns the reason to end the server, or nothing. */
export interface MessageBudget {
  readonly maxValues: number;
  /** The reason if a message has too many values. */
  readonly tooManyValues: string;
  /** `openBytes`: length of the message that is not complete yet. */
  took(nowMs: number, bytes: number, openBytes: number): string | undefined;
  message(nowMs: number): string | undefined;
}

export function createMessageBudget(limits: BudgetLimits): MessageBudget {
  let windowFromMs = Number.NEGATIVE_INFINITY;
  let bytes = 0;
  let messages = 0;
  const roll = (nowMs: number): void => {
    if (nowMs - windowFromMs < limits.windowMs) return;
    windowFromMs = nowMs;
    bytes = 0;
    messages = 0;
  };
  const seconds = `${String(limits.windowMs / 1000)} s`;
  return {
    maxValues: limits.messageValues,
    tooManyValues: `It sent a message of more than ${String(limits.messageValues)} values.`,
    took(nowMs, more, openBytes) {
      roll(nowMs);
      bytes += more;
      if (openBytes > limits.messageBytes)
        return `It sent a message of more than ${megabytes(limits.messageBytes)}.`;
      if (bytes > limits.windowBytes)
        return `It sent more than ${megabytes(limits.windowBytes)} in ${seconds}.`;
      return undefined;
    },
    message(nowMs) {
      roll(nowMs);
      messages += 1;
      return messages > limits.windowMessages
        ? `It sent more than ${String(limits.windowMessages)} messages in ${seconds}.`
        : undefined;
    },
  };
}

const megabytes = (bytes: number): string =>
  `${String(Math.round((bytes / 1024 / 1024) * 100) / 100)} MB`;
