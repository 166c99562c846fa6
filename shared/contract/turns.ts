/** Turns: prompts, results, and the gate that new turns pass. */
import { z } from 'zod';
import { exactObject } from '../exact-object';
import {
  replayDecision,
  resumePlan,
  statusSnapshot,
  stepView,
  turnState,
  turnSummary,
} from '../types';
import { sentText } from '../types/unsent';
import {
  COMMAND,
  QUERY,
  turnId,
  nothing,
  sessionRef,
  limit,
  MAX_PROMPT_CHARS,
  type VerbSpec,
} from './base';

export const TURN_VERBS = {
  'status.get': {
    ...QUERY,
    input: () => nothing,
    output: () => statusSnapshot,
    about: 'The state of everything in one snapshot',
  },
  'turns.list': {
    ...QUERY,
    input: exactObject(() => ({
      states: z.array(turnState).max(10).optional(),
      session: sessionRef.optional(),
      limit: limit.optional(),
      beforeId: turnId.optional(),
      /** Includes the start of the first 20 completed turns' answers. */
      withAnswers: z.boolean().optional(),
    })),
    output: exactObject(() => ({ turns: z.array(turnSummary), hasMore: z.boolean() })),
    about: 'Turns, newest first',
  },
  'turns.show': {
    ...QUERY,
    input: exactObject(() => ({
      turnId,
      /** Steps with their arguments and results: 8 KB each. One step's are in `turns.step`. */
      withTexts: z.boolean().optional(),
    })),
    output: exactObject(() => ({
      turn: turnSummary,
      prompt: z.string().max(20_000),
      isPromptTruncated: z.boolean(),
      answer: z.string().max(100_000).optional(),
      /** Present with `answer`. The rest is in `turns.text`. */
      isAnswerTruncated: z.boolean().optional(),
      steps: z.array(stepView),
      /** Stops and restarts during the turn, oldest first. */
      stops: z.array(
        z.strictObject({
          stoppedAtMs: z.number(),
          backAtMs: z.number().optional(),
          reason: z.string().max(40),
        }),
      ),
      /** For a shared turn: the computers that had it, oldest first. Absent: only this one. */
      moves: z
        .array(
          z.strictObject({
            atMs: z.number(),
            to: z.enum(['here', 'there']),
            /** The computer that had it, or has it. */
            computer: z.string().max(64),
            atStep: z.number().int().positive().optional(),
          }),
        )
        .max(1_000)
        .optional(),
      /** For a finished shared turn: it took files along. `share.files` has its changes. */
      hasFiles: z.literal(true).optional(),
      decision: replayDecision.optional(),
    })),
    about: 'One turn with its steps',
  },
  'turns.step': {
    ...QUERY,
    input: exactObject(() => ({ turnId, step: z.number().int().positive() })),
    output: () => stepView,
    about: 'One step with its input and output',
  },
  'turns.text': {
    ...QUERY,
    input: exactObject(() => ({
      turnId,
      part: z.enum(['prompt', 'answer', 'input', 'result']),
      /** Whose input or result. */
      step: z.number().int().positive().optional(),
      fromChar: z.number().int().nonnegative().optional(),
    })),
    output: exactObject(() => ({
      text: z.string(),
      fromChar: z.number().int().nonnegative(),
      totalChars: z.number().int().nonnegative(),
      /** Start of the next page; absent on the last. */
      nextChar: z.number().int().positive().optional(),
    })),
    about: 'One page of a prompt, an answer, or the input or result of a step, of any length',
  },
  'turns.plan': {
    ...QUERY,
    input: exactObject(() => ({ turnId })),
    output: () => resumePlan,
    about: 'What a resume of this turn would reuse, re-read and run',
  },
  'turns.cancel': {
    ...COMMAND,
    input: exactObject(() => ({ turnId })),
    output: () => turnSummary,
    about: 'Cancel a turn; it is never resumed',
  },
  'turns.cancelAll': {
    ...COMMAND,
    input: () => nothing,
    output: exactObject(() => ({ cancelled: z.array(turnId) })),
    about: 'Cancel all running, queued and waiting turns',
  },
  send: {
    ...COMMAND,
    input: exactObject(() => ({
      text: z.string().min(1).max(MAX_PROMPT_CHARS),
      session: sessionRef.optional(),
      agent: z.string().min(1).max(64).optional(),
      /** The stored text that is sent: it is removed in the commit that accepts it. */
      unsent: sentText.optional(),
    })),
    output: exactObject(() => ({
      turnId,
      sessionId: z.number().int().positive(),
      sessionKey: z.string().max(200),
    })),
    about: 'Accept a message: it is on disk when this returns',
  },
  'turns.retryNow': {
    ...COMMAND,
    input: exactObject(() => ({ turnId })),
    output: () => turnSummary,
    about: 'Retry a waiting turn now instead of at its scheduled time',
  },
  'intake.pause': {
    ...COMMAND,
    input: exactObject(() => ({
      forMs: z
        .number()
        .int()
        .positive()
        .max(7 * 86_400_000)
        .optional(),
    })),
    output: () => statusSnapshot,
    about: 'Pause new turns; running ones continue',
  },
  'intake.resume': {
    ...COMMAND,
    input: () => nothing,
    output: () => statusSnapshot,
    about: 'New turns start again',
  },
} as const satisfies Record<string, VerbSpec>;
