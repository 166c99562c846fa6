import type { Breaker, Breakers } from '../../ports/breakers';
import type { Clock } from '../../ports/clock';
import type { ChannelReads } from '../../ports/journal/channels';
import { TRIAL_TIMEOUT_MS } from './circuit-breaker';
import { guardCall, type CallVerdict } from './guard-call';

/** One harmless call that checks whether a dependency is reachable. A thrown error is a failure. */
export type BreakerProbe = (signal: AbortSignal) => Promise<CallVerdict>;

interface BreakerProbesDeps {
  readonly breakers: Pick<Breakers, 'list' | 'find' | 'onMoved'>;
  readonly clock: Clock;
  /** Undefined if there is no harmless call: the next real call is the probe. */
  readonly trialOf: (breaker: Pick<Breaker, 'name' | 'dependency'>) => BreakerProbe | undefined;
}

interface BreakerProbes {
  start(): void;
  stop(): void;
}

/**
 * Probes breakers without callers: once an open one's wait ends it is probed automatically, and
 * again until it closes. One timer per breaker that is not closed; an earlier real call is the
 * probe instead. Source: S2-07.
 */
export function createBreakerProbes(deps: BreakerProbesDeps): BreakerProbes {
  const { breakers, clock } = deps;
  const timers = new Map<string, AbortController>();
  const running = new Map<string, AbortController>();
  let isStarted = false;

  /** Resets a breaker's timer; `restMs` is the minimum wait. */
  const arm = (name: string, restMs = 0): void => {
    timers.get(name)?.abort();
    timers.delete(name);
    if (!isStarted || running.has(name)) return;
    const breaker = breakers.find(name);
    const view = breaker?.view();
    if (breaker === undefined || view === undefined || view.state === 'closed') return;
    if (deps.trialOf(breaker) === undefined) return;
    const dueMs =
      view.state === 'open'
        ? Math.max(0, (view.nextTrialAtMs ?? 0) - clock.nowMs())
        : view.isTrialOut
          ? TRIAL_TIMEOUT_MS
          : 0;
    const timer = new AbortController();
    timers.set(name, timer);
    clock.sleep(Math.max(dueMs, restMs), timer.signal).then(
      () => {
        timers.delete(name);
        void tryOnce(name);
      },
      () => undefined,
    );
  };

  const tryOnce = async (name: string): Promise<void> => {
    const breaker = breakers.find(name);
    const trial = breaker === undefined ? undefined : deps.trialOf(breaker);
    if (!isStarted || breaker === undefined || trial === undefined) return;
    const abort = new AbortController();
    running.set(name, abort);
    let restMs = 0;
    try {
      const verdict = await guardCall<CallVerdict>(breaker, {
        make: () => within(clock, trial, abort),
        refused: () => ({ kind: 'neither' }),
        judge: (one) => (isStarted ? one : { kind: 'neither' }),
        judgeError: (error) =>
          isStarted ? { kind: 'failed', error: wordsOf(error) } : { kind: 'neither' },
      });
      // The probe was inconclusive: do not repeat it at once.
      if (verdict.kind === 'neither') restMs = Math.max(1_000, breaker.view().backoffMs);
    } catch {
      // Already judged; the breaker holds the new wait.
    }
    running.delete(name);
    arm(name, restMs);
  };

  breakers.onMoved(({ name }) => {
    arm(name);
  });

  return {
    start() {
      isStarted = true;
      for (const { name, state } of breakers.list()) if (state !== 'closed') arm(name);
    },
    stop() {
      isStarted = false;
      for (const one of [...timers.values(), ...running.values()]) one.abort();
      timers.clear();
    },
  };
}

/**
 * Resolves if the dependency responded; `neither`: the check was not possible. @throws if it did
 * not respond
 */
export type Check = (signal: AbortSignal) => Promise<'ok' | 'neither'>;

interface DependencyProbesDeps {
  readonly breakers: Breakers;
  readonly reads: Pick<ChannelReads, 'pendingChannels'>;
  readonly clock: Clock;
  /** Each is undefined if it cannot be probed now. */
  readonly mcp: (server: string) => Check | undefined;
  readonly browser: (sessionId: number) => Check | undefined;
  readonly host: (host: string) => Check | undefined;
  readonly channel: (channel: string) => Check | undefined;
  readonly agent: (agent: string) => BreakerProbe | undefined;
}

/** Probes for the dependencies behind breakers. */
export interface DependencyProbes extends BreakerProbes {
  /** No automatic probe: the next call is the probe. */
  isPassive(name: string): boolean;
}

/** Probes for all dependencies that have a harmless check, one method per kind. */
export function createDependencyProbes(deps: DependencyProbesDeps): DependencyProbes {
  const trialOf = (breaker: Pick<Breaker, 'name' | 'dependency'>): BreakerProbe | undefined => {
    const name = breaker.name.slice(breaker.name.indexOf('.') + 1);
    switch (breaker.dependency) {
      case 'mcp':
        return checked(deps.mcp(name));
      case 'browser':
        return checked(deps.browser(Number(name)));
      case 'http':
        return checked(deps.host(name));
      case 'agent':
        return deps.agent(name);
      case 'channel':
      case 'webhook':
        // An answer that waits is its probe.
        return deps.reads.pendingChannels().some(({ channel }) => channel === name)
          ? undefined
          : checked(deps.channel(name));
      // Providers are probed by the outage module, the broker by its connection.
      case 'provider':
      case 'broker':
        return undefined;
    }
  };
  return {
    ...createBreakerProbes({ breakers: deps.breakers, clock: deps.clock, trialOf }),
    isPassive(name) {
      const breaker = deps.breakers.find(name);
      const asksItself = breaker?.dependency === 'provider' || breaker?.dependency === 'broker';
      return breaker !== undefined && !asksItself && trialOf(breaker) === undefined;
    },
  };
}

export function checked(check: Check | undefined): BreakerProbe | undefined {
  return check === undefined ? undefined : async (signal) => ({ kind: await check(signal) });
}

/** A hung probe has failed. */
async function within(
  clock: Clock,
  trial: BreakerProbe,
  abort: AbortController,
): Promise<CallVerdict> {
  const done = new AbortController();
  try {
    return await Promise.race([
      trial(abort.signal),
      clock.sleep(TRIAL_TIMEOUT_MS, done.signal).then((): CallVerdict => {
        abort.abort();
        return {
          kind: 'failed',
          error: `It did not respond within ${String(TRIAL_TIMEOUT_MS / 1_000)} s.`,
        };
      }),
    ]);
  } finally {
    done.abort();
  }
}

const wordsOf = (error: unknown): string =>
  error instanceof Error ? error.message : String(error);
