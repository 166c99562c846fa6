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

/** Presses Tab until something with this name has the focus. */
export async function tabTo(page: Page, name: RegExp, most = 60): Promise<void> {
  for (let press = 0; press < most; press += 1) {
    if (name.test((await focused(page)).name)) return;
    await page.keyboard.press('Tab');
  }
  throw new Error(`Nothing called ${String(name)} within ${String(most)} presses of Tab.`);
}

export const fromTheTop = (page: Page): Promise<void> =>
  page.evaluate(() => {
    (document.activeElement as HTMLElement | null)?.blur();
    window.getSelection()?.removeAllRanges();
  });
