/** What needs a person's decision: interrupted turns, calls that need permission, notices. */
import { z } from 'zod';
import { exactObject } from '../exact-object';
import { approvalView, inboxItem, leftProcess, replayDecision, turnSummary } from '../types';
import { fileChange } from '../types/drafts';
import {
  COMMAND,
  CONFIRMED,
  QUERY,
  turnId,
  requestId,
  nothing,
  done,
  hash,
  sessionRef,
  limit,
  MAX_PROMPT_CHARS,
  type VerbSpec,
} from './base';

const decisionInput = z.strictObject({ turnId, requestHash: hash });
const processInput = z.strictObject({ inboxId: requestId, requestHash: hash });
const stepDecisionInput = z.strictObject({
  turnId,
  step: z.number().int().positive(),
  requestHash: hash,
});

export const DECISION_VERBS = {
  'recovery.list': {
    ...QUERY,
    input: () => nothing,
    output: exactObject(() => ({
      decisions: z.array(replayDecision),
      /** Commands that outlived a crash and that the user was notified of. */
      processes: z.array(leftProcess).max(1000),
      /** What the last start did with each open turn. */
      lastStart: z.array(
        z.strictObject({
          turnId,
          action: z.enum(['resume', 'hold', 'park', 'stale', 'discard', 'none']),
          reason: z.string().max(500),
          atMs: z.number(),
        }),
      ),
    })),
    about: 'List turns that a crash interrupted, with the decision about each',
  },
  'recovery.resume': {
    ...CONFIRMED,
    input: () => decisionInput,
    output: () => turnSummary,
    about: 'Resume a held, stale, parked or paused turn; steps with an unknown outcome run again',
  },
  'recovery.confirmStep': {
    ...CONFIRMED,
    input: () => stepDecisionInput,
    output: () => turnSummary,
    about: 'Mark a step as done, and resume the turn when nothing else needs your review',
  },
  'recovery.skipStep': {
    ...CONFIRMED,
    input: () => stepDecisionInput,
    output: () => turnSummary,
    about: 'Skip a step: it completes with an empty result',
  },
  'recovery.discard': {
    ...CONFIRMED,
    input: () => decisionInput,
    output: () => turnSummary,
    about: 'Discard a turn; nothing of it runs again',
  },
  'recovery.waitProcess': {
    ...COMMAND,
    input: () => processInput,
    output: () => leftProcess,
    about:
      'Wait for a command that outlived a crash: its turn needs your review again when the command ends',
  },
  'recovery.leaveProcess': {
    ...COMMAND,
    input: () => processInput,
    output: () => leftProcess,
    about: 'Let a command that outlived a crash run, and dismiss its notice',
  },
  'recovery.endProcess': {
    ...CONFIRMED,
    input: () => processInput,
    output: () => leftProcess,
    about: 'Terminate a command that outlived a crash; its effects so far stay',
  },
  'approvals.list': {
    ...QUERY,
    input: exactObject(() => ({
      session: sessionRef.optional(),
      includeAnswered: z.boolean().optional(),
      limit: limit.optional(),
    })),
    output: exactObject(() => ({ requests: z.array(approvalView) })),
    about: 'List tool calls that need approval, and tools that wait for an external result',
  },
  'approvals.diff': {
    ...QUERY,
    surface: 'window',
    input: exactObject(() => ({ requestId })),
    output: () => fileChange,
    about: 'Compare a file that a tool call wants to write whole with the file on disk',
  },
  'approvals.allow': {
    ...CONFIRMED,
    input: exactObject(() => ({
      requestId,
      requestHash: hash,
      scope: z.enum(['once', 'session', 'always']).optional(),
    })),
    output: () => approvalView,
    about:
      'Allow a tool call: exactly the stored input runs; the scope says whether once, for the session or always',
  },
  'approvals.deny': {
    ...CONFIRMED,
    input: exactObject(() => ({
      requestId,
      requestHash: hash,
      note: z.string().min(1).max(4000).optional(),
    })),
    output: () => approvalView,
    about: 'Deny a tool call; the agent gets your note',
  },
  'session.customToolResult': {
    ...CONFIRMED,
    input: exactObject(() => ({
      session: sessionRef,
      requestId,
      requestHash: hash,
      output: z.string().max(MAX_PROMPT_CHARS),
    })),
    output: () => approvalView,
    about: 'Submit the result of an external tool',
  },
  'inbox.list': {
    ...QUERY,
    input: exactObject(() => ({ includeSettled: z.boolean().optional(), limit: limit.optional() })),
    output: exactObject(() => ({ items: z.array(inboxItem) })),
    about: 'List everything that needs your decision, oldest first',
  },
  'inbox.dismiss': {
    ...COMMAND,
    input: exactObject(() => ({ inboxId: z.number().int().positive() })),
    output: () => done,
    about: 'Dismiss a notice (not a decision)',
  },
} as const satisfies Record<string, VerbSpec>;
