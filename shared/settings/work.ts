/** Settings of running turns: their limits, their approvals, their leases. */
import { z } from 'zod';
import { duration, row } from './base';

/** How far a turn may run before it asks. */
export const WORK_SETTINGS = {
  'limits.turn_steps': row(
    () => z.number().int().min(1).max(100_000),
    100,
    'hot',
    'Steps before a turn pauses and asks you',
  ),
  'limits.turn_time': row(duration, '30m', 'hot', 'Running time before a turn pauses and asks you'),
  'limits.turn_cost_usd': row(
    () => z.number().min(0).max(100_000),
    2,
    'hot',
    'Cost before a turn pauses and asks you; not enforced for external agents that report their cost only with the answer (Claude Code) or never (Codex, plain commands)',
  ),
  'limits.max_running_turns': row(
    () => z.number().int().min(1).max(10_000),
    8,
    'hot',
    'Maximum turns that run at the same time',
  ),
  'limits.max_waiting_turns': row(
    () => z.number().int().min(1).max(1_000_000),
    10_000,
    'hot',
    'Maximum turns that wait for providers; beyond that, new ones are rejected',
  ),
  'limits.margin': row(
    duration,
    '60s',
    'hot',
    'Wait after the reset time that an agent or provider names for its usage limit, before the first turn continues',
  ),
  'limits.continue_terminals': row(
    () => z.boolean(),
    false,
    'hot',
    'Continue the conversation of a watched terminal in Holdfast, once, when its usage limit resets; needs a Claude Code agent in the same folder',
  ),
  'limits.max_wait': row(
    duration,
    '8d',
    'hot',
    'Maximum wait for a usage limit with a named reset time; a later reset needs your decision',
  ),
  'limits.max_windows': row(
    () => z.number().int().min(1).max(1_000),
    3,
    'hot',
    'Usage-limit windows that one turn may use up before it needs your decision',
  ),
  'approvals.mode': row(
    () => z.enum(['risky', 'all_effects', 'off']),
    'risky',
    'hot',
    'Which tool calls need your approval',
  ),
  'approvals.tools': row(
    () => z.record(z.string().min(1).max(200), z.enum(['allow', 'ask', 'deny'])),
    {},
    'hot',
    'Approval rules for single tools',
  ),
  'work.lease_renew': row(duration, '60s', 'hot', 'Lease renewal interval of a running turn'),
  'work.lease_stale': row(
    duration,
    '600s',
    'hot',
    'Lease timeout: how long a running turn may be unresponsive before another attempt takes over',
  ),
  'work.requeue_delay': row(
    duration,
    '2s',
    'hot',
    'Wait after a failed model request; doubles with each consecutive failure',
  ),
  'work.requeue_max_delay': row(
    duration,
    '30s',
    'hot',
    'Maximum wait after failed model requests, unless the provider asks for more',
  ),
  'work.max_requeues': row(
    () => z.number().int().min(0).max(1000),
    10,
    'hot',
    'Consecutive waits before a turn is parked',
  ),
};
