/**
 * A bridge with seed data for component tests and for looking at pages. Inputs and outputs go
 * through the contract's own schemas, so a page cannot be tested against shapes that do not exist.
 */
import { fakeSessionEdits } from './fake-session-edits';
import { VERBS } from '../../shared/contract';
import type {
  Answer,
  EventName,
  EventPayload,
  HoldfastBridge,
  VerbInput,
  VerbOutput,
  WindowVerb,
} from '../../shared/contract';
import type { AgentView } from '../../shared/types';
import { fakeChannelVerbs } from './fake-channels';
import { fakeDeliveryVerbs } from './fake-delivery';
import { fakeDraftVerbs } from './fake-drafts';
import { fakeOutageVerbs } from './fake-outages';
import { fakeRunVerbs } from './fake-runs';
import { fakeExtensionVerbs } from './fake-extensions';
import { fakeScheduleVerbs } from './fake-schedule';
import { fakeTerminalVerbs } from './fake-terminals';
import { fakeDayOf, fakeHistory } from './fake-history';
import { fakeUpdateVerbs } from './fake-updates';
import { createSeed } from './fake-seed';
import { sessionStatusOf } from './session-status';
import type { Seed } from './fake-seed-type';

/** One call that a page made. */
interface Call {
  readonly verb: WindowVerb;
  readonly input: unknown;
}

export interface FakeBridge {
  readonly bridge: HoldfastBridge;
  readonly seed: Seed;
  readonly calls: readonly Call[];
  /** Calls of one verb. */
  readonly callsOf: (verb: WindowVerb) => readonly unknown[];
  readonly emit: <E extends EventName>(event: E, payload: EventPayload<E>) => void;
  /** Makes a verb answer with a refusal until it is allowed again. */
  readonly refuse: (verb: WindowVerb, code: string, message: string, hint?: string) => void;
  readonly allow: (verb: WindowVerb) => void;
  /** Keeps every answer of a verb back until the returned function is called. */
  readonly hold: (verb: WindowVerb) => () => void;
  /** Makes a verb answer with this instead, from now on. */
  readonly answer: <V extends WindowVerb>(
    verb: V,
    make: (input: VerbInput<V>) => VerbOutput<V>,
  ) => void;
}

type Handlers = {
  readonly [V in WindowVerb]: (input: VerbInput<V>) => VerbOutput<V> | Answer<never>;
};

const EVENT_NAMES = [
  'status.changed',
  'turn.changed',
  'turn.delta',
  'step.output',
  'session.changed',
  'inbox.changed',
  'outage.changed',
  'hosts.changed',
  'hosts.news',
  'schedule.changed',
  'queue.changed',
  'config.changed',
  'restart.noticed',
  'copy.markdown',
  'navigate',
] as const satisfies readonly EventName[];

const isRefusal = (value: unknown): value is Extract<Answer<never>, { ok: false }> =>
  typeof value === 'object' &&
  value !== null &&
  'ok' in value &&
  value.ok === false &&
  'code' in value;

const refusal = (code: string, message: string, hint?: string): Answer<never> => ({
  ok: false,
  code,
  message,
  ...(hint === undefined ? {} : { hint }),
});

export function createFakeBridge(seed: Seed = createSeed(Date.now())): FakeBridge {
  const calls: Call[] = [];
  const answers = new Map<WindowVerb, (input: never) => unknown>();
  const refusals = new Map<WindowVerb, Answer<never>>();
  const held = new Map<WindowVerb, Promise<void>>();
  const listeners = new Map<EventName, Set<(payload: never) => void>>();
  const emit: FakeBridge['emit'] = (event, payload) => {
    for (const listener of [...(listeners.get(event) ?? [])]) listener(payload as never);
  };

  const unsent = new Map<string, { readonly text: string; readonly rev: number }>();
  const turnOf = (turnId: number): Seed['turns'][number] | undefined =>
    seed.turns.find((turn) => turn.id === turnId);
  const shown = (turnId: number): VerbOutput<'turns.show'> | Answer<never> => {
    const turn = turnOf(turnId);
    if (!turn) return refusal('TURN_UNKNOWN', `There is no turn ${String(turnId)}.`);
    const decision = seed.decisions.find((open) => open.turnId === turnId);
    return {
      turn,
      prompt: seed.prompts[turnId] ?? turn.promptStart,
      isPromptTruncated: false,
      ...(seed.answers[turnId] === undefined ? {} : { answer: seed.answers[turnId] }),
      steps: (seed.steps[turnId] ?? []).map(
        ({ args: _args, result: _result, isTruncated: _isTruncated, ...step }) => step,
      ),
      stops: seed.stops[turnId] ?? [],
      ...(decision ? { decision } : {}),
    };
  };
  const change = (turnId: number, state: Seed['turns'][number]['state'], reason: string) => {
    const at = seed.turns.findIndex((turn) => turn.id === turnId);
    const turn = seed.turns[at];
    if (!turn) throw new Error(`no turn ${String(turnId)}`);
    const next = { ...turn, state, reason };
    seed.turns[at] = next;
    emit('turn.changed', { turnId, state, sessionId: turn.sessionId });
    return next;
  };
  const answerProcess = (inboxId: number, answer: 'wait' | 'leave' | 'end') => {
    const found = seed.processes.find((process) => process.inboxId === inboxId);
    if (!found) return refusal('INBOX_UNKNOWN', 'There is no such process.');
    const isOver = answer === 'end';
    const next = {
      ...found,
      answer,
      ...(isOver ? { state: 'ended_by_you' as const, endedAtMs: seed.nowMs } : {}),
    };
    seed.processes = seed.processes.map((one) => (one === found ? next : one));
    seed.decisions = seed.decisions.map((decision) => ({
      ...decision,
      ...(decision.processes && {
        processes: decision.processes.map((one) => (one.inboxId === inboxId ? next : one)),
      }),
    }));
    if (answer !== 'wait')
      seed.inbox = seed.inbox.map((item) =>
        item.id === inboxId ? { ...item, settledAtMs: seed.nowMs } : item,
      );
    emit('inbox.changed', { open: 0 });
    return next;
  };
  const settle = (
    turnId: number,
    requestHash: string,
    state: Seed['turns'][number]['state'],
    outcome: string,
  ) => {
    const decision = seed.decisions.find((open) => open.turnId === turnId);
    if (!decision)
      return refusal('TURN_STATE', `Turn ${String(turnId)} does not wait for a decision.`);
    if (decision.requestHash !== requestHash) {
      return refusal(
        'REQUEST_STALE',
        'What is asked has changed since you saw it.',
        'Nothing was done.',
      );
    }
    seed.decisions = seed.decisions.filter((open) => open !== decision);
    seed.inbox = seed.inbox.map((item) =>
      item.id === decision.inboxId ? { ...item, settledAtMs: seed.nowMs, outcome } : item,
    );
    const turn = change(turnId, state, '');
    emit('inbox.changed', {
      open: seed.inbox.filter((item) => item.settledAtMs === undefined).length,
    });
    return turn;
  };
  const entry = (key: string) => seed.config.entries.find((candidate) => candidate.key === key);

  const answerRequest = (
    requestId: number,
    requestHash: string,
    told: Pick<Seed['approvals'][number], 'answer' | 'scope' | 'note'>,
  ) => {
    const request = seed.approvals.find((one) => one.requestId === requestId);
    if (!request) return refusal('REQUEST_UNKNOWN', `There is no request ${String(requestId)}.`);
    if (request.answer !== undefined)
      return refusal('REQUEST_ANSWERED', `Request ${String(requestId)} has its answer already.`);
    if (request.requestHash !== requestHash)
      return refusal('REQUEST_STALE', 'What you answered is not the request as it stands.');
    const answered = { ...request, ...told, answeredAtMs: seed.nowMs, by: 'window' };
    seed.approvals = seed.approvals.map((one) => (one === request ? answered : one));
    seed.inbox = seed.inbox.map((item) =>
      item.id === requestId ? { ...item, settledAtMs: seed.nowMs, outcome: told.answer } : item,
    );
    change(request.turnId, 'queued', '');
    emit('inbox.changed', {
      open: seed.inbox.filter((item) => item.settledAtMs === undefined).length,
    });
    return answered;
  };

  const keepAgent = ({ name, agent }: VerbInput<'agents.add'>): AgentView => {
    const made = {
      name,
      workspace: agent.workspace,
      ...('provider' in agent
        ? {
            executor: 'llm' as const,
            provider: agent.provider,
            model: agent.model,
            howExact:
              'Exact: completed actions are not repeated, and completed model requests are not billed again.',
            tools: agent.tools ?? [],
          }
        : {
            executor: agent.executor,
            provider: [agent.command, ...(agent.args ?? [])].join(' '),
            model: '',
            howExact:
              agent.executor === 'acp'
                ? 'Records the tool calls and the permission questions that the agent reports.'
                : 'Exact if its hooks report tool calls; otherwise one decision for the whole run.',
            tools: [],
          }),
    };
    const view: AgentView = agent.workspace.endsWith('/gone')
      ? { ...made, problem: `The folder ${agent.workspace} does not exist.` }
      : made;
    seed.agents = [...seed.agents.filter((one) => one.name !== name), view];
    emit('config.changed', { keys: ['agents'] });
    return view;
  };
  let gatewayClients: VerbOutput<'gateway.clients'>['clients'] = [
    { name: 'default', lastAnswerAtMs: seed.nowMs - 60_000 },
    { name: 'laptop-codex', addedAtMs: seed.nowMs - 86_400_000 },
  ];
  const handlers: Handlers = {
    ...fakeOutageVerbs(seed, refusal, () => emit('outage.changed', {})),
    ...fakeDeliveryVerbs(seed, (depth, deadLetters) =>
      emit('queue.changed', { depth, deadLetters }),
    ),
    ...fakeScheduleVerbs(seed, refusal, () => emit('schedule.changed', {})),
    ...fakeUpdateVerbs(seed),
    'gateway.status': () => ({
      state: 'off',
      isOtherPort: false,
      tokenPath: '/data/gateway.token',
      waiting: 0,
      providers: [],
    }),
    'gateway.clients': () => ({ clients: gatewayClients }),
    'gateway.addClient': ({ name }) => {
      gatewayClients.push({ name, addedAtMs: seed.nowMs });
      return { name };
    },
    'gateway.revokeClient': ({ name }) => {
      gatewayClients = gatewayClients.filter((one) => one.name !== name || name === 'default');
      return { name, isReplaced: name === 'default' };
    },
    'usage.list': () => ({ lines: [] }),
    'share.status': () => ({ state: 'off', address: '', name: 'desk-1', held: 0, isOwner: false }),
    'share.outlook': () => ({ hasStore: false, major: 17 }),
    'share.host': () => ({
      state: 'connected',
      address: '127.0.0.1:15432/postgres',
      name: 'desk-1',
      held: 0,
      isOwner: true,
      listens: '127.0.0.1:15432',
    }),
    'share.join': () => ({
      state: 'asking',
      address: '10.0.0.7:15432/postgres',
      name: 'desk-1',
      held: 0,
      isOwner: false,
    }),
    'share.invite': () => ({
      invitation: 'holdfast-share:e30',
      expiresAtMs: seed.nowMs + 86_400_000,
    }),
    'share.leave': () => ({ state: 'off', address: '', name: 'desk-1', held: 0, isOwner: false }),
    'hosts.answer': () => ({ outcome: 'counted', why: '' }),
    'hosts.inbox': () => ({ hosts: [] }),
    'hosts.search': () => ({ kind: 'told', hits: [], hasMore: false, hidden: 0, notIndexed: 0 }),
    'hosts.transcript': () => ({ kind: 'older' }),
    'hosts.step': () => ({ kind: 'untold', why: 'box did not respond in time.' }),
    'hosts.sessions': () => ({ kind: 'told', sessions: [], hasMore: false, hidden: 0 }),
    'machines.list': () => ({ machines: [], waiting: [] }),
    'share.files': ({ turnId, act }) => ({
      turnId,
      folder: '/home/mara/code/tool',
      files: [
        {
          path: 'src/parse.ts',
          change: 'changed',
          added: 12,
          removed: 3,
          stand: act === 'apply' ? 'done' : 'open',
        },
        {
          path: 'test/parse.test.ts',
          change: 'added',
          added: 40,
          removed: 0,
          stand: act === 'apply' ? 'done' : 'open',
        },
      ],
      more: 0,
      inFolder: act === 'apply' ? 2 : 0,
      written: act === 'apply' ? 2 : 0,
    }),
    'share.admit': () => ({ ok: true }),
    'share.release': () => ({ ok: true }),
    ...fakeChannelVerbs(seed.nowMs, refusal),
    'provider.ping': () => refusal('VERB_UNKNOWN', 'Only from the command line.'),
    'status.get': () => seed.status,
    'turns.list': ({ states, session, beforeId, limit = 100, withAnswers }) => {
      const found = seed.turns
        .filter((turn) => states === undefined || states.includes(turn.state))
        .filter((turn) => session === undefined || turn.sessionKey === session)
        .filter((turn) => beforeId === undefined || turn.id < beforeId)
        .toSorted((a, b) => b.id - a.id);
      const turns = found.slice(0, limit).map((turn) => {
        const answer = withAnswers === true ? seed.answers[turn.id] : undefined;
        return answer === undefined ? turn : { ...turn, answerStart: answer.slice(0, 240) };
      });
      return { turns, hasMore: found.length > limit };
    },
    'turns.show': ({ turnId }) => shown(turnId),
    'turns.step': ({ turnId, step }) =>
      (seed.steps[turnId] ?? []).find((one) => one.index === step) ??
      refusal('STEP_UNKNOWN', `Turn ${String(turnId)} has no step ${String(step)}.`),
    'turns.text': ({ turnId, part, step, fromChar = 0 }) => {
      const of = (seed.steps[turnId] ?? []).find((one) => one.index === step);
      const text =
        {
          prompt: seed.prompts[turnId],
          answer: seed.answers[turnId],
          input: of?.args,
          result: of?.result,
        }[part] ?? '';
      const whole = text;
      const next = fromChar + 50_000;
      return {
        text: whole.slice(fromChar, next),
        fromChar,
        totalChars: whole.length,
        ...(next < whole.length ? { nextChar: next } : {}),
      };
    },
    'turns.plan': ({ turnId }) =>
      seed.decisions.find((open) => open.turnId === turnId)?.plan ??
      refusal('TURN_STATE', 'This turn has no plan.'),
    'turns.cancel': ({ turnId }) => change(turnId, 'cancelled', 'Stopped by you.'),
    'turns.cancelAll': () => ({ cancelled: [] }),
    send: ({ text, session, agent, unsent: sent }) => {
      if (sent !== undefined) unsent.delete(sent.field);
      const known = seed.sessions.find((candidate) => candidate.key === (session ?? agent));
      const id = Math.max(...seed.turns.map((turn) => turn.id)) + 1;
      const sessionId = known?.id ?? Math.max(...seed.sessions.map((one) => one.id)) + 1;
      const key = known?.key ?? session ?? agent ?? 'main';
      if (!known) {
        seed.sessions.push({
          id: sessionId,
          key,
          title: key,
          agent: agent ?? 'practice',
          status: 'running',
          stopReason: '',
          turns: 1,
          pendingEvents: 1,
          createdAtMs: seed.nowMs,
          lastEventAtMs: seed.nowMs,
        });
      }
      seed.turns.push({
        id,
        sessionId,
        sessionKey: key,
        agent: agent ?? known?.agent ?? 'practice',
        state: 'running',
        reason: '',
        promptStart: text.slice(0, 200),
        channel: 'window',
        acceptedAtMs: seed.nowMs,
        startedAtMs: seed.nowMs,
        steps: 0,
        attempt: 1,
        reused: 0,
        usage: { inputTokens: 0, outputTokens: 0 },
        savedUsage: { inputTokens: 0, outputTokens: 0 },
      });
      emit('turn.changed', { turnId: id, state: 'running', sessionId });
      return { turnId: id, sessionId, sessionKey: key };
    },
    'recovery.list': () => ({
      decisions: seed.decisions,
      processes: seed.processes,
      lastStart: seed.lastStart,
    }),
    'recovery.waitProcess': ({ inboxId }) => answerProcess(inboxId, 'wait'),
    'recovery.leaveProcess': ({ inboxId }) => answerProcess(inboxId, 'leave'),
    'recovery.endProcess': ({ inboxId }) => answerProcess(inboxId, 'end'),
    'recovery.resume': ({ turnId, requestHash }) =>
      settle(turnId, requestHash, 'queued', 'resumed'),
    'recovery.confirmStep': ({ turnId, requestHash }) =>
      settle(turnId, requestHash, 'queued', 'recorded as done'),
    'recovery.skipStep': ({ turnId, requestHash }) =>
      settle(turnId, requestHash, 'queued', 'skipped'),
    'recovery.discard': ({ turnId, requestHash }) =>
      settle(turnId, requestHash, 'discarded', 'discarded'),
    'inbox.list': ({ includeSettled }) => ({
      items: seed.inbox.filter((item) => includeSettled === true || item.settledAtMs === undefined),
    }),
    'approvals.list': ({ session, includeAnswered }) => ({
      requests: seed.approvals
        .filter((one) => includeAnswered === true || one.answer === undefined)
        .filter((one) => session === undefined || one.sessionKey === session),
    }),
    'approvals.diff': () => ({
      path: '',
      kind: 'other',
      hunks: [],
      summary: { added: 0, removed: 0, newer: 0, revived: 0 },
      isCut: false,
      isCoarse: false,
    }),
    'approvals.allow': ({ requestId, requestHash, scope = 'once' }) =>
      answerRequest(requestId, requestHash, { answer: 'allowed', scope }),
    'approvals.deny': ({ requestId, requestHash, note }) =>
      answerRequest(requestId, requestHash, {
        answer: 'denied',
        scope: 'once',
        ...(note === undefined ? {} : { note }),
      }),
    'session.customToolResult': ({ requestId, requestHash }) =>
      answerRequest(requestId, requestHash, { answer: 'result', scope: 'once' }),
    'inbox.dismiss': ({ inboxId }) => {
      seed.inbox = seed.inbox.filter((item) => item.id !== inboxId);
      emit('inbox.changed', { open: seed.inbox.length });
      return { ok: true };
    },
    'sessions.list': ({ limit = 100, before, archived = false }) => {
      const found = seed.sessions
        .filter((one) => (one.isArchived === true) === archived)
        .toSorted((a, b) => b.lastEventAtMs - a.lastEventAtMs || b.id - a.id)
        .filter(
          (one) =>
            before === undefined ||
            one.lastEventAtMs < before.lastEventAtMs ||
            (one.lastEventAtMs === before.lastEventAtMs && one.id < before.id),
        );
      const isFirst = before === undefined && !archived;
      const rest = found.filter((one) => archived || one.isPinned !== true);
      const pinned = isFirst ? found.filter((one) => one.isPinned === true) : [];
      return { sessions: [...pinned, ...rest.slice(0, limit)], hasMore: rest.length > limit };
    },
    ...fakeSessionEdits(seed, refusal, emit),
    'session.create': ({ key, title, agent }) => {
      const id = Math.max(...seed.sessions.map((one) => one.id)) + 1;
      const made = {
        id,
        key: key ?? `${agent}-${String(id)}`,
        title: title ?? agent,
        agent,
        status: 'idle' as const,
        stopReason: '',
        turns: 0,
        pendingEvents: 0,
        createdAtMs: seed.nowMs,
        lastEventAtMs: seed.nowMs,
      };
      seed.sessions.push(made);
      return made;
    },
    'session.status': ({ session }) => {
      const found =
        seed.sessions.find((one) => one.key === session) ??
        seed.sessions.find((one) => String(one.id) === session);
      if (!found) return refusal('SESSION_UNKNOWN', `There is no session "${session}".`);
      const open = seed.turns.filter(
        (turn) =>
          turn.sessionId === found.id &&
          !['completed', 'failed', 'cancelled', 'discarded'].includes(turn.state),
      );
      const history = seed.work.activations.filter((one) => one.session === found.key);
      return sessionStatusOf(found, open, {
        claimHistory: history,
        latestOutcome: history.findLast((one) => !['ready', 'leased'].includes(one.kind)) ?? null,
        ...seed.sessionStatus[found.id],
      });
    },
    'session.events': ({ session, limit = 100, beforeSeq }) => {
      const found = seed.sessions.find((one) => one.key === session);
      if (!found) return refusal('SESSION_UNKNOWN', `There is no session "${session}".`);
      const all = (seed.events[found.id] ?? []).filter(
        (event) => beforeSeq === undefined || event.seq < beforeSeq,
      );
      return { events: all.slice(-limit), hasMore: all.length > limit };
    },
    'session.interrupt': () => ({ cancelled: [] }),
    'agents.list': () => ({ agents: seed.agents }),
    'agents.show': ({ name }) => {
      const agent = seed.agents.find((one) => one.name === name);
      if (agent === undefined) return refusal('AGENT_UNKNOWN', `There is no agent "${name}".`);
      return { agent, env: [], withheld: [], ...seed.setups[name] };
    },
    'agents.add': keepAgent,
    'agents.edit': keepAgent,
    'agents.remove': ({ name }) => {
      seed.agents = seed.agents.filter((one) => one.name !== name);
      emit('config.changed', { keys: ['agents'] });
      return { name, defaultAgent: seed.agents[0]?.name ?? 'practice' };
    },
    ...fakeExtensionVerbs(seed, refusal),
    ...fakeTerminalVerbs(seed),
    'agents.test': () => ({ ok: true, message: 'It answered.', tookMs: 812 }),
    'tools.list': () => ({ tools: seed.tools }),
    'provider.list': () => ({ providers: seed.providers }),
    'provider.set': ({ name, provider }) => {
      const known = seed.providers.find((one) => one.name === name);
      const made = {
        name,
        kind: provider.kind,
        ...(provider.base_url === undefined ? {} : { baseUrl: provider.base_url }),
        key: known?.key ?? { present: false, storage: 'none' as const },
      };
      seed.providers = [...seed.providers.filter((one) => one.name !== name), made];
      return made;
    },
    'provider.remove': ({ name }) => {
      seed.providers = seed.providers.filter((one) => one.name !== name);
      return { name };
    },
    'provider.setKey': ({ name, key, allowPlaintext }) => {
      const known = seed.providers.find((one) => one.name === name);
      if (!known) return refusal('PROVIDER_UNKNOWN', `There is no provider "${name}".`);
      const made = {
        ...known,
        key:
          key === null
            ? { present: false, storage: 'none' as const }
            : {
                present: true,
                last4: key.slice(-4),
                storage:
                  allowPlaintext === true ? ('plaintext-consented' as const) : seed.keyStorage,
              },
      };
      seed.providers = seed.providers.map((one) => (one.name === name ? made : one));
      return made;
    },
    'provider.models': ({ name }) => ({
      ok: true,
      message: `"${name}" is up.`,
      tookMs: 180,
      models: [{ id: 'large-1', inputUsd: 3, outputUsd: 15 }, { id: 'small-1' }],
    }),
    'agents.folder': ({ folder }) =>
      /^[~/]/.test(folder)
        ? {
            path: folder.replace(/^~/, '/home/mara'),
            state: folder.includes('missing') ? 'missing' : 'found',
          }
        : { state: 'relative' },
    'app.choosePath': ({ what }) => ({
      path: what === 'folder' ? '/home/mara/code' : '/opt/agents/gemini',
    }),
    'app.openWorkspace': () => ({ ok: true }),
    'app.savePatch': ({ turnId }) => ({ path: `/home/mara/turn-${String(turnId)}.patch` }),
    'app.saveText': ({ name }) => ({ path: `/home/mara/${name}` }),
    'provider.test': () => ({ ok: false, message: 'The key was refused (401).', tookMs: 240 }),
    'config.list': () => seed.config,
    'config.get': ({ key }) =>
      entry(key) ?? refusal('CONFIG_UNKNOWN_KEY', `There is no setting ${key}.`),
    'config.set': ({ key, value }) => {
      const known = entry(key);
      if (!known) return refusal('CONFIG_UNKNOWN_KEY', `There is no setting ${key}.`);
      const next = { ...known, value, source: 'file' as const };
      seed.config = {
        ...seed.config,
        entries: seed.config.entries.map((one) => (one.key === key ? next : one)),
      };
      emit('config.changed', { keys: [key] });
      return next;
    },
    'doctor.run': () => seed.doctor,
    'logs.tail': () => ({ path: '/home/mara/.holdfast/logs/holdfast.log', lines: seed.log }),
    'day.line': (input) => fakeDayOf(seed, input),
    'events.list': (input) => fakeHistory(seed, input),
    'search.find': () => ({ hits: [], notIndexed: 0 }),
    ...(fakeDraftVerbs(seed, refusal, (sessionId) => {
      emit('session.changed', { sessionId, seq: 0 });
    }) as Pick<Handlers, Extract<keyof Handlers, `drafts.${string}`>>),
    ...(fakeRunVerbs(seed, refusal, (turnId) => {
      const turn = turnOf(turnId);
      if (turn) emit('turn.changed', { turnId, state: turn.state, sessionId: turn.sessionId });
    }) as Pick<
      Handlers,
      | 'skills.list'
      | 'skills.show'
      | 'runs.list'
      | 'runs.show'
      | 'runs.plan'
      | 'runs.discard'
      | 'activations.events'
    >),
    'turns.retryNow': ({ turnId }) => change(turnId, 'queued', ''),
    'intake.pause': ({ forMs }) => {
      seed.status = {
        ...seed.status,
        paused: forMs === undefined ? {} : { untilMs: seed.nowMs + forMs },
      };
      emit('status.changed', seed.status);
      return seed.status;
    },
    'intake.resume': () => {
      const { paused: _paused, ...rest } = seed.status;
      seed.status = rest;
      emit('status.changed', seed.status);
      return seed.status;
    },
    'budgets.list': () => ({ budgets: [] }),
    'budgets.accounts': () => ({ accounts: [] }),
    'budgets.allow': () => refusal('BUDGET_UNKNOWN', 'There is no budget.'),
    'practice.kill': () => ({ ok: true }),
    'practice.providerDown': ({ seconds }) => ({ ok: true, untilMs: Date.now() + seconds * 1000 }),
    'app.info': () => seed.info,
    'unsent.read': ({ field }) => {
      const kept = unsent.get(field);
      return kept === undefined ? {} : { kept };
    },
    'unsent.keep': ({ field, text, rev }) => {
      if (text === '') unsent.delete(field);
      else unsent.set(field, { text, rev });
      return { ok: true };
    },
    'app.landing': ({ asked }) => {
      const isDone = entry('app.first_start_done')?.value !== false;
      return { route: asked === '/' && !isDone ? '/welcome' : asked, isStoryOver: false };
    },
    'app.place': () => ({ ok: true }),
    'app.settled': () => ({ ok: true }),
    'app.remind': ({ afterMs }) => {
      const { remindAtMs: _before, ...info } = seed.info;
      const told = afterMs === undefined ? {} : { remindAtMs: seed.nowMs + afterMs };
      seed.info = { ...info, ...told };
      return told;
    },
    'app.openFolder': () => ({ ok: true }),
    'app.openLink': () => ({ isOpened: true }),
    'app.openPage': () => ({ ok: true }),
    'app.openSettings': () => ({ ok: true }),
    'app.answerQuit': ({ answer }) => ({ ok: true, isQuitting: answer === 'quit_now' }),
    'app.testNotification': () => ({ outcome: 'shown' }),
  };

  const call = Object.fromEntries(
    (Object.keys(handlers) as WindowVerb[]).map((verb) => [
      verb,
      async (input: unknown) => {
        calls.push({ verb, input });
        const given = VERBS[verb].input().safeParse(input);
        if (!given.success) return refusal('INPUT_INVALID', given.error.message);
        await held.get(verb);
        const refused = refusals.get(verb);
        if (refused) return refused;
        const handler = (answers.get(verb) ?? handlers[verb]) as (value: unknown) => unknown;
        const value = handler(given.data);
        if (isRefusal(value)) return value;
        return { ok: true, value: VERBS[verb].output().parse(value) };
      },
    ]),
  ) as unknown as HoldfastBridge['call'];
  const on = Object.fromEntries(
    EVENT_NAMES.map((event) => [
      event,
      (listener: (payload: never) => void) => {
        const set = listeners.get(event) ?? new Set();
        listeners.set(event, set);
        set.add(listener);
        return () => set.delete(listener);
      },
    ]),
  ) as unknown as HoldfastBridge['on'];

  return {
    bridge: { call, on },
    seed,
    calls,
    callsOf: (verb) => calls.filter((one) => one.verb === verb).map((one) => one.input),
    emit,
    refuse: (verb, code, message, hint) => refusals.set(verb, refusal(code, message, hint)),
    allow: (verb) => refusals.delete(verb),
    hold(verb) {
      let release = (): void => undefined;
      held.set(verb, new Promise((resolve) => (release = resolve)));
      return () => {
        held.delete(verb);
        release();
      };
    },
    answer: (verb, make) => void answers.set(verb, make as (input: never) => unknown),
  };
}
