import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Page } from 'playwright-core';
import { callIn, startStoryApp, wear } from '../helpers/story-app';
import type { StoryApp } from '../helpers/story-app';

let story: StoryApp;
let page: Page;
beforeAll(async () => {
  story = await startStoryApp({ variant: 'busy' });
  page = story.main;
});
afterAll(async () => {
  await story.end();
});

const hash = (): Promise<string> => page.evaluate(() => window.location.hash);
const goTo = async (to: string): Promise<void> => {
  await page.evaluate((wanted) => {
    window.location.hash = wanted;
  }, to);
};

/** Turns of the story are at work meanwhile: their steps would push any other row out of sight. */
async function searchFor(text: string): Promise<void> {
  await page.keyboard.press('/');
  await page.waitForFunction(() => document.activeElement instanceof HTMLInputElement);
  await page.keyboard.type(text);
}

describe('the past, in the real app', () => {
  it('S0-30 S4-33 Home draws the day with its crash, a press zooms in on that hour, the next opens Events there', async () => {
    await goTo('#/');
    const line = page.getByRole('slider', { name: 'Last 24 hours' });
    await line.waitFor();
    await page.waitForSelector('.day-plot .day-stop');
    const askedMs = Date.now();
    const day = await callIn(page, 'day.line', {});
    expect(day.stops).toHaveLength(1);
    expect(day.steps.reduce((sum, one) => sum + one, 0)).toBeGreaterThan(100);
    const box = await line.boundingBox();
    if (box === null) throw new Error('the line has no place');
    await line.hover({ position: { x: box.width * 0.1, y: 20 } });
    expect(await page.locator('.day-tip').textContent()).toMatch(/ to .* · /);
    // The axis begins with the first start, which is less than 24 hours ago in young data.
    const firstMs = Math.max(day.fromMs, day.stretches[0]?.fromMs ?? 0);
    const wantedMs = firstMs + (day.toMs - firstMs) * 0.1;
    await line.click({ position: { x: box.width * 0.1, y: 20 } });
    await page.getByRole('button', { name: 'Back to now' }).waitFor();
    const hour = page.locator('.day-plot');
    await page.waitForFunction(
      () => Number(document.querySelector('.day-plot')?.getAttribute('aria-valuemax')) <= 60,
    );
    await hour.click({ position: { x: box.width * 0.5, y: 20 } });
    await page.getByRole('grid').waitFor();
    const untilMs = Number(/^#\/events\/at-(\d+)$/.exec(await hash())?.[1]);
    // The hour has the first press in it, and the second one was in its middle. Young data has less
    // than an hour, which grew while the page was pressed.
    const passedMs = Date.now() - askedMs;
    // A press hits a pixel, which on a whole day is more than a minute.
    const pixelMs = (day.toMs - firstMs + 3_600_000) / box.width;
    expect(Math.abs(untilMs - wantedMs)).toBeLessThanOrEqual(1_800_000 + passedMs + pixelMs);
    await page.waitForSelector('.event-row time');
    const first = await page.locator('.event-row time').first().getAttribute('datetime');
    expect(Date.parse(first ?? '')).toBeLessThanOrEqual(untilMs);
  });

  it('S4-33 finds a step from the key / on, and its row leads to its turn', async () => {
    await goTo('#/events');
    await page.waitForSelector('.event-row time');
    await searchFor('outcome unknown: ');
    await page.waitForFunction(() => {
      const rows = [...document.querySelectorAll('.events-rows .event-what')];
      return rows.length > 0 && rows.every((row) => row.textContent?.includes('outcome unknown'));
    });
    const link = page.locator('.events-rows .event-turn a').first();
    const turnId = Number(await link.textContent());
    await link.click();
    await page.getByRole('heading', { level: 1 }).waitFor();
    await expect.poll(hash).toBe(`#/turns/${String(turnId)}`);
  });

  it('shows what happens while somebody looks, on top and without a press', async () => {
    await goTo('#/events');
    await page.waitForSelector('.event-row time');
    await searchFor('while somebody looks');
    await callIn(page, 'send', { text: 'A message while somebody looks', agent: 'practice' });
    await page.getByText('Prompt accepted: A message while somebody looks').first().waitFor();
  });

  it('S4-33 shows the audit as a source of its own, in the dark, too', async () => {
    await wear(page, 'dark');
    await goTo('#/events');
    await page.getByText('Audit', { exact: true }).click();
    await searchFor('app.theme');
    await page.getByText('Setting changed: Appearance').first().waitFor();
    await wear(page, 'light');
  });
});
