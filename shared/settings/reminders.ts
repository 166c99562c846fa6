/** What a channel receives automatically: reminders of open questions, and the digest of a day. PH-07, CH-03 */
import { z } from 'zod';
import { once } from '../once';
import { duration, row } from './base';

/** A time of the day, or nothing. */
const timeOfDay = once(() =>
  z
    .string()
    .regex(/^$|^([01]\d|2[0-3]):[0-5]\d$/, 'a clock time such as "08:00", or leave it empty'),
);

export const REMINDER_SETTINGS = {
  'reminders.after': row(
    duration,
    '30m',
    'hot',
    'Remind once on the channel of a question that is still open after this time; 0 for never',
  ),
  'reminders.escalate_to': row(
    () => z.string().max(32),
    '',
    'hot',
    'Channel that gets a question when it is still open this long after its reminder',
  ),
  'digest.at': row(
    timeOfDay,
    '',
    'hot',
    'Time of the daily digest in local time, such as 08:00, on channels without a time of their own; empty for none',
  ),
};
