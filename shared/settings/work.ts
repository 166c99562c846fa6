/** Settings of turns at work: their limits, their approvals, their leases. */
import { z } from 'zod';
import { duration, row } from './base';

/** How far a turn may run before it asks. */
export const WORK_SETTINGS = {
  'limits.turn_steps': row(
    () => z.number().int().min(1).max(100_000),
    100,
    'hot',
    'Steps after which a turn pauses and asks',
  ),
  'limits.turn_time': row(
    duration,
    '30m',
    'hot',
    'Running time after which a turn pauses and asks',
  ),
  'limits.turn_cost_usd': row(
    () => z.number().min(0).max(100_000),
    2,
    'hot',
    'Cost after which a turn pauses and asks; no limit for an agent of another program that tells its cost with its answer (Claude Code) or never (Codex, plain commands)',
  ),
  'limits.max_running_turns': row(
    () => z.number().int().min(1).max(10_000),
    8,
    'hot',
    'Turns that run at the same time',
  ),
  'limits.max_waiting_turns': row(
    () => z.number().int().min(1).max(1_000_000),
    10_000,
    'hot',
    'Turns that may wait for providers; beyond it new ones are refused',
  ),
  'approvals.mode': row(
    () => z.enum(['risky', 'all_effects', 'off']),
    'risky',
    'hot',
    'Which calls wait for your approval',
  ),
  'approvals.tools': row(
    () => z.record(z.string().min(1).max(200), z.enum(['allow', 'ask', 'deny'])),
    {},
    'hot',
    'The same, for single tools',
  ),
  'work.lease_renew': row(
    duration,
    '60s',
    'hot',
    'How often the lease of a running turn that shows life is renewed',
  ),
  'work.lease_stale': row(
    duration,
    '600s',
    'hot',
    'Silence after which a running turn is taken over',
  ),
  'work.requeue_delay': row(
    duration,
    '2s',
    'hot',
    'Wait after a failed model call; doubles with each failure in a row',
  ),
  'work.requeue_max_delay': row(
    duration,
    '30s',
    'hot',
    'Longest wait after failed model calls, unless the provider asks for more',
  ),
  'work.max_requeues': row(
    () => z.number().int().min(0).max(1000),
    10,
    'hot',
    'After this many waits in a row a turn is parked',
  ),
};
