/** What happened, and the current status. */
import { z } from 'zod';
import { exactObject } from '../exact-object';
import { DAY_RANGES, dayLine, doctorReport, historyEvent } from '../types';
import { QUERY, turnId, limit, type VerbSpec } from './base';

export const HISTORY_VERBS = {
  'doctor.run': {
    ...QUERY,
    input: exactObject(() => ({ full: z.boolean().optional(), toShare: z.boolean().optional() })),
    output: () => doctorReport,
    about: 'Check everything that Holdfast needs',
  },
  'logs.tail': {
    ...QUERY,
    input: exactObject(() => ({ lines: limit.optional() })),
    output: exactObject(() => ({
      path: z.string().max(4096),
      lines: z.array(z.string().max(10_000)),
    })),
    about: 'Show the last lines of the log',
  },
  'day.line': {
    ...QUERY,
    input: exactObject(() => ({
      /** `fit`: the last hour while nothing older is known, then 24 hours. Default: a day. */
      range: z.enum([...DAY_RANGES, 'fit']).optional(),
      /** Its end, if it is not now. Its start, up to a week and a day before, is not negative. */
      untilMs: z.number().int().min(691_200_000).max(8.64e15).optional(),
    })),
    output: () => dayLine,
    about: 'The last 24 hours, hour or week: completed steps, when Holdfast ran, crashes',
  },
  'events.list': {
    ...QUERY,
    input: exactObject(() => ({
      source: z.enum(['journal', 'audit']).optional(),
      kinds: z.array(z.string().min(1).max(60)).max(40).optional(),
      turnId: turnId.optional(),
      sessionId: z.number().int().positive().optional(),
      /** Words to search for; case is ignored. */
      text: z.string().min(1).max(200).optional(),
      /** Only events up to this moment. */
      untilMs: z.number().int().nonnegative().optional(),
      /** `nextBefore` of the previous answer. */
      before: z
        .string()
        .regex(/^(j\d{1,15}|a\d{4}-\d{2}:\d{1,15})$/)
        .optional(),
      limit: z.number().int().min(1).max(500).optional(),
    })),
    output: exactObject(() => ({
      /** Newest first. */
      events: z.array(historyEvent).max(500),
      /** Where to continue; absent at the beginning of the list. */
      nextBefore: z.string().max(40).optional(),
      /** Set if one call's time limit ended before the page was full: searched back to here. */
      searchedBackToMs: z.number().int().nonnegative().optional(),
    })),
    about: 'Show the activity log or the audit log, newest first',
  },
} as const satisfies Record<string, VerbSpec>;
