/** Settings for external dependencies that may be down: outages, breakers, retries. */
import { z } from 'zod';
import { once } from '../once';
import { parseDuration } from '../durations';
import { duration, durationMs, row } from './base';

/** A rhythm: short ones would ask without a pause. */
const rhythm = once(() =>
  duration().superRefine((value, context) => {
    const parsed = parseDuration(value);
    if (parsed.ok && parsed.ms < 100)
      context.addIssue({ code: 'custom', message: 'at least 100ms' });
  }),
);

const threshold = once(() => z.number().int().min(1).max(1000));
/** Settings of single breakers; the rest is shared by all. */
const breakerSettings = once(() =>
  z
    .strictObject({
      failure_threshold: threshold().optional(),
      success_threshold: threshold().optional(),
      initial_backoff: duration().optional(),
      max_backoff: duration().optional(),
    })
    .refine(
      ({ initial_backoff: low, max_backoff: high }) =>
        low === undefined || high === undefined || durationMs(high) >= durationMs(low),
      'max_backoff must not be below initial_backoff',
    ),
);
/** Calls of one chain, the first included. */
const attempts = once(() => z.number().int().min(1).max(20));

/** What happens while a dependency is down. */
export const OUTAGE_SETTINGS = {
  'resilience.outage_threshold': row(
    () => z.number().int().min(1).max(1000),
    3,
    'hot',
    'Consecutive failed turns before a provider is marked down',
  ),
  'resilience.probe_interval': row(
    rhythm,
    '1h',
    'hot',
    'Maximum time between checks whether a provider that is down is reachable',
  ),
  'resilience.early_probe': row(
    () => z.boolean(),
    true,
    'hot',
    'Also check sooner: after 10, 20, 40, 80 and then every 120 seconds',
  ),
  'resilience.auto_wait': row(
    () => z.boolean(),
    true,
    'hot',
    'Turns wait automatically for a provider that is down; if off, each needs your decision',
  ),
  'resilience.max_wait': row(
    duration,
    '24h',
    'hot',
    'Maximum wait for a provider; after that the turn needs your decision',
  ),
  'resilience.wait_for_quota': row(
    () => z.boolean(),
    true,
    'hot',
    "Resume when the provider's usage limit or Retry-After ends; if it gives no time, retry after the two waits below",
  ),
  'resilience.limit_first_wait': row(
    duration,
    '5m',
    'hot',
    'First wait after a usage limit without a reset time; doubles with each consecutive limit',
  ),
  'resilience.limit_max_wait': row(
    duration,
    '60m',
    'hot',
    'Maximum wait after a usage limit without a reset time',
  ),
  'fallback.mode': row(
    () => z.enum(['by_vendor', 'ask', 'auto', 'off']),
    'by_vendor',
    'hot',
    "When a turn continues with another model or agent of its agent's fallback list: automatically (auto), after you agree (ask), never (off), or automatically between two keys of one vendor and after you agree between vendors (by_vendor)",
  ),
  'fallback.after': row(
    duration,
    '2m',
    'hot',
    'How long an outage or a usage limit has to last before a turn continues with a fallback',
  ),
  'breakers.failure_threshold': row(
    threshold,
    5,
    'hot',
    'Consecutive failures before a circuit breaker opens and calls to the dependency stop',
  ),
  'breakers.success_threshold': row(
    threshold,
    2,
    'hot',
    'Consecutive successful probes before a circuit breaker closes',
  ),
  'breakers.initial_backoff': row(
    duration,
    '10s',
    'hot',
    'First wait before a probe; doubles with each failed probe',
  ),
  'breakers.max_backoff': row(duration, '120s', 'hot', 'Maximum wait before a probe'),
  'breakers.per_dependency': row(
    () => z.record(z.string().min(1).max(200), breakerSettings()),
    {},
    'hot',
    'The same four settings for single circuit breakers by name, such as "provider.anthropic"',
  ),
  'retry.rate_limited.max_attempts': row(
    attempts,
    5,
    'hot',
    'Maximum attempts when a provider asks to slow down (429)',
  ),
  'retry.rate_limited.first_wait': row(
    duration,
    '1s',
    'hot',
    'Wait after the first 429 response; doubles with each',
  ),
  'retry.rate_limited.max_wait': row(
    duration,
    '60s',
    'hot',
    'Maximum such wait; a turn that has to wait longer is set aside until then',
  ),
  'retry.server.max_attempts': row(
    attempts,
    3,
    'hot',
    'Maximum attempts when a provider fails (5xx) or cannot be reached',
  ),
  'retry.server.first_wait': row(
    duration,
    '1s',
    'hot',
    'Wait after the first 5xx response or connection failure; doubles with each',
  ),
  'retry.server.max_wait': row(
    duration,
    '30s',
    'hot',
    'Maximum such wait; a turn that has to wait longer is set aside until then',
  ),
};
