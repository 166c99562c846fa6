/**
 * A stop waits a moment until pages have saved what is only in their memory, such as text that was
 * just typed.
 */

interface PageSettler {
  /** Asks this number of pages; resolves when all have answered, or at the time limit. */
  ask(pages: number): Promise<void>;
  /** Call when a page has nothing left that is only in memory. */
  settled(): void;
}

export function createPageSettler(
  limitMs: number,
  later: (delayMs: number, run: () => void) => void,
): PageSettler {
  let open = 0;
  let finish = (): void => undefined;
  return {
    ask(pages) {
      if (pages === 0) return Promise.resolve();
      open = pages;
      return new Promise((resolve) => {
        finish = resolve;
        later(limitMs, resolve);
      });
    },
    settled() {
      open -= 1;
      if (open <= 0) finish();
    },
  };
}
