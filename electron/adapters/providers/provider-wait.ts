import { limitEnd } from '../../../shared/limits/read-limit';
import type { LimitReset } from '../../../shared/limits/read-when';
import { retryAfterMs } from '../http/retry-after';

const YEAR_MS = 366 * 24 * 3_600_000;
/** No usage window is longer than a month, so a later time in a body or sentence is not one. */
const WINDOW_MS = 32 * 24 * 3_600_000;

type Headers = Readonly<Record<string, string>>;

/** A plausible wait: more than zero, at most a year. Others are ignored. */
const plausible = (ms: number): number | undefined =>
  Number.isFinite(ms) && ms > 0 && ms <= YEAR_MS ? Math.ceil(ms) : undefined;

const NUMBER = /^\d+(\.\d+)?$/;

/** The first plausible time; a server's local time counts as UTC if it names no zone. LM-01 */
function firstOf(told: readonly (LimitReset | undefined)[], nowMs: number): number | undefined {
  for (const resets of told) {
    const end = limitEnd(resets, { nowMs, zone: 'UTC' });
    if (end !== undefined && end.atMs - nowMs <= WINDOW_MS) return end.atMs - nowMs;
  }
  return undefined;
}

/**
 * Ms until the provider allows a retry; undefined if it named no time or an implausible one
 * (malformed, zero, past, over a year). What the turn then does is decided in
 * engine/retry/plan-retry.ts. S2-25.
 */
export function providerWaitMs(facts: {
  readonly headers: Headers;
  /** Other parts of the response that may name a time, the most exact first. */
  readonly told?: readonly (LimitReset | undefined)[];
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
    firstOf(facts.told ?? [], nowMs)
  );
}

/** Ms until the window of a subscription resets; undefined if no future time is named. */
export function windowResetMs(headers: Headers, nowMs: number): number | undefined {
  const reset = headers['anthropic-ratelimit-unified-reset'];
  return reset !== undefined && NUMBER.test(reset.trim())
    ? plausible(Number(reset) * 1000 - nowMs)
    : undefined;
}
