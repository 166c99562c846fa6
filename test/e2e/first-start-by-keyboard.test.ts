/** A stranger's first quarter of an hour without a pointer, through a kill. */
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import type { Page } from 'playwright-core';
import { focused, tabTo } from '../helpers/by-keyboard';
import { createTestHome, pageOf } from '../helpers/electron-app';
import type { TestHome } from '../helpers/electron-app';
import { callIn, standsStill } from '../helpers/story-app';

let home: TestHome;
afterEach(async () => home.end());

/** Presses a key on what has this name, and finds the focus somewhere afterward. */
async function press(page: Page, name: RegExp, key: 'Enter' | 'Space'): Promise<void> {
  await tabTo(page, name);
  expect([name, (await focused(page)).hasRing]).toEqual([name, true]);
  await page.keyboard.press(key);
  await standsStill(page);
  // A button that saves lets go of it until what comes next is there.
  await expect.poll(async () => [name, (await focused(page)).tag]).not.toEqual([name, 'body']);
}

const heading = (page: Page, name: string): Promise<void> =>
  page.getByRole('heading', { level: 1, name }).waitFor();

it('S3-36 first start, practice, kill, the way back, a decision and two settings take no pointer', async () => {
  home = await createTestHome();
  const app = await home.launch();
  const page = await pageOf(app, 'index.html');
  await heading(page, 'Holdfast keeps running');
  await press(page, /^Continue$/, 'Enter');
  await heading(page, 'Your agents');
  await press(page, /^Continue$/, 'Enter');
  await heading(page, 'After a crash');
  await press(page, /^Continue$/, 'Enter');
  await heading(page, 'Try it: kill it mid-task');
  await press(page, /^Start task/, 'Enter');
  await heading(page, 'It is working. Kill it now.');
  await page.waitForSelector('.practice-chart li:nth-child(3)');
  const gone = once(app.process(), 'exit');
  await tabTo(page, /^Kill me now/);
  // The press may not live to be told that it arrived.
  await Promise.all([gone, page.keyboard.press('Enter').catch(() => undefined)]);

  // As the helper starts it that waits for the end of a killed Holdfast.
  const again = await home.launch({ args: ['--hidden', '--after-crash'] });
  const back = await pageOf(again, 'index.html');
  await back.getByRole('button', { name: 'Start again' }).waitFor();
  await expect
    .poll(async () => (await callIn(back, 'turns.list', {})).turns[0]?.state)
    .toBe('completed');
  await standsStill(back);
  await press(back, /^Ask for approval/, 'Enter');
  await expect.poll(async () => (await callIn(back, 'approvals.list', {})).requests.length).toBe(1);
  await press(back, /^Open in Inbox/, 'Enter');
  await heading(back, 'Inbox');
  await press(back, /^Allow once$/, 'Space');
  await expect
    .poll(async () => (await callIn(back, 'turns.list', {})).turns[0]?.state)
    .toBe('completed');

  const opened = again.waitForEvent('window');
  await back.keyboard.press('Control+,');
  await opened;
  const settings = await pageOf(again, 'settings.html');
  await settings.waitForSelector('h1');
  const written = (): string => readFileSync(join(home.dataDir, 'config.json'), 'utf8');
  await tabTo(settings, /^Appearance/);
  await settings.keyboard.press('Enter');
  await settings.getByRole('option', { name: 'Dark' }).waitFor();
  const marked = settings.locator('[role="option"][data-combobox-selected]');
  for (let row = 0; row < 3 && (await marked.allTextContents())[0] !== 'Dark'; row += 1) {
    await settings.keyboard.press('ArrowDown');
  }
  await settings.keyboard.press('Enter');
  await expect.poll(written).toContain('"theme": "dark"');
  await press(settings, /^Recovery$/, 'Enter');
  await heading(settings, 'Recovery');
  await tabTo(settings, /Resume if safe/);
  await settings.keyboard.press('ArrowDown');
  await expect.poll(written).toContain('"mode": "always"');
});
