import type { Journal } from '../../ports/journal/journal';
import type { JournalReads } from '../../ports/journal/reads';
import type { Share } from './share';

/** What a run needs to know about shared work, shared or not. */
export interface ShareGate {
  /** Our journal, followed by the store for shared turns. */
  readonly journal: Journal;
  /** True if another computer may have the turn. */
  isFenced(turnId: number): boolean;
  /** True if the turn is shared and this computer does not own it. */
  isElsewhere(turnId: number): boolean;
  live(): Share | undefined;
  attach(live: Share | undefined): void;
}

export function createShareGate({
  journal,
  reads,
}: {
  readonly journal: Journal;
  readonly reads: Pick<JournalReads, 'sharedTurn'>;
}): ShareGate {
  let live: Share | undefined;
  return {
    journal: {
      ...journal,
      async commit(entries, options) {
        const receipt = await journal.commit(entries, options);
        // Our journal first: what happened is recorded whatever the network does.
        await live?.settled(entries);
        return receipt;
      },
    },
    isFenced: (turnId) => live?.isFenced(turnId) === true,
    isElsewhere: (turnId) =>
      live?.isHeld(turnId) !== true && reads.sharedTurn(turnId) !== undefined,
    live: () => live,
    attach(now) {
      live = now;
    },
  };
}
