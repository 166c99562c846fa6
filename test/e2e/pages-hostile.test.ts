/** What models, tools and people write may be anything; it is shown, and does nothing. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Page } from 'playwright-core';
import { axeFindings, followTrouble, longestTaskMs, sidewaysScroll } from '../helpers/page-checks';
import { callIn, goToPage, startStoryApp } from '../helpers/story-app';
import type { StoryApp, StoryPage } from '../helpers/story-app';

/** Long enough for a slow computer, short enough that a person does not notice a freeze. */
const FREEZE_MS = 1_000;

let story: StoryApp;
let main: Page;
let pages: readonly StoryPage[];
let trouble: () => readonly string[];
beforeAll(async () => {
  story = await startStoryApp({ variant: 'hostile' });
  main = story.main;
  trouble = followTrouble(story.app);
  const { turns } = await callIn(main, 'turns.list', {});
  pages = [
    { name: 'home', hash: '#/' },
    { name: 'decisions', hash: '#/decisions' },
    { name: 'sessions', hash: '#/sessions' },
    { name: 'events', hash: '#/events' },
    ...turns.flatMap((turn) => [
      { name: `turn ${String(turn.id)}`, hash: `#/turns/${String(turn.id)}` },
      { name: `session ${String(turn.sessionId)}`, hash: `#/sessions/${String(turn.sessionId)}` },
    ]),
  ];
  expect(turns).toHaveLength(3);
});
afterAll(async () => story.end());

describe('hostile text', () => {
  it('is shown as text: no element, no script, no link, no raw control character', async () => {
    for (const page of pages) {
      await goToPage(main, page);
      const facts = await main.evaluate(() => ({
        title: document.title,
        images: document.querySelectorAll('img[src="x"], [src^="http"]').length,
        scripts: [...document.scripts].filter((one) => one.textContent.includes('owned')).length,
        links: document.querySelectorAll('a[href*="evil"]').length,
        raw: /[\u202a-\u202e\u2066-\u2069\u001b\u0007]/.test(
          `${document.body.textContent}${[...document.querySelectorAll('[title], [aria-label]')].map((one) => `${one.getAttribute('title') ?? ''}${one.getAttribute('aria-label') ?? ''}`).join('')}`,
        ),
      }));
      expect([page.name, facts]).toEqual([
        page.name,
        {
          title: expect.not.stringContaining('owned') as string,
          images: 0,
          scripts: 0,
          links: 0,
          raw: false,
        },
      ]);
      expect([page.name, trouble()]).toEqual([page.name, []]);
    }
  });

  it('the exact effect of a held mail names every character that hides', async () => {
    const { decisions } = await callIn(main, 'recovery.list', {});
    const [held] = decisions;
    expect(decisions).toHaveLength(1);
    await goToPage(main, { name: 'held', hash: `#/decisions/${String(held?.turnId)}` });
    const shown = (await main.locator('main').textContent()) ?? '';
    expect(shown).toMatch(/bank@example\.org.{0,3}(?:\\u202e|U\+202E|202e)/i);
    expect(shown).toContain('<script>');
  });

  it('a line of a megabyte and 10,000 lines freeze no page and scroll none sideways', async () => {
    for (const page of pages) {
      // A page that freezes does so each time; a machine that does something else meanwhile does not.
      let longestMs = Infinity;
      for (let look = 0; look < 5 && longestMs >= FREEZE_MS; look += 1) {
        if (look > 0) await goToPage(main, { name: 'agents', hash: '#/agents' });
        longestMs = Math.min(longestMs, await longestTaskMs(main, () => goToPage(main, page)));
      }
      expect([page.name, longestMs < FREEZE_MS ? 'smooth' : longestMs]).toEqual([
        page.name,
        'smooth',
      ]);
      expect([page.name, await sidewaysScroll(main)]).toEqual([page.name, []]);
    }
  });

  it('axe finds nothing in the pages that show it', async () => {
    const wrong: Record<string, readonly string[]> = {};
    for (const page of pages.filter(({ name }) => /^(decisions|turn|session)/.test(name))) {
      await goToPage(main, page);
      const found = await axeFindings(main);
      if (found.length > 0) wrong[page.name] = found;
    }
    expect(wrong).toEqual({});
  });
});
