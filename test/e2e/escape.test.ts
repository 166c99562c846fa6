/**
 * What Esc does, walked with real keys: it closes what is innermost, leaves a field, goes back from a
 * page that was opened from another, and stops a turn only where it put nothing away. S0-02
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Page } from 'playwright-core';
import { PAGES } from '../../renderer/pages';
import { hrefOf } from '../../renderer/route';
import { focused } from '../helpers/by-keyboard';
import { callIn, goToPage, resize, standsStill, startStoryApp } from '../helpers/story-app';
import type { StoryApp } from '../helpers/story-app';

let story: StoryApp;
let main: Page;
let ids: { idle: number; running: number; held: number };
beforeAll(async () => {
  story = await startStoryApp({ variant: 'busy' });
  main = story.main;
  await main.waitForSelector('h1');
  const { sessions } = await callIn(main, 'sessions.list', { limit: 100 });
  const { turns } = await callIn(main, 'turns.list', { states: ['held'] });
  const of = (status: string): number => sessions.find((one) => one.status === status)?.id ?? 0;
  ids = { idle: of('idle'), running: of('running'), held: turns[0]?.id ?? 0 };
});
afterAll(async () => story.end());

const hashNow = (): Promise<string> => main.evaluate(() => window.location.hash);
const press = async (...keys: readonly string[]): Promise<void> => {
  for (const key of keys) await main.keyboard.press(key);
  await standsStill(main);
};
const visit = (hash: string): Promise<void> => goToPage(main, { name: hash, hash });
/** From a page of the sidebar, so that there is a way back. */
const visitFrom = async (before: string, hash: string): Promise<void> => {
  await visit(before);
  await visit(hash);
};
const stateOf = async (session: number): Promise<string | undefined> =>
  (await callIn(main, 'sessions.list', { limit: 100 })).sessions.find(({ id }) => id === session)
    ?.status;
/** Longer than two presses of Esc may be apart. */
const pairIsOver = (): Promise<void> => main.waitForTimeout(800);

const FIELDS =
  '#content :is(input:not([type=radio], [type=checkbox], [type=hidden]), textarea):not(:disabled)';

describe('Esc', () => {
  it('leaves every text field of every page with one key, or two where the first empties or closes something; the page stays', async () => {
    let walked = 0;
    for (const hash of [
      ...PAGES.map(({ route }) => hrefOf(route)),
      '#/schedule/new',
      `#/sessions/${String(ids.idle)}`,
    ]) {
      await visit(hash);
      const fields = main.locator(FIELDS);
      for (let at = 0; at < (await fields.count()); at += 1) {
        const field = fields.nth(at);
        if (!(await field.isVisible())) continue;
        await field.focus();
        await main.keyboard.type('x');
        const tags: string[] = [];
        for (let presses = 0; presses < 2; presses += 1) {
          await press('Escape');
          tags.push((await focused(main)).tag);
          if (!['input', 'textarea'].includes(tags.at(-1) ?? '')) break;
        }
        expect([hash, at, tags.at(-1), await hashNow()]).toEqual([hash, at, 'body', hash]);
        walked += 1;
      }
    }
    expect(walked).toBeGreaterThan(12);
  });

  it('goes back from each page that was opened from another, and stays on the pages of the sidebar', async () => {
    for (const hash of [
      `#/sessions/${String(ids.idle)}`,
      `#/turns/${String(ids.held)}`,
      '#/runs',
      '#/events/delivery',
      '#/schedule/new',
    ]) {
      await visitFrom('#/outages', hash);
      // The first field of a form has the focus.
      if (['input', 'textarea'].includes((await focused(main)).tag)) await press('Escape');
      await press('Escape');
      await expect.poll(hashNow, { message: hash }).toBe('#/outages');
    }
    for (const { route } of PAGES) {
      await visit(hrefOf(route));
      const there = await hashNow();
      await press('Escape');
      expect(await hashNow()).toBe(there);
    }
  });

  it('closes the palette, the keys, a menu and a dialog over an idle session, also before the palette is drawn, and goes back only then', async () => {
    const session = `#/sessions/${String(ids.idle)}`;
    const opened: readonly (readonly [string, () => Promise<unknown>])[] = [
      ['palette', () => main.keyboard.press('Control+k')],
      ['keys', () => main.keyboard.press('?')],
      [
        'menu',
        async () => {
          await main.locator('.session-more').click();
          await main.getByRole('menuitem').first().waitFor();
        },
      ],
      [
        'rename',
        async () => {
          await main.locator('.session-more').click();
          await main.getByRole('menuitem', { name: /^Rename/ }).click();
          await main.getByRole('dialog').waitFor();
        },
      ],
    ];
    for (const [name, open] of opened) {
      await visitFrom('#/sessions', session);
      await open();
      await press('Escape');
      await main.locator('[role="dialog"], [role="menu"]').waitFor({ state: 'detached' });
      expect([name, await hashNow()]).toEqual([name, session]);
      await press('Escape');
      await expect.poll(hashNow, { message: name }).toBe('#/sessions');
    }
  });

  it('closes an open step with the focus anywhere, and the page only then', async () => {
    const turn = `#/turns/${String(ids.held)}`;
    await visitFrom('#/sessions', turn);
    await main.locator('.tl-row').first().click();
    await main.locator('.step-pane').waitFor();
    await main.evaluate(() => (document.activeElement as HTMLElement | null)?.blur());
    await press('Escape');
    expect([await main.locator('.step-pane').count(), await hashNow()]).toEqual([0, turn]);
    await press('Escape');
    await expect.poll(hashNow).toBe('#/sessions');
  });

  it('pressed twice stops no turn if one of the two closed a part of the page, a menu or the palette, or left a text', async () => {
    const session = `#/sessions/${String(ids.running)}`;
    await resize(story.app, 'index.html', { width: 1000, height: 720 });
    const composer = main.locator('.session-main textarea');
    const walks: readonly (readonly [string, () => Promise<unknown>])[] = [
      [
        'details, with the focus in the chat',
        async () => {
          await main.locator('.aside-open').click();
          await main.locator('.session-aside[data-open="true"]').waitFor();
          await main.locator('.chat').focus();
        },
      ],
      [
        'menu',
        async () => {
          await main.locator('.session-more').click();
          await main.getByRole('menuitem').first().waitFor();
        },
      ],
      ['palette', () => main.keyboard.press('Control+k')],
      ['keys', () => main.keyboard.press('?')],
      [
        'a text that is not sent',
        async () => {
          await composer.focus();
          await main.keyboard.type('Half a thought');
        },
      ],
    ];
    for (const [name, open] of walks) {
      await visitFrom('#/sessions', session);
      await main.locator('[data-keeps-escape="true"]').waitFor();
      await open();
      await press('Escape', 'Escape');
      await pairIsOver();
      expect([name, await stateOf(ids.running), await hashNow()]).toEqual([
        name,
        'running',
        session,
      ]);
    }
    expect(await composer.inputValue()).toBe('Half a thought');
    await composer.fill('');
  });

  it('pressed twice in the empty prompt of a session at work stops its turn', async () => {
    await visitFrom('#/sessions', `#/sessions/${String(ids.running)}`);
    await main.locator('[data-keeps-escape="true"]').waitFor();
    await main.locator('.session-main textarea').focus();
    await press('Escape', 'Escape');
    await expect.poll(() => stateOf(ids.running)).toBe('idle');
  });
});
