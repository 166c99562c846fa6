import { retryAfterMs } from '../http/retry-after';

const YEAR_MS = 366 * 24 * 3_600_000;

type Headers = Readonly<Record<string, string>>;

/** A plausible wait: more than nothing, at most a year. The rest is ignored. */
const plausible = (ms: number): number | undefined =>
  Number.isFinite(ms) && ms > 0 && ms <= YEAR_MS ? Math.ceil(ms) : undefined;

const NUMBER = /^\d+(\.\d+)?$/;

/** Google's `RetryInfo` detail: `{"retryDelay": "34s"}`. */
function fromDetails(details: unknown): number | undefined {
  if (!Array.isArray(details)) return undefined;
  for (const detail of details as readonly unknown[]) {
    const delay = (detail as { retryDelay?: unknown } | null)?.retryDelay;
    const match = typeof delay === 'string' ? /^(\d+(?:\.\d+)?)s$/.exec(delay) : null;
    if (match?.[1] !== undefined) return plausible(Number(match[1]) * 1000);
  }
  return undefined;
}

/**
 * Ms until the provider allows a retry; undefined if it named no time or an implausible one
 * (malformed, zero, past, over a year). Whether to sleep or to park is not decided here. S2-25.
 */
export function providerWaitMs(facts: {
  readonly headers: Headers;
  readonly details?: unknown;
  /** Wall time, ms since the epoch: dates are counted from here. */
  readonly nowMs: number;
}): number | undefined {
  const { headers, nowMs } = facts;
  const exact = headers['retry-after-ms'];
  if (exact !== undefined && NUMBER.test(exact.trim())) {
    const ms = plausible(Number(exact));
    if (ms !== undefined) return ms;
  }
  return (
    retryAfterMs(headers['retry-after'], { nowMs, mostMs: YEAR_MS }) ??
    windowResetMs(headers, nowMs) ??
    fromDetails(facts.details)
  );
}

/** Ms until the window of a subscription resets; undefined if no future time is named. */
export function windowResetMs(headers: Headers, nowMs: number): number | undefined {
  const reset = headers['anthropic-ratelimit-unified-reset'];
  return reset !== undefined && NUMBER.test(reset.trim())
    ? plausible(Number(reset) * 1000 - nowMs)
    : undefined;
}
