/**
 * How long a lease lasts without a heartbeat; read at each decision, so changes apply at once
 * (S3-+02).
 */
export interface LeasePolicy {
  /** Renewal interval of a lease whose run sends heartbeats. */
  readonly renewMs: number;
  /** After this long without a heartbeat, another worker may claim the work. */
  readonly staleMs: number;
}

/** A lease's heartbeats so far. Instants are monotonic ms. */
interface LeaseSigns {
  readonly renewedAtMs: number;
  /** The last heartbeat; in the future while a tool runs within its timeout. */
  readonly aliveUntilMs: number;
}

type LeaseVerdict =
  /** It has sent a heartbeat since its last renewal. */
  | { readonly kind: 'renew'; readonly lookAtMs: number }
  | { readonly kind: 'keep'; readonly lookAtMs: number }
  | { readonly kind: 'stale'; readonly silentMs: number };

/**
 * Whether a lease is still valid, and when to check again. Pure. A heartbeat counts from its end: a
 * command with a timeout of an hour is alive for that hour. S3-18, S3-24, S3-25.
 */
export function decideLease(signs: LeaseSigns, policy: LeasePolicy, nowMs: number): LeaseVerdict {
  const lastSignMs = Math.min(signs.aliveUntilMs, nowMs);
  const silentMs = nowMs - lastSignMs;
  if (silentMs >= policy.staleMs) return { kind: 'stale', silentMs };
  const staleAtMs = Math.max(signs.aliveUntilMs, nowMs) - silentMs + policy.staleMs;
  const hasNews = lastSignMs > signs.renewedAtMs;
  const sinceMs = nowMs - signs.renewedAtMs;
  if (hasNews && sinceMs >= policy.renewMs) {
    return { kind: 'renew', lookAtMs: Math.min(nowMs + policy.renewMs, staleAtMs) };
  }
  const renewAtMs =
    sinceMs >= policy.renewMs ? nowMs + policy.renewMs : nowMs + policy.renewMs - sinceMs;
  return { kind: 'keep', lookAtMs: Math.min(renewAtMs, staleAtMs) };
}

/**
 * True if the watchdog itself ran late by half the stale time: the process was paused (suspended
 * computer, SIGSTOP), so missing heartbeats mean nothing. The instance lock, not this, catches a
 * takeover.
 */
export function wasAsleep(expectedMs: number, nowMs: number, policy: LeasePolicy): boolean {
  return nowMs - expectedMs > policy.staleMs / 2;
}
