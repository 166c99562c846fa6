/** Questions to a page of the real app that hold for every page: each answers with what is wrong. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { ElectronApplication, Page } from 'playwright-core';

const axeSource = readFileSync(
  createRequire(import.meta.url).resolve('axe-core/axe.min.js'),
  'utf8',
);

/** Console errors, errors nobody caught and breaches of the content policy, from now on. */
export function followTrouble(app: ElectronApplication): () => readonly string[] {
  const trouble: string[] = [];
  const follow = (page: Page): void => {
    page.on('console', (message) => {
      if (message.type() === 'error') trouble.push(`${page.url()}: ${message.text()}`);
    });
    page.on('pageerror', (error) => trouble.push(`${page.url()}: ${error.message}`));
  };
  for (const page of app.windows()) follow(page);
  app.on('window', follow);
  return () => trouble.splice(0);
}

interface AxeResult {
  readonly violations: readonly {
    readonly id: string;
    readonly impact: string | null;
    readonly nodes: readonly { readonly target: readonly unknown[]; readonly html: string }[];
  }[];
}

/** Every violation that axe finds, of any impact. */
export async function axeFindings(page: Page): Promise<readonly string[]> {
  const isThere = await page.evaluate(() => 'axe' in window);
  if (!isThere) await page.evaluate(axeSource);
  const { violations } = await page.evaluate(async () => {
    // Half faded in, a text has half of its contrast.
    const moving = (): readonly Animation[] =>
      document.getAnimations().filter(({ playState, effect }) => {
        const { endTime } = effect?.getComputedTiming() ?? {};
        return playState === 'running' && typeof endTime === 'number' && Number.isFinite(endTime);
      });
    for (let now = moving(); now.length > 0; now = moving())
      await Promise.all(now.map(({ finished }) => finished.catch(() => undefined)));
    const { axe } = window as unknown as { axe: { run(options: object): Promise<AxeResult> } };
    return axe.run({ resultTypes: ['violations'] });
  });
  return violations.flatMap(({ id, impact, nodes }) =>
    nodes
      .slice(0, 3)
      .map(
        ({ target, html }) =>
          `${id} (${String(impact)}): ${target.join(' ')} ${html.slice(0, 120)}`,
      ),
  );
}

/** Pairs of these that lie over each other by more than a line of their border, as they are seen. */
export function overlaps(page: Page, selectors: readonly string[]): Promise<readonly string[]> {
  return page.evaluate((wanted) => {
    const seen = (element: Element): DOMRect => {
      let { left, top, right, bottom } = element.getBoundingClientRect();
      // What a scrolling part around it cuts off lies over nothing.
      for (let at = element.parentElement; at !== null; at = at.parentElement) {
        if (getComputedStyle(at).overflowY === 'visible') continue;
        const box = at.getBoundingClientRect();
        left = Math.max(left, box.left);
        top = Math.max(top, box.top);
        right = Math.min(right, box.right);
        bottom = Math.min(bottom, box.bottom);
      }
      return new DOMRect(left, top, Math.max(0, right - left), Math.max(0, bottom - top));
    };
    const boxes = wanted.flatMap((selector) =>
      [...document.querySelectorAll(selector)].map((one) => ({ selector, box: seen(one) })),
    );
    if (boxes.length < wanted.length) return [`only ${String(boxes.length)} of them are there`];
    return boxes.flatMap((a, at) =>
      boxes.slice(at + 1).flatMap((b) => {
        const wide = Math.min(a.box.right, b.box.right) - Math.max(a.box.left, b.box.left);
        const high = Math.min(a.box.bottom, b.box.bottom) - Math.max(a.box.top, b.box.top);
        return wide > 1 && high > 1
          ? [
              `${a.selector} and ${b.selector}: ${String(Math.round(wide))} x ${String(Math.round(high))}`,
            ]
          : [];
      }),
    );
  }, selectors);
}

/** What makes a person scroll sideways: the page, or the part of it that holds everything. */
export function sidewaysScroll(page: Page): Promise<readonly string[]> {
  return page.evaluate(() =>
    [document.documentElement, document.body, ...document.querySelectorAll('main, [role="main"]')]
      .filter((one) => one.scrollWidth > one.clientWidth + 1)
      .map(
        (one) =>
          `${one.tagName.toLowerCase()} is ${String(one.scrollWidth)} wide in ${String(one.clientWidth)}`,
      ),
  );
}

/** Text in a column so narrow that it stands on end: fewer than three letters a line. */
export function squeezedText(page: Page): Promise<readonly string[]> {
  return page.evaluate(() => {
    const found: string[] = [];
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
      const text = node.textContent?.trim() ?? '';
      const parent = node.parentElement;
      if (text.length < 6 || parent === null || parent.closest('.sr-only') !== null) continue;
      if (!parent.checkVisibility({ visibilityProperty: true, opacityProperty: true })) continue;
      const range = document.createRange();
      range.selectNodeContents(node);
      const tops = new Set([...range.getClientRects()].map((box) => Math.round(box.top)));
      if (tops.size > 2 && text.length / tops.size < 3) found.push(`"${text.slice(0, 60)}"`);
    }
    return [...new Set(found)];
  });
}

/** How far a page scrolls below the last thing that can be seen on it, where that is much. */
export function emptyScroll(page: Page): Promise<readonly string[]> {
  return page.evaluate(() => {
    const pageScroller = document.scrollingElement ?? document.documentElement;
    const scrollers = [pageScroller, ...document.querySelectorAll('main, [role="main"]')].filter(
      (one) => one.scrollHeight > one.clientHeight + 1,
    );
    return scrollers.flatMap((scroller) => {
      const offset = scroller === pageScroller ? window.scrollY : scroller.scrollTop;
      const top = scroller === pageScroller ? 0 : scroller.getBoundingClientRect().top;
      let lowest = 0;
      for (const one of scroller.querySelectorAll('*')) {
        if (one.closest('.sr-only') !== null || !one.checkVisibility()) continue;
        const box = one.getBoundingClientRect();
        if (box.width <= 1 || box.height <= 1) continue;
        if (isInsideAnother(one, scroller)) continue;
        lowest = Math.max(lowest, box.bottom - top + offset);
      }
      const empty = scroller.scrollHeight - lowest;
      return empty > 200
        ? [`${scroller.tagName.toLowerCase()} scrolls ${String(Math.round(empty))} px into nothing`]
        : [];
    });

    /** What an inner list holds back does not make the page longer. */
    function isInsideAnother(one: Element, scroller: Element): boolean {
      for (let at = one.parentElement; at !== null && at !== scroller; at = at.parentElement) {
        if (['auto', 'scroll', 'hidden'].includes(getComputedStyle(at).overflowY)) return true;
      }
      return false;
    }
  });
}

/** What moves by itself without an end, and what takes longer than `mostMs` to change its look. */
export function motion(page: Page, mostMs: number): Promise<readonly string[]> {
  return page.evaluate((most) => {
    const nameOf = (one: Element | null): string =>
      `${one?.tagName.toLowerCase() ?? ''}.${one?.getAttribute('class')?.split(' ').join('.') ?? ''}`;
    const endless = document
      .getAnimations()
      .filter((one) => one.effect?.getComputedTiming().endTime === Infinity)
      .map((one) => `${nameOf((one.effect as KeyframeEffect).target)} never stands still`);
    const slow = [...document.querySelectorAll('body *')].flatMap((one) => {
      const { transitionDuration, animationDuration, animationName } = getComputedStyle(one);
      const ms = [transitionDuration, animationName === 'none' ? '0s' : animationDuration]
        .flatMap((list) => list.split(','))
        .map((text) => Number.parseFloat(text) * (text.trim().endsWith('ms') ? 1 : 1000));
      const longest = Math.max(...ms);
      return longest > most ? [`${nameOf(one)} takes ${String(longest)} ms`] : [];
    });
    return [...new Set([...endless, ...slow])];
  }, mostMs);
}

/**
 * What can have the focus by key without a ring of 2 px on it, on what draws it (the track of a
 * switch) or on what holds it (the box around a field). One press of Tab, so that it counts as one.
 */
export async function ringless(page: Page): Promise<readonly string[]> {
  await page.keyboard.press('Tab');
  return page.evaluate(() => {
    const before = document.activeElement;
    const hasRing = (part: Element | null): boolean => {
      if (part === null) return false;
      const { outlineStyle, outlineWidth } = getComputedStyle(part);
      return outlineStyle !== 'none' && Number.parseFloat(outlineWidth) >= 2;
    };
    const found: string[] = [];
    const stops = document.querySelectorAll<HTMLElement>(
      'a[href], button, input, select, textarea, summary, [tabindex]',
    );
    for (const one of stops) {
      if (one.tabIndex < 0 || one.matches(':disabled') || !one.checkVisibility()) continue;
      one.focus({ preventScroll: true });
      if (document.activeElement !== one) continue;
      const around = [one.parentElement, one.closest('.ask'), one.closest('label')];
      if (![one, one.nextElementSibling, ...around].some(hasRing))
        found.push(`no ring: ${one.outerHTML.slice(0, 120)}`);
    }
    if (before instanceof HTMLElement) before.focus({ preventScroll: true });
    return found;
  });
}

/** Buttons and fields that are less than 26 px high; what stands inside of a field is part of it. */
export function smallTargets(page: Page): Promise<readonly string[]> {
  return page.evaluate(() =>
    [
      ...document.querySelectorAll<HTMLElement>(
        'button, select, input:not([type=checkbox], [type=radio]), textarea, [role="button"]',
      ),
    ]
      .filter((one) => one.checkVisibility({ visibilityProperty: true, opacityProperty: true }))
      .map((one) => one.parentElement?.closest<HTMLElement>('.mantine-Input-wrapper') ?? one)
      .map((one) => ({ one, box: one.getBoundingClientRect() }))
      .filter(({ box }) => box.height > 1 && box.height < 25.5)
      .map(
        ({ one, box }) => `${String(Math.round(box.height))} px: ${one.outerHTML.slice(0, 120)}`,
      ),
  );
}

/** Names of the visible buttons that are filled with the colour of the brand. */
export function filledButtons(page: Page): Promise<readonly string[]> {
  return page.evaluate(() => {
    const probe = document.createElement('span');
    probe.style.background = 'var(--hf-kept)';
    document.body.append(probe);
    const kept = getComputedStyle(probe).backgroundColor;
    probe.remove();
    return [...document.querySelectorAll<HTMLElement>('button, a, [role="button"]')]
      .filter((one) => one.checkVisibility({ visibilityProperty: true, opacityProperty: true }))
      .filter((one) => one.getBoundingClientRect().width > 0)
      .filter((one) => getComputedStyle(one).backgroundColor === kept)
      .map((one) => one.textContent.trim());
  });
}

/** Buttons that cancel a turn: their names begin with Cancel. */
export function stopButtons(page: Page): Promise<number> {
  return page
    .getByRole('button', { name: /^cancel/i })
    .filter({ visible: true })
    .count();
}

/**
 * Visible text that is cut: its box ends before it does. Shortened on purpose is what ends in three
 * dots; with `needsTitle` it must also tell its whole text as a title. With `words` only text that
 * matches counts.
 */
export function clippedText(
  page: Page,
  options: { readonly words?: RegExp; readonly needsTitle?: boolean } = {},
): Promise<readonly string[]> {
  const { words: wanted, needsTitle = false } = options;
  return page.evaluate(
    ([pattern, isTitleNeeded]) => {
      const words = pattern === undefined ? undefined : new RegExp(pattern, 'u');
      const found: string[] = [];
      const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
      for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
        const text = node.textContent?.trim() ?? '';
        const parent = node.parentElement;
        if (text === '' || parent === null) continue;
        if (words !== undefined && !words.test(text)) continue;
        if (!parent.checkVisibility({ visibilityProperty: true, opacityProperty: true })) continue;
        if (parent.closest('.sr-only, [aria-hidden="true"], select, option') !== null) continue;
        const range = document.createRange();
        range.selectNodeContents(node);
        const box = range.getBoundingClientRect();
        // Off the screen on purpose until it has the focus.
        if (box.width === 0 || box.bottom < 0 || box.right < 0) continue;
        const cut = cutBy(parent, box);
        if (cut !== undefined) found.push(`"${text.slice(0, 60)}" ${cut}`);
      }
      return [...new Set(found)];

      function isTitled(from: Element, to: Element): boolean {
        for (let one: Element | null = from; one !== null; one = one.parentElement) {
          if (one.hasAttribute('title')) return true;
          if (one === to) return to.parentElement?.hasAttribute('title') ?? false;
        }
        return false;
      }

      function cutBy(from: Element, box: DOMRect): string | undefined {
        for (let one: Element | null = from; one !== null; one = one.parentElement) {
          const style = getComputedStyle(one);
          if (style.position === 'fixed') return undefined;
          const frame = one.getBoundingClientRect();
          const name = `${one.tagName.toLowerCase()}.${one.getAttribute('class')?.split(' ').slice(0, 3).join('.') ?? ''}`;
          if (['auto', 'scroll'].includes(style.overflowX) && one.scrollWidth > one.clientWidth + 1)
            return undefined;
          const hasDots = style.textOverflow === 'ellipsis' || style.webkitLineClamp !== 'none';
          if (hasDots && (!isTitleNeeded || isTitled(from, one))) return undefined;
          // A part that is painted only while it is in sight cuts what sticks out of it, too.
          const isPaintKept =
            style.contentVisibility === 'auto' || /paint|strict|content/.test(style.contain);
          if (isPaintKept || ['hidden', 'clip'].includes(style.overflowX)) {
            if (box.right > frame.right + 1.5 || box.left < frame.left - 1.5)
              return `is cut sideways by ${name}`;
          }
          if (['auto', 'scroll'].includes(style.overflowY)) return undefined;
          if (['hidden', 'clip'].includes(style.overflowY)) {
            if (box.bottom > frame.bottom + 2 || box.top < frame.top - 2)
              return `is cut below by ${name}`;
          }
        }
        return undefined;
      }
    },
    [wanted?.source, needsTitle] as const,
  );
}

/** The longest time that the page did nothing else, while `work` ran. */
export async function longestTaskMs(page: Page, work: () => Promise<unknown>): Promise<number> {
  await page.evaluate(() => {
    const kept = window as unknown as { longTasks?: number[]; taskObserver?: PerformanceObserver };
    kept.longTasks = [];
    kept.taskObserver = new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) kept.longTasks?.push(entry.duration);
    });
    kept.taskObserver.observe({ entryTypes: ['longtask'] });
  });
  await work();
  return page.evaluate(async () => {
    const kept = window as unknown as { longTasks?: number[]; taskObserver?: PerformanceObserver };
    await new Promise((resolve) => setTimeout(resolve, 50));
    kept.taskObserver?.disconnect();
    return Math.max(0, ...(kept.longTasks ?? []));
  });
}
