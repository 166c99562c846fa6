/** The Outages page of the real app while a provider is down, and what happens when it is back. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Page } from 'playwright-core';
import { createTestHome, pageOf } from '../helpers/electron-app';
import type { TestHome } from '../helpers/electron-app';
import { callIn } from '../helpers/story-app';

const PROVIDER = 'practice';
let home: TestHome;
let page: Page;

beforeAll(async () => {
  home = await createTestHome();
  home.writeConfig({
    app: { first_start_done: true },
    resilience: { outage_threshold: 1 },
    breakers: { initial_backoff: '1s', max_backoff: '2s' },
    retry: { server: { first_wait: '100ms' } },
  });
  page = await pageOf(await home.launch(), 'index.html');
  await page.waitForSelector('h1');
});
afterAll(async () => home.end());

/** Asks until it is so; the page itself is told by events. */
const until = async (is: () => Promise<boolean>): Promise<void> => {
  while (!(await is())) await page.waitForTimeout(100);
};
const waiting = async (): Promise<number> =>
  (await callIn(page, 'outage.queue', { provider: PROVIDER })).total;

describe('a provider that is down', () => {
  it('S0-18 shows its turns in order, moves one on disk, and lets them go when it is back', async () => {
    await callIn(page, 'practice.providerDown', { seconds: 600 });
    for (const name of ['first', 'second', 'third']) {
      await callIn(page, 'send', { text: `say ${name}`, session: name, agent: PROVIDER });
    }
    await until(async () => (await waiting()) === 3);
    await page.evaluate(() => (window.location.hash = '#/outages'));
    await page.getByRole('heading', { name: 'Demo provider is down' }).waitFor();
    const table = page.getByRole('table', { name: 'Waiting, in this order' });
    const titles = (): Promise<string[]> => table.getByRole('link').allTextContents();
    await until(async () => (await titles()).length === 3);
    const before = await titles();
    await table.getByRole('link').nth(2).focus();
    await page.keyboard.press('Alt+ArrowUp');
    const moved = [before[0], before[2], before[1]];
    await until(async () => (await titles()).join() === moved.join());
    await until(async () => {
      const { items } = await callIn(page, 'outage.queue', { provider: PROVIDER });
      return items.map((item) => item.promptStart).join() === moved.join();
    });
    await page.getByRole('button', { name: 'Check now: Demo provider' }).click();
    await page.getByText(/^Demo provider isn’t responding/).waitFor();
    await callIn(page, 'practice.providerDown', { seconds: 1 });
    const completed = async (): Promise<readonly string[]> => {
      const { turns } = await callIn(page, 'turns.list', { states: ['completed'], limit: 10 });
      return turns.map((turn) => turn.promptStart).toSorted();
    };
    await until(async () => (await completed()).length === 3);
    expect(await completed()).toEqual([...before].toSorted());
    expect(await waiting()).toBe(0);
    await page.getByRole('heading', { name: /(?:is|are) up$/ }).waitFor();
    const past = page.getByRole('region', { name: 'Past outages' });
    await past.getByRole('cell', { name: 'Demo provider' }).first().waitFor();
  });
});
