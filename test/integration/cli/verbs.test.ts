import { createHash } from 'node:crypto';
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve as wholePath } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { controlSocketPath, controlTokenPath } from '../../../electron/control/address';
import type { ControlServer } from '../../../electron/control/server';
import { createControlServer } from '../../../electron/control/server';
import { HoldfastError } from '../../../electron/engine/kernel/errors';
import type { TurnChanges } from '../../../shared/types/share';
import type { UpdateStatus } from '../../../shared/types/updates';
import type { Verb } from '../../../shared/contract';
import { VERBS } from '../../../shared/contract';
import type { StatusSnapshot } from '../../../shared/types';
import type { FakeHoldfast } from '../control/fake-holdfast';
import { createFakeHoldfast, NOW_MS, recordedLog, snapshot } from '../control/fake-holdfast';
import {
  decisionOf,
  HASH,
  planOf,
  processOf,
  sessionOf,
  stepOf,
  turnOf,
} from '../../unit/cli/samples';
import type { World } from './cli-world';
import type { ActivationEvent } from '../../../shared/types/work';
import { sessionStatusOf } from '../../helpers/session-status';
import type { DeadLetter } from '../../../shared/types/delivery';
import { createWorld } from './cli-world';
import {
  answered,
  approval,
  discardPreview,
  draft,
  DRAFT_HASH,
  breaker,
  extServer,
  fromOutside,
  innerRun,
  KEPT_HASH,
  appliedDraft,
  REQUEST_HASH,
  RUN_HASH,
  settledDraft,
  skill,
  skillPlan,
  skillRun,
  skippedServer,
  overdue,
  scheduled,
  scheduledRun,
} from './work-samples';
import { CHANNELS, made } from './channel-samples';
import { health, outageQueue, pastOutage } from './outage-samples';

const SHARING = {
  state: 'connected',
  address: '127.0.0.1:5432/holdfast',
  answeredAtMs: NOW_MS - 3_000,
  name: 'desk-1',
  held: 1,
  isOwner: true,
};
const MACHINES = [
  {
    name: 'desk-1',
    state: 'admitted',
    isThis: true,
    version: '0.1.0',
    isStopping: false,
    offers: ['agent:coder', 'os:linux'],
    leases: 1,
    clockOffsetMs: 12,
    contactAgoMs: 3_000,
  },
  {
    name: 'desk-2',
    state: 'asking',
    isThis: false,
    version: '0.1.0',
    isStopping: false,
    offers: [],
    leases: 0,
    clockOffsetMs: -10_800_000,
  },
];
const CHANGES: TurnChanges = {
  turnId: 7,
  folder: '/home/ada/tool',
  files: [
    { path: 'a.txt', change: 'changed', added: 2, removed: 1, stand: 'open' },
    { path: 'b\u001b[2J.txt', change: 'deleted', added: 0, removed: 3, stand: 'edited' },
    { path: 'c.bin', change: 'added', stand: 'done' },
  ],
  more: 0,
  inFolder: 1,
  written: 0,
  left: { machine: 'desk-2', why: 'tls.key looks like a key.' },
};
const WAITING = [
  {
    id: '5f0c3c52-0000-4000-8000-000000000000',
    session: 'notes',
    waitsMs: 240_000,
    why: 'No computer offers label:xcode.',
  },
];
const BUDGET = {
  name: 'daily',
  scope: 'agent',
  key: 'claude',
  per: 'day',
  usd: 5,
  allowedUsd: 0,
  spentUsd: 5.03,
  state: 'spent',
  endsAtMs: 1_774_400_400_000,
  notEnforcedFor: ['codex'],
} as const;

const ACCOUNTS = [
  {
    account: 'acme',
    kind: 'credit',
    members: ['agent.claude', 'main'],
    spentUsd: 12,
    isAtLeast: true,
    fromMs: 1_772_323_200_000,
    credit: {
      ...BUDGET,
      name: 'team',
      scope: 'account',
      key: 'acme',
      per: 'month',
      usd: 200,
      spentUsd: 50,
      state: 'open',
      isCredit: true,
      resetsOn: 25,
    },
    windows: [],
  },
  {
    account: 'login claude',
    kind: 'plan',
    members: ['agent.coder'],
    spentUsd: 3.1,
    isAtLeast: false,
    fromMs: 1_772_323_200_000,
    windows: [
      {
        window: 'weekly',
        usedPercent: 85,
        isWarning: true,
        resetsAtMs: 1_774_400_400_000,
        sentence: 'Claude: 85% of the weekly limit is used.',
      },
    ],
    heldUntilMs: 1_774_396_800_000,
  },
] as const;

let dataDir: string;
let fake: FakeHoldfast;
let servers: ControlServer[];

const shown = (over: object = {}) => ({
  turn: turnOf(),
  prompt: 'Write notes',
  isPromptTruncated: false,
  answer: 'Done.',
  steps: [
    stepOf({ index: 1, purity: 'llm', tool: 'model', fate: 'reused', reusedCount: 1 }),
    stepOf({
      index: 2,
      state: 'ambiguous',
      fate: 'cut_off',
      purity: 'external',
      tool: 'send_mail',
      duplicateRisk: true,
    }),
  ],
  stops: [{ stoppedAtMs: NOW_MS - 120_000, backAtMs: NOW_MS - 60_000, reason: 'kill' }],
  ...over,
});

const entry = (key: string, value: unknown) => ({
  key,
  value,
  default: value,
  source: 'default',
  applies: 'hot',
  about: 'What it does',
});

const letterOf = (
  id: string,
  reason: DeadLetter['reason'],
  attempts: number,
  detail: string,
): DeadLetter => ({
  id,
  topic: 'orders.paid',
  enqueuedAtMs: NOW_MS - 120_000,
  failedAtMs: NOW_MS - 60_000,
  reason,
  detail,
  attempts,
  history: [],
  bytes: 8,
  payloadStart: '{"id":1}',
});

const provider = {
  name: 'office',
  kind: 'anthropic',
  key: { present: true, last4: 'wxyz', storage: 'file' },
};
const agent = {
  name: 'coder',
  executor: 'llm',
  provider: 'office',
  model: 'm',
  workspace: '/w',
  howExact: 'exact, step by step',
  tools: [],
};

const activation: ActivationEvent = {
  seq: 12,
  createdAt: new Date(NOW_MS - 60_000).toISOString(),
  kind: 'acked',
  claimId: '018f0000-0000-7000-8000-000000000000',
  agentId: 'a',
  sessionId: 3,
  session: 'notes',
  turnId: 7,
  attempt: 1,
  activationKind: 'pending_events',
  priority: 'normal',
  dueAt: new Date(NOW_MS - 61_000).toISOString(),
  reason: '',
  note: '',
  dueWakeIds: [],
  leaseOwner: 'here/w1.1',
  wakeId: '7.1',
  stopReason: 'completed',
  queuedWakeIds: [],
  processedEventIds: [3],
};

/** What the settings say of one agent. */
const AGENTS = {
  claude: { executor: 'command', command: 'old', args: ['-p'], workspace: '/w', deadline: '20m' },
};

beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'hf-cli-'));
  writeFileSync(join(dataDir, 'holdfast.db'), ''); // there is data; the fake stands for its content
  servers = [];
  fake = createFakeHoldfast({
    'turns.list': () => ({
      turns: [turnOf(), turnOf({ id: 6, state: 'held', reason: 'a mail may have been sent' })],
      hasMore: true,
    }),
    'turns.show': () => shown(),
    'turns.step': () => stepOf({ args: '{"path":"a"}', result: 'written', isTruncated: true }),
    'turns.text': ({ fromChar = 0 }) =>
      fromChar === 0
        ? { text: 'begin', fromChar, totalChars: 10, nextChar: 5 }
        : { text: 'end', fromChar, totalChars: 10 },
    'turns.plan': () => planOf(),
    'turns.cancel': (input) => turnOf({ id: input.turnId, state: 'cancelled' }),
    'turns.cancelAll': () => ({ cancelled: [6, 7] }),
    send: () => ({ turnId: 7, sessionId: 3, sessionKey: 'notes' }),
    'recovery.list': () => ({
      decisions: [decisionOf()],
      processes: [processOf()],
      lastStart: [
        {
          turnId: 5,
          action: 'resume',
          reason: 'no listed tool had started',
          atMs: NOW_MS - 60_000,
        },
      ],
    }),
    'recovery.resume': () => turnOf({ state: 'queued' }),
    'recovery.confirmStep': () => turnOf({ state: 'queued' }),
    'recovery.skipStep': () => turnOf({ state: 'queued' }),
    'recovery.discard': () => turnOf({ state: 'discarded' }),
    'recovery.waitProcess': () => processOf({ answer: 'wait' }),
    'recovery.leaveProcess': () => processOf({ answer: 'leave' }),
    'recovery.endProcess': () => processOf({ state: 'ended_by_you', endedAtMs: NOW_MS }),
    'inbox.list': () => ({
      items: [
        {
          id: 4,
          kind: 'replay_decision',
          turnId: 7,
          title: 'Was this mail sent?',
          detail: '',
          createdAtMs: NOW_MS - 60_000,
        },
      ],
    }),
    'inbox.dismiss': () => ({ ok: true }),
    'sessions.list': () => ({ sessions: [sessionOf()], hasMore: false }),
    'session.create': () => sessionOf(),
    'session.edit': () => sessionOf(),
    'session.fork': () => sessionOf(),
    'session.delete': () => ({ ok: true }),
    'session.status': () => sessionStatusOf(sessionOf(), [turnOf({ state: 'running' })]),
    'activations.events': () => ({ events: [activation] }),
    'turns.retryNow': () => turnOf({ state: 'queued' }),
    'session.events': () => ({
      events: [
        {
          seq: 1,
          sessionId: 3,
          type: 'user.message',
          atMs: NOW_MS - 60_000,
          isPending: true,
          text: 'hi',
          isTruncated: false,
        },
      ],
      hasMore: false,
    }),
    'session.interrupt': () => ({ cancelled: [7] }),
    'session.defineOutcome': () => ({ turnId: 7 }),
    'session.adopt': (input) =>
      input.ref === undefined
        ? {
            conversations: [
              {
                ref: 'r-1',
                folder: '/w',
                lastUsedAtMs: NOW_MS - 60_000,
                firstWords: 'Move the shop',
                session: 'notes',
              },
            ],
            note: '',
          }
        : { conversations: [], note: '', session: sessionOf() },
    'session.handBack': () => ({
      session: 'notes',
      agent: 'coder',
      ref: 'r-1',
      folder: '/w',
      command: 'cd /w && claude --resume r-1',
    }),
    'agents.list': () => ({ agents: [agent] }),
    'agents.show': () => ({
      agent: { ...agent, executor: 'acp', provider: 'gemini --acp', model: '' },
      program: {
        name: 'gemini',
        line: 'gemini --acp',
        path: '/opt/gem\u001bini',
        version: '0.61.0',
      },
      env: [
        { name: 'FORGE_TOKEN', isSet: true },
        { name: 'GONE', isSet: false },
      ],
      withheld: ['MAIL_PASSWORD'],
    }),
    'agents.add': () => ({ ...agent, problem: 'The provider has no key.' }),
    'agents.edit': () => agent,
    'agents.remove': () => ({ name: 'coder', defaultAgent: 'practice' }),
    'agents.detect': () => ({
      agents: [
        { id: 'goose', name: 'Goose', isInstalled: false, missing: 'goose is not on your PATH.' },
      ],
    }),
    'agents.test': () => ({ ok: false, message: 'no key', tookMs: 12 }),
    'tools.list': () => ({
      tools: [
        {
          name: 'shell',
          host: 'built-in',
          purity: 'side_effect',
          about: 'runs a command',
          isListed: false,
          listedAs: [],
          afterCrash: 'held',
          afterCrashOfReads: 'run_again',
          isProposed: true,
        },
      ],
    }),
    'provider.list': () => ({ providers: [provider] }),
    'provider.set': () => provider,
    'provider.remove': ({ name }: { name: string }) => ({ name }),
    'provider.setKey': () => provider,
    'provider.test': () => ({ ok: true, message: 'answered', tookMs: 900 }),
    'config.list': () => ({
      path: '/d/config.json',
      entries: [
        entry('resilience.recovery.mode', 'safe_only'),
        entry('resilience.recovery.max_age', '24h'),
        entry('log.level', 'info'),
      ],
      problems: [{ key: 'limits.margin', line: 3, message: 'not a duration' }],
    }),
    'config.get': (input) => {
      if (input.key === 'nope')
        throw new HoldfastError('CONFIG_UNKNOWN_KEY', 'There is no setting nope.');
      return entry(input.key, STORED[input.key] ?? '24h');
    },
    'config.set': (input) => ({ ...entry(input.key, input.value), source: 'file' }),
    'doctor.run': () => ({
      version: '0.1.0',
      ok: false,
      checks: [{ name: 'disk', ok: false, level: 'fail', detail: 'full' }],
    }),
    'logs.tail': () => ({
      path: '/l',
      lines: ['{"level":"info","time":"2026-03-24T14:31:00.000Z","event":"start"}'],
    }),
    'updates.status': () => updateOf('available'),
    'updates.check': () => updateOf('available'),
    'updates.install': () => updateOf('waiting'),
    'updates.cancel': () => updateOf('ready'),
    'search.find': () => ({
      hits: [
        {
          part: 'result',
          atMs: NOW_MS - 60_000,
          turnId: 7,
          step: 2,
          tool: 'shell.run',
          sessionId: 3,
          session: 'main',
          agent: 'coder',
          state: 'completed',
          excerpt: 'disk \u202efull',
        },
        {
          part: 'title',
          atMs: NOW_MS - 120_000,
          sessionId: 3,
          session: 'main',
          agent: 'coder',
          excerpt: 'disks',
        },
      ],
      nextBefore: 41,
      notIndexed: 2,
    }),
    'events.list': () => ({
      events: [
        {
          id: 'j41',
          atMs: NOW_MS - 60_000,
          kind: 'step.ended',
          words: 'Step 2, result unknown: send_email, \u202eanna',
          outcome: 'ambiguous',
          turnId: 7,
          sessionId: 3,
          step: 2,
        },
        {
          id: 'j40',
          atMs: NOW_MS - 120_000,
          kind: 'marker.started',
          words: 'Holdfast started again',
        },
      ],
      nextBefore: 'j40',
      searchedBackToMs: NOW_MS - 180_000,
    }),
    'day.line': () => ({
      range: 'day',
      fromMs: NOW_MS - 3 * 3_600_000,
      toMs: NOW_MS,
      slotMs: 600_000,
      steps: [1, 0, 2, 0, 0, 0, 5, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 3],
      stretches: [
        { kind: 'running', fromMs: NOW_MS - 2 * 3_600_000, toMs: NOW_MS - 3_600_000 },
        { kind: 'stopped', fromMs: NOW_MS - 3_600_000, toMs: NOW_MS - 3_000_000 },
        { kind: 'running', fromMs: NOW_MS - 3_000_000, toMs: NOW_MS },
      ],
      stops: [{ atMs: NOW_MS - 3_600_000, backAtMs: NOW_MS - 3_000_000, reason: 'power_loss' }],
      turnsFinishedToday: 4,
    }),
    'approvals.list': () => ({
      requests: [
        approval,
        fromOutside,
        answered({ requestId: 9, answer: 'allowed', scope: 'session' }),
        answered({ requestId: 10, answer: 'denied', note: 'Not on a Friday' }),
      ],
    }),
    'approvals.allow': (input) =>
      answered({ requestId: input.requestId, answer: 'allowed', scope: input.scope ?? 'once' }),
    'approvals.deny': (input) =>
      answered({
        requestId: input.requestId,
        answer: 'denied',
        ...(input.note === undefined ? {} : { note: input.note }),
      }),
    'session.customToolResult': (input) => ({
      ...fromOutside,
      requestId: input.requestId,
      answer: 'result',
      answeredAtMs: NOW_MS,
      by: 'cli',
    }),
    'queue.status': () => ({
      broker: 'down',
      server: 'nats://127.0.0.1:4222',
      sinceMs: NOW_MS - 60_000,
      problem: 'The connection to nats://127.0.0.1:4222 was lost.',
      depth: 6_000,
      bytes: 600_000,
      oldestAtMs: NOW_MS - 120_000,
      maxPending: 10_000,
      fill: 0.6,
      slowdownMs: 100,
      isDraining: false,
      deadLetters: 12,
      shed: { total: 30, summarised: 20, kept: 10 },
      published: 6_100,
      delivered: 100,
      refused: 2,
    }),
    'dlq.list': (input) => ({
      letters: [
        letterOf(
          'e1',
          'refused',
          3,
          'No stream of the event broker accepts the topic orders.paid.',
        ),
        letterOf('e2', 'shed', 0, 'The queue was full.'),
      ],
      total: input.limit === 2 ? 12 : 2,
      hasMore: input.limit === 2,
    }),
    'dlq.replay': (input) => ({ replayed: input.all === true ? 12 : 1 }),
    'dlq.purge': (input) => ({ purged: input.id === undefined ? 12 : 1 }),
    'events.publish': (input) => ({ id: input.id ?? 'made', state: 'queued', isDuplicate: false }),
    'drafts.list': (input) => ({
      drafts: input.decided === true ? [appliedDraft] : [draft, settledDraft],
    }),
    'drafts.diff': () => ({
      draft,
      kind: 'text',
      hunks: [
        {
          fileStart: 3,
          draftStart: 3,
          rows: [
            { kind: 'same', text: '# Plan', fileLine: 3, draftLine: 3 },
            { kind: 'removed', text: 'Ship in May', fileLine: 4 },
            { kind: 'added', text: 'Ship in June', draftLine: 4 },
            { kind: 'newer', text: 'Mara: ask Anna first', fileLine: 5 },
          ],
        },
      ],
      summary: { added: 1, removed: 1, newer: 1, revived: 0 },
      isCut: false,
      isCoarse: false,
      isBaseMissing: false,
    }),
    'drafts.promote': (input) =>
      input.hunks !== undefined
        ? { draftId: 5, path: 'docs/plan.md', outcome: 'part', keptHash: KEPT_HASH }
        : input.draftId === 5
          ? { draftId: 5, path: 'docs/plan.md', outcome: 'promoted', keptHash: KEPT_HASH }
          : { draftId: input.draftId, path: 'docs/new.md', outcome: 'settled' },
    'drafts.restore': () => ({
      draftId: 9,
      path: 'docs/plan.md',
      outcome: 'promoted',
      keptHash: KEPT_HASH,
    }),
    'drafts.discard': (input) => ({ draftId: input.draftId, path: 'docs/plan.md' }),
    'provider.status': () => ({ providers: [health] }),
    'provider.ping': () => ({ ok: true, durationMs: 120, health }),
    'outage.probe': () => ({ ok: false, durationMs: 30, error: 'It refused (503).', health }),
    'outage.queue': () => outageQueue,
    'outage.now': () => outageQueue,
    'outage.fallback': () => ({ turnIds: [7, 8], to: 'second/big' }),
    'outage.hold': () => outageQueue,
    'outage.move': () => outageQueue,
    'outage.list': () => ({ outages: [pastOutage] }),
    'breakers.list': () => ({ breakers: [breaker] }),
    'breakers.show': () => breaker,
    'breakers.trip': () => breaker,
    'breakers.reset': () => breaker,
    'tasks.list': () => ({ tasks: [scheduled], hasMore: false }),
    'tasks.due': () => ({ tasks: [overdue] }),
    'tasks.add': () => scheduled,
    'tasks.show': () => scheduled,
    'tasks.next': () => ({ zone: 'Europe/Berlin', next: [NOW_MS + 3_600_000] }),
    'tasks.update': () => scheduled,
    'tasks.run': () => ({ turnId: 7 }),
    'tasks.pause': () => scheduled,
    'tasks.resume': () => scheduled,
    'tasks.pauseAll': () => ({ changed: 12 }),
    'tasks.resumeAll': () => ({ changed: 11, missed: 1 }),
    'tasks.cancel': () => scheduled,
    'tasks.history': () => ({ runs: [scheduledRun], hasMore: false }),
    'timers.list': () => ({
      timers: [
        {
          id: 'build',
          session: 'notes',
          message: 'Check build status',
          seconds: 300,
          setAtMs: NOW_MS - 1_000,
          dueAtMs: NOW_MS + 299_000,
        },
      ],
    }),
    'timers.cancel': () => ({ ok: true }),
    'timers.run': () => ({ turnId: 7 }),
    'heartbeat.stop': () => ({ ok: true }),
    'heartbeat.status': () => ({ isEnabled: false, heartbeats: [] }),
    'ext.list': () => ({
      servers: [
        extServer,
        skippedServer,
        {
          ...skippedServer,
          name: 'notes',
          about: 'notes-server',
          state: 'restarting',
          reason: 'The program ended with code 1.',
          nextAtMs: NOW_MS + 8_000,
          env: [],
        },
      ],
    }),
    'channels.list': () => CHANNELS,
    'channels.add': ({ name }: { name: string }) => made(name),
    'channels.edit': ({ name }: { name: string }) => made(name),
    'channels.setKey': ({ name }: { name: string }) => made(name),
    'channels.remove': ({ name }: { name: string }) => ({
      name,
      pending: 2,
      defaultChannel: 'window',
    }),
    'channels.link': ({ name, person = 'me' }: { name: string; person?: string | undefined }) => ({
      url: `http://127.0.0.1:8788/page/${name}/s1.abc`,
      person,
      validUntilMs: NOW_MS + 900_000,
    }),
    'channels.test': ({ name }: { name: string }) => ({
      ok: name !== 'phone',
      message:
        name === 'phone'
          ? 'phone: no answer in time.'
          : 'The channel "window" accepted a test message.',
      tookMs: 12,
    }),
    'budgets.list': () => ({ budgets: [BUDGET] }),
    'budgets.accounts': () => ({ accounts: ACCOUNTS }),
    'budgets.allow': () => ({ ...BUDGET, allowedUsd: 5, state: 'open' }),
    'share.status': () => SHARING,
    'share.host': () => SHARING,
    'share.join': () => ({ ...SHARING, state: 'asking', isOwner: false }),
    'share.leave': () => ({ ...SHARING, state: 'off', address: '', isOwner: false }),
    'share.invite': () => ({ invitation: 'holdfast-share:e30', expiresAtMs: NOW_MS + 3_600_000 }),
    'share.admit': () => ({ ok: true }),
    'share.revoke': () => ({ ok: true }),
    'share.acceptLoss': () => ({ ok: true }),
    'share.release': () => ({ ok: true }),
    'share.files': ({ turnId, act }) => ({ ...CHANGES, turnId, written: act === 'apply' ? 2 : 0 }),
    'share.send': () => ({ turnId: 9, sessionId: 3, sessionKey: 'notes' }),
    'machines.list': () => ({ machines: MACHINES, waiting: WAITING }),
    'instance.letSleep': () => ({ ok: true, wasHeld: true }),
    'gateway.status': () => ({
      state: 'listening',
      port: 8788,
      isOtherPort: true,
      tokenPath: '/data/gateway.token',
      waiting: 2,
      providers: [
        {
          name: 'anthropic',
          kind: 'anthropic',
          baseUrl: 'http://127.0.0.1:8788/p/anthropic',
          spentTodayUsd: 1.25,
          budgetUsd: 5,
          hasPrices: true,
        },
        {
          name: 'local',
          kind: 'openai-compatible',
          baseUrl: 'http://127.0.0.1:8788/p/local/v1',
          spentTodayUsd: 0,
          hasPrices: false,
        },
      ],
    }),
    'gateway.clients': () => ({
      clients: [
        { name: 'default' },
        { name: 'laptop-codex', addedAtMs: NOW_MS - 86_400_000, lastAnswerAtMs: NOW_MS - 60_000 },
      ],
    }),
    'gateway.addClient': ({ name }: { name: string }) => ({ name }),
    'gateway.revokeClient': ({ name }: { name: string }) => ({
      name,
      isReplaced: name === 'default',
    }),
    'usage.list': () => ({
      lines: [
        {
          day: '2026-03-24',
          provider: 'anthropic',
          source: 'gateway',
          client: 'laptop-codex',
          count: 12,
          remembered: 3,
          cut: 1,
          inputTokens: 90_000,
          outputTokens: 4_000,
          costUsd: 1.25,
          savedInputTokens: 0,
          savedOutputTokens: 0,
        },
        {
          day: '2026-03-24',
          provider: 'local',
          source: 'turns',
          count: 1,
          remembered: 0,
          cut: 0,
          inputTokens: 700,
          outputTokens: 60,
          savedInputTokens: 350,
          savedOutputTokens: 30,
        },
      ],
    }),
    'ext.restart': (input) => (input.name === 'calendar' ? extServer : skippedServer),
    'skills.list': () => ({
      skills: [
        skill,
        {
          ...skill,
          name: 'invoice',
          source: 'workspace',
          folder: '/w/.holdfast/skills/invoice',
          state: 'skipped',
          reason: 'LEDGER_TOKEN is not set',
          phases: [],
        },
        {
          ...skill,
          name: 'tidy',
          source: 'folder',
          folder: '/s/tidy',
          state: 'broken',
          reason: 'max_visits is not a whole number',
          line: 6,
          phases: [],
        },
      ],
      hints: ['skill_resume.per_skill names "digest": this skill was not found.'],
    }),
    'skills.show': () => ({
      skill,
      instructions: '# Compare offers\n\nAsk each supplier for a price.\n',
      tools: ['read_file', 'send_mail'],
      policy: 'discard_skill',
    }),
    'runs.list': () => ({ runs: [innerRun, skillRun] }),
    'runs.show': (input) => (input.runId === 4 ? skillRun : innerRun),
    'runs.plan': () => skillPlan,
    'runs.discard': (input) =>
      input.requestHash === undefined
        ? { isDone: false, preview: discardPreview }
        : {
            isDone: true,
            preview: discardPreview,
            run: { ...skillRun, state: 'discarded', reason: 'Discarded by you.' },
          },
    'intake.pause': () => snapshot({ paused: { untilMs: NOW_MS + 3_600_000 } }),
    'intake.resume': () => snapshot(),
  });
});

afterEach(async () => {
  for (const server of servers) await server.stop();
  rmSync(dataDir, { recursive: true, force: true });
});

async function start(): Promise<void> {
  const server = createControlServer({
    socketPath: controlSocketPath(dataDir, {}, process.platform),
    tokenPath: controlTokenPath(dataDir, process.platform),
    holdfast: fake,
    log: recordedLog(),
    version: '0.1.0',
  });
  servers.push(server);
  await server.start();
}

const world = (over: object = {}): World => createWorld({ dataDir, fake, ...over });
const calls = () => fake.calls.map((call) => ({ verb: call.verb, input: call.input }));

/** Every command with the verb it must reach, its input, and how it exits. */
const updateOf = (state: UpdateStatus['state']): UpdateStatus => ({
  mode: 'check',
  state,
  current: '0.1.0',
  install: 'appimage',
  canInstall: true,
  version: '0.2.0',
  checkedAtMs: NOW_MS - 60_000,
  running: 2,
  last: {
    from: '0.0.9',
    to: '0.1.0',
    outcome: 'rolled_back',
    atMs: NOW_MS - 3_600_000,
    reason: 'The new version ended while it started.',
  },
});

const COMMANDS: readonly (readonly [string, Verb, unknown, number])[] = [
  ['status', 'status.get', {}, 0],
  ['doctor', 'doctor.run', {}, 1],
  ['doctor --full', 'doctor.run', { full: true }, 1],
  ['logs -n 5', 'logs.tail', { lines: 5 }, 0],
  ['events list', 'events.list', { limit: 50 }, 0],
  [
    'events list --source audit --kind step,start --turn 7 --session 3 --text mail --limit 5 --before a2026-03:99',
    'events.list',
    {
      source: 'audit',
      kinds: ['step', 'start'],
      turnId: 7,
      sessionId: 3,
      text: 'mail',
      before: 'a2026-03:99',
      limit: 5,
    },
    0,
  ],
  ['update status', 'updates.status', {}, 0],
  ['update check', 'updates.check', {}, 0],
  ['update install', 'updates.install', { when: 'idle', version: '0.2.0' }, 0],
  ['update install --now', 'updates.install', { when: 'now', version: '0.2.0' }, 0],
  ['update cancel', 'updates.cancel', {}, 0],
  ['search disk full', 'search.find', { words: 'disk full', limit: 20 }, 0],
  [
    'search disk --agent coder --session 3 --state failed --tool shell --file /tmp/a --min-cost 0.5 --since 1h --limit 5 --cursor 41',
    'search.find',
    {
      words: 'disk',
      agent: 'coder',
      session: '3',
      state: 'failed',
      tool: 'shell',
      file: '/tmp/a',
      minCostUsd: 0.5,
      sinceMs: NOW_MS - 3_600_000,
      before: 41,
      limit: 5,
    },
    0,
  ],
  ['day', 'day.line', {}, 0],
  ['pause --for 1h', 'intake.pause', { forMs: 3_600_000 }, 0],
  ['resume', 'intake.resume', {}, 0],
  [
    'send hello world --session notes --agent coder',
    'send',
    { text: 'hello world', session: 'notes', agent: 'coder' },
    0,
  ],
  ['turns list', 'turns.list', { limit: 50 }, 0],
  [
    'turns list --state held,parked --session s --limit 5 --before 9',
    'turns.list',
    { states: ['held', 'parked'], session: 's', limit: 5, beforeId: 9 },
    0,
  ],
  ['turns show 7', 'turns.show', { turnId: 7 }, 0],
  ['turns show 7 --json', 'turns.show', { turnId: 7, withTexts: true }, 0],
  ['turns step 7 2', 'turns.step', { turnId: 7, step: 2 }, 0],
  ['turns step 7 2 --full', 'turns.text', { turnId: 7, step: 2, part: 'result', fromChar: 5 }, 0],
  ['turns plan 7', 'turns.plan', { turnId: 7 }, 0],
  ['turns files 7', 'share.files', { turnId: 7 }, 0],
  ['turns files 7 --apply', 'share.files', { turnId: 7, act: 'apply' }, 0],
  [
    'turns files 7 --patch /tmp/new.patch',
    'share.files',
    { turnId: 7, act: 'patch', patchFile: '/tmp/new.patch' },
    0,
  ],
  ['turns cancel 7', 'turns.cancel', { turnId: 7 }, 0],
  ['turns cancel --all', 'turns.cancelAll', {}, 0],
  ['recovery list', 'recovery.list', {}, 0],
  ['recovery resume 7', 'recovery.resume', { turnId: 7, requestHash: HASH }, 0],
  [
    'recovery confirm-step 7 2',
    'recovery.confirmStep',
    { turnId: 7, step: 2, requestHash: HASH },
    0,
  ],
  ['recovery skip-step 7 2', 'recovery.skipStep', { turnId: 7, step: 2, requestHash: HASH }, 0],
  ['recovery discard 7', 'recovery.discard', { turnId: 7, requestHash: HASH }, 0],
  ...(['wait', 'leave', 'end'] as const).map(
    (answer) =>
      [
        `recovery ${answer}-process 4242`,
        `recovery.${answer}Process`,
        { inboxId: 9, requestHash: HASH },
        0,
      ] as const,
  ),
  ['inbox list', 'inbox.list', { includeSettled: false }, 0],
  ['inbox dismiss 4', 'inbox.dismiss', { inboxId: 4 }, 0],
  [
    'session create --agent coder --key notes --title Notes',
    'session.create',
    { agent: 'coder', key: 'notes', title: 'Notes' },
    0,
  ],
  ['sessions rename notes Weekly', 'session.edit', { session: 'notes', title: 'Weekly' }, 0],
  ['sessions pin notes', 'session.edit', { session: 'notes', isPinned: true }, 0],
  ['sessions unpin notes', 'session.edit', { session: 'notes', isPinned: false }, 0],
  ['sessions archive notes', 'session.edit', { session: 'notes', isArchived: true }, 0],
  ['sessions unarchive notes', 'session.edit', { session: 'notes', isArchived: false }, 0],
  ['sessions fork notes 7', 'session.fork', { session: 'notes', turnId: 7 }, 0],
  ['sessions delete notes --yes', 'session.delete', { session: 'notes' }, 0],
  ['session list', 'sessions.list', { limit: 50 }, 0],
  ['session status notes', 'session.status', { session: 'notes' }, 0],
  ['activations events --kind acked', 'activations.events', { kinds: ['acked'], limit: 50 }, 0],
  ['turns retry 7', 'turns.retryNow', { turnId: 7 }, 0],
  ['session events notes --limit 3', 'session.events', { session: 'notes', limit: 3 }, 0],
  [
    'session create --agent coder --parent notes',
    'session.create',
    { agent: 'coder', parent: 'notes' },
    0,
  ],
  [
    'session define-outcome notes --outcome green',
    'session.defineOutcome',
    { session: 'notes', outcome: 'green' },
    0,
  ],
  [
    'session interrupt notes --note other',
    'session.interrupt',
    { session: 'notes', note: 'other' },
    0,
  ],
  ['session adopt coder', 'session.adopt', { agent: 'coder' }, 0],
  [
    'session adopt coder --id r-1 --session notes',
    'session.adopt',
    { agent: 'coder', ref: 'r-1', key: 'notes' },
    0,
  ],
  ['session open-in-terminal notes', 'session.handBack', { session: 'notes' }, 0],
  ['agents list', 'agents.list', {}, 0],
  [
    'agents add coder --provider office --model m --workspace /w --tools a,b',
    'agents.add',
    {
      name: 'coder',
      agent: { provider: 'office', model: 'm', workspace: '/w', tools: ['a', 'b'] },
    },
    0,
  ],
  [
    'agents add coder --provider office --model m --workspace ./w/../here --replace',
    'agents.add',
    {
      name: 'coder',
      agent: { provider: 'office', model: 'm', workspace: wholePath('here') },
      replace: true,
    },
    0,
  ],
  [
    'agents edit claude --command claude --deadline= --env KEY',
    'agents.edit',
    {
      name: 'claude',
      agent: { executor: 'command', command: 'claude', workspace: '/w', env: ['KEY'] },
    },
    0,
  ],
  ['agents remove coder', 'agents.remove', { name: 'coder' }, 0],
  ['agents show coder', 'agents.show', { name: 'coder' }, 0],
  ['agents detect', 'agents.detect', {}, 0],
  ['agents test coder', 'agents.test', { name: 'coder' }, 1],
  ['tools list', 'tools.list', {}, 0],
  ['provider list', 'provider.list', {}, 0],
  [
    'provider set office --kind anthropic --key-env KEY --price-in 3',
    'provider.set',
    {
      name: 'office',
      provider: { kind: 'anthropic', api_key_env: 'KEY', price_input_per_million_usd: 3 },
    },
    0,
  ],
  ['providers remove office', 'provider.remove', { name: 'office' }, 0],
  ['config unset limits.turn_steps', 'config.set', { key: 'limits.turn_steps', value: null }, 0],
  ['provider test office --model m', 'provider.test', { name: 'office', model: 'm' }, 0],
  ['config list', 'config.list', {}, 0],
  [
    'config get resilience.recovery.max_age',
    'config.get',
    { key: 'resilience.recovery.max_age' },
    0,
  ],
  ['config get resilience.recovery', 'config.list', {}, 0],
  ['config get', 'config.list', {}, 0],
  [
    'config set resilience.recovery.mode never',
    'config.set',
    { key: 'resilience.recovery.mode', value: 'never' },
    0,
  ],
  ['approvals list', 'approvals.list', { includeAnswered: false }, 0],
  [
    'approvals list --session notes --all',
    'approvals.list',
    { includeAnswered: true, session: 'notes' },
    0,
  ],
  [
    'approvals allow 11',
    'approvals.allow',
    { requestId: 11, requestHash: REQUEST_HASH, scope: 'once' },
    0,
  ],
  [
    'approvals allow 11 --scope session',
    'approvals.allow',
    { requestId: 11, requestHash: REQUEST_HASH, scope: 'session' },
    0,
  ],
  [
    'approvals deny 11 --note later',
    'approvals.deny',
    { requestId: 11, requestHash: REQUEST_HASH, note: 'later' },
    0,
  ],
  [
    'session confirm-tool --session notes --request 11 --allowed true --scope always',
    'approvals.allow',
    { requestId: 11, requestHash: REQUEST_HASH, scope: 'always' },
    0,
  ],
  [
    'session confirm-tool --session notes --request 11 --allowed false',
    'approvals.deny',
    { requestId: 11, requestHash: REQUEST_HASH },
    0,
  ],
  [
    'session custom-tool-result --session notes --request 12 --output 480',
    'session.customToolResult',
    { session: 'notes', requestId: 12, requestHash: REQUEST_HASH, output: '480' },
    0,
  ],
  ['queue status', 'queue.status', {}, 0],
  ['dlq list', 'dlq.list', { limit: 1000 }, 0],
  [
    'dlq list --topic orders.paid --before e9 --limit 2',
    'dlq.list',
    { limit: 2, topic: 'orders.paid', beforeId: 'e9' },
    0,
  ],
  ['dlq replay e1', 'dlq.replay', { id: 'e1' }, 0],
  ['dlq replay --topic orders.paid', 'dlq.replay', { topic: 'orders.paid' }, 0],
  ['dlq replay --all', 'dlq.replay', { all: true }, 0],
  ['dlq purge --all --yes', 'dlq.purge', { all: true }, 0],
  ['dlq purge e1 --yes', 'dlq.purge', { id: 'e1', all: false }, 0],
  [
    'dlq purge --topic orders.paid --older-than 7d --yes',
    'dlq.purge',
    { topic: 'orders.paid', olderThanMs: 604_800_000 },
    0,
  ],
  [
    'events publish orders.paid {"id":1} --id o-1',
    'events.publish',
    { topic: 'orders.paid', payload: '{"id":1}', id: 'o-1' },
    0,
  ],
  ['drafts list', 'drafts.list', {}, 0],
  ['drafts list --decided --session notes', 'drafts.list', { decided: true, session: 'notes' }, 0],
  ['drafts diff 5', 'drafts.diff', { draftId: 5 }, 0],
  ['drafts promote 6', 'drafts.promote', { draftId: 6, requestHash: DRAFT_HASH }, 0],
  [
    `drafts promote 5 --over-changed --seen ${DRAFT_HASH.slice(0, 12)}`,
    'drafts.promote',
    { draftId: 5, requestHash: DRAFT_HASH, overChanged: true },
    0,
  ],
  [
    `drafts apply 5 --only 1,3-4 --seen ${DRAFT_HASH.slice(0, 12)}`,
    'drafts.promote',
    { draftId: 5, requestHash: DRAFT_HASH, hunks: [0, 2, 3] },
    0,
  ],
  [
    `drafts discard 5 --only 2 --seen ${DRAFT_HASH.slice(0, 12)}`,
    'drafts.discard',
    { draftId: 5, requestHash: DRAFT_HASH, hunks: [1] },
    0,
  ],
  ['drafts restore 2', 'drafts.restore', { draftId: 2, requestHash: DRAFT_HASH }, 0],
  ['drafts discard 5', 'drafts.discard', { draftId: 5, requestHash: DRAFT_HASH }, 0],
  ['breakers', 'breakers.list', {}, 0],
  ['breaker list', 'breakers.list', {}, 0],
  ['provider status', 'provider.status', {}, 0],
  ['provider status anthropic', 'provider.status', { provider: 'anthropic' }, 0],
  ['provider ping anthropic', 'provider.ping', { provider: 'anthropic' }, 0],
  ['outage queue', 'outage.queue', {}, 0],
  ['outage queue --provider anthropic', 'outage.queue', { provider: 'anthropic' }, 0],
  ['outage move 13 --before 12', 'outage.move', { turnId: 13, beforeTurnId: 12 }, 0],
  ['outage move 12', 'outage.move', { turnId: 12 }, 0],
  ['outages now 7', 'outage.now', { turnId: 7 }, 0],
  ['outages fallback main', 'outage.fallback', { agent: 'main' }, 0],
  ['outages hold 7', 'outage.hold', { turnId: 7 }, 0],
  ['outage probe anthropic', 'outage.probe', { provider: 'anthropic' }, 1],
  ['outage list --limit 5', 'outage.list', { limit: 5 }, 0],
  ['breakers show provider.anthropic', 'breakers.show', { name: 'provider.anthropic' }, 0],
  [
    'breakers trip provider.anthropic --reason maintenance',
    'breakers.trip',
    { name: 'provider.anthropic', reason: 'maintenance' },
    0,
  ],
  ['breakers reset provider.anthropic', 'breakers.reset', { name: 'provider.anthropic' }, 0],
  ['tasks list', 'tasks.list', { includeOver: false, limit: 1000 }, 0],
  [
    'tasks list --search plants',
    'tasks.list',
    { includeOver: false, search: 'plants', limit: 1000 },
    0,
  ],
  ['/tasks due', 'tasks.due', { explain: false }, 0],
  ['tasks due --explain', 'tasks.due', { explain: true }, 0],
  ['tasks add look --schedule daily', 'tasks.add', { prompt: 'look', schedule: 'daily' }, 0],
  ['tasks show 1', 'tasks.show', { taskId: 1 }, 0],
  ['tasks next 1 --count 2', 'tasks.next', { taskId: 1, count: 2 }, 0],
  ['tasks update 1 --catchup always', 'tasks.update', { taskId: 1, catchup: 'always' }, 0],
  ['tasks run 1', 'tasks.run', { taskId: 1 }, 0],
  ['task pause 1', 'tasks.pause', { taskId: 1 }, 0],
  ['tasks resume 1', 'tasks.resume', { taskId: 1 }, 0],
  ['tasks pause --all', 'tasks.pauseAll', {}, 0],
  ['tasks resume --all', 'tasks.resumeAll', {}, 0],
  ['tasks cancel 1', 'tasks.cancel', { taskId: 1 }, 0],
  ['tasks history', 'tasks.history', { limit: 50 }, 0],
  ['timers list', 'timers.list', {}, 0],
  ['timers cancel notes build', 'timers.cancel', { session: 'notes', id: 'build' }, 0],
  ['timers run notes build', 'timers.run', { session: 'notes', id: 'build' }, 0],
  ['heartbeat status', 'heartbeat.status', {}, 0],
  ['heartbeat stop notes', 'heartbeat.stop', { session: 'notes' }, 0],
  ['ext list', 'ext.list', {}, 0],
  ['channels list', 'channels.list', {}, 0],
  [
    'channels add team --kind webhook --url https://example.com/hook --inbound true --agent coder',
    'channels.add',
    {
      name: 'team',
      channel: {
        kind: 'webhook',
        url: 'https://example.com/hook',
        inbound: true,
        agent: 'coder',
      },
    },
    0,
  ],
  [
    'channels edit phone --chats 7,8 --enabled false',
    'channels.edit',
    {
      name: 'phone',
      channel: { kind: 'telegram', chats: ['7', '8'], timeout: '5s', enabled: false },
    },
    0,
  ],
  ['channels remove phone', 'channels.remove', { name: 'phone' }, 0],
  ['channels set-secret phone --remove', 'channels.setKey', { name: 'phone', key: null }, 0],
  ['channels link browser', 'channels.link', { name: 'browser' }, 0],
  ['channels link browser --person ann', 'channels.link', { name: 'browser', person: 'ann' }, 0],
  ['channels test window', 'channels.test', { name: 'window' }, 0],
  ['channels test phone', 'channels.test', { name: 'phone' }, 1],
  ['budgets list', 'budgets.list', {}, 0],
  ['budgets accounts', 'budgets.accounts', {}, 0],
  ['budgets allow daily', 'budgets.allow', { name: 'daily' }, 0],
  [
    'budgets allow daily --usd 5 --key claude',
    'budgets.allow',
    { name: 'daily', usd: 5, key: 'claude' },
    0,
  ],
  ['share status', 'share.status', {}, 0],
  ['share host', 'share.host', {}, 0],
  ['share host --listen desk:15500', 'share.host', { listen: 'desk:15500' }, 0],
  ['share host postgres://a@127.0.0.1/b', 'share.host', { address: 'postgres://a@127.0.0.1/b' }, 0],
  ['share invite desk-2 --for 1h', 'share.invite', { name: 'desk-2', forMs: 3_600_000 }, 0],
  ['share join holdfast-share:e30', 'share.join', { invitation: 'holdfast-share:e30' }, 0],
  ['share admit desk-2', 'share.admit', { name: 'desk-2' }, 0],
  ['share revoke desk-2', 'share.revoke', { name: 'desk-2' }, 0],
  ['share accept-loss', 'share.acceptLoss', {}, 0],
  [
    'share release 5f0c3c52-0000-4000-8000-000000000000',
    'share.release',
    { id: '5f0c3c52-0000-4000-8000-000000000000' },
    0,
  ],
  ['share leave', 'share.leave', {}, 0],
  ['machines list', 'machines.list', {}, 0],
  [
    'send hello --shared --needs label:gpu --priority high --agent coder --message-id m1',
    'share.send',
    { text: 'hello', agent: 'coder', needs: ['label:gpu'], priority: 'high', messageId: 'm1' },
    0,
  ],
  ['let-sleep', 'instance.letSleep', {}, 0],
  ['gateway status', 'gateway.status', {}, 0],
  ['gateway token list', 'gateway.clients', {}, 0],
  [
    'gateway token add laptop-codex',
    'gateway.addClient',
    {
      name: 'laptop-codex',
      tokenHash: createHash('sha256').update('f0'.repeat(32)).digest('hex'),
    },
    0,
  ],
  ['gateway token revoke laptop-codex', 'gateway.revokeClient', { name: 'laptop-codex' }, 0],
  ['gateway token revoke default', 'gateway.revokeClient', { name: 'default' }, 0],
  ['usage --days 3', 'usage.list', { days: 3 }, 0],
  ['ext restart calendar', 'ext.restart', { name: 'calendar' }, 0],
  ['ext restart forge', 'ext.restart', { name: 'forge' }, 1],
  ['skills list --agent coder', 'skills.list', { agent: 'coder' }, 0],
  ['skills show compare-offers', 'skills.show', { name: 'compare-offers' }, 0],
  ['runs list', 'runs.list', { includeEnded: false, limit: 100 }, 0],
  ['runs list --all --limit 5', 'runs.list', { includeEnded: true, limit: 5 }, 0],
  ['runs show 4', 'runs.show', { runId: 4 }, 0],
  ['runs show 5', 'runs.show', { runId: 5 }, 0],
  ['runs plan 4', 'runs.plan', { runId: 4 }, 0],
  ['runs discard 4', 'runs.discard', { runId: 4 }, 5],
  ['runs discard 4 --force', 'runs.discard', { runId: 4, requestHash: RUN_HASH }, 0],
];

/**
 * Verbs without a line above. `agents.hook` is called by the hidden command `hook`, which a running
 * agent starts and which reads the call on standard input. The command for `watch.list` reads the
 * files itself, without the engine. Only the window calls `practice.kill` and `schedule.lines`, and only a second start
 * `instance.focus`; `stop` and `provider set-key` have tests of their own.
 */
const WITHOUT_A_LINE: readonly Verb[] = [
  'agents.hook',
  // Their commands answer without an engine: test/integration/cli/schedule.test.ts.
  'guard.check',
  // Of `holdfast mcp`: an agent sets its own, a person watches them.
  'heartbeat.start',
  'instance.focus',
  // For the label of the quit entry.
  'instance.foresee',
  'instance.quitWhenDone',
  'instance.stop',
  'outage.plot',
  'practice.kill',
  'practice.providerDown',
  'provider.setKey',
  'schedule.lines',
  'schedule.parse',
  'timers.set',
  'watch.list',
];

/** Settings that commands change a part of. */
const STORED: Readonly<Record<string, Parameters<typeof entry>[1]>> = {
  agents: AGENTS,
  'channels.own': { phone: { kind: 'telegram', chats: ['7'], timeout: '5s' } },
};

describe('every command', () => {
  it.each(COMMANDS)('X-06 %s reaches %s with its input', async (line, verb, input, code) => {
    await start();
    const result = await world().run(...line.split(' '));
    expect([result.code, result.err.includes('Error')]).toEqual([code, false]);
    expect(calls().at(-1)).toEqual({ verb, input });
    expect(result.out.trim()).not.toBe('');
    expect(result.out).not.toContain('undefined');
  });

  it('X-06 the value of --json is stable', async () => {
    await start();
    const values: Record<string, unknown> = {};
    for (const [line, , , code] of COMMANDS) {
      const result = await world().run(...line.split(' '), '--json');
      expect([result.code, result.err], line).toEqual([code, '']);
      values[line] = JSON.parse(result.out);
    }
    expect(values).toMatchSnapshot();
  });

  it('S0-05 the text for people is stable', async () => {
    await start();
    const texts: Record<string, string> = {};
    for (const [line] of COMMANDS) {
      const result = await world().run(...line.split(' '));
      texts[line] = `${result.err}---\n${result.out}`;
    }
    expect(texts).toMatchSnapshot();
  });

  it('X-06 every verb that is for everybody has a command, except what only an agent, a window or the demo uses', () => {
    const reached = new Set<string>(COMMANDS.map(([, verb]) => verb));
    const missing = (Object.keys(VERBS) as Verb[]).filter(
      (verb) => VERBS[verb].surface !== 'window' && !reached.has(verb),
    );
    expect(missing.sort()).toEqual(WITHOUT_A_LINE);
  });
});

describe('while nothing runs', () => {
  it.each(COMMANDS)('S0-11 %s (%s)', async (line, verb, _input, code) => {
    const one = world();
    const result = await one.run(...line.split(' '));
    const needsIt = [
      'send',
      'session.create',
      'session.edit',
      'session.fork',
      'session.delete',
      'session.defineOutcome',
      'session.interrupt',
      'session.adopt',
      'session.handBack',
      'turns.retryNow',
      'budgets.allow',
      'share.host',
      'share.invite',
      'share.join',
      'share.admit',
      'share.revoke',
      'updates.check',
      'updates.install',
      'updates.cancel',
      'share.acceptLoss',
      'share.release',
      'share.leave',
      'share.send',
      'share.files',
      'machines.list',
      'instance.letSleep',
      'agents.test',
      'provider.test',
      'channels.link',
      'channels.test',
      'ext.restart',
      'provider.ping',
      'outage.probe',
      'outage.now',
      'outage.fallback',
      'intake.pause',
      'intake.resume',
      'events.publish',
      'tasks.run',
      'timers.run',
    ];
    if (needsIt.includes(verb)) {
      expect([result.code, one.opened]).toEqual([3, []]);
      expect(result.err).toContain('holdfast start --headless');
      return;
    }
    expect(result.code).toBe(code);
    const isRead = VERBS[verb].kind === 'query';
    expect(one.opened).toEqual([`${isRead ? 'read' : 'decide'} ${dataDir}`, 'close']);
    // Nothing that Holdfast does changes what these answer.
    const isFixed = ['doctor.run', 'agents.detect', 'tools.list', 'provider.list'].includes(verb);
    expect(result.err.includes('not running')).toBe(isRead && !isFixed);
    expect(fake.calls.at(-1)).toMatchObject({ verb, origin: 'cli' });
  });

  it('S2-48 stop ends with 3 and says what to do', async () => {
    const result = await world().run('stop', '--json');
    expect(result.code).toBe(3);
    expect(JSON.parse(result.out)).toMatchObject({
      error: { code: 'NOT_RUNNING', hint: expect.stringContaining('holdfast start') as string },
    });
  });

  it('S1-34 reading a directory without data ends with 3, names it and makes nothing in it', async () => {
    rmSync(join(dataDir, 'holdfast.db'));
    const one = world();
    const result = await one.run('turns', 'list');
    expect([result.code, result.out, one.opened, readdirSync(dataDir)]).toEqual([3, '', [], []]);
    expect(result.err).toContain(`No Holdfast data was found in ${dataDir} yet.`);
  });

  it('S1-34 tasks due on a directory without data says so and ends with 3', async () => {
    rmSync(join(dataDir, 'holdfast.db'));
    const result = await world().run('tasks', 'due', '--json');
    expect(result.code).toBe(3);
    expect(JSON.parse(result.out)).toMatchObject({
      error: { code: 'DATABASE_MISSING', message: expect.stringContaining(dataDir) as string },
    });
  });

  it.each(['DATABASE_CORRUPT', 'DATABASE_NEWER', 'DISK_READ_ONLY', 'DISK_FAILED'] as const)(
    'S4-31 doctor reports data that cannot be opened (%s) as a finding and ends with 1',
    async (code) => {
      const openReadOnly = (): Promise<never> =>
        Promise.reject(new HoldfastError(code, 'holdfast.db is damaged.'));
      const result = await world({ offline: { openReadOnly } }).run('doctor', '--json');
      expect(result.code).toBe(1);
      expect(JSON.parse(result.out)).toMatchObject({
        ok: false,
        checks: [
          { name: 'database', level: 'fail', detail: expect.stringContaining('damaged') as string },
        ],
      });
    },
  );

  it('S2-36 a decision on a directory without data ends with 3 and makes nothing in it; a setting is kept there', async () => {
    rmSync(join(dataDir, 'holdfast.db'));
    const one = world();
    const result = await one.run('turns', 'cancel', '7');
    expect([result.code, one.opened, readdirSync(dataDir)]).toEqual([3, [], []]);
    await one.run('config', 'set', 'resilience.recovery.mode', 'never');
    expect(one.opened).toEqual([`decide ${dataDir}`, 'close']);
  });

  it('S2-04 a decision waits for another one that is being recorded, and for nothing else', async () => {
    let held = 2;
    const one = world({
      offline: {
        openForDecision: () => {
          if (held === 0) return Promise.resolve({ holdfast: fake, close: () => undefined });
          held -= 1;
          return Promise.reject(new HoldfastError('LOCK_HELD', 'Another command holds it.'));
        },
      },
    });
    expect((await one.run('turns', 'cancel', '7')).code).toBe(0);
    expect(held).toBe(0);
  });

  it('S0-02 config path needs neither the app nor the data', async () => {
    const one = world();
    expect(await one.run('config', 'path')).toMatchObject({
      code: 0,
      out: `${join(dataDir, 'config.json')}\n`,
    });
    expect(one.opened).toEqual([]);
  });
});

describe('errors', () => {
  it.each([
    ['turns show', 2],
    ['turns show abc', 2],
    ['turns show 0', 2],
    ['turns list --state nonsense', 2],
    ['turns cancel', 2],
    ['turns cancel 7 --all', 2],
    ['nonsense', 2],
    ['debug', 2],
    ['send', 2],
    ['status --nonsense', 2],
    ['provider set office --kind other', 2],
    ['providers edit nobody --key-env KEY', 1],
    ['sessions set-goal notes', 2],
    ['turns resolve 7 2', 2],
    ['resume 12', 2],
    ['dlq purge --older-than 7d --topic a --all --yes', 2],
    ['dlq purge -y', 2],
    ['provider set-key office sk-secret-4711', 2],
    ['pause --for soon', 2],
    ['agents edit claude', 2],
    ['agents edit claude --model m', 2],
    ['agents edit nobody --env KEY', 1],
    ['config get nope', 2],
    ['dlq replay e1 --all', 2],
    ['dlq purge --older-than soon --yes', 2],
    ['dlq purge --all', 5],
    ['events publish orders.paid', 2],
  ])('X-06 %s ends with %d, in text on stderr and as JSON on stdout', async (line, code) => {
    await start();
    const text = await world().run(...line.split(' '));
    expect([text.code, text.out]).toEqual([code, '']);
    expect(text.err.trim()).not.toBe('');
    const json = await world().run(...line.split(' '), '--json');
    expect([json.code, json.err]).toEqual([code, '']);
    const { error } = JSON.parse(json.out) as { error: Record<string, string> };
    expect(Object.keys(error)).toEqual(['code', 'message', 'hint']);
    expect(text.err + json.out).not.toContain('sk-secret-4711');
  });

  it('S0-05 an error of the engine keeps its code, says what is next and shows hostile text inert', async () => {
    await start();
    fake.answers['turns.show'] = () => {
      throw new HoldfastError('TURN_UNKNOWN', 'There is no turn 99 \u001b[2J.', {
        hint: 'See holdfast turns list',
      });
    };
    const text = await world().run('turns', 'show', '99');
    expect(text).toMatchObject({
      code: 1,
      out: '',
      err: 'There is no turn 99 \\x1b[2J.\nSee holdfast turns list\n',
    });
    expect(JSON.parse((await world().run('turns', 'show', '99', '--json')).out)).toEqual({
      error: {
        code: 'TURN_UNKNOWN',
        message: 'There is no turn 99 \u001b[2J.',
        hint: 'See holdfast turns list',
      },
    });
  });

  it('S2-39 help, version and nothing at all end with 0', async () => {
    const one = world();
    const { runCli } = await import('../../../electron/cli/cli');
    expect(await runCli(['--version'], one.io)).toBe(0);
    expect(one.out()).toBe('0.1.0\n');
    expect(await runCli(['--help'], one.io)).toBe(0);
    expect(one.out()).toContain(
      'Exit codes: 0 ok, 1 failed, 2 usage, 3 not running, 4 refused, 5 needs a decision,\n130 interrupted.',
    );
    expect(await runCli([], one.io)).toBe(0);
    for (const words of [['-v'], ['-V'], ['version']]) expect(await runCli(words, one.io)).toBe(0);
  });

  it('UP-04 with --json the version, the help and the manual are JSON too, wherever it stands', async () => {
    for (const [words, field, says] of [
      ['--version --json', 'version', '0.1.0'],
      ['--json -v', 'version', '0.1.0'],
      ['--version --output json', 'version', '0.1.0'],
      ['--help --json', 'help', 'Exit codes: 0 ok'],
      ['turns --help --json', 'help', 'Usage: holdfast turns'],
      ['help turns --json', 'help', 'Usage: holdfast turns'],
      ['help --man --json', 'manual', '.TH HOLDFAST'],
    ] as const) {
      const { code, out, err } = await world().run(...words.split(' '));
      const value = JSON.parse(out) as Record<string, string>;
      expect([words, code, err]).toEqual([words, 0, '']);
      expect(value[field]).toContain(says);
    }
  });

  it('S0-18 S3-15 status says what is down, when it is asked again, and what waits for it', async () => {
    const sentence = 'Anthropic down since 14:02, next try 14:20, 4 turns wait.';
    fake.snapshot = {
      ...fake.snapshot,
      counts: { ...fake.snapshot.counts, waiting: 4 },
      outside: {
        providers: [{ provider: 'anthropic', state: 'down', waiting: 4, sentence }],
        openBreakers: ['provider.anthropic'],
      },
      delivery: { broker: 'down', depth: 20, deadLetters: 2, shed: 0 },
    };
    await start();
    const { out } = await world().run('status');
    expect(out).toContain(`provider        ${sentence}\n`);
    expect(out).toContain(
      'events          the broker is unreachable, 20 events queued; 2 dead letters\n',
    );
  });

  it('S2-48 reading, deciding and sending while it starts are answered when it is there, after 3 refusals each', async () => {
    await start();
    let refusals = 0;
    const afterThree =
      <T>(value: T) =>
      (): T => {
        refusals += 1;
        if (refusals % 4 !== 0) throw new HoldfastError('STARTING', 'not yet');
        return value;
      };
    fake.answers['turns.list'] = afterThree({ turns: [], hasMore: false });
    fake.answers['turns.cancel'] = afterThree(turnOf({ state: 'cancelled' }));
    fake.answers.send = afterThree({ turnId: 7, sessionId: 3, sessionKey: 'notes' });
    const one = world();
    for (const args of [
      ['turns', 'list', '--json'],
      ['turns', 'cancel', '7'],
      ['send', 'x'],
    ])
      expect([args[0], (await one.run(...args)).code]).toEqual([args[0], 0]);
    expect(refusals).toBe(12);
  });

  it('S2-43 an instance that does not answer: reading says so and reads the disk, the rest ends with 3', async () => {
    const { createServer } = await import('node:net');
    mkdirSync(join(dataDir, 'run'), { mode: 0o700 });
    writeFileSync(controlTokenPath(dataDir, 'linux'), HASH);
    const mute = createServer((socket) => socket.on('error', () => undefined));
    await new Promise<void>((resolve) =>
      mute.listen(controlSocketPath(dataDir, {}, 'linux'), resolve),
    );
    const [read, send] = await Promise.all([world().run('status'), world().run('send', 'x')]);
    expect([read.code, read.err]).toEqual([
      0,
      expect.stringMatching(
        /^Holdfast is running but not responding\. Showing the last saved state\.\nAsk again in a moment\. To replace it: .*--takeover/,
      ),
    ]);
    expect([send.code, send.err.includes('--takeover')]).toEqual([3, true]);
    mute.close();
  });

  it('S2-39 a data folder that is a file: every command says so and ends with 4, or with 3 where it needs the instance', async () => {
    const file = join(dataDir, 'file');
    writeFileSync(file, 'mine');
    const commands = [
      'status',
      'doctor',
      'turns list',
      'config get',
      'recovery discard 1',
      'send x',
    ];
    const ends = await Promise.all(
      commands.map((one) => world({ dataDir: file }).run(...one.split(' '))),
    );
    expect(ends.map(({ code }) => code)).toEqual([4, 4, 4, 4, 4, 3]);
    for (const { err } of ends.slice(0, -1))
      expect(err).toBe(
        `${file} is not a directory.\nNothing was changed. Specify the data directory with --data-dir.\n`,
      );
  });

  it.each(['the folder', 'its run folder', 'its token', 'a folder above it'])(
    'S2-39 K5 where this account may not read %s every command says that with 4, and never that Holdfast stops, runs or is not there',
    async (what) => {
      const above = join(dataDir, 'above');
      const theirs = join(above, 'D');
      const token = controlTokenPath(theirs, 'linux');
      mkdirSync(join(theirs, 'run'), { recursive: true });
      writeFileSync(token, '');
      writeFileSync(join(theirs, 'holdfast.db'), '');
      const closed =
        {
          'the folder': theirs,
          'its run folder': join(theirs, 'run'),
          'its token': token,
        }[what] ?? above;
      const commands = [
        'status',
        'doctor',
        'turns list',
        'config get',
        'recovery discard 1',
        'config set log.level warn',
        'send x',
        'stop',
        'start --reset --yes',
      ].map((one) => one.split(' '));
      const all = async () => {
        const ends = [];
        for (const one of commands) ends.push(await world({ dataDir: theirs }).run(...one));
        return ends;
      };
      // What a command loads is loaded by an account that may.
      await all();
      const isRoot = process.geteuid?.() === 0;
      chmodSync(dataDir, 0o755);
      chmodSync(closed, 0o000);
      if (isRoot) process.seteuid?.(65_534);
      try {
        const whose = isRoot ? ': it belongs to another account (uid 0, not 65534)' : '';
        // What lies below a closed folder cannot be looked at, not even whose it is.
        const [path, said] = closed === above ? [theirs, ''] : [closed, whose];
        for (const ended of await all())
          expect(ended).toMatchObject({
            code: 4,
            err: `You don't have permission to read ${path}${said}. Nothing was changed. It is unknown whether Holdfast is running there.\nRun the command as the account that uses Holdfast there, or specify your own data directory with --data-dir.\n`,
          });
      } finally {
        if (isRoot) process.seteuid?.(0);
        chmodSync(closed, 0o700);
      }
    },
  );

  it('S2-40 an instance that refuses the token is not read around: 4', async () => {
    await start();
    writeFileSync(controlTokenPath(dataDir, 'linux'), HASH);
    const one = world();
    expect([(await one.run('status')).code, one.opened]).toEqual([4, []]);
  });
});

describe('keys', () => {
  it('K5 a key comes from standard input, without its line break, and is printed nowhere', async () => {
    const one = world({ stdin: 'sk-secret-4711\n' });
    const result = await one.run('provider', 'set-key', 'office');
    expect(calls().at(-1)).toEqual({
      verb: 'provider.setKey',
      input: { name: 'office', key: 'sk-secret-4711' },
    });
    expect(result.code).toBe(0);
    expect(result.out + result.err).not.toContain('4711');
  });

  it('S1-02 K5 the secret of a channel comes from standard input, with it or later, and is printed nowhere', async () => {
    for (const words of [
      'channels set-secret phone',
      'channels add bot --kind telegram --chats 7 --secret-stdin',
    ]) {
      const result = await world({ stdin: '1:canary-4711\n' }).run(...words.split(' '));
      expect(calls().at(-1)?.input).toMatchObject({ key: '1:canary-4711' });
      expect([result.code, result.out + result.err]).toEqual([
        0,
        expect.not.stringContaining('4711'),
      ]);
    }
  });

  it.each([
    ['channels edit phone', /Nothing to change/],
    ['channels edit nobody --url x', /There is no channel/],
    ['channels edit phone --url https://example.com', /telegram channel takes no --url/],
    ['channels add x --kind command --secret-env A', /command channel takes no --secret-env/],
  ])('S1-02 %s changes nothing and says why', async (line, why) => {
    const before = fake.calls.length;
    const result = await world().run(...line.split(' '));
    expect([result.code === 0, why.test(result.err)], result.err).toEqual([false, true]);
    expect(fake.calls.slice(before).map(({ verb }) => verb)).not.toContain('channels.edit');
  });

  it('K5 a key comes from a named variable, is removed by --remove, and no key is refused', async () => {
    await world({ env: { MY_KEY: 'sk-env' } }).run(
      'provider',
      'set-key',
      'office',
      '--env',
      'MY_KEY',
      '--allow-plaintext',
    );
    expect(calls().at(-1)?.input).toEqual({ name: 'office', key: 'sk-env', allowPlaintext: true });
    await world().run('provider', 'set-key', 'office', '--remove');
    expect(calls().at(-1)?.input).toEqual({ name: 'office', key: null });
    const before = fake.calls.length;
    expect((await world({ stdin: ' \n' }).run('provider', 'set-key', 'office')).code).toBe(2);
    expect((await world().run('provider', 'set-key', 'office', '--env', 'UNSET')).code).toBe(2);
    expect(fake.calls.length).toBe(before);
  });
});

describe('what is true now', () => {
  const restart = {
    reason: 'kill',
    startedAtMs: NOW_MS - 60_000,
    downMs: 5_000,
    resumedTurns: [4],
    heldTurns: [7, 8],
    parkedTurns: [],
    staleTurns: [],
    restoreSkipped: false,
    isDismissed: false,
  } satisfies StatusSnapshot['restart'];

  it.each([
    [{ needsYou: 2, parked: 0 }, '1 resumed, 2 needed review'],
    [{ needsYou: 0, parked: 1 }, '1 resumed, 2 needed review'],
    [{ needsYou: 0, parked: 0 }, '1 resumed, 2 needed review, resolved since'],
  ])('S0-06 with %j open, status says of the last start: %s', async (open, words) => {
    await start();
    fake.snapshot = snapshot({
      restart,
      counts: { ...open, running: 0, queued: 0, waiting: 0 },
    });
    const { out } = await world().run('status');
    expect(out.split('\n').find((line) => line.includes('resumed'))).toMatch(
      new RegExp(`${words}$`),
    );
  });

  it.each([
    [{ state: 'failed', again: 'due' }, 'failed, will be retried'],
    [{ state: 'failed', again: 'made' }, 'failed, then retried'],
  ] as const)('S3-12 turns show says of a step that is %j: %s', async (step, words) => {
    await start();
    fake.answers['turns.show'] = () =>
      shown({ steps: [stepOf({ index: 1, purity: 'llm', tool: 'model', ...step })] });
    expect((await world().run('turns', 'show', '7')).out).toContain(words);
  });
});

describe('decisions', () => {
  it('I4 the hash that is sent is the one of the question that was just shown', async () => {
    await start();
    const hash = 'b'.repeat(64);
    fake.answers['turns.show'] = () =>
      shown({ turn: turnOf({ state: 'held' }), decision: decisionOf({ requestHash: hash }) });
    const result = await world().run('recovery', 'resume', '7');
    expect(result.err).toContain('Was this mail sent?');
    expect(result.err).toContain('needs your decision');
    expect(calls().map((call) => call.verb)).toEqual(['turns.show', 'recovery.resume']);
    expect(calls().at(-1)?.input).toEqual({ turnId: 7, requestHash: hash });
  });

  it('I4 a turn that waits for nothing is refused with 4 and nothing is sent', async () => {
    await start();
    fake.answers['recovery.list'] = () => ({ decisions: [], processes: [], lastStart: [] });
    expect((await world().run('recovery', 'discard', '7')).code).toBe(4);
    expect(calls().map((call) => call.verb)).toEqual(['turns.show', 'recovery.list']);
  });
});

describe('send', () => {
  it('S0-33 - reads standard input to its last byte', async () => {
    await start();
    const text = `line 1\n${'ü😀'.repeat(100_000)}\nlast`;
    await world({ stdin: text }).run('send', '-');
    expect(calls().at(-1)).toEqual({ verb: 'send', input: { text } });
  });

  it('R17 an empty message is refused with 2 and one above 4,000,000 characters too; nothing is sent', async () => {
    await start();
    expect((await world({ stdin: ' \n' }).run('send', '-')).code).toBe(2);
    expect((await world({ stdin: 'x'.repeat(4_000_001) }).run('send', '-')).code).toBe(2);
    expect(fake.calls).toEqual([]);
  });

  const states = (...list: (readonly [string, object?])[]) => {
    let at = 0;
    fake.answers['turns.show'] = () => {
      const [state, over] = list[Math.min(at++, list.length - 1)] ?? ['completed'];
      setTimeout(
        () => fake.emit('turn.changed', { turnId: 7, state: 'running', sessionId: 3 }),
        10,
      );
      return shown({ turn: turnOf({ state: state as never }), ...over });
    };
  };

  it('S0-06 --wait prints the answer alone on stdout and ends with 0', async () => {
    await start();
    states(['queued'], ['running'], ['completed', { answer: 'The answer\u001b[2J.' }]);
    const result = await world().run('send', 'x', '--wait');
    expect(result).toEqual({ code: 0, out: 'The answer\\x1b[2J.\n', err: '' });
    expect(fake.listenerCount()).toBe(0);
  });

  it.each([
    ['held', 5],
    ['parked', 5],
    ['requires_action', 5],
    ['failed', 1],
    ['cancelled', 1],
  ])(
    'S0-11 --wait on a turn that is %s ends with %d and names the next command',
    async (state, code) => {
      await start();
      states(['running'], [state, { answer: undefined }]);
      const result = await world().run('send', 'x', '--wait', '--json');
      expect(result.code).toBe(code);
      expect(JSON.parse(result.out)).toEqual({
        turnId: 7,
        sessionId: 3,
        sessionKey: 'notes',
        state,
        reason: '',
        answer: null,
      });
      states([state, { answer: undefined }]);
      const text = await world().run('send', 'x', '--wait');
      const decided = state === 'requires_action' ? 'approvals list' : 'turns review';
      expect([
        text.out,
        text.err.includes(`holdfast ${code === 5 ? decided : 'turns show 7'}`),
      ]).toEqual(['', true]);
    },
  );

  it('S0-11 --wait goes on for a turn that waits for its provider and ends with 5 at its limit', async () => {
    await start();
    fake.answers['inbox.list'] = () => ({ items: [] });
    states(['waiting'], ['waiting'], ['completed']);
    expect((await world().run('send', 'x', '--wait')).code).toBe(0);
    fake.answers['inbox.list'] = () => ({
      items: [{ id: 1, kind: 'limit', turnId: 7, title: 't', detail: '', createdAtMs: 1 }],
    });
    states(['waiting']);
    expect((await world().run('send', 'x', '--wait')).code).toBe(5);
  });

  it('S0-06 --wait goes on over a restart of the instance', async () => {
    await start();
    states(['running']);
    const waiting = world();
    const result = waiting.run('send', 'x', '--wait');
    await expect.poll(() => fake.calls.map(({ verb }) => verb)).toContain('turns.show');
    await servers.pop()?.stop();
    await new Promise((resolve) => setTimeout(resolve, 300));
    states(['completed', { answer: 'kept' }]);
    await start();
    expect(await result).toMatchObject({
      code: 0,
      out: 'kept\n',
      err: expect.stringContaining('turn 7 is saved'.replace('turn', 'Turn')) as string,
    });
  });

  it('S0-06 provisional text goes to a terminal only, and never onto stdout', async () => {
    await start();
    const both = async (isTTY: boolean) => {
      let asked = 0;
      fake.answers['turns.show'] = () => {
        asked += 1;
        if (asked === 1) {
          fake.emit('turn.delta', { turnId: 7, text: 'half an ans', isWithdrawn: false });
          fake.emit('turn.delta', { turnId: 8, text: 'of another turn', isWithdrawn: false });
          fake.emit('turn.delta', { turnId: 7, text: '', isWithdrawn: true });
        }
        return shown({
          turn: turnOf({ state: asked < 2 ? 'running' : 'completed' }),
          answer: 'whole',
        });
      };
      return world({ isTTY }).run('send', 'x', '--wait');
    };
    const terminal = await both(true);
    expect(terminal.err).toContain('half an ans');
    expect(terminal.err).toContain('[interrupted; not saved]');
    expect(terminal.err).not.toContain('another');
    expect(terminal.out).toBe('whole\n');
    expect((await both(false)).err).toBe('');
  });
});
