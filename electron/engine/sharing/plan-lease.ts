import type { Clock } from '../../ports/clock';

/** An instant by both clocks: the monotonic one may pause in sleep, the wall clock can be set. */
export interface Instant {
  readonly monotonicMs: number;
  readonly wallMs: number;
}

export const instantOf = (clock: Pick<Clock, 'monotonicMs' | 'nowMs'>): Instant => ({
  monotonicMs: clock.monotonicMs(),
  wallMs: clock.nowMs(),
});

/** How long a claim is valid without a renewal. */
export interface SharedLease {
  readonly leaseMs: number;
}

/** Safety margin at the end of a lease, in which nothing new starts. */
const marginMs = ({ leaseMs }: SharedLease): number => Math.ceil(leaseMs / 6);

/** Interval between renewals. */
const renewEveryMs = ({ leaseMs }: SharedLease): number => Math.floor(leaseMs / 3);

/**
 * What the owner of a turn may do. The lease counts from before its last successful renewal was
 * sent, so it ends here before it ends in the store, however slow the network is. Only elapsed time
 * counts: clocks of different computers are never compared.
 */
type LeaseStand =
  | { readonly kind: 'holds'; readonly renewInMs: number }
  | { readonly kind: 'renew' }
  /** Nothing new starts. */
  | { readonly kind: 'ending'; readonly endsInMs: number }
  /** Running work must end: another computer may have the turn. */
  | { readonly kind: 'over' };

export function decideLeaseStand(sent: Instant, now: Instant, lease: SharedLease): LeaseStand {
  const sinceMs = now.monotonicMs - sent.monotonicMs;
  if (sinceMs >= lease.leaseMs) return { kind: 'over' };
  if (sinceMs >= lease.leaseMs - marginMs(lease))
    return { kind: 'ending', endsInMs: lease.leaseMs - sinceMs };
  const renewInMs = renewEveryMs(lease) - sinceMs;
  return renewInMs <= 0 ? { kind: 'renew' } : { kind: 'holds', renewInMs };
}

/**
 * Whether a write that the store has just accepted proves that an effect may start. The wall clock
 * counts too, because the monotonic clock may not include sleep. If the wall clock was set, that
 * only costs another poll of the store.
 */
export function isFresh(sent: Instant, now: Instant, lease: SharedLease): boolean {
  const sinceMs = Math.max(now.monotonicMs - sent.monotonicMs, Math.abs(now.wallMs - sent.wallMs));
  return sinceMs < lease.leaseMs - marginMs(lease);
}
