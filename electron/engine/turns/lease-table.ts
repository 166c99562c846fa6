import { HoldfastError } from '../kernel/errors';
import { decideLease, type LeasePolicy } from './lease-rules';

/**
 * The right to run one turn of one session. Its epoch is the turn's attempt: a takeover runs under
 * the next one. Exactly one worker holds it at a time.
 */
export interface Lease {
  /** UUID of version 7; names the activation in the history. */
  readonly claimId: string;
  /** Unique over workers, processes and starts. */
  readonly owner: string;
  readonly sessionId: number;
  readonly turnId: number;
  readonly attempt: number;
  /** A heartbeat of the run, valid for `forMs` more (a tool within its timeout). */
  alive(forMs?: number): void;
  /** Continuous heartbeats until the returned function is called. */
  atWork(): () => void;
  isHeld(): boolean;
  /** @throws LEASE_LOST: the caller must not write or execute anything. S3-19 */
  assertHeld(): void;
}

type TakenLease =
  | { readonly kind: 'leased'; readonly lease: Lease }
  | { readonly kind: 'contended'; readonly owner: string };

/** A lease as status shows it. Instants are monotonic ms. */
export interface HeldLease {
  readonly lease: Lease;
  readonly renewedAtMs: number;
}

/**
 * The running turns and their workers in the one process that writes. Other readers use the
 * journal.
 */
export interface LeaseTable {
  take(work: {
    readonly sessionId: number;
    readonly turnId: number;
    readonly attempt: number;
    /** The worker; part of the owner's name. */
    readonly worker: string;
  }): TakenLease;
  release(lease: Lease): void;
  /** Ends the lease although its holder still has it: every later use of it fails. */
  revoke(lease: Lease): void;
  ofSession(sessionId: number): HeldLease | undefined;
  /** Renews leases with heartbeats; returns the expired ones and when to look again. */
  look(nowMs: number): {
    readonly stale: readonly { readonly lease: Lease; readonly silentMs: number }[];
    readonly lookAtMs: number | undefined;
  };
  /** Renews all leases: after a suspend of the process, silence proves nothing. */
  renewAll(): void;
}

interface Line {
  readonly lease: Lease;
  renewedAtMs: number;
  aliveUntilMs: number;
  /** Running work without a separate limit. */
  atWork: number;
}

export function createLeaseTable(deps: {
  readonly monotonicMs: () => number;
  readonly newId: () => string;
  /** Names this start of Holdfast. */
  readonly instance: string;
  readonly policy: () => LeasePolicy;
  /** True if the turn is shared and another computer may have it by now. */
  readonly isFenced: (turnId: number) => boolean;
}): LeaseTable {
  const lines = new Map<number, Line>();
  let counter = 0;

  const holds = (lease: Lease): boolean => lines.get(lease.sessionId)?.lease === lease;

  return {
    take({ sessionId, turnId, attempt, worker }) {
      const held = lines.get(sessionId);
      if (held !== undefined) return { kind: 'contended', owner: held.lease.owner };
      counter += 1;
      const lease: Lease = {
        claimId: deps.newId(),
        owner: `${deps.instance}/${worker}.${String(counter)}`,
        sessionId,
        turnId,
        attempt,
        alive(forMs = 0) {
          const line = lines.get(sessionId);
          if (line?.lease !== lease) return;
          line.aliveUntilMs = Math.max(line.aliveUntilMs, deps.monotonicMs() + forMs);
        },
        atWork() {
          const line = lines.get(sessionId);
          return line?.lease === lease ? holdAlive(line) : () => undefined;
        },
        isHeld: () => holds(lease) && !deps.isFenced(turnId),
        assertHeld() {
          if (!holds(lease) || deps.isFenced(turnId)) throw leaseLost(lease);
        },
      };
      const nowMs = deps.monotonicMs();
      lines.set(sessionId, { lease, renewedAtMs: nowMs, aliveUntilMs: nowMs, atWork: 0 });
      return { kind: 'leased', lease };
    },
    release(lease) {
      if (holds(lease)) lines.delete(lease.sessionId);
    },
    revoke(lease) {
      if (holds(lease)) lines.delete(lease.sessionId);
    },
    ofSession: (sessionId) => lines.get(sessionId),
    look(nowMs) {
      const policy = deps.policy();
      const stale: { lease: Lease; silentMs: number }[] = [];
      let lookAtMs: number | undefined;
      for (const line of lines.values()) {
        if (line.atWork > 0) line.lease.alive();
        const verdict = decideLease(line, policy, nowMs);
        if (verdict.kind === 'stale') {
          stale.push({ lease: line.lease, silentMs: verdict.silentMs });
          continue;
        }
        if (verdict.kind === 'renew') line.renewedAtMs = nowMs;
        lookAtMs = Math.min(lookAtMs ?? Infinity, verdict.lookAtMs);
      }
      return { stale, lookAtMs };
    },
    renewAll() {
      const nowMs = deps.monotonicMs();
      for (const line of lines.values()) line.aliveUntilMs = Math.max(line.aliveUntilMs, nowMs);
    },
  };
}

function holdAlive(line: Line): () => void {
  line.atWork += 1;
  let isLetGo = false;
  return () => {
    if (isLetGo) return;
    isLetGo = true;
    line.atWork -= 1;
    line.lease.alive();
  };
}

function leaseLost(lease: Lease): HoldfastError {
  return new HoldfastError(
    'LEASE_LOST',
    `This attempt of turn ${String(lease.turnId)} has lost its lease: it no longer writes or runs anything.`,
    {
      hint: 'Nothing to do: the turn continued in another attempt.',
      facts: { turnId: lease.turnId },
    },
  );
}
