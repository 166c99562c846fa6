/** Every page at the widths between the smallest window and the usual one. */
import { afterEach, describe, expect, it } from 'vitest';
import type { Page } from 'playwright-core';
import { createTestHome, pageOf } from '../helpers/electron-app';
import type { TestHome } from '../helpers/electron-app';

let home: TestHome;
afterEach(async () => home.end());

const WIDTHS = [880, 960, 1000, 1100, 1200] as const;
const PAGES = [
  '/',
  '/decisions',
  '/sessions',
  '/schedule',
  '/outages',
  '/events',
  '/agents',
  '/usage',
  '/search',
  '/computers',
  '/delivery',
  '/drafts',
  '/runs',
] as const;

/** What is wider than its place: the page, boxes that scroll sideways, controls that cut their text. */
const tooWide = (page: Page): Promise<readonly string[]> =>
  page.evaluate(() => {
    const found: string[] = [];
    const nameOf = (element: Element): string =>
      `${element.tagName.toLowerCase()}.${element.className.toString().split(' ').slice(0, 2).join('.')} "${(element.textContent ?? '').trim().slice(0, 30)}"`;
    if (document.documentElement.scrollWidth > window.innerWidth) found.push('the page');
    for (const box of document.querySelectorAll('body *')) {
      const { overflowX } = getComputedStyle(box);
      const isBar = (overflowX === 'auto' || overflowX === 'scroll') && box.tagName !== 'PRE';
      if (isBar && box.scrollWidth > box.clientWidth + 1) found.push(`bar: ${nameOf(box)}`);
    }
    for (const control of document.querySelectorAll('#content :is(button, select, input, a)')) {
      const { left, right, width } = control.getBoundingClientRect();
      if (width < 2) continue; // for screen readers, or hidden at this width
      if (left < -1 || right > window.innerWidth + 1) found.push(`outside: ${nameOf(control)}`);
      if (control.tagName === 'SELECT' && control.scrollWidth > control.clientWidth + 1)
        found.push(`cut: ${nameOf(control)}`);
      if (control.tagName !== 'BUTTON') continue;
      let frame = control.parentElement;
      while (frame !== null && getComputedStyle(frame).overflowX === 'visible')
        frame = frame.parentElement;
      const edge = frame?.getBoundingClientRect();
      if (edge !== undefined && right > edge.right + 1) found.push(`clipped: ${nameOf(control)}`);
    }
    return found;
  });

describe('the main window', () => {
  it('look.md 6 has no horizontal scrollbar and no clipped control on any page at 880, 960, 1000, 1100 and 1200 px', async () => {
    home = await createTestHome();
    const app = await home.launch();
    const page = await pageOf(app, 'index.html');
    await page.getByRole('button', { name: /Skip/ }).click();
    const wrong: string[] = [];
    for (const width of WIDTHS) {
      await page.setViewportSize({ width, height: 720 });
      for (const hash of PAGES) {
        await page.evaluate((wanted) => {
          window.location.hash = `#${wanted}`;
        }, hash);
        await page.waitForFunction(
          (wanted) => document.documentElement.dataset['page'] === `#${wanted}`,
          hash,
        );
        await page.locator('#content :is(h1, h2)').first().waitFor();
        if (hash === '/agents') {
          await page
            .getByRole('button', { name: /^Demo agent/ })
            .first()
            .click();
          await page.locator('table.tools').waitFor();
        }
        if (hash === '/sessions' && width >= 960) {
          const tools = await page.locator('.list-tools').boundingBox();
          if (tools === null || tools.height > 44)
            wrong.push(`${String(width)} filters in a row of their own`);
        }
        for (const what of await tooWide(page)) wrong.push(`${String(width)} ${hash} ${what}`);
      }
    }
    expect(wrong).toEqual([]);
    // The look itself: planted faults are found.
    await page.evaluate(() => {
      const box = document.createElement('div');
      box.style.cssText = 'overflow-x: auto; width: 200px';
      const button = document.createElement('button');
      button.style.cssText = 'display: block; width: 400px';
      box.append(button);
      document.getElementById('content')?.append(box);
    });
    const planted = await tooWide(page);
    expect(planted.map((what) => what.split(':')[0]).sort()).toEqual(['bar', 'clipped']);
  }, 240_000);
});
