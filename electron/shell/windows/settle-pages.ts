/** A stop waits a moment for what the pages have in memory only: text that was just typed. */

interface PageSettler {
  /** Requests it from that many pages; resolves when each has answered, or at the limit. */
  ask(pages: number): Promise<void>;
  /** A page has nothing left in memory only. */
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
