/** What a search finds. */
import { z } from 'zod';
import { TURN_STATES } from '../states';

/** What a hit is a part of. */
const SEARCH_PARTS = ['prompt', 'answer', 'call', 'result', 'reason', 'title'] as const;
const moment = z.number().int().nonnegative().max(8.64e15);

export const searchHit = z.strictObject({
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
