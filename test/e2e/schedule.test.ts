/** A task in the real app: made in the window, run by time, paused and edited there. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Page } from 'playwright-core';
import { createTestHome, pageOf } from '../helpers/electron-app';
import type { TestHome } from '../helpers/electron-app';
import { axeFindings, clippedText, sidewaysScroll } from '../helpers/page-checks';
import { callIn, wear } from '../helpers/story-app';

let home: TestHome;
let page: Page;

beforeAll(async () => {
  home = await createTestHome();
  home.writeConfig({ app: { first_start_done: true } });
  page = await pageOf(await home.launch(), 'index.html');
  await page.waitForSelector('h1');
});
afterAll(async () => home.end());

describe('the schedule', () => {
  it('S1-01 S1-10 S1-+01 makes a task in the window, sees it run by itself, pauses and edits it', async () => {
    await page.keyboard.press('4');
    await page.getByText(/^No tasks yet/).waitFor();
    await page.keyboard.press('n');
    await page.getByLabel('Name').fill('Say hello');
    await page.getByLabel('Prompt').fill('say hello');
    const when = page.getByRole('textbox', { name: /When/ });
    await when.fill('every 0m');
    await page.getByText('Not understood:').waitFor();
    await when.fill('every 2s');
    await page.getByText('Understood:').waitFor();
    await page.getByRole('button', { name: 'Create task' }).click();
    const pane = page.getByRole('region', { name: 'Say hello' });
    // Nobody presses anything: the window is told of the run and of its end.
    await pane.locator('.task-run:has(.ink-ok) a').first().waitFor();
    // The page of the task is not the session that has the answer: it is told.
    const told = await home.desktop.notification(({ title }) => title === 'Reply: Task 1');
    expect(told.body).toMatch(/The reply is in its session/);
    await pane.getByRole('button', { name: 'Pause' }).click();
    await pane.getByRole('button', { name: 'Resume' }).waitFor();
    const { tasks } = await callIn(page, 'tasks.list', {});
    expect(tasks).toMatchObject([{ name: 'Say hello', state: 'paused', madeBy: 'user' }]);

    await pane.getByRole('link', { name: 'Edit' }).click();
    await page.getByLabel('Name').fill('Say good morning');
    await page.getByRole('textbox', { name: /When/ }).fill('daily at 09:00');
    await page.getByText('Understood:').waitFor();
    await page.getByRole('radio', { name: 'Always catch up' }).check();
    await page.getByRole('button', { name: 'Save' }).click();
    const edited = page.getByRole('region', { name: 'Say good morning' });
    await edited.getByText('always caught up').waitFor();
    expect((await callIn(page, 'tasks.show', { taskId: 1 })).schedule).toBe('daily at 09:00');
    for (const theme of ['light', 'dark'] as const) {
      await wear(page, theme);
      expect(await axeFindings(page)).toEqual([]);
    }
    expect(await sidewaysScroll(page)).toEqual([]);
    expect(await clippedText(page, { needsTitle: true })).toEqual([]);
    await page.evaluate(() => (window.location.hash = '#/schedule/new'));
    await page.getByRole('heading', { name: 'New task' }).waitFor();
    expect(await axeFindings(page)).toEqual([]);
  });

  it('S1-09 look.md 6 as a table has no horizontal scrollbar at 880, 1000 and 1200 px', async () => {
    const soon = new Date(Date.now() + 40 * 86_400_000).toISOString();
    for (const schedule of ['0 8 * * 1-5', '2 9 1 * *', soon])
      await callIn(page, 'tasks.add', {
        name: 'Check certificate',
        prompt: 'say hello',
        schedule,
        agent: 'practice',
      });
    await page.evaluate(() => (window.location.hash = '#/schedule'));
    await page.getByRole('button', { name: 'As a table' }).click();
    await page.locator('.tasks-table tbody tr:nth-child(4)').waitFor();
    for (const width of [880, 1000, 1200]) {
      await page.setViewportSize({ width, height: 720 });
      expect(await sidewaysScroll(page), String(width)).toEqual([]);
      const box = page.getByRole('region', { name: 'As a table' });
      const hidden = await box.evaluate((one) => one.scrollWidth - one.clientWidth);
      expect(hidden, String(width)).toBeLessThanOrEqual(1);
    }
  });
});
