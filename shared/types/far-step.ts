/** A tool call of a session of another computer, opened: what it was given, and what it gave back. HO-02 */
import { z } from 'zod';
import { once } from '../once';
import { exactObject } from '../exact-object';
import { atMs, id, text } from './base';
import { untold } from './far-lists';

/** Characters of its input and of its output; the rest is read there. */
export const MAX_STEP_CHARS = 4_000;

const farStep = exactObject(() => ({
  turnId: id,
  index: z.number().int().positive(),
  tool: text(200),
  startedAtMs: atMs,
  endedAtMs: atMs.optional(),
  args: text(MAX_STEP_CHARS).optional(),
  result: text(MAX_STEP_CHARS).optional(),
  /** Its input or its output is longer than what is here. */
  isTruncated: z.boolean(),
  error: text(2_000).optional(),
  /** The end of what a command had printed when it was asked; only while it runs. */
  output: text(MAX_STEP_CHARS).optional(),
  approvedBy: text(64).optional(),
}));
export type FarStep = z.infer<ReturnType<typeof farStep>>;

/** What a host has told of a step. */
export const hostStep = once(() =>
  z.discriminatedUnion('kind', [
    z.strictObject({ kind: z.literal('told'), step: farStep() }),
    untold,
  ]),
);
export type HostStep = z.infer<ReturnType<typeof hostStep>>;
