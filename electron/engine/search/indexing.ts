import type { SearchIndex } from '../../ports/search';

interface IndexingDeps {
  readonly index: () => Promise<SearchIndex>;
  /** False while a turn runs: its steps must not wait for the index. */
  readonly isIdle: () => boolean;
  readonly monotonicMs: () => number;
  readonly rest: () => Promise<void>;
  readonly isOver: () => boolean;
}

export interface Indexing {
  /** Indexes new entries while nothing runs, and removes deleted ones. Safe to call at any time. */
  work(): Promise<void>;
  /**
   * Indexes for a search, for at most this long, even while turns run. Returns how many entries are
   * left.
   */
  catchUp(mostMs: number): Promise<number>;
  /** The journal has deleted texts: they are removed from the index when nothing runs. */
  textsWent(): void;
}

/** Schedules the index: one batch at a time, never two in parallel. SR-02 */
export function createIndexing(deps: IndexingDeps): Indexing {
  let last: Promise<unknown> = Promise.resolve();
  // Texts deleted while another run had the data are searched once.
  let isSweepDue = true;
  let isWorking = false;
  const alone = <T>(task: () => Promise<T>): Promise<T> => {
    const next = last.then(task, task);
    last = next.catch(() => undefined);
    return next;
  };
  const mayWork = (): boolean => !deps.isOver() && deps.isIdle();
  const step = async (): Promise<boolean> => {
    const index = await deps.index();
    if (index.behind() > 0 && (await alone(() => index.fill()))) return true;
    if (!isSweepDue) return false;
    isSweepDue = await alone(() => Promise.resolve(index.sweep()));
    return isSweepDue;
  };
  return {
    async work() {
      if (isWorking) return;
      isWorking = true;
      try {
        while (mayWork() && (await step())) await deps.rest();
      } finally {
        isWorking = false;
      }
    },
    async catchUp(mostMs) {
      const index = await deps.index();
      const endMs = deps.monotonicMs() + mostMs;
      while (index.behind() > 0 && deps.monotonicMs() < endMs) {
        if (!(await alone(() => index.fill()))) break;
        await deps.rest();
      }
      return index.behind();
    },
    textsWent() {
      isSweepDue = true;
    },
  };
}
