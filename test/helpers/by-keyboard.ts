/** Windows of the real app without a pointer: what has the focus, and how Tab gets somewhere. */
import type { Page } from 'playwright-core';

interface Focused {
  readonly name: string;
  readonly tag: string;
  readonly hasRing: boolean;
}

/** What has the focus, by the name that a screen reader would say. */
export const focused = (page: Page): Promise<Focused> =>
  page.evaluate(() => {
    const one = document.activeElement;
    if (one === null || one === document.body) return { name: '', tag: 'body', hasRing: true };
    const style = getComputedStyle(one);
    const ring = [one, one.parentElement, ...one.querySelectorAll('*')].some((part) => {
      if (part === null) return false;
      const { outlineStyle, outlineWidth, boxShadow, borderColor } = getComputedStyle(part);
      return (
        (outlineStyle !== 'none' && parseFloat(outlineWidth) >= 1) ||
        boxShadow !== 'none' ||
        (part === one && one.matches('input, textarea, select') && borderColor !== '')
      );
    });
    const namedBy = one
      .getAttribute('aria-labelledby')
      ?.split(' ')
      .map((id) => document.getElementById(id)?.textContent ?? '')
      .join(' ');
    const labels = (one as Partial<HTMLInputElement>).labels?.[0]?.textContent;
    return {
      name: (one.getAttribute('aria-label') ?? namedBy ?? labels ?? one.textContent).trim(),
      tag: one.tagName.toLowerCase(),
      hasRing: ring || style.outlineStyle !== 'none',
    };
  });

/** Presses Tab until something with this name has the focus, inside of `within`. */
export async function tabTo(page: Page, name: RegExp, within = 'body', most = 60): Promise<void> {
  const isWithin = (): Promise<boolean> =>
    page.evaluate((where) => document.activeElement?.closest(where) != null, within);
  for (let press = 0; press < most; press += 1) {
    if (name.test((await focused(page)).name) && (await isWithin())) return;
    await page.keyboard.press('Tab');
  }
  throw new Error(`Nothing called ${String(name)} within ${String(most)} presses of Tab.`);
}

export const fromTheTop = (page: Page): Promise<void> =>
  page.evaluate(() => {
    (document.activeElement as HTMLElement | null)?.blur();
    window.getSelection()?.removeAllRanges();
  });

interface Stop {
  readonly name: string;
  readonly isSeen: boolean;
}

/**
 * Every stop of Tab on the page, from its top until it comes round. Throws if it does not within
 * `most` presses: something holds the focus.
 */
export async function tabStops(page: Page, most = 160): Promise<readonly Stop[]> {
  await fromTheTop(page);
  await page.evaluate(() => {
    for (const one of document.querySelectorAll('[data-walked]'))
      one.removeAttribute('data-walked');
  });
  const stops: Stop[] = [];
  for (let press = 0; press < most; press += 1) {
    await page.keyboard.press('Tab');
    const at = await page.evaluate(() => {
      const one = document.activeElement;
      if (one === null || one === document.body) return 'round' as const;
      // Tab goes through the parts of a date, which are one stop.
      if (one.getAttribute('data-walked') === 'last') return 'same' as const;
      const walked = one.hasAttribute('data-walked');
      document.querySelector('[data-walked=last]')?.setAttribute('data-walked', '');
      one.setAttribute('data-walked', 'last');
      const { top, bottom, left, right, width, height } = one.getBoundingClientRect();
      const isSeen =
        bottom > 0 &&
        right > 0 &&
        top < window.innerHeight &&
        left < window.innerWidth &&
        // A radio of ours is drawn by its label.
        (width > 1 && height > 1 ? true : one.closest('label, li, div') !== null);
      return { walked, isSeen };
    });
    if (at === 'same') continue;
    if (at === 'round' || at.walked) return stops;
    const { name, hasRing } = await focused(page);
    stops.push({ name, isSeen: at.isSeen && hasRing });
  }
  throw new Error(
    `Tab does not come round within ${String(most)} presses: ${stops.at(-1)?.name ?? ''}`,
  );
}
