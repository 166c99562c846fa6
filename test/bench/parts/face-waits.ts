/** How long a person waits for a page: until the first screenful of it, and until nothing more comes. */
import type { Page } from 'playwright-core';
import { median } from './numbers';
import type { Report } from './report';

/** Nothing of the page changed for so long: it is complete. */
const QUIET_MS = 400;
const MAX_MS = 10_000;

export interface Wait {
  /** Until the page stands where the one before it stood, with rows or texts in it. */
  readonly firstMs: number;
  /** Until the last change of it. */
  readonly wholeMs: number;
}

/** Goes to `hash`, then to the choice `tab` of it, and watches the page from within. */
export function waitOf(page: Page, hash: string, tab?: string): Promise<Wait> {
  return page.evaluate(
    async ({ to, choice, quietMs, mostMs }) => {
      const startMs = performance.now();
      let changedMs = startMs;
      const watch = new MutationObserver((changes) => {
        if (changes.some((change) => change.type !== 'characterData'))
          changedMs = performance.now();
      });
      watch.observe(document.body, { subtree: true, childList: true, attributes: true });
      window.location.hash = to;
      const frame = (): Promise<unknown> => new Promise((done) => requestAnimationFrame(done));
      const isThere = (): boolean =>
        document.documentElement.dataset['page'] === to &&
        document.querySelector('main h1') !== null &&
        document.querySelectorAll('main :is(li, [role="row"], .card)').length > 1;
      const until = async (holds: () => boolean): Promise<void> => {
        while (!holds() && performance.now() - startMs < mostMs) await frame();
      };
      await until(isThere);
      if (choice !== undefined) {
        const label = [...document.querySelectorAll<HTMLElement>('main label')].find(
          (one) => one.textContent.trim() === choice,
        );
        label?.click();
        await frame();
        await until(isThere);
      }
      const firstMs = performance.now() - startMs;
      await until(() => performance.now() - changedMs > quietMs);
      watch.disconnect();
      return { firstMs, wholeMs: Math.max(firstMs, changedMs - startMs) };
    },
    { to: hash, choice: tab, quietMs: QUIET_MS, mostMs: MAX_MS },
  );
}

/** The waits for one page beside the reference of the same run. */
export function addWaits(
  report: Report,
  section: string,
  name: string,
  waits: readonly Wait[],
  referenceMs: number,
): void {
  for (const [what, key] of [
    ['first screenful', 'firstMs'],
    ['complete', 'wholeMs'],
  ] as const) {
    const value = median(waits.map((wait) => wait[key]));
    report.add(section, {
      name: `${name}: ${what}`,
      value,
      unit: 'ms',
      note: `${(value / referenceMs).toFixed(1)} times the reference`,
    });
  }
}
