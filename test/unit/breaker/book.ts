import type { BreakerState } from '../../../shared/types/outage';
import type { Breakers } from '../../../electron/ports/breakers';
import type { Clock } from '../../../electron/ports/clock';
import { createBreakerRegistry } from '../../../electron/engine/breaker/registry';
import type {
  BreakerPolicy,
  BreakerSnapshot,
} from '../../../electron/engine/breaker/circuit-breaker';

export const DEFAULT_POLICY: BreakerPolicy = {
  failureThreshold: 5,
  successThreshold: 2,
  initialBackoffMs: 10_000,
  maxBackoffMs: 120_000,
};

/** A book over a store that outlives it, as a data directory does. */
interface Kept {
  readonly rows: Map<string, Record<string, unknown>>;
  readonly writes: (BreakerSnapshot & { readonly from: BreakerState })[];
  readonly damaged: string[];
}

export const createKept = (): Kept => ({ rows: new Map(), writes: [], damaged: [] });

export function createTestRegistry(
  clock: Pick<Clock, 'nowMs' | 'monotonicMs'>,
  kept: Kept,
  policy: (name: string) => BreakerPolicy = () => DEFAULT_POLICY,
): Breakers {
  return createBreakerRegistry({
    clock,
    policy,
    timeWords: (atMs) => new Date(atMs).toISOString().slice(11, 19),
    waiting: () => '',
    saved: () => [...kept.rows.values()],
    onDamaged: (name) => kept.damaged.push(name),
    keep: (snapshot, from) => {
      kept.writes.push({ ...snapshot, from });
      kept.rows.set(snapshot.name, { ...snapshot });
    },
    drop: (name) => kept.rows.delete(name),
  });
}
