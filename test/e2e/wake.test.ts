/** What the real app does when the computer wakes up. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ElectronApplication, Page } from 'playwright-core';
import { createTestHome, pageOf } from '../helpers/electron-app';
import type { TestHome } from '../helpers/electron-app';
import { callIn } from '../helpers/story-app';

const PROVIDER = 'practice';
let home: TestHome;
let app: ElectronApplication;
let page: Page;

beforeAll(async () => {
  home = await createTestHome();
  home.writeConfig({
    app: { first_start_done: true },
    // Nothing is due for an hour.
    resilience: { outage_threshold: 1, early_probe: false, probe_interval: '1h' },
    breakers: { failure_threshold: 1, initial_backoff: '1h', max_backoff: '1h' },
    retry: { server: { max_attempts: 1 } },
  });
  app = await home.launch();
  page = await pageOf(app, 'index.html');
});
afterAll(async () => home.end());

const until = async (is: () => Promise<boolean>): Promise<void> => {
  while (!(await is())) await page.waitForTimeout(100);
};

describe('a computer that wakes up', () => {
  it('R2 S0-19 asks a provider that was down at once, and its turn goes on', async () => {
    await callIn(page, 'practice.providerDown', { seconds: 600 });
    await callIn(page, 'send', { text: 'say hello', agent: PROVIDER });
    const waiting = async (): Promise<number> =>
      (await callIn(page, 'outage.queue', { provider: PROVIDER })).total;
    await until(async () => (await waiting()) === 1);
    await callIn(page, 'practice.providerDown', { seconds: 1 });
    await page.waitForTimeout(1_500);
    expect(await waiting()).toBe(1);
    await app.evaluate(({ powerMonitor }) => {
      powerMonitor.emit('suspend');
      powerMonitor.emit('resume');
    });
    await until(async () => (await waiting()) === 0);
    const { turns } = await callIn(page, 'turns.list', { states: ['completed'], limit: 10 });
    expect(turns.map((turn) => turn.promptStart)).toEqual(['say hello']);
  });
});
