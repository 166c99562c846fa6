import type { BreakerState, DependencyKind } from '../../../shared/types/outage';
import { durationMs, isLlmAgent } from '../../../shared/settings';
import type { Breaker, Breakers } from '../../ports/breakers';
import type { BreakerEntry, BreakerReads } from '../../ports/journal/breaker';
import type { Basics } from '../kernel/basics';
import type { SettingsPort } from '../../ports/settings';
import { HoldfastError } from '../kernel/errors';
import type { RetryPolicy } from '../retry/plan-retry';
import type { BreakerPolicy, BreakerSnapshot } from './circuit-breaker';
import { breakerNames } from './names';
import { createBreakerRegistry } from './registry';
import { entryOf } from '../../../shared/table';

interface BreakersDeps extends Pick<
  Basics,
  'settings' | 'journal' | 'clock' | 'crashPoints' | 'audit'
> {
  readonly reads: BreakerReads;
  readonly isReadOnly: boolean;
  /** Providers that exist without a setting. */
  readonly extraProviders: readonly string[];
  readonly channels: () => readonly string[];
  /** The turns behind a breaker, as `4 turns wait`; empty for none. */
  readonly waiting: (name: string) => string;
  /** No automatic probe while it is open. */
  readonly isPassive: (name: string) => boolean;
  readonly onChanged: () => void;
}

/** The breakers of one run: their settings, their stored state, and user actions. */
export interface BreakersOfRun {
  readonly registry: Breakers;
  readonly retryPolicy: () => RetryPolicy;
  /** One for every dependency that the settings name, and those that were touched. */
  all(): ReturnType<Breakers['list']>;
  /** @throws BREAKER_UNKNOWN */
  need(name: string): Breaker;
  /** On disk when it resolves. @throws BREAKER_UNKNOWN */
  trip(name: string, cause: string): Promise<Breaker>;
  /** On disk when it resolves. @throws BREAKER_UNKNOWN */
  reset(name: string, cause: string): Promise<Breaker>;
}

export function createBreakers(deps: BreakersDeps): BreakersOfRun {
  const { settings } = deps;
  let kept: Promise<void> = Promise.resolve();
  let policies = new Map<string, BreakerPolicy>();
  const policy = (name: string): BreakerPolicy => {
    const known = policies.get(name) ?? readPolicy(settings, name);
    policies.set(name, known);
    return known;
  };
  const registry = createBreakerRegistry({
    clock: deps.clock,
    policy,
    timeWords: (atMs) => new Date(atMs).toTimeString().slice(0, 8),
    waiting: deps.waiting,
    isPassive: deps.isPassive,
    saved: () => deps.reads.breakerRows(),
    isGone: goneFrom(deps, ['provider', 'mcp', 'agent', 'channel']),
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
      if (keys.some((key) => DEPENDENCY_KEYS.has(key))) forgetRemoved(deps, registry);
    });
  }

  const touch = (): void => {
    for (const [name, dependency] of dependencies(deps)) registry.of(name, dependency);
  };
  const need = (name: string): Breaker => {
    touch();
    const found = registry.find(name);
    if (found !== undefined) return found;
    throw new HoldfastError(
      'BREAKER_UNKNOWN',
      `There is no circuit breaker "${name.slice(0, 60)}".`,
      {
        hint: 'Nothing was changed. List them: holdfast breakers list',
      },
    );
  };
  const moved = async (name: string, move: (breaker: Breaker) => void): Promise<Breaker> => {
    const breaker = need(name);
    move(breaker);
    await kept;
    return breaker;
  };
  return {
    registry,
    retryPolicy: () => readRetryPolicy(settings),
    all() {
      touch();
      return registry.list();
    },
    need,
    trip: (name, cause) =>
      moved(name, (breaker) => {
        breaker.trip(cause);
      }),
    reset: (name, cause) =>
      moved(name, (breaker) => {
        breaker.reset(cause);
      }),
  };
}

const DEPENDENCY_KEYS: ReadonlySet<string> = new Set(['providers', 'agents', 'mcp.servers']);

/** Every configured dependency has its breaker before it is first used. */
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

/** Whether the settings, which name all dependencies of these kinds, lack one. */
function goneFrom(
  deps: BreakersDeps,
  kinds: readonly DependencyKind[],
): (breaker: { readonly name: string; readonly dependency: DependencyKind }) => boolean {
  let known: ReadonlySet<string> | undefined;
  return ({ name, dependency }) =>
    kinds.includes(dependency) &&
    !(known ??= new Set(dependencies(deps).map(([one]) => one))).has(name);
}

/** The room of channels forgets its own. */
function forgetRemoved(deps: BreakersDeps, registry: Breakers): void {
  const isGone = goneFrom(deps, ['provider', 'mcp', 'agent']);
  for (const breaker of registry.list()) if (isGone(breaker)) registry.forget(breaker.name);
}

/**
 * Memory changes first and the disk follows at once, because a breaker answers calls that cannot
 * wait for a disk. Everything announced is on disk; a kill between the two loses one failure count.
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
    deps.onChanged();
  };
  return deps.journal.commit([entry], { isOutcome: true }).then(told, () => undefined);
}

function readPolicy(settings: SettingsPort, name: string): BreakerPolicy {
  const all = settings.get('breakers.per_dependency');
  const own = entryOf(all, name);
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
