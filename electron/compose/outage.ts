import type { VerbOutput } from '../../shared/contract';
import type { HeldItem, OutagePlot, PlotRange, ProviderHealth } from '../../shared/types/outage';
import type { StatusSnapshot } from '../../shared/types';
import { durationMs, isLlmAgent, type AgentSettings } from '../../shared/settings';
import { PRACTICE_PROVIDER } from '../engine/executors/llm/practice';
import { breakerNames } from '../engine/breaker/names';
import type { Handlers } from '../engine/api/handlers';
import { HoldfastError, toHoldfastError } from '../engine/kernel/errors';
import { providerOfBreaker } from '../engine/outage/state';
import { createOutages, type OutagePolicy, type Outages } from '../engine/outage/outages';
import type { Breakers } from '../ports/breakers';
import type { JournalReads } from '../ports/journal/reads';
import type { TurnRow } from '../ports/journal/rows';
import type { HeldRow, PlotPoint } from '../ports/journal/outage';
import type { ProviderProbe, Providers } from '../ports/provider';
import type { SettingsPort } from '../ports/settings';
import type { PartDeps } from './core';

interface OutagePartDeps extends PartDeps<
  | 'settings'
  | 'journal'
  | 'reads'
  | 'clock'
  | 'crashPoints'
  | 'audit'
  | 'log'
  | 'emit'
  | 'isReadOnly'
> {
  readonly breakers: Breakers;
  readonly providers: Providers;
  /** Providers that are there without a setting. */
  readonly extraProviders: readonly string[];
  readonly onFree: () => void;
  /** What made a turn. */
  readonly sourceOf: (turnId: number) => Pick<HeldItem, 'source' | 'merged'>;
}

type OutageVerb =
  | 'provider.status'
  | 'provider.ping'
  | 'outage.queue'
  | 'outage.move'
  | 'outage.probe'
  | 'outage.list'
  | 'outage.plot'
  | 'practice.providerDown';

/** The outage room, wired, with its verbs and its part of the status. */
export interface OutagePart {
  readonly room: Outages;
  readonly verbs: Handlers<OutageVerb>;
  outside(): StatusSnapshot['outside'];
  /** For the sentence of a breaker. */
  waitingBehind(breaker: string): string;
  isFull(agent: string): boolean;
  /** Until then the practice provider plays one that is down. */
  practiceDownUntilMs(): number;
  /** Calls back at once when a provider may stand otherwise than before. */
  onMoved(listener: () => void): () => void;
}

const RANGE_MS: Readonly<Record<PlotRange, number>> = {
  '30m': 30 * 60_000,
  '6h': 6 * 3_600_000,
  '7d': 7 * 86_400_000,
};
const CHANGED_EVERY_MS = 200;

/** `14:02` today, `Mon 14:02` otherwise: the local time of this computer. */
export function timeText(atMs: number, nowMs: number): string {
  const at = new Date(atMs);
  const clockText = at.toTimeString().slice(0, Math.abs(atMs - nowMs) < 120_000 ? 8 : 5);
  return at.toDateString() === new Date(nowMs).toDateString()
    ? clockText
    : `${at.toDateString().slice(0, 10)} ${clockText}`;
}

export function createOutagePart(deps: OutagePartDeps): OutagePart {
  const { settings, reads, clock, emit } = deps;
  let downUntilMs = 0;
  let isChangedSoon = false;
  const listeners = new Set<() => void>();
  const changed = (): void => {
    for (const listener of [...listeners]) listener();
    if (isChangedSoon || deps.isReadOnly) return;
    isChangedSoon = true;
    void clock.sleep(CHANGED_EVERY_MS).then(() => {
      isChangedSoon = false;
      emit('outage.changed', {} as never);
      emit('status.changed', undefined as never);
    });
  };
  const agentOf = (name: string): AgentSettings | undefined => {
    const all = settings.get('agents');
    return Object.hasOwn(all, name) ? all[name] : undefined;
  };
  const providerOfAgent = (name: string): string | undefined => {
    const agent = agentOf(name);
    if (agent === undefined) return name === 'practice' ? PRACTICE_PROVIDER : undefined;
    return isLlmAgent(agent) ? agent.provider : breakerNames.agent(name);
  };
  const room = createOutages({
    journal: deps.journal,
    reads,
    breakers: deps.breakers,
    clock,
    crashPoints: deps.crashPoints,
    audit: deps.audit,
    log: deps.log,
    policy: () => policyOf(settings),
    providerOf(turn) {
      const agent = agentOf(turn.agent);
      if (agent !== undefined && !isLlmAgent(agent)) return breakerNames.agent(turn.agent);
      // A turn that has begun stays with the provider that it was begun with.
      const frame = turn.frameId === undefined ? undefined : reads.frame(turn.frameId);
      return frame?.provider ?? providerOfAgent(turn.agent);
    },
    mayWait: (name) => agentOf(name)?.wait !== false,
    ask: (provider, signal) => askProvider(deps.providers, provider, signal),
    time: (atMs) => timeText(atMs, clock.nowMs()),
    onFree: deps.onFree,
    onChanged: changed,
  });
  if (!deps.isReadOnly) {
    settings.onChange((keys) => {
      if (keys.includes('providers'))
        for (const name of Object.keys(settings.get('providers'))) room.mended(name);
      if (keys.some((key) => key.startsWith('resilience.'))) room.nudge(false);
    });
  }

  const names = (): readonly string[] => [
    ...new Set([
      ...Object.keys(settings.get('providers')),
      ...deps.extraProviders,
      ...room.known(),
    ]),
  ];
  const need = (provider: string): void => {
    if (names().includes(provider)) return;
    throw new HoldfastError('PROVIDER_UNKNOWN', `There is no provider "${provider}".`, {
      hint: 'Nothing was asked. See which there are: holdfast provider list',
    });
  };
  const queue = (provider?: string, limit = 1000): VerbOutput<'outage.queue'> => {
    const rows = reads
      .heldTurns(provider === undefined ? {} : { provider })
      .filter((row) => !row.isOut || room.isCanary(row));
    return {
      items: rows.slice(0, limit).flatMap((row, index) => itemOf(deps, room, row, index + 1)),
      total: rows.length,
    };
  };
  const probe = async (
    provider: string,
    isThroughBreaker: boolean,
  ): Promise<VerbOutput<'outage.probe'>> => {
    need(provider);
    const report = await room.probe(provider, isThroughBreaker);
    return { ...report, health: room.health(provider) };
  };

  return {
    room,
    practiceDownUntilMs: () => downUntilMs,
    onMoved(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    isFull: (agent) => {
      const provider = providerOfAgent(agent);
      return (
        provider !== undefined && room.isFull(provider, settings.get('limits.max_waiting_turns'))
      );
    },
    waitingBehind(breaker) {
      const provider = providerOfBreaker(breaker);
      const count = provider === undefined ? 0 : room.waiting(provider);
      return count === 0 ? '' : `${String(count)} ${count === 1 ? 'turn waits' : 'turns wait'}`;
    },
    outside() {
      const providers = room
        .troubled()
        .map((provider) => room.health(provider))
        .filter((one) => one.state !== 'answering' || one.waiting > 0)
        .toSorted((a, b) => weight(a) - weight(b))
        .slice(0, 50)
        .map(({ provider, state, downSinceMs, nextTryAtMs, waiting, sentence }) => ({
          provider,
          state,
          ...(downSinceMs === undefined ? {} : { downSinceMs }),
          ...(nextTryAtMs === undefined ? {} : { nextTryAtMs }),
          waiting,
          sentence,
        }));
      const openBreakers = deps.breakers
        .list()
        .filter((one) => one.state !== 'closed')
        .map((one) => one.name)
        .slice(0, 200);
      return providers.length + openBreakers.length === 0 ? undefined : { providers, openBreakers };
    },
    verbs: {
      'provider.status': ({ provider }) => {
        if (provider !== undefined) need(provider);
        const wanted = provider === undefined ? names() : [provider];
        return Promise.resolve({ providers: wanted.map((name) => room.health(name)) });
      },
      'provider.ping': ({ provider }) => probe(provider, true),
      'outage.probe': ({ provider }) => probe(provider, false),
      'outage.queue': ({ provider, limit }) => Promise.resolve(queue(provider, limit)),
      'outage.move': async ({ turnId, beforeTurnId }) => {
        await room.move(turnId, beforeTurnId);
        return queue(reads.held(turnId)?.provider);
      },
      'outage.list': ({ limit = 200 }) =>
        Promise.resolve({
          outages: reads.outages({ limit }).map(({ resolvedAtMs, ...row }) => ({
            ...row,
            reason: row.reason.slice(0, 500),
            ...(resolvedAtMs === undefined ? {} : { resolvedAtMs }),
          })),
        }),
      'outage.plot': ({ provider, range }) => {
        need(provider);
        const nowMs = clock.nowMs();
        const fromMs = nowMs - RANGE_MS[range];
        return Promise.resolve(
          plotOf(provider, { fromMs, nowMs }, reads.plotPoints(provider, fromMs)),
        );
      },
      'practice.providerDown': ({ seconds }) => {
        downUntilMs = clock.nowMs() + seconds * 1_000;
        deps.audit.record('practice_provider_down', { seconds });
        return Promise.resolve({ ok: true, untilMs: downUntilMs });
      },
    },
  };
}

/** Those of an outage first. */
const WEIGHTS: readonly ProviderHealth['state'][] = [
  'down',
  'trying',
  'recovering',
  'key',
  'quota',
  'failing',
  'answering',
];
const weight = (health: ProviderHealth): number => WEIGHTS.indexOf(health.state);

function policyOf(settings: SettingsPort): OutagePolicy {
  const maxWait = settings.get('resilience.max_wait');
  return {
    threshold: settings.get('resilience.outage_threshold'),
    intervalMs: durationMs(settings.get('resilience.probe_interval')),
    isEarly: settings.get('resilience.early_probe'),
    isAutoWait: settings.get('resilience.auto_wait'),
    isQuotaWait: settings.get('resilience.wait_for_quota'),
    limitFirstMs: durationMs(settings.get('resilience.limit_first_wait')),
    limitMostMs: durationMs(settings.get('resilience.limit_max_wait')),
    maxWaitMs: durationMs(maxWait),
    maxWaitText: String(maxWait),
  };
}

/** A provider that cannot be asked at all is one whose settings are wrong: its key, or its address. */
async function askProvider(
  providers: Providers,
  name: string,
  signal: AbortSignal,
): Promise<ProviderProbe> {
  try {
    return await (await providers.get(name)).probe(signal);
  } catch (error) {
    const known = toHoldfastError(error);
    return {
      kind: 'key',
      failure: {
        kind: 'config',
        message: known.message,
        hint: known.hint ?? '',
        status: 401,
        isRetryable: false,
      },
    };
  }
}

function itemOf(
  { reads, sourceOf }: Pick<OutagePartDeps, 'reads' | 'sourceOf'>,
  room: Outages,
  row: HeldRow,
  position: number,
): HeldItem[] {
  const turn = reads.turn(row.turnId);
  if (turn === undefined) return [];
  return [
    {
      position,
      turnId: row.turnId,
      sessionId: turn.sessionId,
      sessionKey: turn.sessionKey.slice(0, 200),
      provider: row.provider,
      agent: turn.agent,
      channel: turn.channel,
      ...sourceOf(row.turnId),
      promptStart: turn.promptStart.slice(0, 300),
      cause: row.cause,
      sinceMs: row.sinceMs,
      ...(row.untilMs === undefined ? {} : { untilMs: row.untilMs }),
      keptSteps: keptSteps(reads, turn),
      isCanary: room.isCanary(row),
    },
  ];
}

function keptSteps(reads: JournalReads, turn: TurnRow): number {
  if (turn.stepCount === 0) return 0;
  return reads
    .steps(turn.id)
    .filter(({ state }) => state === 'completed' || state === 'confirmed' || state === 'skipped')
    .length;
}

function plotOf(
  provider: string,
  { fromMs, nowMs }: { readonly fromMs: number; readonly nowMs: number },
  points: readonly PlotPoint[],
): OutagePlot {
  const states = points.filter((one) => one.what === 'state').slice(-4_999);
  const first = states[0];
  return {
    provider,
    fromMs,
    nowMs,
    states: [
      ...(first === undefined || first.atMs > fromMs
        ? [{ atMs: fromMs, state: 'answering' as const }]
        : []),
      ...states.map(({ atMs, state }) => ({ atMs, state })),
    ],
    waiting: points
      .filter((one) => one.what === 'waiting')
      .slice(-10_000)
      .map(({ atMs, count }) => ({ atMs, count })),
    calls: points
      .flatMap((one) => ('ok' in one ? [{ atMs: one.atMs, what: one.what, ok: one.ok }] : []))
      .slice(-10_000),
    declaredAtMs: points
      .filter((one) => one.what === 'declared')
      .slice(-1_000)
      .map(({ atMs, failedTurns }) => ({ atMs, failedTurns })),
  };
}
