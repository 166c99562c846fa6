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
    'Turns in a row that fail by a provider before an outage of it is declared',
  ),
  'resilience.probe_interval': row(
    rhythm,
    '1h',
    'hot',
    'How often a provider that is down is asked, at the least, whether it is there',
  ),
  'resilience.early_probe': row(
    () => z.boolean(),
    true,
    'hot',
    'Ask it earlier, too: after 10, 20, 40, 80 and every 120 seconds',
  ),
  'resilience.auto_wait': row(
    () => z.boolean(),
    true,
    'hot',
    'Turns wait by themselves for a provider that is down; off puts each of them to you',
  ),
  'resilience.max_wait': row(
    duration,
    '24h',
    'hot',
    'Longest wait for a provider; then the turn is put to you',
  ),
  'resilience.wait_for_quota': row(
    () => z.boolean(),
    true,
    'hot',
    'Wait until the time that a provider names for its quota or asks for quiet; where it names none, ask again by the two waits below',
  ),
  'resilience.limit_first_wait': row(
    duration,
    '5m',
    'hot',
    'First wait after a limit for which the provider named no time; doubles with each in a row',
  ),
  'resilience.limit_max_wait': row(duration, '60m', 'hot', 'Longest wait after such limits'),
  'breakers.failure_threshold': row(
    threshold,
    5,
    'hot',
    'Failed calls in a row after which nothing more is sent to a dependency',
  ),
  'breakers.success_threshold': row(
    threshold,
    2,
    'hot',
    'Successful trials in a row after which calls go through again',
  ),
  'breakers.initial_backoff': row(
    duration,
    '10s',
    'hot',
    'First wait before a trial; doubles with each trial that fails',
  ),
  'breakers.max_backoff': row(duration, '120s', 'hot', 'Longest wait before a trial'),
  'breakers.per_dependency': row(
    () => z.record(z.string().min(1).max(200), breakerSettings()),
    {},
    'hot',
    'The same four, for single breakers by name, as "provider.anthropic"',
  ),
  'retry.rate_limited.max_attempts': row(
    attempts,
    5,
    'hot',
    'Calls in all where a provider asks to slow down (429)',
  ),
  'retry.rate_limited.first_wait': row(
    duration,
    '1s',
    'hot',
    'Wait after the first such answer; doubles with each',
  ),
  'retry.rate_limited.max_wait': row(
    duration,
    '60s',
    'hot',
    'Longest such wait; a turn that has to wait longer is put aside until then',
  ),
  'retry.server.max_attempts': row(
    attempts,
    3,
    'hot',
    'Calls in all where a provider fails (5xx) or cannot be reached',
  ),
  'retry.server.first_wait': row(
    duration,
    '1s',
    'hot',
    'Wait after the first such failure; doubles with each',
  ),
  'retry.server.max_wait': row(
    duration,
    '30s',
    'hot',
    'Longest such wait; a turn that has to wait longer is put aside until then',
  ),
};
