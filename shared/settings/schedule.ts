/** Settings of tasks, timers and heartbeats. */
import { z } from 'zod';
import { once } from '../once';
import { parseSchedule } from '../schedule/grammar';
import { duration, row } from './base';
import { FILE_TASK_SETTINGS } from './file-tasks';

/** An IANA name that the runtime knows; empty: the zone of the computer. */
const timeZone = once(() =>
  z
    .string()
    .max(64)
    .superRefine((value, context) => {
      if (value === '') return;
      try {
        new Intl.DateTimeFormat('en-US', { timeZone: value });
      } catch {
        context.addIssue({
          code: 'custom',
          message: `"${value}" is not a time zone; use a name such as "Europe/Berlin"`,
        });
      }
    }),
);

/** An interval or a cron expression. */
const scheduleText = once(() =>
  z
    .string()
    .max(200)
    .superRefine((value, context) => {
      const parsed = parseSchedule(value);
      if (!parsed.ok)
        context.addIssue({ code: 'custom', message: parsed.error.replace(/\.$/, '') });
      else if (parsed.kind === 'event')
        context.addIssue({ code: 'custom', message: `"${value}" is not a time` });
      else if (parsed.kind === 'once')
        context.addIssue({ code: 'custom', message: `"${value}" does not repeat` });
    }),
);

/** What time brings. */
export const SCHEDULE_SETTINGS = {
  ...FILE_TASK_SETTINGS,
  'resilience.scheduler.catchup_window': row(
    () =>
      z.union([z.literal('off'), duration()], {
        error:
          'a duration is text such as "90s" or "1h", or a whole number of milliseconds; "0" or "off" is never',
      }),
    '1h',
    'hot',
    'Catch-up window: maximum age of a missed run that is still caught up. "0" or "off": never',
  ),
  'resilience.scheduler.catchup_spacing': row(
    duration,
    '1s',
    'hot',
    'Time between missed runs that are caught up together',
  ),
  'resilience.scheduler.time_zone': row(
    timeZone,
    '',
    'hot',
    'Time zone of new tasks. Leave empty for that of the computer',
  ),
  'resilience.scheduler.max_tasks_per_agent': row(
    () => z.number().int().min(0).max(10_000),
    50,
    'hot',
    'Maximum active tasks that one agent may create',
  ),
  'resilience.scheduler.check_failed': row(
    () => z.enum(['run', 'skip']),
    'run',
    'hot',
    'What a task does when its check fails: run anyway, or skip the run. The run history says which',
  ),
  'resilience.scheduler.check_timeout': row(
    duration,
    '30s',
    'hot',
    'Time limit of the check of a task',
  ),
  'heartbeat.enabled': row(
    () => z.boolean(),
    false,
    'hot',
    'Default heartbeat: wake a session regularly to check for work',
  ),
  'heartbeat.interval': row(
    scheduleText,
    'every 5m',
    'hot',
    'Schedule of the default heartbeat: an interval or a cron expression',
  ),
  'heartbeat.contextId': row(
    () => z.string().min(1).max(200),
    'main',
    'hot',
    'Session that the default heartbeat wakes',
  ),
  'extensions.core.scheduler_tool': row(
    () => z.boolean(),
    true,
    'hot',
    'Give agents the tools for tasks, timers and heartbeats; existing tasks run without them',
  ),
  'extensions.core.recall_tool': row(
    () => z.boolean(),
    true,
    'hot',
    'Give agents the tool that searches earlier conversations and tool calls',
  ),
};
