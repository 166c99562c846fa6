/** Words in what was asked, answered, called and returned. */
import { z } from 'zod';
import { TURN_STATES } from '../states';
import { once } from '../once';
import type { VerbSpec } from './base';

/** What a hit is a part of. */
const SEARCH_PARTS = ['prompt', 'answer', 'call', 'result', 'reason', 'title'] as const;
const name = z.string().min(1).max(200);
const moment = z.number().int().nonnegative().max(8.64e15);

const hit = z.strictObject({
  part: z.enum(SEARCH_PARTS),
  atMs: moment,
  /** Absent for the title of a session. */
  turnId: z.number().int().positive().optional(),
  /** Of the turn: how its prompt begins. */
  title: z.string().max(300).optional(),
  step: z.number().int().nonnegative().optional(),
  tool: z.string().max(300).optional(),
  sessionId: z.number().int().positive(),
  session: z.string().max(300),
  agent: z.string().max(300),
  state: z.enum(TURN_STATES).optional(),
  /** Around the first word that was found, inert and without secrets. */
  excerpt: z.string().max(400),
});

export const SEARCH_VERBS = {
  'search.find': {
    kind: 'query',
    danger: 'none',
    surface: 'all',
    input: once(() =>
      z.strictObject({
        /** All of them must be in the text; in quotes: exactly so. The last one may be a beginning. */
        words: z.string().min(1).max(400),
        agent: name.optional(),
        /** ID or key. */
        session: name.optional(),
        state: z.enum(TURN_STATES).optional(),
        tool: name.optional(),
        /** A file or folder that the text names. */
        file: z.string().min(1).max(1000).optional(),
        /** What the whole turn has cost, US dollars. */
        minCostUsd: z.number().nonnegative().max(1e9).optional(),
        sinceMs: moment.optional(),
        untilMs: moment.optional(),
        /** `nextBefore` of the answer before. */
        before: z.number().int().positive().optional(),
        limit: z.number().int().min(1).max(500).optional(),
      }),
    ),
    output: once(() =>
      z.strictObject({
        /** Newest first. */
        hits: z.array(hit).max(500),
        /** Where to go on; absent when the beginning is reached. */
        nextBefore: z.number().int().positive().optional(),
        /** Entries of the journal that are not yet in the index; 0: everything is. */
        notIndexed: z.number().int().nonnegative(),
      }),
    ),
    about: 'Find words in prompts, answers, tool calls, results, reasons and titles, newest first',
  },
} as const satisfies Record<string, VerbSpec>;
