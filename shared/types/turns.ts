/** Turns and their steps. */
import { z } from 'zod';
import { atMs, count, id, purity, stepState, text, turnState, usage } from './base';

/** What became of a step after a restart, for badges and the timeline. */
export const stepFate = z.enum([
  'fresh',
  'reused',
  'asked_again',
  'run_again',
  'cut_off',
  /** Its agent has announced it and waits for permission: it has not been made. */
  'asks',
  'recorded_as_done',
  'skipped_by_you',
]);
export type StepFate = z.infer<typeof stepFate>;

/** Who answers: a model of a provider, or an external agent. */
const answeredBy = z.strictObject({
  provider: text(64),
  model: text(200),
  agent: text(64).optional(),
});
export type AnsweredBy = z.infer<typeof answeredBy>;

/** Another one answered a turn in place of the one that it waited for. FB-06 */
const fallbackView = answeredBy.extend({
  instead: answeredBy,
  cause: z.enum(['outage', 'limit']),
  /** Since when the one that it waited for takes nothing. */
  sinceMs: atMs,
  /** Steps up to this one were made before. */
  afterStep: count,
  /** `auto`, or where the user agreed. */
  by: text(140),
});
export type FallbackView = z.infer<typeof fallbackView>;

export const stepView = z.strictObject({
  turnId: id,
  /** 1-based, in the order of their start. */
  index: z.number().int().positive(),
  tool: text(200),
  purity,
  state: stepState,
  fate: stepFate,
  /** One-line description: path, command, model. Not the payload. */
  hint: text(300),
  startedAtMs: atMs,
  endedAtMs: atMs.optional(),
  /** Which run of the turn started it: 1 is the first, 2 the first resume. */
  attempt: z.number().int().positive(),
  /** The step that this one re-reads or re-runs. */
  againOf: z.number().int().positive().optional(),
  /** Only on re-read world steps. */
  drift: z.enum(['same', 'changed']).optional(),
  isListed: z.boolean(),
  /** The question that was answered before this call was made, or that it waits for. S3-08. */
  requestId: id.optional(),
  approvedBy: text(64).optional(),
  /** Duplicate possible: re-invoked after a crash without idempotency. S4-24. */
  duplicateRisk: z.boolean(),
  idempotencyKey: text(200).optional(),
  usage: usage.optional(),
  /** Of a model request: which one answered, or was asked. FB-06 */
  answeredBy: answeredBy.optional(),
  /** Tries of this call that failed and were repeated, oldest first. S2-02, S2-25. */
  tries: z
    .array(
      z.strictObject({
        atMs,
        /** When the next try went out, or will. */
        nextAtMs: atMs,
        failure: text(40),
        status: z.number().int().optional(),
        error: text(500),
      }),
    )
    .max(100)
    .optional(),
  /** A model call that failed and is not the end of its turn: due to be made again, or made again. */
  again: z.enum(['due', 'made']).optional(),
  /** How often a later run reused the stored result. */
  reusedCount: count,
  /** The visit of a phase in a run of a skill that it belongs to; absent outside of skills. S4-05. */
  run: z
    .strictObject({
      runId: id,
      skill: text(64),
      phase: text(64),
      visit: z.number().int().positive(),
    })
    .optional(),
  /**
   * Input and output, shown inert; at most 4,000 characters, then `isTruncated`. All three are
   * present only if requested: `turns.step`, or `turns.show` with `withTexts`.
   */
  args: text(4000).optional(),
  result: text(4000).optional(),
  isTruncated: z.boolean().optional(),
  error: text(2000).optional(),
  /** The end of what a command that runs now has printed; with the texts only. */
  output: text(4000).optional(),
});
export type StepView = z.infer<typeof stepView>;

/** The step that a running turn is at. */
export const doing = z.strictObject({
  step: z.number().int().positive(),
  tool: text(200),
  purity,
  hint: text(300),
  sinceMs: atMs,
  /** The last line that its command has printed so far. */
  lastLine: text(200).optional(),
});
export type Doing = z.infer<typeof doing>;

export const turnSummary = z.strictObject({
  id,
  sessionId: id,
  sessionKey: text(200),
  agent: text(64),
  state: turnState,
  /** Why it is in this state, one sentence; empty if the state is explanation enough. */
  reason: text(500),
  /** First 200 characters of the prompt. */
  promptStart: text(200),
  channel: text(64),
  acceptedAtMs: atMs,
  startedAtMs: atMs.optional(),
  endedAtMs: atMs.optional(),
  steps: count,
  attempt: count,
  /** Steps reused over all resumes. */
  reused: count,
  usage,
  savedUsage: usage,
  /** Who answered in place of its own model or agent, in order, the present one last. FB-06 */
  fallbacks: z.array(fallbackView).max(50).optional(),
  /** Its own model or agent answers again: the turn before in its session had this one. FB-04 */
  backFrom: answeredBy.optional(),
  /** The other computer that has it, or that it ended on. Absent: this one, or no computer yet. */
  computer: text(64).optional(),
  /** While it runs and one of its steps is on its way. */
  doing: doing.optional(),
  /** How the answer of a completed turn starts; only if requested. */
  answerStart: text(300).optional(),
  /** Failed in a way that may pass: tried again then. S3-12, S3-15. */
  retry: z
    .strictObject({
      dueAtMs: atMs.optional(),
      streak: count,
      lastError: text(500),
    })
    .optional(),
});
export type TurnSummary = z.infer<typeof turnSummary>;
