import type { BreakerState, DependencyKind } from '../../../shared/types/outage';
import type { BreakerMove, Breakers } from '../../ports/breakers';
import type { Clock } from '../../ports/clock';
import { CircuitBreaker, type BreakerPolicy, type BreakerSnapshot } from './circuit-breaker';
import { BREAKER_STATES, DEPENDENCY_KINDS } from '../../../shared/states';

const isCount = (value: unknown): value is number =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;

/**
 * A breaker's stored state, or undefined if it is invalid: the breaker then starts closed, because
 * a start must not depend on it. Pure. S2-+04.
 */
function readSnapshot(raw: Readonly<Record<string, unknown>>): BreakerSnapshot | undefined {
  const { name, failures, successes, backoffMs, openedAtMs, lastError } = raw;
  const dependency = DEPENDENCY_KINDS.find((kind) => kind === raw['dependency']);
  const state = BREAKER_STATES.find((one) => one === raw['state']);
  if (typeof name !== 'string' || name === '') return undefined;
  if (dependency === undefined || state === undefined) return undefined;
  if (!isCount(failures) || !isCount(successes)) return undefined;
  const isOpened = typeof openedAtMs === 'number' && Number.isFinite(openedAtMs);
  const isWaiting = typeof backoffMs === 'number' && Number.isFinite(backoffMs) && backoffMs >= 0;
  if (state !== 'closed' && !(isOpened && isWaiting)) return undefined;
  return {
    name,
    dependency,
    state,
    failures,
    successes,
    backoffMs: isWaiting ? backoffMs : 0,
    ...(isOpened ? { openedAtMs } : {}),
    cause: typeof raw['cause'] === 'string' ? raw['cause'] : '',
    ...(typeof lastError === 'string' ? { lastError } : {}),
  };
}

interface BreakerRegistryDeps {
  readonly clock: Pick<Clock, 'nowMs' | 'monotonicMs'>;
  readonly policy: (name: string) => BreakerPolicy;
  readonly timeWords: (atMs: number) => string;
  readonly waiting: (name: string) => string;
  /** No automatic probe while it is open; absent: all are probed. */
  readonly isPassive?: (name: string) => boolean;
  /** The last run's stored state; read with the first breaker. */
  readonly saved: () => readonly Readonly<Record<string, unknown>>[];
  /** The settings no longer have what it protects: its stored row goes, too. Absent: none is gone. */
  readonly isGone?: (breaker: Pick<BreakerSnapshot, 'name' | 'dependency'>) => boolean;
  /** An invalid stored row: its breaker starts closed. */
  readonly onDamaged: (name: string) => void;
  /** Stores a state; `from` equals the state if only a count changed. Never throws. */
  readonly keep: (snapshot: BreakerSnapshot, from: BreakerState) => void;
  /** The breaker was removed. Never throws. */
  readonly drop: (name: string, dependency: DependencyKind) => void;
}

/**
 * Maximum number of hosts with a breaker; beyond it, the least recently used closed one is removed.
 */
const MAX_HTTP_BREAKERS = 200;

/**
 * Every breaker of this process by name, restored from the last run; its state is in
 * circuit-breaker.ts. A breaker is created when its dependency is first used; nothing here has a
 * timer. Source: S2-01, S2-16, S2-+04.
 */
export function createBreakerRegistry(deps: BreakerRegistryDeps): Breakers {
  const listeners = new Set<(move: BreakerMove) => void>();
  const book = new Map<string, CircuitBreaker>();
  let isRestored = false;
  const shared = {
    clock: deps.clock,
    policy: deps.policy,
    timeWords: deps.timeWords,
    waiting: deps.waiting,
    ...(deps.isPassive === undefined ? {} : { isPassive: deps.isPassive }),
    changed(breaker: CircuitBreaker, from: BreakerState) {
      const snapshot = breaker.snapshot();
      // Ignores a breaker that was removed while its call was open.
      if (book.get(breaker.name) !== breaker) return;
      deps.keep(snapshot, from);
      if (snapshot.state === from) return;
      const { name, state: to, cause } = snapshot;
      for (const listener of listeners) listener({ name, from, to, cause });
    },
  };

  const restored = (): Map<string, CircuitBreaker> => {
    if (isRestored) return book;
    isRestored = true;
    for (const raw of deps.saved()) {
      const snapshot = readSnapshot(raw);
      if (snapshot === undefined) deps.onDamaged(String(raw['name']));
      else if (deps.isGone?.(snapshot) === true) deps.drop(snapshot.name, snapshot.dependency);
      else book.set(snapshot.name, CircuitBreaker.restore(snapshot, shared));
    }
    return book;
  };

  const makeRoom = (): void => {
    const hosts = [...book.values()].filter((one) => one.dependency === 'http');
    if (hosts.length < MAX_HTTP_BREAKERS) return;
    const idle = hosts.find((one) => one.state === 'closed') ?? hosts[0];
    if (idle !== undefined) forget(idle.name);
  };

  const forget = (name: string): void => {
    const known = restored().get(name);
    if (known === undefined) return;
    book.delete(name);
    deps.drop(name, known.dependency);
  };

  return {
    of(name, dependency) {
      const known = restored().get(name);
      if (known !== undefined) {
        if (dependency === 'http') {
          // The order of the map is the order of the last use.
          book.delete(name);
          book.set(name, known);
        }
        return known;
      }
      if (dependency === 'http') makeRoom();
      const made = new CircuitBreaker(name, dependency, shared);
      book.set(name, made);
      return made;
    },
    find: (name) => restored().get(name),
    list: () =>
      [...restored().values()]
        .map((breaker) => breaker.view())
        .toSorted((one, other) => (one.name < other.name ? -1 : 1)),
    forget,
    onMoved(listener) {
      listeners.add(listener);
      return () => {
        listeners.delete(listener);
      };
    },
  };
}
