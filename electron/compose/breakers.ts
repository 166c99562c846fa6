import type { BreakerState, DependencyKind } from '../../shared/types/outage';
import { durationMs, isLlmAgent } from '../../shared/settings';
import { breakerNames } from '../engine/breaker/names';
import { createBreakerRegistry } from '../engine/breaker/registry';
import type { BreakerPolicy, BreakerSnapshot } from '../engine/breaker/circuit-breaker';
import type { RetryPolicy } from '../engine/retry/plan-retry';
import type { CallOrigin } from '../engine/api/facade';
import type { Handlers } from '../engine/api/handlers';
import { HoldfastError } from '../engine/kernel/errors';
import type { Breaker, Breakers } from '../ports/breakers';
import type { BreakerEntry, BreakerReads } from '../ports/journal/breaker';
import type { SettingsPort } from '../ports/settings';
import type { PartDeps } from './core';

interface BreakersDeps extends PartDeps<
  'settings' | 'journal' | 'clock' | 'crashPoints' | 'audit' | 'isReadOnly' | 'emit'
> {
  readonly reads: BreakerReads;
  /** Providers that are there without a setting. */
  readonly extraProviders: readonly string[];
  readonly channels: () => readonly string[];
  /** What waits behind a breaker, as `4 turns wait`; empty for nothing. */
  readonly waiting: (name: string) => string;
  /** Nothing asks it by itself while it is open. */
  readonly isPassive: (name: string) => boolean;
}

export interface BreakersPart {
  readonly book: Breakers;
  readonly retryPolicy: () => RetryPolicy;
  readonly verbs: Handlers<'breakers.list' | 'breakers.show' | 'breakers.trip' | 'breakers.reset'>;
}

/** The breakers of one run: their settings, what is kept of them, and their verbs. */
export function createBreakersPart(deps: BreakersDeps): BreakersPart {
  const { settings } = deps;
  let kept: Promise<void> = Promise.resolve();
  let policies = new Map<string, BreakerPolicy>();
  const policy = (name: string): BreakerPolicy => {
    const known = policies.get(name) ?? readPolicy(settings, name);
    policies.set(name, known);
    return known;
  };
  const book = createBreakerRegistry({
    clock: deps.clock,
    policy,
    timeWords: (atMs) => new Date(atMs).toTimeString().slice(0, 8),
    waiting: deps.waiting,
    isPassive: deps.isPassive,
    saved: () => deps.reads.breakerRows(),
    onDamaged: (name) => {
      deps.audit.record('breaker_damaged', { name });
    },
    keep: (snapshot, from) => {
      kept = keepEntry(deps, { kind: 'breaker.moved', ...snapshot, from }, snapshot, from);
    },
    drop: (name, dependency) => {
      const gone: BreakerSnapshot = {
        name,
        dependency,
        state: 'closed',
        failures: 0,
        successes: 0,
        backoffMs: 0,
        cause: '',
      };
      kept = keepEntry(
        deps,
        { kind: 'breaker.moved', ...gone, from: 'closed', isGone: true },
        gone,
      );
    },
  });
  if (!deps.isReadOnly) {
    settings.onChange((keys) => {
      if (keys.some((key) => key.startsWith('breakers.'))) policies = new Map();
      if (keys.some((key) => DEPENDENCY_KEYS.has(key))) forgetRemoved(deps, book);
    });
  }

  const need = (name: string): Breaker => {
    for (const [known, dependency] of dependencies(deps)) book.of(known, dependency);
    const found = book.find(name);
    if (found !== undefined) return found;
    throw new HoldfastError('BREAKER_UNKNOWN', `There is no breaker "${name.slice(0, 60)}".`, {
      hint: 'Nothing was changed. See which there are: holdfast breakers list',
    });
  };
  return {
    book,
    retryPolicy: () => readRetryPolicy(settings),
    verbs: {
      'breakers.list': async () => {
        for (const [name, dependency] of dependencies(deps)) book.of(name, dependency);
        return { breakers: [...book.list()] };
      },
      'breakers.show': async ({ name }) => need(name).view(),
      'breakers.trip': async ({ name, reason }, origin) => {
        const breaker = need(name);
        breaker.trip(byHand('opened by hand', origin, reason));
        await kept;
        return breaker.view();
      },
      'breakers.reset': async ({ name }, origin) => {
        const breaker = need(name);
        breaker.reset(`hand (${origin})`);
        await kept;
        return breaker.view();
      },
    },
  };
}

const DEPENDENCY_KEYS: ReadonlySet<string> = new Set(['providers', 'agents', 'mcp.servers']);

/** Every dependency that the settings name: it has its breaker before it is first touched. */
function dependencies(deps: BreakersDeps): readonly (readonly [string, DependencyKind])[] {
  const { settings } = deps;
  const agents = Object.entries(settings.get('agents')).filter(([, agent]) => !isLlmAgent(agent));
  const providers = [...Object.keys(settings.get('providers')), ...deps.extraProviders];
  return [
    ...providers.map((name) => [breakerNames.provider(name), 'provider'] as const),
    ...Object.keys(settings.get('mcp.servers')).map(
      (name) => [breakerNames.mcp(name), 'mcp'] as const,
    ),
    ...agents.map(([name]) => [breakerNames.agent(name), 'agent'] as const),
    ...deps.channels().map((name) => [breakerNames.channel(name), 'channel'] as const),
  ];
}

function forgetRemoved(deps: BreakersDeps, book: Breakers): void {
  const known = new Set(dependencies(deps).map(([name]) => name));
  for (const { name, dependency } of book.list()) {
    const isOfSettings =
      dependency === 'provider' || dependency === 'mcp' || dependency === 'agent';
    if (isOfSettings && !known.has(name)) book.forget(name);
  }
}

/**
 * Memory moves first and the disk follows at once: a breaker answers calls that cannot wait for a
 * disk. What was announced is on disk; a kill between the two costs one count of a failure.
 */
function keepEntry(
  deps: BreakersDeps,
  entry: BreakerEntry,
  snapshot: BreakerSnapshot,
  from: BreakerState = snapshot.state,
): Promise<void> {
  if (deps.isReadOnly) return Promise.resolve();
  deps.crashPoints.hit('breaker.move.before');
  const told = (): void => {
    deps.crashPoints.hit('breaker.move.after');
    const { name, state: to, cause, lastError } = snapshot;
    if (from !== to) {
      const error = lastError === undefined ? {} : { error: lastError };
      deps.audit.record('breaker_moved', { name, from, to, cause, ...error });
    }
    deps.emit('outage.changed', {} as never);
    deps.emit('status.changed', undefined as never);
  };
  return deps.journal.commit([entry], { isOutcome: true }).then(told, () => undefined);
}

function byHand(what: string, origin: CallOrigin, reason: string | undefined): string {
  return `${what} (${origin})${reason === undefined ? '' : `: ${reason}`}`;
}

function readPolicy(settings: SettingsPort, name: string): BreakerPolicy {
  const all = settings.get('breakers.per_dependency');
  const own = Object.hasOwn(all, name) ? all[name] : undefined;
  const ms = (value: string | number | undefined, otherwise: string | number): number =>
    durationMs(value ?? otherwise);
  return {
    failureThreshold: own?.failure_threshold ?? settings.get('breakers.failure_threshold'),
    successThreshold: own?.success_threshold ?? settings.get('breakers.success_threshold'),
    initialBackoffMs: ms(own?.initial_backoff, settings.get('breakers.initial_backoff')),
    maxBackoffMs: ms(own?.max_backoff, settings.get('breakers.max_backoff')),
  };
}

function readRetryPolicy(settings: SettingsPort): RetryPolicy {
  return {
    rateLimited: {
      maxAttempts: settings.get('retry.rate_limited.max_attempts'),
      firstWaitMs: durationMs(settings.get('retry.rate_limited.first_wait')),
      maxWaitMs: durationMs(settings.get('retry.rate_limited.max_wait')),
    },
    server: {
      maxAttempts: settings.get('retry.server.max_attempts'),
      firstWaitMs: durationMs(settings.get('retry.server.first_wait')),
      maxWaitMs: durationMs(settings.get('retry.server.max_wait')),
    },
  };
}
