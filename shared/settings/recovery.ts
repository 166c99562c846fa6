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
    'What happens to a turn that a crash interrupted. safe_only resumes it automatically unless a tool in side_effect_tools had started; with an empty list no turn is paused for this, and an interrupted tool call may run again',
  ),
  'resilience.recovery.side_effect_tools': row(
    () => z.array(z.string().min(1).max(200)).max(1000),
    [],
    'hot',
    'Side-effect tools: a turn interrupted after one of them started needs your review (in safe_only). With an empty list safe_only pauses no turn',
  ),
  'resilience.recovery.gate_all_side_effects': row(
    () => z.boolean(),
    false,
    'hot',
    'Pause for review every turn in which any side effect started, listed or not',
  ),
  'resilience.recovery.max_age': row(
    duration,
    '24h',
    'hot',
    'Age after which an interrupted turn needs your review instead of resuming automatically',
  ),
  'resilience.recovery.max_attempts': row(
    () => z.number().int().min(1).max(100),
    3,
    'hot',
    'Crashes at the same place before a turn is parked',
  ),
  'resilience.recovery.resume_delay': row(
    duration,
    '2s',
    'hot',
    'Wait before a turn is resumed a second time; doubles each time',
  ),
  'resilience.recovery.retention_days': row(
    () => z.number().int().min(1).max(3650),
    30,
    'hot',
    'Days to keep the steps of ended turns',
  ),
  'skill_resume.default': row(
    policy,
    'retry',
    'hot',
    'What a resumed turn does with a step whose outcome is unknown',
  ),
  'skill_resume.per_skill': row(
    () => z.record(z.string().min(1).max(200), policy()),
    {},
    'hot',
    'What a resumed turn does with a step whose outcome is unknown, for single skills',
  ),
  'skills.folders': row(
    () => z.array(z.string().min(1).max(4096)).max(50),
    [],
    'hot',
    'More folders with skills, in addition to "skills" in the data directory',
  ),
  'resume.world_drift': row(
    () => z.enum(['continue', 'pin', 'hold']),
    'continue',
    'hot',
    'What happens when a result that is re-read after a crash has changed',
  ),
  'resume.orphans': row(
    () => z.enum(['wait', 'end']),
    'wait',
    'hot',
    'Leftover processes of external agents after a crash: wait up to 30 s, or terminate immediately',
  ),
};
