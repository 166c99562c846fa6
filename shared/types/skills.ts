/** Skills and their runs. Rows S4-04..S4-28. */
import { z } from 'zod';
import { atMs, count, id, text, turnState } from './base';
import { planStep } from './recovery';

const runState = z.enum(['running', 'completed', 'failed', 'discarded', 'cancelled']);

/** A run of a skill. S4-04, S4-28. */
export const runView = z.strictObject({
  id,
  turnId: id,
  turnState,
  agent: text(64),
  sessionKey: text(200),
  /** Which run of the turn it is in: 2 is the first resume. */
  attempt: count,
  parentRunId: id.optional(),
  /** Its nesting depth below other runs of the list. */
  depth: count,
  /** Its parent no longer exists: it is shown as a root. S4-+06. */
  isOrphan: z.boolean(),
  skill: text(64),
  version: text(64),
  state: runState,
  reason: text(500),
  /** The phase it is in, or comes to next; `visit` 0 is not entered yet. */
  phase: text(64),
  visit: count,
  visits: z.record(text(64), count),
  /** Phases that are done, oldest first. */
  history: z.array(
    z.strictObject({
      phase: text(64),
      visit: count,
      next: text(64).optional(),
      leftAtMs: atMs,
    }),
  ),
  /** Shown inert; at most 4,000 characters each, then `isTruncated`. */
  input: text(4000),
  artifact: text(4000).optional(),
  isTruncated: z.boolean(),
  awaiting: z.strictObject({ inboxId: id, kind: text(40), title: text(300) }).optional(),
  action: z.enum(['resume', 'retry', 'skip', 'discard']).optional(),
  actionReason: text(500).optional(),
  startedAtMs: atMs,
  endedAtMs: atMs.optional(),
  ageMs: count,
});
export type RunView = z.infer<typeof runView>;

/** What a resume does with one run, inspectable before and after. S4-05, S4-06, S4-+08. */
export const runPlan = z.strictObject({
  runId: id,
  turnId: id,
  skill: text(64),
  phase: text(64),
  visit: count,
  /** sha256 of the skill's folder: at the run, and now. */
  version: text(64),
  currentVersion: text(64).optional(),
  isVersionChanged: z.boolean(),
  doesPlanMatch: z.boolean(),
  action: z.enum(['resume', 'retry', 'skip', 'discard', 'none']),
  reason: text(500),
  /** The gate of the turn comes first. */
  turnAction: z.enum(['resume', 'hold', 'park', 'stale', 'discard', 'none']),
  turnReason: text(500),
  /** Why a resume would stop and ask. */
  problem: text(500).optional(),
  phases: z.array(
    z.strictObject({
      phase: text(64),
      visit: count,
      state: z.enum(['done', 'in_flight', 'to_run']),
    }),
  ),
  steps: z.array(planStep).max(100_000),
  reused: count,
  ambiguous: z.array(z.number().int().positive()).max(100_000),
  toRun: count,
});
export type RunPlan = z.infer<typeof runPlan>;

/** What a discard of a run would end; the hash goes back with the order. */
export const runDiscardPreview = z.strictObject({
  runId: id,
  turnId: id,
  skill: text(64),
  /** The message requested this run: its turn ends with it. */
  endsTurn: z.boolean(),
  runs: z.array(z.strictObject({ runId: id, skill: text(64), phase: text(64) })),
  /** Steps whose outcome is unknown and that need no decision. */
  openSteps: z.array(z.number().int().positive()),
  requestHash: text(64),
});
export type RunDiscardPreview = z.infer<typeof runDiscardPreview>;

/** A skill as defined by its folder. S2-52. */
export const skillView = z.strictObject({
  name: text(64),
  source: z.enum(['data', 'folder', 'workspace']),
  folder: text(4096),
  state: z.enum(['ready', 'skipped', 'broken', 'shadowed']),
  /** `FOO is not set`, what is wrong with the file, or which one comes first. */
  reason: text(1000),
  line: z.number().int().positive().optional(),
  description: text(2000),
  version: text(64).optional(),
  phases: z.array(
    z.strictObject({
      name: text(64),
      next: z.array(text(64)),
      maxVisits: z.number().int().positive(),
    }),
  ),
});
export type SkillView = z.infer<typeof skillView>;
