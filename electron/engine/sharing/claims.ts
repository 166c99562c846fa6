import { spanText } from '../../../shared/durations';
import type { JournalEntry } from '../../ports/journal/entries';
import type { TurnRow } from '../../ports/journal/rows';
import type { Log } from '../../ports/log';
import type { GrantedTurn, SharedStore } from '../../ports/shared-store';
import { openItem, retellItem, settle } from '../inbox/entries';
import { dropOldest } from '../kernel/drop-oldest';
import { toHoldfastError } from '../kernel/errors';
import type { RecoverDeps } from '../recovery/recover-at-start';
import type { TurnImport } from './import-turn';
import type { HeldTurns } from './held-turns';
import { instantOf, type Instant } from './plan-lease';
import { MAX_WHY, refusedWire, type WireTexts } from './wire';

/** Delay before this computer tries again what it could not take; it doubles with each try. */
const FIRST_PASS_MS = 30_000;
const MAX_PASS_MS = 3_600_000;
/** The number of failed tries after which a person is told. */
const TRIES_UNTOLD = 3;
/** Maximum turns whose tries are remembered. */
const MAX_PASSED = 1_000;
/** Open notices among which that of a turn is looked for. */
const NOTICES = 1_000;

/** When a turn that could not be taken so often is tried again. Pure. */
const passMs = (tries: number): number =>
  Math.min(MAX_PASS_MS, FIRST_PASS_MS * 2 ** Math.min(tries - 1, 20));

interface ClaimsDeps {
  readonly store: Pick<SharedStore, 'claim' | 'append' | 'pass'>;
  readonly recovery: Pick<RecoverDeps, 'journal' | 'reads' | 'clock'>;
  readonly held: Pick<HeldTurns, 'has' | 'drop'>;
  readonly turnImport: Pick<TurnImport, 'take'>;
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
  /** Imports turns that were granted but are not in our journal yet. @throws SHARE_UNREACHABLE */
  importPending(): Promise<void>;
} {
  const { store, held, log } = deps;
  const { reads, clock } = deps.recovery;
  let request: string | undefined;
  let pending: { readonly granted: GrantedTurn; readonly sent: Instant } | undefined;

  /** What could not be given back because the store did not answer. */
  let owed: (() => Promise<void>) | undefined;
  const passed = new Map<string, Passed>();
  const notices = createPassNotices(deps);

  /** Others may have the turn at once; this computer after a time that grows. */
  const giveBack = async (
    granted: GrantedTurn,
    why: string,
    isToldAs: (before: Passed | undefined) => boolean,
  ): Promise<void> => {
    const before = passed.get(granted.id);
    const tries = (before?.tries ?? 0) + 1;
    passed.delete(granted.id);
    passed.set(granted.id, { tries, why });
    dropOldest(passed, MAX_PASSED);
    const { id: turn, epoch, entries: from } = granted;
    const bodies = isToldAs(before) ? [refusedWire(deps.texts.portableIn(''), why)] : [];
    owed = async () => {
      const isPassed = await store.pass({ turn, epoch, forMs: passMs(tries) });
      await store.append({
        ...{ turn, epoch, from, bodies, leaseMs: deps.policy().leaseMs },
        after: 'queued',
        // A store of an earlier version knows only a delay for every computer.
        delayMs: isPassed ? 0 : FIRST_PASS_MS,
        isProgress: false,
      });
    };
    if (tries >= TRIES_UNTOLD) await notices.tell(granted, { tries, why });
    await settleOwed();
  };

  const settleOwed = async (): Promise<void> => {
    await owed?.();
    owed = undefined;
  };

  const importPending = async (): Promise<void> => {
    await settleOwed();
    if (pending === undefined) return;
    const { granted, sent } = pending;
    try {
      const imported = await deps.turnImport.take(granted, sent);
      pending = undefined;
      deps.onHeld();
      if (imported.kind === 'runs') deps.turns.enqueue(imported.turn, imported);
      if (imported.kind !== 'refused') {
        if (passed.delete(granted.id)) await notices.settle(granted.id);
        return;
      }
      const { why, isNew } = imported;
      log.warn('share.files.refused', { uid: granted.id, why });
      await giveBack(granted, why, () => isNew);
    } catch (error) {
      if (toHoldfastError(error).code === 'SHARE_UNREACHABLE') throw error;
      // No step of it has started, so another computer may be able to run it.
      pending = undefined;
      log.error('share.adopt.failed', { uid: granted.id, error });
      const known = reads.sharedByUid(granted.id);
      if (known !== undefined) held.drop(known.turnId);
      const why = toHoldfastError(error).message;
      await giveBack(granted, why, (before) => before?.why !== why);
    }
  };

  return {
    importPending,
    async one() {
      const { leaseMs, maxWaitMs } = deps.policy();
      request ??= deps.self.newId();
      const sent = instantOf(clock);
      const answer = await store.claim({ request, leaseMs, maxWaitMs });
      request = undefined;
      if (answer.kind !== 'granted') return false;
      const known = reads.sharedByUid(answer.id);
      if (known !== undefined && held.has(known.turnId)) return true;
      pending = { granted: answer, sent };
      await importPending();
      return true;
    },
  };
}

/** A turn that this computer could not take. */
interface Passed {
  readonly tries: number;
  readonly why: string;
}

/** At most one open notice for each such turn, also over restarts. */
function createPassNotices({ recovery: { journal, reads }, log }: ClaimsDeps) {
  const openOf = (uid: string) =>
    reads
      .inbox({ includeSettled: false, limit: NOTICES })
      .find(
        ({ item, facts }) =>
          item === 'problem' && (facts as { sharedTurn?: unknown } | undefined)?.sharedTurn === uid,
      );
  // Perhaps the disk is full: the turn is given back anyway.
  const commit = (entries: readonly JournalEntry[]): Promise<unknown> =>
    journal.commit(entries).catch((error: unknown) => {
      log.error('share.pass.untold', { error });
    });
  return {
    async tell(granted: GrantedTurn, { tries, why }: Passed): Promise<void> {
      const notice = {
        title: `A shared turn of session "${granted.session}" cannot run on this computer`,
        detail:
          `Tried ${String(tries)} times: ${why.slice(0, MAX_WHY)} ` +
          'Nothing of it ran here, it stays in the shared queue, and other computers may take it. ' +
          `This computer tries again in ${spanText(passMs(tries))}, and after a restart. ` +
          'If no computer can run it, cancel it on the computer that sent it. See what waits: holdfast machines list',
        facts: { sharedTurn: granted.id },
      };
      const open = openOf(granted.id);
      await commit([
        open === undefined
          ? openItem(journal.allocate('inbox'), 'problem', notice)
          : retellItem(open.id, notice),
      ]);
    },
    async settle(uid: string): Promise<void> {
      const open = openOf(uid);
      if (open !== undefined) await commit([settle(open.id, 'runs here')]);
    },
  };
}
