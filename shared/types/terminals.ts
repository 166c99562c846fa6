/** Conversations of external programs, as verbs return them. */
import { z } from 'zod';
import { atMs } from './base';

const line = z.string().max(400);

/** Id of a conversation: it is used in a command line, so it must never look like an option. */
export const conversationRef = z
  .string()
  .max(200)
  .regex(/^[^\s-]\S*$/);

/** One conversation that an agent could continue. */
export const conversation = z.strictObject({
  ref: z.string().max(200),
  folder: z.string().max(4096),
  lastUsedAtMs: atMs.optional(),
  /** Its first words, or its title; foreign text in one line. */
  firstWords: line,
  /** Key of the session that has it. */
  session: z.string().max(200).optional(),
});
export type Conversation = z.infer<typeof conversation>;

const call = z.strictObject({ tool: z.string().max(200), about: z.string().max(200) });

/** What a watched terminal did. */
export const watchedTerminal = z.strictObject({
  ref: z.string().max(200),
  folder: z.string().max(4096),
  lastAtMs: atMs,
  prompt: z.string().max(200),
  state: z.enum(['ended', 'idle', 'in_call']),
  finishedCount: z.number().int().nonnegative(),
  /** The last 20, oldest first. */
  finished: z.array(call).max(20),
  /** Started, and no end was reported. */
  open: z.array(call).max(20),
  /** Its last turn ended at a usage limit. Absent otherwise, or once a turn has started since. */
  limit: z.strictObject({ atMs, resetsAtMs: atMs.optional() }).optional(),
  /** Opens the conversation in a terminal again. */
  command: z.string().max(10_000),
  /** Agents that could continue it: they work in its folder. */
  agents: z.array(z.string().max(64)),
  /** Key of the session that has it now. */
  session: z.string().max(200).optional(),
});
export type WatchedTerminal = z.infer<typeof watchedTerminal>;
