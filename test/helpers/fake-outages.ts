/** The outside world of the fake engine: calm, or as in the afternoon of the mock. */
import type { Answer, VerbInput, VerbOutput } from '../../shared/contract';
import type { StatusSnapshot } from '../../shared/types';
import type {
  BreakerView,
  HeldItem,
  OutagePlot,
  OutageRecord,
  ProviderHealth,
} from '../../shared/types/outage';

const MINUTE = 60_000;

export interface SeedOutside {
  breakers: BreakerView[];
  providers: ProviderHealth[];
  held: HeldItem[];
  outages: OutageRecord[];
  plots: Record<string, OutagePlot>;
  /** What the next probe meets. */
  probe: { ok: boolean; durationMs: number; error?: string };
}

export const fakeBreaker = (
  given: Partial<BreakerView> & Pick<BreakerView, 'name' | 'dependency'>,
): BreakerView => ({
  state: 'closed',
  failures: 0,
  successes: 0,
  failureThreshold: 5,
  successThreshold: 2,
  initialBackoffMs: 10_000,
  maxBackoffMs: 120_000,
  backoffMs: 10_000,
  isTrialOut: false,
  counters: { allowed: 120, refused: 0, succeeded: 120, failed: 0, ignored: 0 },
  explanation: 'Closed: requests go through.',
  ...given,
});

export const fakeHealth = (
  given: Partial<ProviderHealth> & Pick<ProviderHealth, 'provider'>,
): ProviderHealth => ({
  state: 'answering',
  failedTurns: 0,
  outageThreshold: 3,
  breaker: fakeBreaker({ name: `provider.${given.provider}`, dependency: 'provider' }),
  waiting: 0,
  sentence: `${given.provider} answers.`,
  ...given,
});

/** Everything answers; one outage of yesterday is over. */
export function calmOutside(nowMs: number): SeedOutside {
  const anthropic = fakeHealth({ provider: 'anthropic' });
  const ollama = fakeHealth({ provider: 'ollama' });
  return {
    breakers: [
      anthropic.breaker,
      ollama.breaker,
      fakeBreaker({ name: 'nats', dependency: 'broker', failureThreshold: 5 }),
      fakeBreaker({ name: 'mcp.calendar', dependency: 'mcp' }),
      // Skipped for want of a variable: nobody calls it.
      fakeBreaker({ name: 'mcp.forge', dependency: 'mcp' }),
    ],
    providers: [anthropic, ollama],
    held: [],
    outages: [
      {
        outageId: 1,
        provider: 'anthropic',
        startedAtMs: nowMs - 1200 * MINUTE,
        resolvedAtMs: nowMs - 1179 * MINUTE,
        failedTurns: 3,
        reason: 'The connection was refused.',
        drained: 7,
      },
    ],
    plots: {},
    probe: { ok: false, durationMs: 12, error: 'The connection was refused.' },
  };
}

const QUEUE: readonly (readonly [string, string, string, number, number])[] = [
  ['Draft the offer for Lindner', 'Office helper', 'window', 18.1, 4],
  ['Which contracts end in May?', 'Office helper', 'Telegram', 17.3, 7],
  ['Translate the release note', 'Office helper', 'terminal', 16.4, 1],
  ['Answer to invoice 2291', 'Mail helper', 'mail', 16, 0],
  ['Summarize the board minutes', 'Office helper', 'Telegram', 15.2, 0],
  ['Heartbeat "Contract watch"', 'Office helper', 'heartbeat', 14, 0],
  ['Minutes of the site visit', 'Office helper', 'window', 12.5, 0],
  ['Price list for Q3', 'Office helper', 'Telegram', 11, 0],
  ['Reply to the landlord', 'Mail helper', 'mail', 9.5, 0],
  ['Two slides for Thursday', 'Office helper', 'window', 7.9, 0],
  ['Who called on Monday?', 'Office helper', 'Telegram', 5.4, 0],
  ['Sort the delivery notes', 'Mail helper', 'mail', 1.8, 0],
  ['Price watch', 'Office helper', 'schedule', 1, 0],
  ['Check the May timesheet', 'Office helper', 'window', 0.7, 0],
];

const heldItems = (nowMs: number): HeldItem[] =>
  QUEUE.map(([promptStart, agent, channel, minutes, keptSteps], at) => ({
    position: at + 1,
    turnId: 40 + at,
    sessionId: 40 + at,
    sessionKey: `queue-${String(at + 1)}`,
    provider: 'office proxy',
    agent,
    channel,
    source: channel === 'heartbeat' ? 'heartbeat' : channel === 'schedule' ? 'schedule' : 'user',
    promptStart,
    cause: 'outage',
    sinceMs: nowMs - minutes * MINUTE,
    keptSteps,
    merged: channel === 'heartbeat' ? 3 : 0,
    isCanary: false,
  }));

/** One provider is down for 16 minutes, another one's limit is used up, an MCP server is tried. */
export function downOutside(nowMs: number): SeedOutside {
  const ago = (minutes: number): number => nowMs - minutes * MINUTE;
  const office = fakeHealth({
    provider: 'office proxy',
    state: 'down',
    failedTurns: 5,
    downSinceMs: ago(18.8),
    nextTryAtMs: nowMs + 42_000,
    nextProbeAtMs: nowMs + 43 * MINUTE,
    waiting: 14,
    lastError: 'The connection was refused.',
    lastErrorAtMs: ago(1.3),
    sentence: 'Office proxy down since 14:12, next try 14:31, 14 turns wait.',
    breaker: fakeBreaker({
      name: 'provider.office proxy',
      dependency: 'provider',
      state: 'open',
      failures: 5,
      backoffMs: 120_000,
      openedAtMs: ago(16),
      nextTrialAtMs: nowMs + 42_000,
      counters: { allowed: 31, refused: 9, succeeded: 12, failed: 19, ignored: 0 },
      lastError: 'The connection was refused.',
      explanation:
        'Open since 14:15:10: 5 requests in a row found the connection refused. Also tried at 15:14 by the hourly probe.',
    }),
  });
  const anthropic = fakeHealth({
    provider: 'anthropic',
    state: 'quota',
    quotaUntilMs: nowMs + 149 * MINUTE,
    waiting: 2,
    sentence: 'Anthropic: quota until 17:00, 2 turns wait.',
  });
  const ollama = fakeHealth({ provider: 'ollama' });
  const failedAt = [18.1, 17.3, 16.4, 16.2, 15.9];
  const triedAt = [15.7, 15.3, 14.6, 13.3, 11.2, 9.2, 7.2, 5.2, 3.2, 1.3];
  return {
    breakers: [
      office.breaker,
      anthropic.breaker,
      ollama.breaker,
      fakeBreaker({
        name: 'mcp.mail',
        dependency: 'mcp',
        state: 'half_open',
        failures: 5,
        isTrialOut: true,
        explanation: 'Half-open: one trial is out.',
      }),
      fakeBreaker({ name: 'browser.1', dependency: 'browser' }),
      fakeBreaker({ name: 'nats', dependency: 'broker' }),
    ],
    providers: [office, anthropic, ollama],
    held: heldItems(nowMs),
    outages: [
      {
        outageId: 2,
        provider: 'office proxy',
        startedAtMs: ago(18.8),
        failedTurns: 3,
        reason: 'The connection was refused.',
        drained: 0,
      },
      ...calmOutside(nowMs).outages,
    ],
    plots: {
      'office proxy': {
        provider: 'office proxy',
        fromMs: ago(30),
        nowMs,
        states: [
          { atMs: ago(30), state: 'answering' },
          { atMs: ago(18.8), state: 'failing' },
          { atMs: ago(15.9), state: 'down' },
        ],
        waiting: QUEUE.map(([, , , minutes], at) => ({ atMs: ago(minutes), count: at + 1 })),
        calls: [
          ...failedAt.map((minutes) => ({ atMs: ago(minutes), what: 'call' as const, ok: false })),
          ...triedAt.map((minutes) => ({ atMs: ago(minutes), what: 'trial' as const, ok: false })),
        ],
        declaredAtMs: [{ atMs: ago(16.4), failedTurns: 3 }],
      },
    },
    probe: { ok: false, durationMs: 12, error: 'The connection was refused.' },
  };
}

/** What the snapshot says of the outside, from the same facts. */
export function outsideStatus({
  providers,
  breakers,
}: SeedOutside): NonNullable<StatusSnapshot['outside']> {
  return {
    providers: providers
      .filter(({ state }) => state !== 'answering')
      .map(({ provider, state, downSinceMs, nextTryAtMs, waiting, sentence }) => ({
        provider,
        state,
        ...(downSinceMs === undefined ? {} : { downSinceMs }),
        ...(nextTryAtMs === undefined ? {} : { nextTryAtMs }),
        waiting,
        sentence,
      })),
    openBreakers: breakers.filter(({ state }) => state !== 'closed').map(({ name }) => name),
  };
}

type OutageVerb =
  | 'breakers.list'
  | 'breakers.show'
  | 'breakers.trip'
  | 'breakers.reset'
  | 'provider.status'
  | 'outage.queue'
  | 'outage.move'
  | 'outage.now'
  | 'outage.fallback'
  | 'outage.hold'
  | 'outage.probe'
  | 'outage.list'
  | 'outage.plot';

export function fakeOutageVerbs(
  seed: { outside: SeedOutside; nowMs: number },
  refusal: (code: string, message: string) => Answer<never>,
  changed: () => void,
): {
  readonly [V in OutageVerb]: (input: VerbInput<V>) => VerbOutput<V> | Answer<never>;
} {
  const byName = (name: string) => seed.outside.breakers.find((one) => one.name === name);
  const put = (name: string, given: Partial<BreakerView>): BreakerView | Answer<never> => {
    const known = byName(name);
    if (!known) return refusal('BREAKER_UNKNOWN', `There is no breaker "${name}".`);
    const next = { ...known, ...given };
    seed.outside.breakers = seed.outside.breakers.map((one) => (one === known ? next : one));
    seed.outside.providers = seed.outside.providers.map((one) =>
      one.breaker.name === name ? { ...one, breaker: next } : one,
    );
    changed();
    return next;
  };
  const queue = (provider?: string, limit = 1000) => {
    const items = seed.outside.held.filter(
      (one) => provider === undefined || one.provider === provider,
    );
    return { items: items.slice(0, limit), total: items.length };
  };
  const leaves = ({ turnId }: { readonly turnId: number }) => {
    const item = seed.outside.held.find((one) => one.turnId === turnId);
    if (!item) return refusal('TURN_STATE', `Turn ${String(turnId)} does not wait.`);
    seed.outside.held = seed.outside.held.filter((one) => one !== item);
    changed();
    return queue(item.provider);
  };
  return {
    'breakers.list': () => ({ breakers: seed.outside.breakers }),
    'breakers.show': ({ name }) =>
      byName(name) ?? refusal('BREAKER_UNKNOWN', `There is no breaker "${name}".`),
    'breakers.trip': ({ name }) =>
      put(name, { state: 'open', openedAtMs: seed.nowMs, nextTrialAtMs: seed.nowMs + 10_000 }),
    'breakers.reset': ({ name }) => put(name, { state: 'closed', failures: 0 }),
    'provider.status': ({ provider }) => ({
      providers: seed.outside.providers.filter(
        (one) => provider === undefined || one.provider === provider,
      ),
    }),
    'outage.queue': ({ provider, limit }) => queue(provider, limit),
    'outage.move': ({ turnId, beforeTurnId }) => {
      const item = seed.outside.held.find((one) => one.turnId === turnId);
      if (!item) return refusal('TURN_STATE', `Turn ${String(turnId)} does not wait.`);
      const rest = seed.outside.held.filter((one) => one !== item);
      const at = rest.findIndex((one) => one.turnId === beforeTurnId);
      rest.splice(at < 0 ? rest.length : at, 0, item);
      seed.outside.held = rest.map((one, index) => ({ ...one, position: index + 1 }));
      changed();
      return queue(item.provider);
    },
    'outage.now': leaves,
    'outage.fallback': () => refusal('TURN_STATE', 'No turn waits.'),
    'outage.hold': leaves,
    'outage.probe': ({ provider }) => {
      const health = seed.outside.providers.find((one) => one.provider === provider);
      return health
        ? { ...seed.outside.probe, health }
        : refusal('PROVIDER_UNKNOWN', `There is no provider "${provider}".`);
    },
    'outage.list': ({ limit = 100 }) => ({ outages: seed.outside.outages.slice(0, limit) }),
    'outage.plot': ({ provider }) =>
      seed.outside.plots[provider] ?? {
        provider,
        fromMs: seed.nowMs - 30 * MINUTE,
        nowMs: seed.nowMs,
        states: [{ atMs: seed.nowMs - 30 * MINUTE, state: 'answering' }],
        waiting: [],
        calls: [],
        declaredAtMs: [],
      },
  };
}
