/** Tasks that `config.json` names. GT-04 */
import { z } from 'zod';
import { once } from '../once';
import { parseCheck } from '../schedule/check';
import { parseSchedule } from '../schedule/grammar';
import { MAX_TASK_PROMPT } from '../schedule/limits';
import { CATCHUP_RULES } from '../schedule/states';
import { row } from './base';

/** Said as in an error of the command line, without its last period. */
const read = (parse: (text: string) => { readonly ok: boolean; readonly error?: string }) =>
  z
    .string()
    .max(2_000)
    .superRefine((value, context) => {
      const parsed = parse(value);
      if (!parsed.ok)
        context.addIssue({ code: 'custom', message: (parsed.error ?? '').replace(/\.$/, '') });
    });

const fileTask = once(() =>
  z
    .strictObject({
      /** A time or an event, as for `holdfast tasks add --schedule`. */
      schedule: read(parseSchedule),
      /** Prompt of each run. */
      prompt: z.string().trim().min(1).max(MAX_TASK_PROMPT),
      /** Default: the default agent. */
      agent: z.string().min(1).max(64).optional(),
      /** IANA name. Default: `resilience.scheduler.time_zone`. */
      zone: z.string().min(1).max(64).optional(),
      /** Default: `default`. */
      catchup: z.enum(CATCHUP_RULES).optional(),
      /** Checked before each run. */
      check: read(parseCheck).optional(),
      /** Channel for replies; needs `peer`. */
      channel: z.string().min(1).max(64).optional(),
      peer: z.string().max(200).optional(),
    })
    .refine((one) => (one.channel === undefined) === (one.peer === undefined), {
      error: 'set both channel and peer, or neither',
    }),
);

/** By their names. */
const fileTasks = once(() =>
  z.record(
    z
      .string()
      .min(1)
      .max(64)
      .regex(/^[^:\0-\x1f]+$/, 'use a name without a colon'),
    fileTask(),
  ),
);
export type FileTask = z.infer<ReturnType<typeof fileTask>>;

/** Kept in line with the file. */
export const FILE_TASK_SETTINGS = {
  'tasks.own': row(
    fileTasks,
    {},
    'hot',
    'Scheduled tasks by name, kept in line with this file: added, changed and canceled with their entries',
  ),
};
