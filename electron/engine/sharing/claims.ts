import type { TurnRow } from '../../ports/journal/rows';
import type { Log } from '../../ports/log';
import type { GrantedTurn, SharedStore } from '../../ports/shared-store';
import { toHoldfastError } from '../kernel/errors';
import type { RecoverDeps } from '../recovery/recover-at-start';
import type { Adoption } from './adopt';
import type { HeldTurns } from './held-turns';
import type { Instant } from './plan-lease';
import { refusedWire, type WireTexts } from './wire';

/** Delay before retrying what this computer could not take. */
const GIVEN_BACK_MS = 30_000;

interface ClaimsDeps {
  readonly store: Pick<SharedStore, 'claim' | 'append'>;
  readonly recovery: Pick<RecoverDeps, 'reads' | 'clock'>;
  readonly held: Pick<HeldTurns, 'has' | 'drop'>;
  readonly adoption: Pick<Adoption, 'adopt'>;
  readonly texts: Pick<WireTexts, 'portableIn'>;
  readonly self: { readonly newId: () => string };
  readonly turns: {
    enqueue(turn: TurnRow, how: { readonly delayMs: number; readonly isAlone: boolean }): void;
  };
  readonly policy: () => { readonly leaseMs: number; readonly maxWaitMs: number };
  readonly log: Log;
  /** There is one more lease to renew. */
  readonly onHeld: () => void;
}

/** Claims turns that the store grants to this computer. */
export function createClaims(deps: ClaimsDeps): {
  /** Claims one turn. False if there was none. @throws SHARE_UNREACHABLE */
  one(): Promise<boolean>;
  /** Adopts turns that were granted but are not in our journal yet. @throws SHARE_UNREACHABLE */
  adoptPending(): Promise<void>;
} {
  const { store, held, log } = deps;
  const { reads, clock } = deps.recovery;
  let request: string | undefined;
  let unadopted: { readonly granted: GrantedTurn; readonly sent: Instant } | undefined;

  const adoptPending = async (): Promise<void> => {
    if (unadopted === undefined) return;
    const { granted, sent } = unadopted;
    try {
      const adopted = await deps.adoption.adopt(granted, sent);
      unadopted = undefined;
      deps.onHeld();
      if (adopted.kind === 'runs') deps.turns.enqueue(adopted.turn, adopted);
      if (adopted.kind === 'refused') {
        const { why, isNew } = adopted;
        log.warn('share.files.refused', { uid: granted.id, why });
        await giveBack(granted, isNew ? [refusedWire(deps.texts.portableIn(''), why)] : []);
      }
    } catch (error) {
      if (toHoldfastError(error).code === 'SHARE_UNREACHABLE') throw error;
      // No step of it has started, so another computer may be able to run it.
      unadopted = undefined;
      log.error('share.adopt.failed', { uid: granted.id, error });
      const known = reads.sharedByUid(granted.id);
      if (known !== undefined) held.drop(known.turnId);
      await giveBack(granted, []);
    }
  };

  const giveBack = (granted: GrantedTurn, bodies: readonly string[]) =>
    store.append({
      turn: granted.id,
      epoch: granted.epoch,
      from: granted.entries,
      bodies,
      leaseMs: deps.policy().leaseMs,
      after: 'queued',
      delayMs: GIVEN_BACK_MS,
      isProgress: false,
    });

  return {
    adoptPending,
    async one() {
      const { leaseMs, maxWaitMs } = deps.policy();
      request ??= deps.self.newId();
      const sent = { monotonicMs: clock.monotonicMs(), wallMs: clock.nowMs() };
      const answer = await store.claim({ request, leaseMs, maxWaitMs });
      request = undefined;
      if (answer.kind !== 'granted') return false;
      const known = reads.sharedByUid(answer.id);
      if (known !== undefined && held.has(known.turnId)) return true;
      unadopted = { granted: answer, sent };
      await adoptPending();
      return true;
    },
  };
}
