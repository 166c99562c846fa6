import type { Ticker } from '../../ports/clock';
import type { Journal } from '../../ports/journal/journal';
import type { Log } from '../../ports/log';
import type { Indexing } from './indexing';
import type { createSearch } from './search';

type Find = ReturnType<typeof createSearch>;

/** Search over the journal. */
export interface LazySearch {
  readonly find: Find;
  /** From now on new entries are taken in while nothing runs. */
  start(): void;
  stop(): void;
}

interface LoadedSearch {
  readonly indexing: Indexing;
  readonly find: Find;
  /** Closes the index if it was opened. */
  close(): void;
}

interface LazySearchDeps {
  readonly load: () => Promise<LoadedSearch>;
  readonly journal: Pick<Journal, 'onCommitted'>;
  /** Whether no turn runs. */
  readonly isIdle: () => boolean;
  readonly isOver: () => boolean;
  readonly ticks: Ticker;
  readonly log: Pick<Log, 'error'>;
}

/** Loaded with the first search, or when the index first takes entries in. SR-02 */
export function createLazySearch(deps: LazySearchDeps): LazySearch {
  let loading: Promise<LoadedSearch> | undefined;
  let made: LoadedSearch | undefined;
  const load = async (): Promise<LoadedSearch> => (made = await deps.load());
  const loaded = (): Promise<LoadedSearch> => (loading ??= load());
  // Until it is loaded nothing has been dropped from it: its first work looks at all of it.
  deps.journal.onCommitted(
    (entries) => {
      const isGone = entries.some(({ kind }) => kind === 'turn.pruned' || kind === 'session.set');
      if (isGone) void loading?.then(({ indexing }) => indexing.textsWent());
    },
    { skipsSteps: true },
  );
  const work = (): void => {
    if (!deps.isIdle()) return;
    loaded()
      .then(({ indexing }) => indexing.work())
      .catch((error: unknown) => {
        if (!deps.isOver()) deps.log.error('search.index_failed', { error });
      });
  };
  let ticks: { stop(): void } | undefined;
  return {
    find: async (input) => (await loaded()).find(input),
    start() {
      ticks = deps.ticks(work);
    },
    stop() {
      ticks?.stop();
      made?.close();
    },
  };
}
