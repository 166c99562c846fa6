/** An instant by both clocks: one stands still in sleep, the other can be set. */
export interface Instant {
  readonly monotonicMs: number;
  readonly wallMs: number;
}

/** How long a claim is good for without a renewal. */
export interface SharedLease {
  readonly leaseMs: number;
}

/** What is left out at the end of a lease: in it nothing new starts. */
const marginMs = ({ leaseMs }: SharedLease): number => Math.ceil(leaseMs / 6);

/** Renewals are this far apart. */
const renewEveryMs = ({ leaseMs }: SharedLease): number => Math.floor(leaseMs / 3);

/**
 * What the owner of a turn may do. The lease counts from before its last successful renewal was sent,
 * so it ends here before it ends in the store, whatever the network took. By elapsed time alone: no clock
 * is compared with another one's.
 */
type LeaseStand =
  | { readonly kind: 'holds'; readonly renewInMs: number }
  | { readonly kind: 'renew' }
  /** Nothing new starts. */
  | { readonly kind: 'ending'; readonly endsInMs: number }
  /** What still runs is ended: another computer may have the turn. */
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
 * Whether a write that the store has accepted just now proves that an effect may start. The wall clock
 * counts too: a computer that slept in between has a monotonic clock that knows nothing of it. A clock
 * that was set only costs another look at the store.
 */
export function isFresh(sent: Instant, now: Instant, lease: SharedLease): boolean {
  const sinceMs = Math.max(now.monotonicMs - sent.monotonicMs, Math.abs(now.wallMs - sent.wallMs));
  return sinceMs < lease.leaseMs - marginMs(lease);
}
