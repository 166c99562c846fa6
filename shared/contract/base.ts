/** Helpers for the families of verbs. */
import { z } from 'zod';
import { id } from '../types/base';

export { hash } from '../types/base';

export const turnId = id;
export const requestId = id;
export const nothing = z.strictObject({});
export const done = z.strictObject({ ok: z.literal(true) });
export const sessionRef = z.string().min(1).max(200);
export const breakerName = z.string().min(1).max(200);
export const providerName = z.string().min(1).max(64);
export const limit = z.number().int().min(1).max(1000);
/** 4 MB of text: larger prompts belong in a file. */
export const MAX_PROMPT_CHARS = 4_000_000;
/** The requesting external agent, by its own name; absent: the user. */
export const author = z.string().min(1).max(64).optional();

/** How a verb may be called: `query` works without a running instance, `command` changes something. */
export interface VerbSpec {
  readonly kind: 'query' | 'command';
  readonly danger: 'none' | 'confirm';
  /** Who may call it. The window never gets `control` verbs. */
  readonly surface: 'all' | 'control' | 'window';
  /** Built on first use: building all of them cost a command a third of its time. */
  readonly input: () => z.ZodType;
  readonly output: () => z.ZodType;
  readonly about: string;
}

/** Reads, from everywhere. A verb of one surface names it after these. */
export const QUERY = { kind: 'query', danger: 'none', surface: 'all' } as const;
/** Changes something, without a confirmation. */
export const COMMAND = { kind: 'command', danger: 'none', surface: 'all' } as const;
/** Changes something, with the hash of the exact request that the user saw. */
export const CONFIRMED = { kind: 'command', danger: 'confirm', surface: 'all' } as const;
