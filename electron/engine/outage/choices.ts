import { because } from '../../../shared/reason';
import type { JournalEntry } from '../../ports/journal/entries';
import { waitForDecision } from '../inbox/entries';
import { HoldfastError } from '../kernel/errors';
import type { OutagesDeps } from './outage-deps';
import type { OutageState } from './state';

/** The user's decisions about one turn that waits for its provider. LM-10 */
export interface WaitChoices {
  /**
   * Runs the turn now, without the others and without waiting for the reset; on disk when this
   * resolves. If the provider still rejects it, the turn waits again. @throws TURN_STATE
   */
  goNow(turnId: number): Promise<void>;
  /** The turn does not continue automatically: from now on it needs review. @throws TURN_STATE */
  hold(turnId: number): Promise<void>;
  /**
   * Ends the wait of these turns: another model or agent answers, as the entries say; on disk when
   * this resolves. Turns whose last run is still ending are left out. @returns the turns that
   * continue
   */
  fallBack(
    turnIds: readonly number[],
    entriesOf: (turnIds: readonly number[]) => readonly JournalEntry[],
  ): Promise<readonly number[]>;
}

export function createWaitChoices(
  deps: OutagesDeps,
  state: Pick<OutageState, 'load' | 'turns'>,
  freeSoon: () => void,
): WaitChoices {
  const { running, leaving, passes } = state.turns;
  const need = (turnId: number, isIdle: (turnId: number) => boolean) => {
    state.load();
    const turn = deps.reads.turn(turnId);
    const isWaiting = deps.reads.held(turnId)?.isOut === false && !leaving.has(turnId);
    if (turn !== undefined && isWaiting && isIdle(turnId)) return turn;
    throw new HoldfastError(
      'TURN_STATE',
      isWaiting
        ? `Turn ${String(turnId)} is still ending its last request.`
        : `Turn ${String(turnId)} is not waiting for a provider.`,
      {
        hint: `Nothing was changed. ${isWaiting ? 'Try again in a moment.' : 'List waiting turns: holdfast outages queue'}`,
        retryable: isWaiting,
      },
    );
  };
  const write = async (entries: readonly JournalEntry[]): Promise<void> => {
    deps.crashPoints.hit('turn.choice.before');
    await deps.journal.commit(entries);
    deps.crashPoints.hit('turn.choice.after');
  };
  return {
    async goNow(turnId) {
      // A run that is ending sends nothing more, so the turn starts right after it.
      need(turnId, () => true);
      await write([{ kind: 'turn.goes', turnId }]);
      deps.audit.record('wait_ended', { turnId, how: 'now' });
      passes.add(turnId);
      freeSoon();
    },
    async fallBack(turnIds, entriesOf) {
      state.load();
      const idle = turnIds.filter(
        (id) => deps.reads.held(id)?.isOut === false && !leaving.has(id) && !running.has(id),
      );
      if (idle.length === 0) return idle;
      for (const id of idle) leaving.set(id, 'soon');
      try {
        deps.crashPoints.hit('turn.fallback.before');
        await deps.journal.commit(entriesOf(idle));
        deps.crashPoints.hit('turn.fallback.after');
      } finally {
        for (const id of idle) leaving.delete(id);
        freeSoon();
      }
      return idle;
    },
    async hold(turnId) {
      const turn = need(turnId, (id) => !running.has(id));
      // The turn must not start while this is being written.
      leaving.set(turnId, 'soon');
      try {
        const inboxId = deps.journal.allocate('inbox');
        await write(waitForDecision(inboxId, turn, 'parked', because('reason.waitHeld')));
      } catch (error) {
        leaving.delete(turnId);
        freeSoon();
        throw error;
      }
      leaving.set(turnId, 'gone');
      deps.audit.record('wait_ended', { turnId, how: 'held' });
      freeSoon();
    },
  };
}
