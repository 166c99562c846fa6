/** A walk without a pointer: every page, a held decision, a setting, the palette. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { PAGES } from '../../renderer/pages';
import { hrefOf } from '../../renderer/route';
import { t } from '../../shared/messages';
import { pageOf } from '../helpers/electron-app';
import { focused, fromTheTop, tabStops, tabTo } from '../helpers/by-keyboard';
import { callIn, goToPage, PROMPTS, standsStill, startStoryApp } from '../helpers/story-app';
import type { StoryApp } from '../helpers/story-app';

let story: StoryApp;
let main: Page;
beforeAll(async () => {
  story = await startStoryApp({ variant: 'busy' });
  main = story.main;
  await main.waitForSelector('h1');
});
afterAll(async () => story.end());

/** Presses a key of a list; the row that is marked or has the focus then, by its text. */
async function afterKey(key: 'j' | 'k'): Promise<string> {
  await main.keyboard.press(key);
  await standsStill(main);
  return main.evaluate(() => {
    const chosen = document.querySelector('main [role="row"][aria-selected="true"]');
    const focus = document.activeElement?.closest('main li, main tr, main [role="row"]');
    return (chosen ?? focus)?.textContent ?? '';
  });
}

/** Words into the field of the page, until they have found something. */
async function find(page: Page, words: string): Promise<void> {
  await page.locator('[data-page-search]').fill(words);
  await page.waitForSelector('a.search-hit');
}

const hashOf = (page: Page): Promise<string> => page.evaluate(() => window.location.hash);

describe('by keyboard alone', () => {
  it('Tab reaches every page of the sidebar, Enter opens it, and every stop shows its focus', async () => {
    expect(await main.locator('nav.side a').count()).toBe(PAGES.length);
    for (const { label, route } of PAGES) {
      const link = t(label);
      await fromTheTop(main);
      // The field at the top starts with the name of a page, too.
      await tabTo(main, new RegExp(`^${link}`), 'nav.side');
      expect([link, (await focused(main)).hasRing]).toEqual([link, true]);
      await main.keyboard.press('Enter');
      await expect.poll(() => hashOf(main)).toBe(hrefOf(route));
      await standsStill(main);
    }
  });

  it('Tab walks through every page and comes round; every stop has a name, is in sight and shows its focus', async () => {
    const { sessions } = await callIn(main, 'sessions.list', { limit: 1 });
    const { turns } = await callIn(main, 'turns.list', { states: ['held'] });
    for (const hash of [
      ...PAGES.map(({ route }) => hrefOf(route)),
      '#/schedule/new',
      '#/events/delivery',
      `#/sessions/${String(sessions[0]?.id)}`,
      `#/turns/${String(turns[0]?.id)}`,
      `#/decisions/${String(turns[0]?.id)}`,
    ]) {
      await goToPage(main, { name: hash, hash });
      const stops = await tabStops(main);
      expect([hash, stops.filter(({ name, isSeen }) => name === '' || !isSeen)]).toEqual([
        hash,
        [],
      ]);
      expect(stops.length).toBeGreaterThan(PAGES.length);
    }
  });

  it('digits open the pages in the order of the sidebar', async () => {
    await fromTheTop(main);
    await main.keyboard.press('2');
    await expect.poll(() => hashOf(main)).toMatch(/^#\/decisions/);
    await main.keyboard.press('1');
    await expect.poll(() => hashOf(main)).toMatch(/^#\/?$/);
  });

  it('J and K move through the rows of every page with a list, and Enter opens the row', async () => {
    for (const name of ['Water the plants', 'Weekly report', 'Back up notes'])
      await callIn(main, 'tasks.add', {
        name,
        prompt: `say ${name}`,
        schedule: 'daily at 03:00',
        agent: 'practice',
      });
    const lists: readonly (readonly [string, RegExp])[] = [
      ['#/', /^#\/(decisions|turns|sessions|drafts|outages|schedule)/],
      ['#/schedule', /^#\/schedule\/\d+$/],
      ['#/outages', /^#\/outages\/./],
      ['#/events', /^#\/turns\/\d+$/],
      ['#/usage', /^#\/agents\/./],
      ['#/search', /^#\/(turns|sessions)\//],
    ];
    for (const [hash, opened] of lists) {
      await goToPage(main, { name: hash, hash });
      if (hash === '#/search') await find(main, 'mail');
      await fromTheTop(main);
      const first = await afterKey('j');
      expect([hash, first]).not.toEqual([hash, '']);
      expect([hash, await afterKey('j')]).not.toEqual([hash, first]);
      expect([hash, await afterKey('k')]).toEqual([hash, first]);
      // Not every event is of a turn.
      for (let press = 0; hash === '#/events' && press < 40; press += 1) {
        if ((await main.locator('[role="row"][aria-selected="true"] a').count()) > 0) break;
        await afterKey('j');
      }
      await main.keyboard.press('Enter');
      await expect.poll(async () => [hash, opened.test(await hashOf(main))]).toEqual([hash, true]);
    }
  });

  it('the palette opens a page by its name', async () => {
    await main.keyboard.press('Control+k');
    await expect.poll(async () => (await focused(main)).tag).toBe('input');
    await main.keyboard.type('agents');
    await standsStill(main);
    await main.keyboard.press('Enter');
    await expect.poll(() => hashOf(main)).toBe('#/agents');
  });

  it('no key answers for what cannot be taken back: Enter, Ctrl Enter and letters change nothing', async () => {
    const { turns } = await callIn(main, 'turns.list', { states: ['held'] });
    const mail = turns.find((turn) => turn.promptStart === PROMPTS.mail);
    await main.evaluate((hash) => (window.location.hash = hash), `#/decisions/${String(mail?.id)}`);
    await standsStill(main);
    await fromTheTop(main);
    for (const key of ['Enter', 'Control+Enter', 'y', 's', 'a', 'r', 'g']) {
      await main.keyboard.press(key);
    }
    const { decisions } = await callIn(main, 'recovery.list', {});
    expect(decisions.map((one) => one.promptStart)).toContain(PROMPTS.mail);
  });

  it('I4 a held decision is found, opened and answered with Tab and Space, and the turn goes on', async () => {
    await main.evaluate(() => (window.location.hash = '#/decisions'));
    await standsStill(main);
    await fromTheTop(main);
    // Tab stops at one row of the list; J goes on to the others.
    await main.keyboard.press('j');
    for (let press = 0; press < 20; press += 1) {
      if (/archive/i.test((await focused(main)).name)) break;
      await main.keyboard.press('j');
    }
    expect((await focused(main)).name).toMatch(/archive/i);
    await main.keyboard.press('Enter');
    await standsStill(main);
    expect(await main.locator('main').textContent()).toContain('Archive/2026');
    await tabTo(main, /^Mark as /);
    await main.keyboard.press('Space');
    await expect
      .poll(async () =>
        (await callIn(main, 'recovery.list', {})).decisions.map((d) => d.promptStart),
      )
      .not.toContain(PROMPTS.archive);
    // The button that had the focus is gone; the next Tab goes on from here, not from the top.
    await expect.poll(async () => (await focused(main)).tag).not.toBe('body');
    await expect
      .poll(async () => {
        const { turns } = await callIn(main, 'turns.list', { limit: 20 });
        return turns.find((turn) => turn.promptStart === PROMPTS.archive)?.state;
      })
      .toBe('completed');
  });

  it('S0-02 a setting is changed with Tab and Space in its own window, and who presses a button stays there', async () => {
    const opened = story.app.waitForEvent('window');
    await main.keyboard.press('Control+,');
    await opened;
    const settings = await pageOf(story.app, 'settings.html');
    await settings.waitForSelector('h1');
    await standsStill(settings);
    for (let press = 0; press < 60; press += 1) {
      const isThere = await settings.evaluate(() => {
        const one = document.activeElement;
        return (
          one?.getAttribute('role') === 'switch' ||
          (one as HTMLInputElement | null)?.type === 'checkbox'
        );
      });
      if (isThere) break;
      await settings.keyboard.press('Tab');
    }
    const config = join(story.home.dataDir, 'config.json');
    const before = readFileSync(config, 'utf8');
    await settings.keyboard.press('Space');
    await expect.poll(() => readFileSync(config, 'utf8')).not.toBe(before);
    // A button that is disabled while it works loses the focus to the page, and has it back then.
    await goToPage(settings, { name: 'data', hash: '#/data' });
    await fromTheTop(settings);
    await tabTo(settings, /^Check now$/);
    await settings.keyboard.press('Enter');
    await settings.getByRole('button', { name: 'Copy report' }).waitFor();
    await expect.poll(async () => (await focused(settings)).name).toBe('Check now');
  });
});
