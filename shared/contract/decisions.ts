/** What needs a person's decision: interrupted turns, calls that need permission, notices. */
import { z } from 'zod';
import { once } from '../once';
import { approvalView, inboxItem, leftProcess, replayDecision, turnSummary } from '../types';
import { fileChange } from '../types/drafts';
import {
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
    kind: 'query',
    danger: 'none',
    surface: 'all',
    input: () => nothing,
    output: once(() =>
      z.strictObject({
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
      }),
    ),
    about: 'List turns that a crash interrupted, with the decision about each',
  },
  'recovery.resume': {
    kind: 'command',
    danger: 'confirm',
    surface: 'all',
    input: () => decisionInput,
    output: () => turnSummary,
    about: 'Resume a held, stale, parked or paused turn; steps with an unknown outcome run again',
  },
  'recovery.confirmStep': {
    kind: 'command',
    danger: 'confirm',
    surface: 'all',
    input: () => stepDecisionInput,
    output: () => turnSummary,
    about: 'Mark a step as done, and resume the turn when nothing else needs your review',
  },
  'recovery.skipStep': {
    kind: 'command',
    danger: 'confirm',
    surface: 'all',
    input: () => stepDecisionInput,
    output: () => turnSummary,
    about: 'Skip a step: it completes with an empty result',
  },
  'recovery.discard': {
    kind: 'command',
    danger: 'confirm',
    surface: 'all',
    input: () => decisionInput,
    output: () => turnSummary,
    about: 'Discard a turn; nothing of it runs again',
  },
  'recovery.waitProcess': {
    kind: 'command',
    danger: 'none',
    surface: 'all',
    input: () => processInput,
    output: () => leftProcess,
    about:
      'Wait for a command that outlived a crash: its turn needs your review again when the command ends',
  },
  'recovery.leaveProcess': {
    kind: 'command',
    danger: 'none',
    surface: 'all',
    input: () => processInput,
    output: () => leftProcess,
    about: 'Let a command that outlived a crash run, and dismiss its notice',
  },
  'recovery.endProcess': {
    kind: 'command',
    danger: 'confirm',
    surface: 'all',
    input: () => processInput,
    output: () => leftProcess,
    about: 'Terminate a command that outlived a crash; its effects so far stay',
  },
  'approvals.list': {
    kind: 'query',
    danger: 'none',
    surface: 'all',
    input: once(() =>
      z.strictObject({
        session: sessionRef.optional(),
        includeAnswered: z.boolean().optional(),
        limit: limit.optional(),
      }),
    ),
    output: once(() => z.strictObject({ requests: z.array(approvalView) })),
    about: 'List tool calls that need approval, and tools that wait for an external result',
  },
  'approvals.diff': {
    kind: 'query',
    danger: 'none',
    surface: 'window',
    input: once(() => z.strictObject({ requestId })),
    output: () => fileChange,
    about: 'Compare a file that a tool call wants to write whole with the file on disk',
  },
  'approvals.allow': {
    kind: 'command',
    danger: 'confirm',
    surface: 'all',
    input: once(() =>
      z.strictObject({
        requestId,
        requestHash: hash,
        scope: z.enum(['once', 'session', 'always']).optional(),
      }),
    ),
    output: () => approvalView,
    about:
      'Allow a tool call: exactly the stored input runs; the scope says whether once, for the session or always',
  },
  'approvals.deny': {
    kind: 'command',
    danger: 'confirm',
    surface: 'all',
    input: once(() =>
      z.strictObject({
        requestId,
        requestHash: hash,
        note: z.string().min(1).max(4000).optional(),
      }),
    ),
    output: () => approvalView,
    about: 'Deny a tool call; the agent gets your note',
  },
  'session.customToolResult': {
    kind: 'command',
    danger: 'confirm',
    surface: 'all',
    input: once(() =>
      z.strictObject({
        session: sessionRef,
        requestId,
        requestHash: hash,
        output: z.string().max(MAX_PROMPT_CHARS),
      }),
    ),
    output: () => approvalView,
    about: 'Submit the result of an external tool',
  },
  'inbox.list': {
    kind: 'query',
    danger: 'none',
    surface: 'all',
    input: once(() =>
      z.strictObject({ includeSettled: z.boolean().optional(), limit: limit.optional() }),
    ),
    output: once(() => z.strictObject({ items: z.array(inboxItem) })),
    about: 'List everything that needs your decision, oldest first',
  },
  'inbox.dismiss': {
    kind: 'command',
    danger: 'none',
    surface: 'all',
    input: once(() => z.strictObject({ inboxId: z.number().int().positive() })),
    output: () => done,
    about: 'Dismiss a notice (not a decision)',
  },
} as const satisfies Record<string, VerbSpec>;
