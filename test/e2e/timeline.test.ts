/** The timeline and the lists of the real app, on a day with a crash in it. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Page } from 'playwright-core';
import {
  PROMPTS,
  callIn,
  goToPage,
  standsStill,
  startStoryApp,
  storyPages,
} from '../helpers/story-app';
import type { StoryApp } from '../helpers/story-app';

let story: StoryApp;
let page: Page;

beforeAll(async () => {
  story = await startStoryApp({ variant: 'busy' });
  page = story.main;
});
afterAll(async () => story.end());

const open = async (name: 'turn' | 'turn-resumed' | 'sessions'): Promise<void> => {
  const found = (await storyPages(page)).find((one) => one.name === name);
  if (!found) throw new Error(`No page ${name}`);
  await goToPage(page, found);
};
const grid = () => page.getByRole('grid', { name: 'Timeline of this turn' });
const rowNames = async (): Promise<readonly string[]> =>
  grid()
    .getByRole('row')
    .evaluateAll((rows) => rows.flatMap((row) => row.getAttribute('aria-label') ?? []));
const isFit = (): Promise<boolean> => page.getByRole('radio', { name: 'Fit' }).isChecked();

describe('the timeline of a turn that a crash cut off', () => {
  it('S4-+02 says what was reused, asked again and run again, and how long it was stopped', async () => {
    await open('turn-resumed');
    const names = await rowNames();
    const { turns } = await callIn(page, 'turns.list', { limit: 1000 });
    const turn = turns.find((one) => one.promptStart === PROMPTS.resumed);
    const shown = await callIn(page, 'turns.show', { turnId: turn?.id ?? 0 });
    const reused = shown.steps.filter((step) => step.fate === 'reused').length;
    expect(reused).toBeGreaterThan(0);
    expect(names.filter((name) => name.endsWith(', reused'))).toHaveLength(reused);
    expect(names.some((name) => name.includes('re-read'))).toBe(true);
    expect(await page.locator('.tl-break.stop').count()).toBe(1);
    expect(await page.locator('.tl-break-word').textContent()).toMatch(/^stopped\d/);
    expect(await page.locator('.turn-story').textContent()).toContain(
      `${reused} completed steps reused`,
    );
  });

  it('shows the row that waits for a person without scrolling, and its bar ends at the stop', async () => {
    await open('turn');
    const row = grid().getByRole('row', { name: /outcome unknown, needs you$/ });
    const box = await row.boundingBox();
    const around = await grid().boundingBox();
    expect(box && around && box.y + box.height <= around.y + around.height + 1).toBe(true);
    const bar = await row.locator('.look-unknown .tl-body').boundingBox();
    const stop = await page.locator('.tl-line.stop').first().boundingBox();
    expect(bar && stop && bar.x + bar.width <= stop.x + 2).toBe(true);
  });

  it('zooms at the pointer with Ctrl and the wheel, pans with a drag, and 0 shows all again', async () => {
    await open('turn-resumed');
    await grid().focus();
    await page.keyboard.press('0');
    expect(await isFit()).toBe(true);
    const box = await grid().boundingBox();
    if (!box) throw new Error('no timeline');
    const lineX = async (): Promise<number> =>
      (await page.locator('.tl-line.stop').first().boundingBox())?.x ?? Number.NaN;
    const stopX = await lineX();
    await page.mouse.move(stopX, box.y + 60);
    await page.keyboard.down('Control');
    await page.mouse.wheel(0, -400);
    await page.keyboard.up('Control');
    await expect.poll(isFit).toBe(false);
    await standsStill(page);
    // What is under the pointer stays under it: a pixel beside it is five now.
    const before = await lineX();
    expect(Math.abs(before - stopX)).toBeLessThan(8);
    // To the right: the stop was a moment ago, there is nothing more to the other side.
    await page.mouse.down();
    await page.mouse.move(stopX + 60, box.y + 60, { steps: 4 });
    await page.mouse.up();
    await expect.poll(async () => Math.round((await lineX()) - before)).toBe(60);
    expect(await page.getByRole('region', { name: /^Step \d/ }).count()).toBe(0);
    await grid().focus();
    await page.keyboard.press('0');
    await expect.poll(isFit).toBe(true);
  });

  it('opens a step with Enter, shows what came back, and Esc goes back', async () => {
    await open('turn-resumed');
    await grid().focus();
    await page.keyboard.press('Home');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    const pane = page.getByRole('region', { name: /^Step \d+$/ });
    await pane.waitFor();
    expect(await pane.getByRole('region', { name: 'Result' }).textContent()).not.toBe('');
    await page.keyboard.press('Escape');
    await expect.poll(() => pane.count()).toBe(0);
    expect(await grid().evaluate((element) => element === document.activeElement)).toBe(true);
  });
});

describe('the list of turns', () => {
  it('holds all of them page by page: the end of the list is the first turn', async () => {
    await open('sessions');
    await page.locator('label', { hasText: /^Turns$/ }).click();
    const table = page.getByRole('table', { name: 'Turns' });
    await table.waitFor();
    const { turns } = await callIn(page, 'turns.list', { limit: 1000 });
    await expect
      .poll(async () => {
        await table.evaluate((element) => (element.scrollTop = element.scrollHeight));
        return table.getAttribute('aria-rowcount');
      })
      .toBe(String(turns.length + 1));
    const drawn = await table.getByRole('row').count();
    expect(drawn).toBeLessThan(80);
    const first = turns.at(-1);
    await expect
      .poll(async () => {
        await table.evaluate((element) => (element.scrollTop = element.scrollHeight));
        return table.locator(`a[href="#/turns/${first?.id ?? 0}"]`).count();
      })
      .toBe(1);
  });

  it('shows only what runs, each with its Stop', async () => {
    await open('sessions');
    await page.locator('label', { hasText: /^Running$/ }).click();
    const { turns } = await callIn(page, 'turns.list', { states: ['running'], limit: 100 });
    const table = page.getByRole('table', { name: 'Turns' });
    await expect
      .poll(() => table.getByRole('button', { name: /^Cancel turn/ }).count())
      .toBe(turns.length);
    expect(turns.length).toBeGreaterThan(0);
  });
});
