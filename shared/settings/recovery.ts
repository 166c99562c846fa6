/** Settings of coming back after a crash. Rows S0-36, S0-37. */
import { z } from 'zod';
import { once } from '../once';
import { duration, row } from './base';

const policy = once(() => z.enum(['retry', 'skip', 'discard_skill', 'prompt']));

/** What happens to work that a crash interrupted. */
export const RECOVERY_SETTINGS = {
  'resilience.recovery.mode': row(
    () => z.enum(['safe_only', 'always', 'never']),
    'safe_only',
    'hot',
    'What happens to a turn that a crash cut off',
  ),
  'resilience.recovery.side_effect_tools': row(
    () => z.array(z.string().min(1).max(200)).max(1000),
    [],
    'hot',
    'Tools whose turns are held for you after a crash (in safe_only)',
  ),
  'resilience.recovery.gate_all_side_effects': row(
    () => z.boolean(),
    false,
    'hot',
    'Hold every turn in which any side effect started, listed or not',
  ),
  'resilience.recovery.max_age': row(
    duration,
    '24h',
    'hot',
    'Older cut-off turns are shown, not run',
  ),
  'resilience.recovery.max_attempts': row(
    () => z.number().int().min(1).max(100),
    3,
    'hot',
    'After this many crashes at the same place a turn is parked',
  ),
  'resilience.recovery.resume_delay': row(
    duration,
    '2s',
    'hot',
    'Wait before the second resume of the same turn; doubles each time',
  ),
  'resilience.recovery.retention_days': row(
    () => z.number().int().min(1).max(3650),
    30,
    'hot',
    'Days that the steps of closed turns are kept',
  ),
  'skill_resume.default': row(
    policy,
    'retry',
    'hot',
    'What a resumed turn does with a step whose result is unknown',
  ),
  'skill_resume.per_skill': row(
    () => z.record(z.string().min(1).max(200), policy()),
    {},
    'hot',
    'The same, for single skills',
  ),
  'skills.folders': row(
    () => z.array(z.string().min(1).max(4096)).max(50),
    [],
    'hot',
    'More folders with skills, besides "skills" in the data folder',
  ),
  'resume.world_drift': row(
    () => z.enum(['continue', 'pin', 'hold']),
    'continue',
    'hot',
    'When something read again after a crash has changed',
  ),
  'resume.orphans': row(
    () => z.enum(['wait', 'end']),
    'wait',
    'hot',
    'What an outside agent left at work when Holdfast ended: wait for it up to 30 s, or end it at once',
  ),
};
