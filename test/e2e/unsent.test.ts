/** What was typed and not sent, and where the person was, in the real app through real kills. */
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { ElectronApplication, Page } from 'playwright-core';
import { afterEach, describe, expect, it } from 'vitest';
import { createTestHome, killed, pageOf, until } from '../helpers/electron-app';
import type { TestHome } from '../helpers/electron-app';
import { callIn } from '../helpers/story-app';

let home: TestHome;
afterEach(async () => home.end());

const DONE = { app: { first_start_done: true } };
const COME_BACK = ['--hidden', '--after-crash'];
const goTo = (page: Page, hash: string): Promise<void> =>
  page.evaluate((wanted) => void (window.location.hash = wanted), hash);
const kept = (page: Page): Promise<void> => page.getByText('Saved, not sent').first().waitFor();
const hashOf = (page: Page): Promise<string> => page.evaluate(() => window.location.hash);
const stateFile = (): string => {
  try {
    return readFileSync(join(home.dataDir, 'shell.json'), 'utf8');
  } catch {
    return '';
  }
};

async function started(config: object = DONE): Promise<{ app: ElectronApplication; page: Page }> {
  home = await createTestHome();
  if (Object.keys(config).length > 0) home.writeConfig(config);
  const app = await home.launch();
  return { app, page: await pageOf(app, 'index.html') };
}

async function again(
  app: ElectronApplication,
  args: readonly string[] = COME_BACK,
): Promise<{ app: ElectronApplication; page: Page }> {
  await killed(app.process());
  const next = await home.launch({ args });
  return { app: next, page: await pageOf(next, 'index.html') };
}

/** A session with an answer, and its number. */
async function session(page: Page, text = 'Count the files'): Promise<number> {
  const { sessionId, turnId } = await callIn(page, 'send', { text, agent: 'practice' });
  await expect
    .poll(async () => (await callIn(page, 'turns.show', { turnId })).turn.state, {
      timeout: 60_000,
    })
    .toBe('completed');
  return sessionId;
}

describe('F1 unsent text', () => {
  it('of a session is there after another page, a killed page and SIGKILL of the app, and gone once it is sent', async () => {
    const first = await started();
    const id = await session(first.page);
    await goTo(first.page, `#/sessions/${String(id)}`);
    const box = (page: Page) => page.locator('.session-main .ask textarea').first();
    await box(first.page).fill('A paragraph that took me ten minutes');
    // By one click on another page, before the 300 ms are over.
    await goTo(first.page, '#/');
    await first.page.getByRole('heading', { level: 1 }).first().waitFor();
    await goTo(first.page, `#/sessions/${String(id)}`);
    await kept(first.page);
    expect(await box(first.page).inputValue()).toBe('A paragraph that took me ten minutes');

    // The driver loses a page that dies: its window is asked instead.
    await first.app.evaluate(
      ({ BrowserWindow }) =>
        new Promise<void>((resolve) => {
          const contents = BrowserWindow.getAllWindows()[0]?.webContents;
          if (contents === undefined) return;
          contents.once('render-process-gone', () => {
            contents.once('did-finish-load', () => resolve());
          });
          process.kill(contents.getOSProcessId(), 'SIGKILL');
        }),
    );
    const typed = (): Promise<unknown> =>
      first.app.evaluate(({ BrowserWindow }) =>
        BrowserWindow.getAllWindows()[0]?.webContents.executeJavaScript(
          "document.querySelector('.session-main .ask textarea')?.value",
        ),
      );
    await expect.poll(typed).toBe('A paragraph that took me ten minutes');

    await until(() => stateFile().includes(`"/sessions/${String(id)}"`), 'the place is on disk');
    const second = await again(first.app);
    await expect.poll(() => hashOf(second.page)).toBe(`#/sessions/${String(id)}`);
    await kept(second.page);
    expect(await box(second.page).inputValue()).toBe('A paragraph that took me ten minutes');
    await box(second.page).press('Control+Enter');
    await expect
      .poll(async () => (await callIn(second.page, 'turns.list', {})).turns.length)
      .toBe(2);
    await expect.poll(() => box(second.page).inputValue()).toBe('');

    const third = await again(second.app);
    await third.page.waitForSelector('.session-main .ask textarea');
    await callIn(third.page, 'unsent.read', { field: `session/${String(id)}` });
    expect(await box(third.page).inputValue()).toBe('');
    expect((await callIn(third.page, 'turns.list', {})).turns).toHaveLength(2);
    const log = readFileSync(join(home.dataDir, 'logs', 'holdfast.log'), 'utf8');
    expect(log).not.toContain('ten minutes');
    const audit = join(home.dataDir, 'audit');
    for (const name of readdirSync(audit))
      expect(readFileSync(join(audit, name), 'utf8')).not.toContain('ten minutes');
  });

  it('of the box on Home and of a new task, all its fields, is there after SIGKILL and after a quit while it is typed', async () => {
    const first = await started();
    await first.page.locator('.ask textarea').first().fill('Ask me later');
    await kept(first.page);
    await goTo(first.page, '#/schedule/new');
    await first.page.getByLabel('Name', { exact: false }).first().fill('Morning digest');
    await first.page.getByLabel('Prompt', { exact: false }).first().fill('Sum up the night');
    await first.page.getByLabel('When', { exact: false }).first().fill('every monday at 8');
    await first.page.getByRole('radio', { name: 'Never' }).check();
    await kept(first.page);
    await until(() => stateFile().includes('"/schedule/new"'), 'the place is on disk');
    const second = await again(first.app);
    await expect.poll(() => hashOf(second.page)).toBe('#/schedule/new');
    const value = (label: string): Promise<string> =>
      second.page.getByLabel(label, { exact: false }).first().inputValue();
    await expect.poll(() => value('Prompt')).toBe('Sum up the night');
    expect([await value('Name'), await value('When')]).toEqual([
      'Morning digest',
      'every monday at 8',
    ]);
    expect(await second.page.getByRole('radio', { name: 'Never' }).isChecked()).toBe(true);
    // No moment for it: the signal follows the key.
    await second.page.getByLabel('Prompt', { exact: false }).first().press('Control+End');
    await second.page.keyboard.type('!?');
    const ended = new Promise<void>((resolve) =>
      second.app.process().once('exit', () => resolve()),
    );
    second.app.process().kill('SIGTERM');
    await ended;
    const third = await home.launch();
    const page = await pageOf(third, 'index.html');
    await expect
      .poll(() => page.locator('.ask textarea').first().inputValue())
      .toBe('Ask me later');
    await goTo(page, '#/schedule/new');
    await expect
      .poll(() => page.getByLabel('Prompt', { exact: false }).first().inputValue())
      .toBe('Sum up the night!?');
    await page.getByRole('button', { name: 'Create task' }).click();
    await expect.poll(() => hashOf(page)).toBe('#/schedule/1');
    await goTo(page, '#/schedule/new');
    await expect
      .poll(() => page.getByLabel('Prompt', { exact: false }).first().inputValue())
      .toBe('');
  });
});

describe('F2 after a crash', () => {
  it('comes back on the decision after step 4 was left through "Open in Inbox", and the window is 1200 wide', async () => {
    const first = await started({ resilience: { recovery: { side_effect_tools: ['shell'] } } });
    const { page } = first;
    await page.getByRole('heading', { level: 1, name: 'Holdfast keeps running' }).waitFor();
    const width = (app: ElectronApplication): Promise<number> =>
      app.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]?.getBounds().width ?? 0);
    expect(await width(first.app)).toBe(1000);
    await page.getByRole('button', { name: /Try it/ }).click();
    await page.getByRole('button', { name: /Ask for approval/ }).click();
    await page.getByRole('link', { name: /Open in Inbox/ }).click();
    await expect.poll(() => width(first.app)).toBe(1200);
    await until(
      () =>
        readFileSync(join(home.dataDir, 'config.json'), 'utf8').includes(
          '"first_start_done": true',
        ),
      'the story is over',
    );
    await callIn(page, 'send', { text: 'run: tail -f /dev/null', agent: 'practice' });
    await expect
      .poll(async () => {
        const [turn] = (await callIn(page, 'turns.list', {})).turns;
        return `${turn?.state ?? ''} ${String(turn?.steps ?? 0)}`;
      })
      .toMatch(/^running [2-9]/);
    const second = await again(first.app);
    await expect.poll(() => hashOf(second.page)).toMatch(/^#\/decisions\/item-\d+$/);
    await second.page.locator('.decision-question').first().waitFor();
    expect(await second.page.locator('.decision-question').first().textContent()).toContain('tail');
    expect(await second.page.getByText('Completed, without a kill this time').count()).toBe(0);
  });

  it('comes back on the session, scrolled to where it was', async () => {
    const first = await started();
    const id = await session(first.page);
    for (let more = 0; more < 2; more += 1)
      await session(first.page, `Count them again, ${'and again, '.repeat(150)}`);
    await goTo(first.page, `#/sessions/${String(id)}`);
    await first.page.waitForSelector('.chat .chat-answer');
    await expect
      .poll(() => first.page.locator('.chat').evaluate((chat) => chat.scrollTop))
      .toBeGreaterThan(300);
    await first.page.locator('.chat').hover();
    // The chat follows its end while it is laid out: a wheel that turns just then moves nothing.
    await expect
      .poll(
        async () => {
          const isMoved = stateFile().includes('"box":"chat"');
          if (!isMoved) await first.page.mouse.wheel(0, -200);
          return isMoved;
        },
        { interval: 1_000 },
      )
      .toBe(true);
    // Asked anew each time: a wheel may still be turning when its first place is on disk.
    const topNow = (): Promise<number> =>
      first.page.locator('.chat').evaluate((chat) => Math.round(chat.scrollTop));
    let top = 0;
    await expect
      .poll(async () => stateFile().includes(`"top":${String((top = await topNow()))}`))
      .toBe(true);
    expect(top).toBeGreaterThan(0);
    const second = await again(first.app);
    await expect.poll(() => hashOf(second.page)).toBe(`#/sessions/${String(id)}`);
    await expect
      .poll(() => second.page.locator('.chat').evaluate((chat) => Math.round(chat.scrollTop)))
      .toBe(top);
  });

  it('does not show the first start again to who closed its window', async () => {
    const first = await started({});
    await first.page.getByRole('heading', { level: 1, name: 'Holdfast keeps running' }).waitFor();
    await first.app.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]?.close());
    await until(
      () =>
        readFileSync(join(home.dataDir, 'config.json'), 'utf8').includes(
          '"first_start_done": true',
        ),
      'the story is over',
    );
    const second = await again(first.app, []);
    await second.page.getByRole('heading', { level: 1 }).first().waitFor();
    expect(await hashOf(second.page)).not.toContain('welcome');
  });
});
