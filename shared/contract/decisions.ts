/** What needs a person's decision: interrupted turns, calls that need permission, notices. */
import { z } from 'zod';
import { once } from '../once';
import { approvalView, inboxItem, leftProcess, replayDecision, turnSummary } from '../types';
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
    about: 'Turns that a crash cut off: what was decided, what waits for you',
  },
  'recovery.resume': {
    kind: 'command',
    danger: 'confirm',
    surface: 'all',
    input: () => decisionInput,
    output: () => turnSummary,
    about: 'Go on with a held, stale, parked or paused turn; unknown steps run again',
  },
  'recovery.confirmStep': {
    kind: 'command',
    danger: 'confirm',
    surface: 'all',
    input: () => stepDecisionInput,
    output: () => turnSummary,
    about: 'It happened: record the step as done and go on when no question is left',
  },
  'recovery.skipStep': {
    kind: 'command',
    danger: 'confirm',
    surface: 'all',
    input: () => stepDecisionInput,
    output: () => turnSummary,
    about: 'Skip the step: done with an empty result',
  },
  'recovery.discard': {
    kind: 'command',
    danger: 'confirm',
    surface: 'all',
    input: () => decisionInput,
    output: () => turnSummary,
    about: 'End the turn; nothing of it runs again',
  },
  'recovery.waitProcess': {
    kind: 'command',
    danger: 'none',
    surface: 'all',
    input: () => processInput,
    output: () => leftProcess,
    about: 'Wait for a command that outlived a crash: its turn is asked about again when it ends',
  },
  'recovery.leaveProcess': {
    kind: 'command',
    danger: 'none',
    surface: 'all',
    input: () => processInput,
    output: () => leftProcess,
    about: 'Let a command that outlived a crash run, and put its notice away',
  },
  'recovery.endProcess': {
    kind: 'command',
    danger: 'confirm',
    surface: 'all',
    input: () => processInput,
    output: () => leftProcess,
    about: 'End a command that outlived a crash: what it has done by then stays done',
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
    about: 'Calls that wait for your approval, and tools that wait for their result from outside',
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
    about: 'Allow a call: exactly the stored input runs, once',
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
    about: 'Refuse a call; the agent is told, with your words',
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
    about: 'Give the result of a tool that the outside carries out',
  },
  'inbox.list': {
    kind: 'query',
    danger: 'none',
    surface: 'all',
    input: once(() =>
      z.strictObject({ includeSettled: z.boolean().optional(), limit: limit.optional() }),
    ),
    output: once(() => z.strictObject({ items: z.array(inboxItem) })),
    about: 'Everything that waits for a person, oldest first',
  },
  'inbox.dismiss': {
    kind: 'command',
    danger: 'none',
    surface: 'all',
    input: once(() => z.strictObject({ inboxId: z.number().int().positive() })),
    output: () => done,
    about: 'Put away a notice (not a decision)',
  },
} as const satisfies Record<string, VerbSpec>;
