import type { Journal } from '../../ports/journal/journal';
import type { TurnRow } from '../../ports/journal/rows';
import type { Share } from './share';

/** What a run needs to know about shared work, shared or not. */
export interface ShareGate {
  /** Our journal, followed by the store for shared turns. */
  readonly journal: Journal;
  /** True if another computer may have the turn. */
  isFenced(turnId: number): boolean;
  /** True if the turn is shared and this computer does not own it. */
  isElsewhere(turn: TurnRow): boolean;
  live(): Share | undefined;
  attach(live: Share | undefined): void;
}

export function createShareGate({ journal }: { readonly journal: Journal }): ShareGate {
  let live: Share | undefined;
  return {
    journal: {
      ...journal,
      commit(entries, options) {
        const committed = journal.commit(entries, options);
        if (live === undefined) return committed; // no promise of its own for each step
        // Our journal first: what happened is recorded whatever the network does.
        return committed.then(async (receipt) => {
          await live?.settled(entries);
          return receipt;
        });
      },
    },
    isFenced: (turnId) => live?.isFenced(turnId) === true,
    isElsewhere: ({ id, sharedWith }) => sharedWith !== undefined && live?.isHeld(id) !== true,
    live: () => live,
    attach(now) {
      live = now;
    },
  };
}
