/** Search in prompts, answers, calls and results. */
import { z } from 'zod';
import { TURN_STATES } from '../states';
import { exactObject } from '../exact-object';
import { searchHit } from '../types/search';
import { QUERY, type VerbSpec } from './base';

const name = z.string().min(1).max(200);
const moment = z.number().int().nonnegative().max(8.64e15);

/** What to search for, here and on other computers. */
export const question = {
  /** All of them must occur; in quotes: exactly so. The last one may be a prefix. */
  words: z.string().min(1).max(400),
  agent: name.optional(),
  /** ID or key. */
  session: name.optional(),
  state: z.enum(TURN_STATES).optional(),
  tool: name.optional(),
  /** A file or folder that the text mentions. */
  file: z.string().min(1).max(1000).optional(),
  /** Cost of the whole turn in US dollars. */
  minCostUsd: z.number().nonnegative().max(1e9).optional(),
  sinceMs: moment.optional(),
  untilMs: moment.optional(),
};

export const SEARCH_VERBS = {
  'search.find': {
    ...QUERY,
    input: exactObject(() => ({
      ...question,
      /** `nextBefore` of the previous answer. */
      before: z.number().int().positive().optional(),
      limit: z.number().int().min(1).max(500).optional(),
    })),
    output: exactObject(() => ({
      /** Newest first. */
      hits: z.array(searchHit).max(500),
      /** Where to continue; absent at the beginning of the journal. */
      nextBefore: z.number().int().positive().optional(),
      /** Journal entries that are not indexed yet; 0: all are. */
      notIndexed: z.number().int().nonnegative(),
    })),
    about: 'Find words in prompts, answers, tool calls, results, reasons and titles, newest first',
  },
} as const satisfies Record<string, VerbSpec>;
