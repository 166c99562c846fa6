/** Every page of the real app with a day of work in it. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Page } from 'playwright-core';
import { SECTIONS } from '../../renderer/settings/setting-groups';
import { pageOf } from '../helpers/electron-app';
import {
  axeFindings,
  clippedText,
  emptyScroll,
  filledButtons,
  followTrouble,
  motion,
  overlaps,
  ringless,
  sidewaysScroll,
  smallTargets,
  squeezedText,
  stopButtons,
} from '../helpers/page-checks';
import {
  callIn,
  goToPage,
  resize,
  scaleText,
  startStoryApp,
  storyPages,
  wear,
} from '../helpers/story-app';
import type { StoryApp, StoryPage } from '../helpers/story-app';

const SIZES = [
  { width: 1200, height: 800 },
  { width: 880, height: 600 },
] as const;
const SETTINGS_SIZES = [
  { width: 1000, height: 760 },
  { width: 800, height: 560 },
] as const;
const THEMES = ['light', 'dark'] as const;
/** Letters that only the pretended language has. */
const PRETENDED = /[\u00c0-\u024f]/;

let story: StoryApp;
let main: Page;
let settings: Page;
let pages: readonly StoryPage[];
let trouble: () => readonly string[];

beforeAll(async () => {
  story = await startStoryApp({ variant: 'busy' });
  main = story.main;
  trouble = followTrouble(story.app);
  pages = [...(await storyPages(main)), ...(await otherPages())];
  await callIn(main, 'app.openSettings', {});
  settings = await pageOf(story.app, 'settings.html');
  await settings.waitForSelector('h1');
});
afterAll(async () => story.end());

/** What the story has nothing for, with a task of each kind. */
async function otherPages(): Promise<readonly StoryPage[]> {
  const task = { prompt: 'say hello', agent: 'practice' };
  const { id } = await callIn(main, 'tasks.add', {
    ...task,
    name: 'Price watch',
    schedule: 'every 30m',
  });
  for (const schedule of ['daily at 02:00', 'in 30d'])
    await callIn(main, 'tasks.add', { ...task, schedule });
  return [
    { name: 'schedule', hash: `#/schedule/${String(id)}` },
    { name: 'new-task', hash: '#/schedule/new' },
    { name: 'outages', hash: '#/outages' },
    { name: 'delivery', hash: '#/events/delivery' },
    { name: 'runs', hash: '#/runs' },
  ];
}

/** Looks at every page and every section of the settings, and collects what is wrong by name. */
async function everywhere(
  look: (page: Page, name: string) => Promise<readonly string[]>,
): Promise<Record<string, readonly string[]>> {
  const wrong: Record<string, readonly string[]> = {};
  const note = async (page: Page, name: string): Promise<void> => {
    const found = [...(await look(page, name)), ...trouble()];
    if (found.length > 0) wrong[name] = found;
  };
  for (const one of pages) {
    await goToPage(main, one);
    await note(main, one.name);
  }
  for (const section of SECTIONS) {
    await goToPage(settings, { name: section, hash: `#/${section}` });
    await note(settings, `settings ${section}`);
  }
  return wrong;
}

const resizeBoth = async (index: 0 | 1): Promise<void> => {
  await resize(story.app, 'index.html', SIZES[index]);
  await resize(story.app, 'settings.html', SETTINGS_SIZES[index]);
};

describe('every page', () => {
  it.each(
    THEMES.flatMap((theme) =>
      ([0, 1] as const).map((index) => [theme, SIZES[index].width, index] as const),
    ),
  )(
    '%s at %i wide: nothing scrolls sideways or into nothing, nothing moves for ever or longer than 180 ms, at most 1 filled button, no error in the console, axe finds nothing, every stop of Tab has a ring of 2 px, and what is pressed is 26 px high',
    async (theme, _width, index) => {
      await wear(main, theme);
      await resizeBoth(index);
      const wrong = await everywhere(async (page) => {
        const filled = await filledButtons(page);
        return [
          ...(await sidewaysScroll(page)),
          ...(await emptyScroll(page)),
          ...(await squeezedText(page)),
          ...(filled.length > 1 ? [`${String(filled.length)} filled: ${filled.join(', ')}`] : []),
          // Names, colours and what moves do not depend on the size.
          ...(index === 0 ? [...(await axeFindings(page)), ...(await motion(page, 180))] : []),
          // Nor on the theme: it takes a press of Tab for every stop.
          ...(index === 0 && theme === 'light'
            ? [...(await ringless(page)), ...(await smallTargets(page))]
            : []),
        ];
      });
      expect(wrong).toEqual({});
    },
  );

  it.each([
    [1200, 208, 'beside'],
    [1000, 208, 'under'],
    [880, 56, 'under'],
  ] as const)(
    'in a window of %i the sidebar is %i wide, and what stands beside the main column of Home is %s it',
    async (width, side, place) => {
      const home = pages.find((one) => one.name === 'home');
      if (home === undefined) throw new Error('no home');
      await goToPage(main, home);
      await resize(story.app, 'index.html', { width, height: 800 });
      const found = (): Promise<unknown> =>
        main.evaluate(() => {
          const [bar, column, aside] = ['nav.side', '.columns > .stack', '.columns > aside'].map(
            (part) => document.querySelector(part)?.getBoundingClientRect() ?? new DOMRect(),
          ) as [DOMRect, DOMRect, DOMRect];
          const isBeside = aside.left >= column.right;
          const isUnder = aside.top >= column.bottom;
          return [Math.round(bar.width), isBeside ? 'beside' : isUnder ? 'under' : 'over'];
        });
      await expect.poll(found).toEqual([side, place]);
    },
  );

  it('Stop is where the work is: every running row, the session and the turn', async () => {
    await wear(main, 'light');
    await resizeBoth(0);
    const { counts } = await callIn(main, 'status.get', {});
    expect(counts.running).toBeGreaterThan(0);
    const stops = async (name: string): Promise<number> => {
      const page = pages.find((one) => one.name === name);
      if (page === undefined) throw new Error(`No page ${name}`);
      await goToPage(main, page);
      return stopButtons(main);
    };
    expect(await stops('home')).toBeGreaterThanOrEqual(counts.running);
    expect(await filledButtons(main)).toEqual(['Review']);
    expect(await stops('session')).toBeGreaterThan(0);
    expect(await stops('turn-resumed')).toBeGreaterThan(0);
  });

  it('no filled button stands beside an effect that cannot be taken back', async () => {
    for (const name of ['decision-mail', 'decision-archive', 'turn']) {
      const page = pages.find((one) => one.name === name);
      if (page === undefined) throw new Error(`No page ${name}`);
      await goToPage(main, page);
      expect([name, await filledButtons(main)]).toEqual([name, []]);
    }
  });

  it('text at 200 % is not cut and does not scroll sideways', async () => {
    await wear(main, 'light');
    await resizeBoth(0);
    for (const page of [main, settings]) await scaleText(page, 200);
    try {
      const wrong = await everywhere(async (page) => [
        ...(await sidewaysScroll(page)),
        ...(await squeezedText(page)),
        ...(await clippedText(page)),
      ]);
      expect(wrong).toEqual({});
    } finally {
      for (const page of [main, settings]) await scaleText(page, 100);
    }
  });

  it('text at 200 % in the smallest window: the box to write in lies over nothing and is no column of letters', async () => {
    await wear(main, 'light');
    const page = pages.find((one) => one.name === 'session');
    if (page === undefined) throw new Error('no session');
    const wrong: Record<string, readonly string[]> = {};
    for (const percent of [200, 150, 125, 100]) {
      for (const index of [0, 1] as const) {
        await resizeBoth(index);
        await scaleText(main, percent);
        await goToPage(main, page);
        const parts = ['.chat', '.session-main > .ask', '.session-aside'];
        for (const part of parts) await main.waitForSelector(part, { state: 'attached' });
        // Nothing is squeezed into a column of letters, and no time is cut at the edge of its card.
        const found = [
          ...(await overlaps(main, parts)),
          ...(await squeezedText(main)),
          ...(await clippedText(main)),
          ...(await main.evaluate(() => {
            const field = document.querySelector('.session-main > .ask textarea');
            const rem = Number.parseFloat(getComputedStyle(document.documentElement).fontSize);
            const wide = (field?.getBoundingClientRect().width ?? 0) / rem;
            return wide < 12 ? [`the field has ${String(Math.round(wide))} rem`] : [];
          })),
        ];
        if (found.length > 0)
          wrong[`${String(percent)} % at ${String(SIZES[index].width)}`] = found;
      }
    }
    await scaleText(main, 100);
    expect(wrong).toEqual({});
  });

  it('a language 40 % longer has room in the smallest window', async () => {
    const speak = async (locale: string): Promise<void> => {
      for (const page of [main, settings]) {
        await page.evaluate((value) => localStorage.setItem('holdfast.locale', value), locale);
        await page.reload();
        await page.waitForSelector('h1');
      }
    };
    await speak('pseudo');
    try {
      await resizeBoth(1);
      const wrong = await everywhere(async (page) => [
        ...(await sidewaysScroll(page)),
        ...(await clippedText(page, { words: PRETENDED, needsTitle: true })),
      ]);
      expect(wrong).toEqual({});
    } finally {
      await speak('en');
    }
  });

  it('forced colors keep every mark: no glyph has the color of its ground, and a chosen ring is not an empty one', async () => {
    await resizeBoth(0);
    for (const page of [main, settings]) await page.emulateMedia({ forcedColors: 'active' });
    try {
      await goToPage(settings, { name: 'recovery', hash: '#/recovery' });
      const grounds = await settings.locator('[role="radio"]').evaluateAll((rings) =>
        rings.map((ring) => {
          const { backgroundColor } = getComputedStyle(ring.firstElementChild ?? ring);
          return [ring.getAttribute('aria-checked'), backgroundColor] as const;
        }),
      );
      const empty = grounds.find(([isChecked]) => isChecked === 'false')?.[1];
      expect(
        grounds.flatMap(([isChecked, ground]) => (ground === empty ? [] : [isChecked])),
      ).toEqual(['true']);
      for (const one of pages) {
        await goToPage(main, one);
        const lost = await main.evaluate(() => {
          const ground = (from: Element): string => {
            for (let at: Element | null = from; at !== null; at = at.parentElement) {
              const { backgroundColor } = getComputedStyle(at);
              if (backgroundColor !== 'rgba(0, 0, 0, 0)') return backgroundColor;
            }
            return '';
          };
          return [...document.querySelectorAll('main svg.icon, nav svg.icon')]
            .filter((icon) => icon.checkVisibility())
            .filter((icon) => getComputedStyle(icon).color === ground(icon))
            .map((icon) => icon.parentElement?.outerHTML.slice(0, 120) ?? '');
        });
        expect([one.name, lost]).toEqual([one.name, []]);
      }
    } finally {
      for (const page of [main, settings]) await page.emulateMedia({ forcedColors: null });
    }
  });

  it('nothing moves where a person wants less motion', async () => {
    await resizeBoth(0);
    for (const page of [main, settings]) await page.emulateMedia({ reducedMotion: 'reduce' });
    try {
      expect(await everywhere((page) => motion(page, 0))).toEqual({});
    } finally {
      for (const page of [main, settings]) await page.emulateMedia({ reducedMotion: null });
    }
  });

  it('a page that is left and come back to shows the same again', async () => {
    for (const one of pages.slice(0, 3)) {
      await goToPage(main, one);
      const before = await main.locator('h1').first().textContent();
      await goToPage(main, { name: 'agents', hash: '#/agents' });
      await main.goBack();
      await expect.poll(() => main.locator('h1').first().textContent()).toBe(before);
    }
  });
});
