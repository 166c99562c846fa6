/** Whether the computer is kept from falling asleep while agents work. */
import { z } from 'zod';
import { duration, row } from './base';

/** Keep awake. KA-01, KA-03 */
export const POWER_SETTINGS = {
  'power.keep_awake': row(
    () => z.enum(['off', 'plugged_in', 'always']),
    'plugged_in',
    'hot',
    'Keep the computer awake while a turn runs or a task is due within 5 minutes: off, only when plugged in, or always',
  ),
  'power.battery_floor': row(
    () => z.number().int().min(0).max(100),
    30,
    'hot',
    'Let the computer sleep when its battery is at or below this percentage',
  ),
  'power.max_awake': row(
    duration,
    '8h',
    'hot',
    'Let the computer sleep after Holdfast has kept it awake for this long without a break',
  ),
} as const;
