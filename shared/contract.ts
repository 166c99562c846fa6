/**
 * The one contract: every verb of IPC, the control socket and the CLI, and every event.
 *
 * One object in, one value out; `strictObject` and bounded strings everywhere; no paths chosen by
 * the renderer, no verb that returns a secret. `danger: 'confirm'` verbs carry the hash of the
 * exact request that the person saw. Source: guide/style 2.5, guide/security I1, I4, I5.
 */
import { z } from 'zod';
import {
  agentView,
  detectedAgent,
  approvalView,
  configEntry,
  configProblem,
  dayLine,
  doctorReport,
  extView,
  historyEvent,
  inboxItem,
  providerView,
  replayDecision,
  restartNotice,
  resumePlan,
  runDiscardPreview,
  runPlan,
  runView,
  sessionEvent,
  sessionView,
  skillView,
  statusSnapshot,
  stepView,
  toolView,
  turnState,
  turnSummary,
} from './model';
import { ACTIVATION_KINDS } from './activations';
import {
  deadLetter,
  eventId,
  eventTopic,
  MAX_EVENT_BYTES,
  publishResult,
  queueStatus,
} from './delivery-model';
import { draftDiff, draftView, promoteResult } from './draft-model';
import {
  breakerView,
  heldItem,
  outagePlot,
  outageRecord,
  PLOT_RANGES,
  providerHealth,
} from './outage-model';
import { channelList } from './channel-model';
import { gatewayStatus, usageLine } from './gateway-model';
import { agentSettings, providerSettings } from './settings';
import { conversation, conversationRef, watchedTerminal } from './terminal-model';
import {
  LONGEST_TIMER_SECONDS,
  MAX_TASK_NAME,
  MAX_TASK_PROMPT,
  MAX_TIMER_ID,
  MAX_TIMER_MESSAGE,
  SHORTEST_TIMER_SECONDS,
} from './schedule/limits';
import {
  catchupRule,
  dueTask,
  guardVerdict,
  heartbeatView,
  parsedSchedule,
  scheduleLines,
  taskRun,
  taskView,
  timerView,
} from './schedule/model';
import { activationEvent, sessionStatus } from './work-model';

const turnId = z.number().int().positive();
const requestId = z.number().int().positive();
const nothing = z.strictObject({});
const done = z.strictObject({ ok: z.literal(true) });
const hash = z.string().regex(/^[0-9a-f]{64}$/);
const sessionRef = z.string().min(1).max(200);
const breakerName = z.string().min(1).max(200);
const providerName = z.string().min(1).max(64);
const limit = z.number().int().min(1).max(1000);
/** What a light request came to, and how the provider stands after it. */
const probeReport = z.strictObject({
  ok: z.boolean(),
  durationMs: z.number().nonnegative(),
  error: z.string().max(500).optional(),
  health: providerHealth,
});
/** 4 MB of text: larger prompts belong into a file. */
export const MAX_PROMPT_CHARS = 4_000_000;

/** How a verb may be called: `query` works without a running instance, `command` changes something. */
export interface VerbSpec {
  readonly kind: 'query' | 'command';
  readonly danger: 'none' | 'confirm';
  /** Who may call it. The window never gets `control` verbs. */
  readonly surface: 'all' | 'control' | 'window';
  readonly input: z.ZodType;
  readonly output: z.ZodType;
  readonly about: string;
}

const decisionInput = z.strictObject({ turnId, requestHash: hash });
const taskId = z.number().int().positive();
/** What may be said of a task. Channel and peer come together or not at all. */
const taskWish = {
  prompt: z.string().min(1).max(MAX_TASK_PROMPT).optional(),
  schedule: z.string().min(1).max(200).optional(),
  name: z.string().min(1).max(MAX_TASK_NAME).optional(),
  zone: z.string().min(1).max(64).optional(),
  catchup: catchupRule.optional(),
  agent: z.string().min(1).max(64).optional(),
  channel: z.string().min(1).max(64).optional(),
  peer: z.string().max(200).optional(),
};
/** The agent outside of Holdfast that asks, by the name it gives itself; a person where absent. */
const author = z.string().min(1).max(64).optional();
const stepDecisionInput = z.strictObject({
  turnId,
  step: z.number().int().positive(),
  requestHash: hash,
});

export const VERBS = {
  'status.get': {
    kind: 'query',
    danger: 'none',
    surface: 'all',
    input: nothing,
    output: statusSnapshot,
    about: 'The state of everything in one snapshot',
  },
  'turns.list': {
    kind: 'query',
    danger: 'none',
    surface: 'all',
    input: z.strictObject({
      states: z.array(turnState).max(10).optional(),
      session: sessionRef.optional(),
      limit: limit.optional(),
      beforeId: turnId.optional(),
    }),
    output: z.strictObject({ turns: z.array(turnSummary), hasMore: z.boolean() }),
    about: 'Turns, newest first',
  },
  'turns.show': {
    kind: 'query',
    danger: 'none',
    surface: 'all',
    input: z.strictObject({
      turnId,
      /** Steps with their arguments and results: 8 KB each. One step's are in `turns.step`. */
      withTexts: z.boolean().optional(),
    }),
    output: z.strictObject({
      turn: turnSummary,
      prompt: z.string().max(20_000),
      isPromptTruncated: z.boolean(),
      answer: z.string().max(100_000).optional(),
      steps: z.array(stepView),
      /** Stops and restarts during the turn, oldest first. */
      stops: z.array(
        z.strictObject({
          stoppedAtMs: z.number(),
          backAtMs: z.number().optional(),
          reason: z.string().max(40),
        }),
      ),
      decision: replayDecision.optional(),
    }),
    about: 'One turn with its steps',
  },
  'turns.step': {
    kind: 'query',
    danger: 'none',
    surface: 'all',
    input: z.strictObject({ turnId, step: z.number().int().positive() }),
    output: stepView,
    about: 'One step with what was handed in and what came back',
  },
  'turns.plan': {
    kind: 'query',
    danger: 'none',
    surface: 'all',
    input: z.strictObject({ turnId }),
    output: resumePlan,
    about: 'What a resume of this turn would reuse, ask again and run',
  },
  'turns.cancel': {
    kind: 'command',
    danger: 'none',
    surface: 'all',
    input: z.strictObject({ turnId }),
    output: turnSummary,
    about: 'Stop a turn for good; it is never replayed',
  },
  'turns.cancelAll': {
    kind: 'command',
    danger: 'none',
    surface: 'all',
    input: nothing,
    output: z.strictObject({ cancelled: z.array(turnId) }),
    about: 'Stop all running, queued and waiting turns for good',
  },
  send: {
    kind: 'command',
    danger: 'none',
    surface: 'all',
    input: z.strictObject({
      text: z.string().min(1).max(MAX_PROMPT_CHARS),
      session: sessionRef.optional(),
      agent: z.string().min(1).max(64).optional(),
    }),
    output: z.strictObject({
      turnId,
      sessionId: z.number().int().positive(),
      sessionKey: z.string().max(200),
    }),
    about: 'Accept a message: it is on disk when this returns',
  },
  'recovery.list': {
    kind: 'query',
    danger: 'none',
    surface: 'all',
    input: nothing,
    output: z.strictObject({
      decisions: z.array(replayDecision),
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
    about: 'Turns that a crash cut off: what was decided, what waits for you',
  },
  'recovery.resume': {
    kind: 'command',
    danger: 'confirm',
    surface: 'all',
    input: decisionInput,
    output: turnSummary,
    about: 'Go on with a held, stale, parked or paused turn; unknown steps run again',
  },
  'recovery.confirmStep': {
    kind: 'command',
    danger: 'confirm',
    surface: 'all',
    input: stepDecisionInput,
    output: turnSummary,
    about: 'It happened: record the step as done and go on when no question is left',
  },
  'recovery.skipStep': {
    kind: 'command',
    danger: 'confirm',
    surface: 'all',
    input: stepDecisionInput,
    output: turnSummary,
    about: 'Skip the step: done with an empty result',
  },
  'recovery.discard': {
    kind: 'command',
    danger: 'confirm',
    surface: 'all',
    input: decisionInput,
    output: turnSummary,
    about: 'End the turn; nothing of it runs again',
  },
  'approvals.list': {
    kind: 'query',
    danger: 'none',
    surface: 'all',
    input: z.strictObject({
      session: sessionRef.optional(),
      includeAnswered: z.boolean().optional(),
      limit: limit.optional(),
    }),
    output: z.strictObject({ requests: z.array(approvalView) }),
    about: 'Calls that wait for your approval, and tools that wait for their result from outside',
  },
  'approvals.allow': {
    kind: 'command',
    danger: 'confirm',
    surface: 'all',
    input: z.strictObject({
      requestId,
      requestHash: hash,
      scope: z.enum(['once', 'session', 'always']).optional(),
    }),
    output: approvalView,
    about: 'Allow a call: exactly the stored input runs, once',
  },
  'approvals.deny': {
    kind: 'command',
    danger: 'confirm',
    surface: 'all',
    input: z.strictObject({
      requestId,
      requestHash: hash,
      note: z.string().min(1).max(4000).optional(),
    }),
    output: approvalView,
    about: 'Refuse a call; the agent is told, with your words',
  },
  'session.customToolResult': {
    kind: 'command',
    danger: 'confirm',
    surface: 'all',
    input: z.strictObject({
      session: sessionRef,
      requestId,
      requestHash: hash,
      output: z.string().max(MAX_PROMPT_CHARS),
    }),
    output: approvalView,
    about: 'Give the result of a tool that the outside carries out',
  },
  'drafts.list': {
    kind: 'query',
    danger: 'none',
    surface: 'all',
    input: z.strictObject({
      session: sessionRef.optional(),
      /** Promoted and discarded ones instead, newest first. */
      decided: z.boolean().optional(),
      limit: limit.optional(),
    }),
    output: z.strictObject({ drafts: z.array(draftView) }),
    about: 'Staged drafts of files and how each stands now',
  },
  'drafts.diff': {
    kind: 'query',
    danger: 'none',
    surface: 'all',
    input: z.strictObject({ draftId: z.number().int().positive() }),
    output: draftDiff,
    about: 'What promoting a draft would change in its file, line by line',
  },
  'drafts.promote': {
    kind: 'command',
    danger: 'confirm',
    surface: 'all',
    input: z.strictObject({
      draftId: z.number().int().positive(),
      requestHash: hash,
      /** Also where the file changed since the draft began. */
      overChanged: z.boolean().optional(),
    }),
    output: promoteResult,
    about: 'Put a draft in place of its file, whole or not at all; the old file is kept',
  },
  'drafts.restore': {
    kind: 'command',
    danger: 'confirm',
    surface: 'all',
    input: z.strictObject({ draftId: z.number().int().positive(), requestHash: hash }),
    output: promoteResult,
    about: 'Put back the file that a promotion replaced; only while nobody has changed it since',
  },
  'drafts.discard': {
    kind: 'command',
    danger: 'confirm',
    surface: 'all',
    input: z.strictObject({ draftId: z.number().int().positive(), requestHash: hash }),
    output: z.strictObject({ draftId: z.number().int().positive(), path: z.string().max(4096) }),
    about: 'Throw a draft away; the file stays as it is',
  },
  'inbox.list': {
    kind: 'query',
    danger: 'none',
    surface: 'all',
    input: z.strictObject({ includeSettled: z.boolean().optional(), limit: limit.optional() }),
    output: z.strictObject({ items: z.array(inboxItem) }),
    about: 'Everything that waits for a person, oldest first',
  },
  'inbox.dismiss': {
    kind: 'command',
    danger: 'none',
    surface: 'all',
    input: z.strictObject({ inboxId: z.number().int().positive() }),
    output: done,
    about: 'Put away a notice (not a decision)',
  },
  'sessions.list': {
    kind: 'query',
    danger: 'none',
    surface: 'all',
    input: z.strictObject({
      limit: limit.optional(),
      /** The last session of the answer before: those used earlier follow. */
      before: z
        .strictObject({
          lastEventAtMs: z.number().int().nonnegative(),
          id: z.number().int().positive(),
        })
        .optional(),
    }),
    output: z.strictObject({ sessions: z.array(sessionView), hasMore: z.boolean() }),
    about: 'Sessions, the last used first',
  },
  'session.create': {
    kind: 'command',
    danger: 'none',
    surface: 'all',
    input: z.strictObject({
      key: sessionRef.optional(),
      title: z.string().min(1).max(200).optional(),
      agent: z.string().min(1).max(64),
    }),
    output: sessionView,
    about: 'Start a session with an agent',
  },
  'session.status': {
    kind: 'query',
    danger: 'none',
    surface: 'all',
    input: z.strictObject({ session: sessionRef }),
    output: sessionStatus,
    about: 'One session: what it does, what it waits for, what was tried',
  },
  'activations.events': {
    kind: 'query',
    danger: 'none',
    surface: 'all',
    input: z.strictObject({
      session: sessionRef.optional(),
      claimId: z.string().min(1).max(40).optional(),
      kinds: z.array(z.enum(ACTIVATION_KINDS)).max(ACTIVATION_KINDS.length).optional(),
      /** Only what came after this entry: the `seq` of the last one seen. */
      afterSeq: z.number().int().nonnegative().optional(),
      limit: limit.optional(),
    }),
    output: z.strictObject({ events: z.array(activationEvent) }),
    about: 'The history of activations, oldest first: the newest, or those after one',
  },
  'turns.retryNow': {
    kind: 'command',
    danger: 'none',
    surface: 'all',
    input: z.strictObject({ turnId }),
    output: turnSummary,
    about: 'Try a waiting turn again now instead of at its time',
  },
  'session.events': {
    kind: 'query',
    danger: 'none',
    surface: 'all',
    input: z.strictObject({
      session: sessionRef,
      limit: limit.optional(),
      beforeSeq: z.number().int().positive().optional(),
    }),
    output: z.strictObject({ events: z.array(sessionEvent), hasMore: z.boolean() }),
    about: 'The event log of a session, oldest first',
  },
  'session.interrupt': {
    kind: 'command',
    danger: 'none',
    surface: 'all',
    input: z.strictObject({ session: sessionRef, note: z.string().min(1).max(10_000).optional() }),
    output: z.strictObject({ cancelled: z.array(turnId) }),
    about: 'Stop the turn of a session; with a note, go on with that',
  },
  'session.adopt': {
    kind: 'command',
    danger: 'none',
    surface: 'all',
    input: z.strictObject({
      agent: z.string().min(1).max(64),
      /** The agent's own number of the conversation; without it they are listed. */
      ref: conversationRef.optional(),
      key: sessionRef.optional(),
    }),
    output: z.strictObject({
      conversations: z.array(conversation).max(200),
      /** Why there are none, or why they cannot be listed. */
      note: z.string().max(1000),
      /** The session whose next turn goes on there. */
      session: sessionView.optional(),
    }),
    about: 'Go on here with a conversation that was begun in a terminal',
  },
  'session.handBack': {
    kind: 'command',
    danger: 'none',
    surface: 'all',
    input: z.strictObject({ session: sessionRef }),
    output: z.strictObject({
      session: z.string().max(200),
      agent: z.string().max(64),
      ref: z.string().max(200),
      folder: z.string().max(4096),
      /** Opens it in a terminal. */
      command: z.string().max(20_000),
    }),
    about:
      'Hand the conversation of a session back to a terminal: turns wait until it is taken over again',
  },
  'watch.list': {
    kind: 'query',
    danger: 'none',
    surface: 'all',
    input: nothing,
    output: z.strictObject({ terminals: z.array(watchedTerminal).max(100) }),
    about: 'What watched terminals did and who could go on there, newest first',
  },
  'agents.list': {
    kind: 'query',
    danger: 'none',
    surface: 'all',
    input: nothing,
    output: z.strictObject({ agents: z.array(agentView) }),
    about: 'Agents and how exact their recovery is',
  },
  'agents.add': {
    kind: 'command',
    danger: 'none',
    surface: 'all',
    input: z.strictObject({ name: z.string().min(1).max(64), agent: agentSettings }),
    output: agentView,
    about: 'Add or change an agent',
  },
  'agents.edit': {
    kind: 'command',
    danger: 'none',
    surface: 'all',
    input: z.strictObject({ name: z.string().min(1).max(64), agent: agentSettings }),
    output: agentView,
    about: 'Change an agent that is there; its next turn takes it',
  },
  'agents.remove': {
    kind: 'command',
    danger: 'none',
    surface: 'all',
    input: z.strictObject({ name: z.string().min(1).max(64) }),
    output: z.strictObject({
      name: z.string().max(64),
      /** Who gets what names no agent from now on. */
      defaultAgent: z.string().max(64),
    }),
    about: 'Remove an agent that has no open work; its sessions stay and can be read',
  },
  'agents.hook': {
    kind: 'command',
    danger: 'none',
    surface: 'control',
    input: z.strictObject({
      turnId,
      attempt: z.number().int().positive(),
      event: z.discriminatedUnion('kind', [
        z.strictObject({ kind: z.literal('session'), ref: z.string().min(1).max(200) }),
        z.strictObject({
          kind: z.literal('call'),
          callId: z.string().min(1).max(200),
          tool: z.string().min(1).max(200),
          /** JSON of what is handed in. */
          input: z.string().max(MAX_PROMPT_CHARS),
        }),
      ]),
    }),
    output: z.strictObject({
      decision: z.enum(['allow', 'deny', 'none']),
      reason: z.string().max(10_000),
    }),
    about: 'What the hook of a running agent reports: may this call be made?',
  },
  'agents.detect': {
    kind: 'query',
    danger: 'none',
    surface: 'all',
    input: nothing,
    output: z.strictObject({ agents: z.array(detectedAgent) }),
    about: 'Known agents of other programs on this computer',
  },
  'agents.test': {
    kind: 'command',
    danger: 'none',
    surface: 'all',
    input: z.strictObject({ name: z.string().min(1).max(64) }),
    output: z.strictObject({ ok: z.boolean(), message: z.string().max(1000), tookMs: z.number() }),
    about: 'One small request to the provider of an agent',
  },
  'tools.list': {
    kind: 'query',
    danger: 'none',
    surface: 'all',
    input: nothing,
    output: z.strictObject({ tools: z.array(toolView) }),
    about: 'Tools with their purity class',
  },
  'ext.list': {
    kind: 'query',
    danger: 'none',
    surface: 'all',
    input: nothing,
    output: z.strictObject({ servers: z.array(extView).max(1000) }),
    about: 'MCP servers: which run, which do not and why',
  },
  'ext.restart': {
    kind: 'command',
    danger: 'none',
    surface: 'all',
    input: z.strictObject({ name: z.string().min(1).max(64) }),
    output: extView,
    about: 'Start an MCP server afresh; looks anew for what it needs',
  },
  'provider.list': {
    kind: 'query',
    danger: 'none',
    surface: 'all',
    input: nothing,
    output: z.strictObject({ providers: z.array(providerView) }),
    about: 'Model providers and where their keys are kept',
  },
  'provider.set': {
    kind: 'command',
    danger: 'none',
    surface: 'all',
    input: z.strictObject({ name: z.string().min(1).max(64), provider: providerSettings }),
    output: providerView,
    about: 'Add or change a provider',
  },
  'provider.setKey': {
    kind: 'command',
    danger: 'none',
    surface: 'all',
    input: z.strictObject({
      name: z.string().min(1).max(64),
      /** Null removes the key. */
      key: z.string().min(1).max(4000).nullable(),
      /** Explicit consent to store it unencrypted where no keyring exists. */
      allowPlaintext: z.boolean().optional(),
    }),
    output: providerView,
    about: 'Store the key of a provider; it can never be read back',
  },
  'provider.test': {
    kind: 'command',
    danger: 'none',
    surface: 'all',
    input: z.strictObject({
      name: z.string().min(1).max(64),
      model: z.string().min(1).max(200).optional(),
    }),
    output: z.strictObject({ ok: z.boolean(), message: z.string().max(1000), tookMs: z.number() }),
    about: 'One small request to a provider',
  },
  'gateway.status': {
    kind: 'query',
    danger: 'none',
    surface: 'all',
    input: nothing,
    output: gatewayStatus,
    about: 'The gateway for agents of other programs: its address, its token file, what waits',
  },
  'usage.list': {
    kind: 'query',
    danger: 'none',
    surface: 'all',
    input: z.strictObject({ days: z.number().int().min(1).max(366).optional() }),
    output: z.strictObject({ lines: z.array(usageLine).max(100_000) }),
    about: 'What was used of each provider by day: turns, and requests through the gateway',
  },
  'channels.list': {
    kind: 'query',
    danger: 'none',
    surface: 'all',
    input: nothing,
    output: channelList,
    about: 'Where answers go and messages come from: what waits, what was taken, what failed',
  },
  'channels.test': {
    kind: 'command',
    danger: 'none',
    surface: 'all',
    input: z.strictObject({ name: z.string().min(1).max(64) }),
    output: z.strictObject({ ok: z.boolean(), message: z.string().max(1000), tookMs: z.number() }),
    about: 'One test message to a channel',
  },
  'breakers.list': {
    kind: 'query',
    danger: 'none',
    surface: 'all',
    input: nothing,
    output: z.strictObject({ breakers: z.array(breakerView) }),
    about: 'The breaker of every outside dependency, by name',
  },
  'breakers.show': {
    kind: 'query',
    danger: 'none',
    surface: 'all',
    input: z.strictObject({ name: breakerName }),
    output: breakerView,
    about: 'One breaker: state, counters, why, next trial',
  },
  'breakers.trip': {
    kind: 'command',
    danger: 'none',
    surface: 'all',
    input: z.strictObject({ name: breakerName, reason: z.string().min(1).max(200).optional() }),
    output: breakerView,
    about: 'Open a breaker at once: calls wait until its trial succeeds',
  },
  'breakers.reset': {
    kind: 'command',
    danger: 'none',
    surface: 'all',
    input: z.strictObject({ name: breakerName }),
    output: breakerView,
    about: 'Close a breaker at once; what waits goes on',
  },
  'provider.status': {
    kind: 'query',
    danger: 'none',
    surface: 'all',
    input: z.strictObject({ provider: providerName.optional() }),
    output: z.strictObject({ providers: z.array(providerHealth) }),
    about: 'How each provider answers: failures, outage, next try, what waits',
  },
  'provider.ping': {
    kind: 'command',
    danger: 'none',
    surface: 'all',
    input: z.strictObject({ provider: providerName }),
    output: probeReport,
    about: 'Ask a provider as a call would: through its breaker, with its verdict',
  },
  'outage.queue': {
    kind: 'query',
    danger: 'none',
    surface: 'all',
    input: z.strictObject({ provider: providerName.optional(), limit: limit.optional() }),
    output: z.strictObject({ items: z.array(heldItem), total: z.number().int().nonnegative() }),
    about: 'Turns that wait for a provider, in the order of their next run',
  },
  'outage.move': {
    kind: 'command',
    danger: 'none',
    surface: 'all',
    /** Before that turn of the same provider; to the end where absent. */
    input: z.strictObject({ turnId, beforeTurnId: turnId.optional() }),
    output: z.strictObject({ items: z.array(heldItem), total: z.number().int().nonnegative() }),
    about: 'Change the order of waiting turns; on disk when this returns',
  },
  'outage.probe': {
    kind: 'command',
    danger: 'none',
    surface: 'all',
    input: z.strictObject({ provider: providerName }),
    output: probeReport,
    about: 'Ask a provider now whether it is there; costs no model call',
  },
  'outage.list': {
    kind: 'query',
    danger: 'none',
    surface: 'all',
    input: z.strictObject({ limit: limit.optional() }),
    output: z.strictObject({ outages: z.array(outageRecord) }),
    about: 'Outages, newest first',
  },
  'outage.plot': {
    kind: 'query',
    danger: 'none',
    surface: 'all',
    input: z.strictObject({ provider: providerName, range: z.enum(PLOT_RANGES) }),
    output: outagePlot,
    about: 'What the picture of one provider shows: states, waiting turns, calls',
  },
  'queue.status': {
    kind: 'query',
    danger: 'none',
    surface: 'all',
    input: nothing,
    output: queueStatus,
    about: 'Where events go, how many wait, what was shed',
  },
  'dlq.list': {
    kind: 'query',
    danger: 'none',
    surface: 'all',
    input: z.strictObject({
      topic: eventTopic.optional(),
      limit: limit.optional(),
      beforeId: eventId.optional(),
    }),
    output: z.strictObject({
      letters: z.array(deadLetter),
      total: z.number().int().nonnegative(),
      hasMore: z.boolean(),
    }),
    about: 'Dead letters: events that no broker took, newest first',
  },
  'dlq.replay': {
    kind: 'command',
    danger: 'none',
    surface: 'all',
    /** One of the three. */
    input: z.strictObject({
      id: eventId.optional(),
      topic: eventTopic.optional(),
      all: z.boolean().optional(),
    }),
    output: z.strictObject({ replayed: z.number().int().nonnegative() }),
    about: 'Put dead letters back into the queue with no attempts counted',
  },
  'dlq.purge': {
    kind: 'command',
    danger: 'none',
    surface: 'all',
    input: z.strictObject({
      id: eventId.optional(),
      topic: eventTopic.optional(),
      /** Only letters that failed at least so long ago. */
      olderThanMs: z.number().int().nonnegative().optional(),
      all: z.boolean().optional(),
    }),
    output: z.strictObject({ purged: z.number().int().nonnegative() }),
    about: 'Delete dead letters for good',
  },
  'events.publish': {
    kind: 'command',
    danger: 'none',
    surface: 'control',
    input: z.strictObject({
      topic: eventTopic,
      payload: z.string().max(4 * MAX_EVENT_BYTES),
      /** Made where absent. */
      id: eventId.optional(),
    }),
    output: publishResult,
    about: 'Publish an event: confirmed by the broker or on disk when this returns',
  },
  'tasks.list': {
    kind: 'query',
    danger: 'none',
    surface: 'all',
    input: z.strictObject({
      /** Also those that are done or cancelled. */
      includeOver: z.boolean().optional(),
      afterId: taskId.optional(),
      limit: limit.optional(),
    }),
    output: z.strictObject({ tasks: z.array(taskView), hasMore: z.boolean() }),
    about: 'Scheduled tasks with their next and last run',
  },
  'tasks.add': {
    kind: 'command',
    danger: 'none',
    surface: 'all',
    input: z.strictObject({
      ...taskWish,
      prompt: taskWish.prompt.unwrap(),
      schedule: taskWish.schedule.unwrap(),
      author,
    }),
    output: taskView,
    about: 'Schedule a task: it is on disk with its first run when this returns',
  },
  'tasks.show': {
    kind: 'query',
    danger: 'none',
    surface: 'all',
    input: z.strictObject({ taskId }),
    output: taskView,
    about: 'One task with its last run',
  },
  'tasks.due': {
    kind: 'query',
    danger: 'none',
    surface: 'all',
    input: z.strictObject({ explain: z.boolean().optional(), limit: limit.optional() }),
    output: z.strictObject({ tasks: z.array(dueTask) }),
    about: 'Overdue tasks; with explain, what a start would do about each',
  },
  'tasks.next': {
    kind: 'query',
    danger: 'none',
    surface: 'all',
    input: z.strictObject({ taskId, count: limit.optional() }),
    output: z.strictObject({ zone: z.string().max(64), next: z.array(z.number()).max(1000) }),
    about: 'The next runs of a task',
  },
  'tasks.run': {
    kind: 'command',
    danger: 'none',
    surface: 'all',
    input: z.strictObject({ taskId }),
    output: z.strictObject({ turnId }),
    about: 'Run a task now, besides its schedule',
  },
  'tasks.pause': {
    kind: 'command',
    danger: 'none',
    surface: 'all',
    input: z.strictObject({ taskId }),
    output: taskView,
    about: 'Pause a task: nothing of it runs until it is resumed',
  },
  'tasks.resume': {
    kind: 'command',
    danger: 'none',
    surface: 'all',
    input: z.strictObject({ taskId }),
    output: taskView,
    about: 'Go on with a paused task, from now',
  },
  'tasks.update': {
    kind: 'command',
    danger: 'none',
    surface: 'all',
    input: z.strictObject({ taskId, ...taskWish, author }),
    output: taskView,
    about: 'Change a task; what is left out stays',
  },
  'tasks.cancel': {
    kind: 'command',
    danger: 'none',
    surface: 'all',
    input: z.strictObject({ taskId }),
    output: taskView,
    about: 'Cancel a task for good; its history stays',
  },
  'tasks.history': {
    kind: 'query',
    danger: 'none',
    surface: 'all',
    input: z.strictObject({
      taskId: taskId.optional(),
      beforeMs: z.number().optional(),
      limit: limit.optional(),
    }),
    output: z.strictObject({ runs: z.array(taskRun), hasMore: z.boolean() }),
    about: 'What became of each slot and why, newest first',
  },
  'schedule.lines': {
    kind: 'query',
    danger: 'none',
    surface: 'all',
    input: z.strictObject({
      fromMs: z.number(),
      toMs: z.number(),
      /** Tasks whose coming slots are wanted. */
      taskIds: z.array(taskId).max(200),
    }),
    output: scheduleLines,
    about: 'What was decided in a range of time and what comes in it, for the picture of a day',
  },
  'timers.list': {
    kind: 'query',
    danger: 'none',
    surface: 'all',
    input: z.strictObject({ session: sessionRef.optional() }),
    output: z.strictObject({ timers: z.array(timerView).max(1000) }),
    about: 'Timers that wait, next first',
  },
  'timers.set': {
    kind: 'command',
    danger: 'none',
    surface: 'control',
    input: z.strictObject({
      session: sessionRef,
      seconds: z.number().int().min(SHORTEST_TIMER_SECONDS).max(LONGEST_TIMER_SECONDS),
      message: z.string().min(1).max(MAX_TIMER_MESSAGE),
      /** Made where absent; the same again replaces it. */
      id: z.string().min(1).max(MAX_TIMER_ID).optional(),
      author,
    }),
    output: timerView,
    about: 'Wake a session once',
  },
  'heartbeat.start': {
    kind: 'command',
    danger: 'none',
    surface: 'control',
    input: z.strictObject({
      session: sessionRef,
      seconds: z.number().int().optional(),
      message: z.string().max(MAX_TIMER_MESSAGE).optional(),
      author,
    }),
    output: heartbeatView,
    about: 'Wake a session at an interval, until it is stopped',
  },
  'timers.cancel': {
    kind: 'command',
    danger: 'none',
    surface: 'all',
    input: z.strictObject({ session: sessionRef, id: z.string().min(1).max(64) }),
    output: done,
    about: 'Cancel a timer of a session',
  },
  'heartbeat.status': {
    kind: 'query',
    danger: 'none',
    surface: 'all',
    input: nothing,
    output: z.strictObject({
      /** The one of the settings is switched on. */
      isEnabled: z.boolean(),
      /** Why it does not run nevertheless. */
      problem: z.string().max(300).optional(),
      heartbeats: z.array(heartbeatView).max(1000),
    }),
    about: 'Heartbeats of sessions and the one of the settings',
  },
  'heartbeat.stop': {
    kind: 'command',
    danger: 'none',
    surface: 'all',
    input: z.strictObject({ session: sessionRef }),
    output: done,
    about: 'Stop the heartbeat of a session',
  },
  'schedule.parse': {
    kind: 'query',
    danger: 'none',
    surface: 'all',
    input: z.strictObject({
      expr: z.string().max(1000),
      tz: z.string().max(64).optional(),
      /** From this instant; now where absent. */
      fromMs: z.number().optional(),
      count: limit.optional(),
    }),
    output: parsedSchedule,
    about: 'What a schedule means and when it runs next',
  },
  'guard.check': {
    kind: 'query',
    danger: 'none',
    surface: 'all',
    input: z.strictObject({ command: z.string().max(100_000) }),
    output: guardVerdict,
    about: 'Whether an agent may run a shell command, or would only wait',
  },
  'config.list': {
    kind: 'query',
    danger: 'none',
    surface: 'all',
    input: nothing,
    output: z.strictObject({
      path: z.string().max(4096),
      entries: z.array(configEntry),
      problems: z.array(configProblem),
    }),
    about: 'Every setting: value, source, default',
  },
  'config.get': {
    kind: 'query',
    danger: 'none',
    surface: 'all',
    input: z.strictObject({ key: z.string().min(1).max(200) }),
    output: configEntry,
    about: 'One setting',
  },
  'config.set': {
    kind: 'command',
    danger: 'none',
    surface: 'all',
    input: z.strictObject({ key: z.string().min(1).max(200), value: z.json() }),
    output: configEntry,
    about: 'Change a setting in the file',
  },
  'doctor.run': {
    kind: 'query',
    danger: 'none',
    surface: 'all',
    input: z.strictObject({ full: z.boolean().optional() }),
    output: doctorReport,
    about: 'Check everything that Holdfast needs',
  },
  'logs.tail': {
    kind: 'query',
    danger: 'none',
    surface: 'all',
    input: z.strictObject({ lines: limit.optional() }),
    output: z.strictObject({ path: z.string().max(4096), lines: z.array(z.string().max(10_000)) }),
    about: 'The end of the log',
  },
  'day.line': {
    kind: 'query',
    danger: 'none',
    surface: 'all',
    input: nothing,
    output: dayLine,
    about: 'The last 24 hours: finished steps, when Holdfast ran, unexpected stops',
  },
  'events.list': {
    kind: 'query',
    danger: 'none',
    surface: 'all',
    input: z.strictObject({
      source: z.enum(['journal', 'audit']).optional(),
      kinds: z.array(z.string().min(1).max(60)).max(40).optional(),
      turnId: turnId.optional(),
      sessionId: z.number().int().positive().optional(),
      /** Words to look for; upper and lower case are the same. */
      text: z.string().min(1).max(200).optional(),
      /** Only what happened up to this moment. */
      untilMs: z.number().int().nonnegative().optional(),
      /** `nextBefore` of the answer before. */
      before: z
        .string()
        .regex(/^(j\d{1,15}|a\d{4}-\d{2}:\d{1,15})$/)
        .optional(),
      limit: z.number().int().min(1).max(500).optional(),
    }),
    output: z.strictObject({
      /** Newest first. */
      events: z.array(historyEvent).max(500),
      /** Where to go on; absent when the beginning is reached. */
      nextBefore: z.string().max(40).optional(),
      /** Set when the work of one call ended before the page was full: searched back to here. */
      searchedBackToMs: z.number().int().nonnegative().optional(),
    }),
    about: 'The journal or the audit in words, newest first',
  },
  'skills.list': {
    kind: 'query',
    danger: 'none',
    surface: 'all',
    input: z.strictObject({ agent: z.string().min(1).max(64).optional() }),
    output: z.strictObject({
      skills: z.array(skillView),
      /** What is kept and means nothing: policies of skills that are not there, broken files. */
      hints: z.array(z.string().max(500)),
    }),
    about: 'Skills of an agent, looked up on disk now; what is skipped says why',
  },
  'skills.show': {
    kind: 'query',
    danger: 'none',
    surface: 'all',
    input: z.strictObject({
      name: z.string().min(1).max(64),
      agent: z.string().min(1).max(64).optional(),
    }),
    output: z.strictObject({
      skill: skillView,
      instructions: z.string().max(100_000),
      tools: z.array(z.string().max(128)).optional(),
      /** What a resume does with a step of it whose result is unknown. */
      policy: z.enum(['retry', 'skip', 'discard_skill', 'prompt']),
    }),
    about: 'One skill with its instructions and phases',
  },
  'runs.list': {
    kind: 'query',
    danger: 'none',
    surface: 'all',
    input: z.strictObject({ includeEnded: z.boolean().optional(), limit: limit.optional() }),
    output: z.strictObject({ runs: z.array(runView) }),
    about: 'Runs of skills in flight, newest first',
  },
  'runs.show': {
    kind: 'query',
    danger: 'none',
    surface: 'all',
    input: z.strictObject({ runId: z.number().int().positive() }),
    output: runView,
    about: 'One run: phase, visits, history, what it waits for',
  },
  'runs.plan': {
    kind: 'query',
    danger: 'none',
    surface: 'all',
    input: z.strictObject({ runId: z.number().int().positive() }),
    output: runPlan,
    about: 'What a resume would reuse, ask and run in this run',
  },
  'runs.discard': {
    kind: 'command',
    danger: 'confirm',
    surface: 'all',
    input: z.strictObject({
      runId: z.number().int().positive(),
      /** Of the preview; without it nothing is done and the preview comes back. */
      requestHash: hash.optional(),
    }),
    output: z.strictObject({
      isDone: z.boolean(),
      preview: runDiscardPreview,
      run: runView.optional(),
    }),
    about: 'End a run and what it started; its caller is told, its files stay',
  },
  'intake.pause': {
    kind: 'command',
    danger: 'none',
    surface: 'all',
    input: z.strictObject({
      forMs: z
        .number()
        .int()
        .positive()
        .max(7 * 86_400_000)
        .optional(),
    }),
    output: statusSnapshot,
    about: 'New turns wait; running ones go on',
  },
  'intake.resume': {
    kind: 'command',
    danger: 'none',
    surface: 'all',
    input: nothing,
    output: statusSnapshot,
    about: 'New turns start again',
  },
  'practice.kill': {
    kind: 'command',
    danger: 'none',
    surface: 'all',
    input: nothing,
    output: done,
    about: 'Ends the engine process like a crash, as the practice story shows',
  },
  'practice.providerDown': {
    kind: 'command',
    danger: 'none',
    surface: 'all',
    input: z.strictObject({ seconds: z.number().int().min(1).max(600) }),
    output: z.strictObject({ ok: z.literal(true), untilMs: z.number() }),
    about: 'Lets the practice provider play one that cannot be reached, for so long',
  },
  'app.info': {
    kind: 'query',
    danger: 'none',
    surface: 'window',
    input: nothing,
    output: z.strictObject({
      version: z.string().max(40),
      electron: z.string().max(40),
      dataDir: z.string().max(4096),
      configPath: z.string().max(4096),
      logPath: z.string().max(4096),
      practiceFolder: z.string().max(4096),
      socketPath: z.string().max(4096),
      /** How a command line of this program on this data begins and ends, as a terminal takes it. */
      terminal: z.strictObject({ command: z.string().max(9000), options: z.string().max(5000) }),
      loginItem: z.strictObject({
        supported: z.boolean(),
        enabled: z.boolean(),
        path: z.string().max(4096),
      }),
      tray: z.strictObject({ available: z.boolean(), reason: z.string().max(300) }),
      notifications: z.strictObject({ available: z.boolean(), reason: z.string().max(300) }),
      /** When a person asked to be reminded of what waits for them. */
      remindAtMs: z.number().optional(),
    }),
    about: 'Where things are and what the desktop offers',
  },
  'app.remind': {
    kind: 'command',
    danger: 'none',
    surface: 'window',
    /** At most a week ahead; absent takes a reminder back. */
    input: z.strictObject({ afterMs: z.number().int().min(60_000).max(604_800_000).optional() }),
    output: z.strictObject({ remindAtMs: z.number().optional() }),
    about: 'Remind of open decisions later, also after a restart; one reminder at a time',
  },
  'app.openFolder': {
    kind: 'command',
    danger: 'none',
    surface: 'window',
    input: z.strictObject({ which: z.enum(['data', 'logs', 'practice']) }),
    output: done,
    about: 'Open one of our own folders in the file manager',
  },
  'app.openSettings': {
    kind: 'command',
    danger: 'none',
    surface: 'window',
    input: nothing,
    output: done,
    about: 'Open the settings window',
  },
  'app.testNotification': {
    kind: 'command',
    danger: 'none',
    surface: 'window',
    input: nothing,
    output: z.strictObject({ outcome: z.string().max(100) }),
    about: 'Show a test notification',
  },
  'instance.focus': {
    kind: 'command',
    danger: 'none',
    surface: 'control',
    input: z.strictObject({ link: z.string().max(500).optional() }),
    output: done,
    about: 'Bring the window to the front',
  },
  'instance.stop': {
    kind: 'command',
    danger: 'none',
    surface: 'control',
    input: z.strictObject({ reason: z.enum(['stop', 'takeover']) }),
    output: z.strictObject({ ok: z.literal(true), willResume: z.number().int().nonnegative() }),
    about: 'Stop in order; open turns resume at the next start',
  },
} as const satisfies Record<string, VerbSpec>;

/** Name of a verb. */
export type Verb = keyof typeof VERBS;
/** Input of a verb, validated. */
export type VerbInput<V extends Verb> = z.infer<(typeof VERBS)[V]['input']>;
/** Output of a verb. */
export type VerbOutput<V extends Verb> = z.infer<(typeof VERBS)[V]['output']>;

/** What every transport answers. */
export type Answer<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly code: string; readonly message: string; readonly hint?: string };

/** Events to windows and `--watch` clients; coalesced, at most 10 a second each (I6). */
export const EVENTS = {
  'status.changed': statusSnapshot,
  'turn.changed': z.strictObject({
    turnId,
    state: turnState,
    sessionId: z.number().int().positive(),
  }),
  /** Provisional text of an answer that is being written; withdrawn if the stream is cut. */
  'turn.delta': z.strictObject({ turnId, text: z.string().max(100_000), isWithdrawn: z.boolean() }),
  'session.changed': z.strictObject({
    sessionId: z.number().int().positive(),
    seq: z.number().int().nonnegative(),
  }),
  'inbox.changed': z.strictObject({ open: z.number().int().nonnegative() }),
  /** Breakers, providers or the waiting queue stand otherwise: read them again. Coalesced. */
  'outage.changed': nothing,
  /** Tasks, timers or heartbeats stand otherwise, or a run of theirs: read them again. Coalesced. */
  'schedule.changed': nothing,
  /** The disk queue or the dead letters changed: read them again. Coalesced. */
  'queue.changed': z.strictObject({
    depth: z.number().int().nonnegative(),
    deadLetters: z.number().int().nonnegative(),
  }),
  'config.changed': z.strictObject({ keys: z.array(z.string().max(200)).max(200) }),
  'restart.noticed': restartNotice,
  /** Main asks the window to go to a page; the only thing a deep link can do (D1). */
  navigate: z.strictObject({ route: z.string().max(200) }),
} as const satisfies Record<string, z.ZodType>;

export type EventName = keyof typeof EVENTS;
export type EventPayload<E extends EventName> = z.infer<(typeof EVENTS)[E]>;

/** Verbs a window may call. */
export type WindowVerb = {
  [V in Verb]: (typeof VERBS)[V]['surface'] extends 'control' ? never : V;
}[Verb];

/**
 * The whole surface of the preload script (`window.holdfast`): one function per verb and one
 * subscription per event, frozen; no function takes a channel name (W2).
 */
export interface HoldfastBridge {
  readonly call: {
    readonly [V in WindowVerb]: (input: VerbInput<V>) => Promise<Answer<VerbOutput<V>>>;
  };
  /** Each returns the function that removes exactly that listener. */
  readonly on: {
    readonly [E in EventName]: (listener: (payload: EventPayload<E>) => void) => () => void;
  };
}
