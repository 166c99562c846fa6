/** Manage other computers that run Holdfast, as this one knows them. HO-02 */
import { z } from 'zod';
import { atMs, count, text } from './base';

/** What the Holdfast of a host does; `unknown`: it has a word for it that this version does not know. */
export const farPhase = z.enum(['starting', 'running', 'stopping', 'stopped', 'silent', 'unknown']);
const name = text(64);
const why = text(300);

/** How the connection to one host is. */
export const hostView = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('connecting'),
    name,
    /** Since when it could not be reached, and why. Absent: it was not tried before. */
    failed: z.strictObject({ sinceMs: atMs, why }).optional(),
  }),
  z.strictObject({
    kind: z.literal('connected'),
    name,
    sinceMs: atMs,
    version: text(40),
    phase: farPhase,
    needsYou: count,
    running: count,
    /** Why the counts may be old: the host says it. */
    problem: why.optional(),
  }),
  z.strictObject({
    kind: z.literal('unreachable'),
    name,
    /** Since the first of the tries that failed. */
    sinceMs: atMs,
    why,
    nextTryAtMs: atMs,
  }),
  /** It has a Holdfast that does not speak with this version. */
  z.strictObject({
    kind: z.literal('other_version'),
    name,
    sinceMs: atMs,
    theirs: text(40),
    nextTryAtMs: atMs,
  }),
]);
export type HostView = z.infer<typeof hostView>;
