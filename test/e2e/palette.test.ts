/** Find or do, the keys and the first paint, in the real app under its content policy. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Page } from 'playwright-core';
import { KEY_GROUPS } from '../../renderer/keys/keys-view';
import { PAGES } from '../../renderer/pages';
import { hrefOf } from '../../renderer/route';
import { t } from '../../shared/messages';
import { axeFindings, filledButtons, followTrouble } from '../helpers/page-checks';
import { callIn, goToPage, startStoryApp, standsStill, wear } from '../helpers/story-app';
import type { StoryApp } from '../helpers/story-app';

let story: StoryApp;
let main: Page;
let trouble: () => readonly string[];

const HOME = { name: 'home', hash: '#/' };

beforeAll(async () => {
  story = await startStoryApp({ variant: 'busy' });
  main = story.main;
  trouble = followTrouble(story.app);
  await goToPage(main, HOME);
});
afterAll(async () => story.end());

/** What the page has asked for: scripts, what they need, and their styles. */
const loaded = (): Promise<string> =>
  main.evaluate(() =>
    [...document.querySelectorAll('script[src], link[href]')]
      .map((one) => one.getAttribute('src') ?? one.getAttribute('href') ?? '')
      .join(' '),
  );
const field = () => main.getByRole('combobox', { name: t('find.label') });
const open = async (): Promise<void> => {
  await main.keyboard.press('Control+k');
  await field().waitFor();
  await main.getByRole('option').first().waitFor();
};
const leaveBy = async (key: 'Escape' | 'Enter'): Promise<void> => {
  await main.keyboard.press(key);
  await field().waitFor({ state: 'detached' });
};
const close = (): Promise<void> => leaveBy('Escape');
/** Finds by these words and takes the first row. */
const take = async (words: string): Promise<void> => {
  await open();
  await main.keyboard.type(words);
  const first = main.getByRole('option').first();
  await expect
    .poll(async () => (await first.textContent())?.toLowerCase())
    .toContain(words.toLowerCase());
  await leaveBy('Enter');
};

describe('the first paint', () => {
  it('loads Home and nothing of the palette, the other pages or the first start', async () => {
    await main.reload();
    await main.waitForSelector('h1');
    const later = ['commands-', 'agents-page-', 'turn-page-', 'welcome-page-'];
    const atFirst = await loaded();
    expect(atFirst).toContain('index-');
    expect(later.filter((name) => atFirst.includes(name))).toEqual([]);
    await open();
    await close();
    await goToPage(main, { name: 'agents', hash: '#/agents' });
    await goToPage(main, HOME);
    const now = await loaded();
    expect(later.filter((name) => now.includes(name))).toEqual(['commands-', 'agents-page-']);
  });

  it.each(['light', 'dark'] as const)(
    'has the color of the page as its ground before the page is there, %s',
    async (theme) => {
      await wear(main, theme);
      const ground = await story.app.evaluate(({ BrowserWindow }) =>
        BrowserWindow.getAllWindows()
          .find((one) => one.webContents.getURL().includes('/index.html'))
          ?.getBackgroundColor()
          .toLowerCase(),
      );
      const page = await main.evaluate(() => {
        const [, ...rgb] = /rgb\((\d+), (\d+), (\d+)\)/.exec(
          getComputedStyle(document.documentElement).backgroundColor,
        ) ?? ['', '', '', ''];
        return `#${rgb.map((part) => Number(part).toString(16).padStart(2, '0')).join('')}`;
      });
      expect(page).toBe(ground);
    },
  );
});

describe('the palette', () => {
  it.each(['light', 'dark'] as const)(
    'opens by Ctrl K with the focus in its field, %s; axe and the content policy find nothing',
    async (theme) => {
      await wear(main, theme);
      await open();
      expect(await field().evaluate((one) => one === document.activeElement)).toBe(true);
      await standsStill(main);
      expect(await axeFindings(main)).toEqual([]);
      await close();
      expect(trouble()).toEqual([]);
    },
  );

  it('lets new turns wait and start again, by keys alone', async () => {
    await take('until resumed');
    await main.getByText(t('said.paused')).waitFor();
    expect((await callIn(main, 'status.get', {})).paused).toBeDefined();
    await take('resume new');
    await main.getByText(t('said.resumed')).waitFor();
    expect((await callIn(main, 'status.get', {})).paused).toBeUndefined();
  });

  it('asks before all turns are stopped; Enter and Esc on the question stop none', async () => {
    const before = (await callIn(main, 'status.get', {})).counts.running;
    expect(before).toBeGreaterThan(0);
    await take('cancel all');
    const dialog = main.getByRole('dialog', { name: /^Cancel / });
    await dialog.getByText('never resume').waitFor();
    expect((await filledButtons(main)).filter((name) => name.startsWith('Cancel'))).toEqual([]);
    await main.keyboard.press('Enter');
    await dialog.waitFor({ state: 'detached' });
    expect((await callIn(main, 'status.get', {})).counts.running).toBe(before);
  });

  it('leads to an open decision and answers nothing', async () => {
    const { decisions } = await callIn(main, 'recovery.list', {});
    const [first] = decisions;
    if (first === undefined) throw new Error('The story has no decision.');
    await take(first.question.slice(0, 30));
    await main.getByRole('heading', { level: 2, name: first.question }).waitFor();
    expect((await callIn(main, 'recovery.list', {})).decisions).toHaveLength(decisions.length);
  });
});

describe('the keys', () => {
  it('go to each page by its digit', async () => {
    await goToPage(main, HOME);
    for (const [at, page] of PAGES.entries()) {
      await main.keyboard.press(String(at + 1));
      await main.waitForFunction((hash) => window.location.hash === hash, hrefOf(page.route));
      await main.waitForSelector('h1');
    }
  });

  it('? shows every one of them, without a finding of axe', async () => {
    await main.keyboard.press('?');
    const dialog = main.getByRole('dialog', { name: t('keys.title') });
    await dialog.waitFor();
    await standsStill(main);
    expect(await dialog.locator('.keys-row').count()).toBe(
      KEY_GROUPS.flatMap((group) => group.rows).length,
    );
    expect(await axeFindings(main)).toEqual([]);
    await main.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
  });

  it('/ searches the decisions and J shows the next one', async () => {
    await main.keyboard.press('2');
    await main.getByRole('heading', { level: 1, name: t('decisions.title') }).waitFor();
    await standsStill(main);
    const shown = (): Promise<string | null> => main.locator('article h2').textContent();
    const first = await shown();
    await main.keyboard.press('j');
    await main.waitForFunction(
      (before) => document.querySelector('article h2')?.textContent !== before,
      first,
    );
    await main.keyboard.press('/');
    const search = main.getByRole('textbox', { name: t('decisions.search') });
    await expect.poll(() => search.evaluate((one) => one === document.activeElement)).toBe(true);
    await main.keyboard.type('1');
    await expect.poll(() => search.inputValue()).toBe('1');
    expect(trouble()).toEqual([]);
  });
});
