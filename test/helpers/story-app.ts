/** The real app with the story in it, and the pages that walks and pictures go through. */
import { fileURLToPath } from 'node:url';
import type { ElectronApplication, Page } from 'playwright-core';
import type { HoldfastBridge, Verb, VerbInput, VerbOutput } from '../../shared/contract';
import { AFTERNOON, DOWN_MS, NOW_MS } from '../story/parts/plot';
import type { StoryVariant } from '../story/parts/plot';
import { keyOf } from '../story/parts/play';
import { createTestHome, pageOf } from './electron-app';
import type { TestHome } from './electron-app';
import { tellStory } from './story';

/** The Tuesday of the mocks, when the power was lost: 14:02:11 in Berlin. */
const MOCK_STOP_MS = Date.parse('2026-03-24T14:02:11+01:00');
/** Preloaded, it moves the wall clock of the app and nothing else. */
export const shiftClock = fileURLToPath(
  new URL('../../test/story/parts/shift-clock.cjs', import.meta.url),
);

export interface StoryTime {
  advance(tookMs: number): void;
  moveTo(atMs: number): void;
  offsetMs(): number;
}

export interface StoryApp {
  readonly home: TestHome;
  readonly app: ElectronApplication;
  readonly main: Page;
  end(): Promise<void>;
}

interface StoryAppOptions {
  readonly variant: StoryVariant;
  readonly settings?: Readonly<Record<string, unknown>>;
  readonly switches?: readonly string[];
}

/** One verb of the bridge; a refusal is an error of the test. */
export async function callIn<V extends Verb>(
  page: Page,
  verb: V,
  input: VerbInput<V>,
): Promise<VerbOutput<V>> {
  const answer = await page.evaluate(
    async ([name, given]) => {
      const { call } = (window as unknown as { holdfast: HoldfastBridge }).holdfast;
      return (call as Record<string, (one: unknown) => Promise<unknown>>)[name]?.(given);
    },
    [verb as string, input as unknown] as const,
  );
  const known = answer as { ok: boolean; value: VerbOutput<V>; message?: string };
  if (!known.ok) throw new Error(`${verb}: ${known.message ?? 'refused'}`);
  return known.value;
}

/** A home with the story in it, the stop being a few minutes before this very moment. */
export async function openStory(
  variant: StoryVariant,
  settings: Readonly<Record<string, unknown>> = {},
): Promise<{ readonly home: TestHome; stop(): Promise<void> }> {
  const home = await createTestHome();
  const story = await tellStory(home, { variant, stopAtMs: Date.now() - DOWN_MS, settings });
  return {
    home,
    async stop() {
      await home.end();
      await story.stop();
    },
  };
}

/** Starts the app on the story. */
export async function startStoryApp(options: StoryAppOptions): Promise<StoryApp> {
  const { home, stop } = await openStory(options.variant, options.settings);
  const { switches = [] } = options;
  const app = await home.launch({ switches });
  return { home, app, main: await pageOf(app, 'index.html'), end: stop };
}

/**
 * The same on the day of the mocks: the app comes back at 14:06:24, goes on with what was cut off,
 * gets more to do, and it is 14:31. Only the wall clock is the story's.
 */
export async function startMockDay(options: StoryAppOptions): Promise<StoryApp> {
  const home = await createTestHome();
  let isLaunched: (app: ElectronApplication) => void = () => undefined;
  const launched = new Promise<ElectronApplication>((resolve) => (isLaunched = resolve));
  const inApp = async (does: 'advance' | 'moveTo', ms: number): Promise<void> => {
    const running = await launched;
    await running.evaluate(
      (_electron, [name, value]) => {
        const { storyTime } = globalThis as unknown as { storyTime: StoryTime };
        storyTime[name](value);
      },
      [does, ms] as const,
    );
  };
  const story = await tellStory(home, {
    variant: options.variant,
    stopAtMs: MOCK_STOP_MS,
    spend: (tookMs) => inApp('advance', tookMs),
    ...(options.settings === undefined ? {} : { settings: options.settings }),
  });
  const startsAtMs = MOCK_STOP_MS + DOWN_MS;
  const app = await home.launch({
    switches: ['-r', shiftClock, '--lang=en-GB', ...(options.switches ?? [])],
    env: {
      TZ: 'Europe/Berlin',
      LANG: 'en_GB.UTF-8',
      // Electron itself takes a second, so that the start itself is at the time of the story.
      STORY_OFFSET_MS: String(startsAtMs - Date.now() - 900),
    },
  });
  isLaunched(app);
  const main = await pageOf(app, 'index.html');
  if (options.variant === 'busy') await playAfternoon(main, inApp);
  await inApp('moveTo', MOCK_STOP_MS + NOW_MS);
  await shiftPages(app);
  await main.reload();
  return {
    home,
    app,
    main,
    async end() {
      await home.end();
      await story.stop();
    },
  };
}

async function playAfternoon(
  main: Page,
  inApp: (does: 'moveTo', ms: number) => Promise<void>,
): Promise<void> {
  // What was cut off comes first: it is one turn that stays running.
  await restOf(main, 1);
  for (const turn of AFTERNOON) {
    await inApp('moveTo', MOCK_STOP_MS + turn.atMs);
    const isEndless = turn.answers.some((answer) => answer.isEndless === true);
    await callIn(main, 'send', { text: turn.prompt, session: keyOf(turn.session) });
    if (!isEndless) await restOf(main, 1);
  }
  await stepsOf(main, AFTERNOON.at(-1)?.prompt ?? '', 5);
}

/** Resolves when so many turns are left that run, and none that wait to. */
async function restOf(main: Page, running: number): Promise<void> {
  for (;;) {
    const { counts } = await callIn(main, 'status.get', {});
    if (counts.running <= running && counts.queued === 0) return;
    await main.waitForTimeout(20);
  }
}

async function stepsOf(main: Page, prompt: string, steps: number): Promise<void> {
  for (;;) {
    const { turns } = await callIn(main, 'turns.list', { limit: 20 });
    if ((turns.find((turn) => turn.promptStart === prompt)?.steps ?? 0) >= steps) return;
    await main.waitForTimeout(20);
  }
}

/** Pages that are loaded from now on live at the time of the story, too. */
export async function shiftPages(app: ElectronApplication): Promise<void> {
  const offsetMs = await app.evaluate(() =>
    (globalThis as unknown as { storyTime: StoryTime }).storyTime.offsetMs(),
  );
  await app.context().addInitScript((shiftMs: number) => {
    const Real = Date;
    const nowMs = (): number => Real.now() + shiftMs;
    globalThis.Date = new Proxy(Real, {
      apply: () => new Real(nowMs()).toString(),
      construct: (target, args, newTarget) =>
        Reflect.construct(target, args.length === 0 ? [nowMs()] : args, newTarget) as Date,
      get: (target, name, receiver) =>
        name === 'now' ? nowMs : (Reflect.get(target, name, receiver) as unknown),
    });
  }, offsetMs);
}

/** One page of the main window; `hash` where it is known before, or what leads there. */
export interface StoryPage {
  readonly name: string;
  readonly hash: string;
  readonly act?: (page: Page) => Promise<void>;
  /** Undoes what `act` did to the window. */
  readonly leave?: (page: Page) => Promise<void>;
}

export const PROMPTS = {
  mail: 'Compare the three cable suppliers and mail the result',
  archive: 'Sort the new mail of today and archive what needs no answer',
  resumed: 'Read the three papers on my list and add what is new to my notes',
} as const;

/** A button that works shows no label, and what is found moves what stands below it. */
export const agentsLookedFor = (page: Page): Promise<void> =>
  page.locator('button[data-loading]').first().waitFor({ state: 'detached' });

/** A word that prompts, tool calls and answers of the story hold. */
const searched = async (page: Page): Promise<void> => {
  await page.locator('[data-page-search]').fill('mail');
  await page.waitForSelector('a.search-hit');
};

/** Every page that the busy story fills. */
export async function storyPages(main: Page): Promise<readonly StoryPage[]> {
  const { turns } = await callIn(main, 'turns.list', { limit: 1000 });
  const turnOf = (prompt: string): (typeof turns)[number] => {
    const turn = turns.find((one) => one.promptStart === prompt);
    if (turn === undefined) throw new Error(`The story has no turn "${prompt}".`);
    return turn;
  };
  const [mail, archive, resumed] = [PROMPTS.mail, PROMPTS.archive, PROMPTS.resumed].map(turnOf) as [
    (typeof turns)[number],
    (typeof turns)[number],
    (typeof turns)[number],
  ];
  return [
    { name: 'home', hash: '#/' },
    { name: 'decisions', hash: '#/decisions' },
    { name: 'decision-mail', hash: `#/decisions/${String(mail.id)}` },
    { name: 'decision-archive', hash: `#/decisions/${String(archive.id)}` },
    { name: 'sessions', hash: '#/sessions' },
    { name: 'session', hash: `#/sessions/${String(resumed.sessionId)}` },
    { name: 'turn', hash: `#/turns/${String(mail.id)}` },
    { name: 'turn-resumed', hash: `#/turns/${String(resumed.id)}` },
    { name: 'events', hash: '#/events' },
    { name: 'agents', hash: '#/agents', act: agentsLookedFor },
    { name: 'usage', hash: '#/usage' },
    { name: 'search', hash: '#/search', act: searched },
    { name: 'welcome', hash: '#/welcome' },
  ];
}

/** Goes to a page and waits until it stands still. */
export async function goToPage(page: Page, { hash, act }: StoryPage): Promise<void> {
  await page.evaluate((to) => {
    window.location.hash = to;
  }, hash);
  // The page before it stays until it is drawn; the settings window changes at once.
  await page.waitForFunction((to) => {
    const { page: shown } = document.documentElement.dataset;
    return shown === undefined || shown === to;
  }, hash);
  await page.waitForSelector('h1');
  await standsStill(page);
  if (act !== undefined) {
    await act(page);
    await standsStill(page);
  }
}

/** Resolves when nothing in the page changed for `quietMs`; digits that count do not matter. */
export async function standsStill(page: Page, quietMs = 60): Promise<void> {
  await page.evaluate(
    (quiet) =>
      new Promise<void>((resolve) => {
        const ends = setTimeout(done, 2_500);
        let rests = setTimeout(done, quiet);
        const observer = new MutationObserver((changes) => {
          if (changes.every((change) => change.type === 'characterData')) return;
          clearTimeout(rests);
          rests = setTimeout(done, quiet);
        });
        observer.observe(document.body, { subtree: true, childList: true, characterData: true });
        function done(): void {
          clearTimeout(ends);
          clearTimeout(rests);
          observer.disconnect();
          requestAnimationFrame(() => requestAnimationFrame(() => resolve()));
        }
      }),
    quietMs,
  );
}

/** The size of what is inside of a window. */
export async function resize(
  app: ElectronApplication,
  file: 'index.html' | 'settings.html',
  size: { readonly width: number; readonly height: number },
): Promise<void> {
  await app.evaluate(
    ({ BrowserWindow }, [name, width, height]) => {
      BrowserWindow.getAllWindows()
        .find((one) => one.webContents.getURL().includes(name))
        ?.setContentSize(width, height);
    },
    [`/${file}`, size.width, size.height] as const,
  );
}

/**
 * The size of text that a person has chosen in the system, in percent: what `rem` and the widths of
 * media queries follow.
 */
export async function scaleText(page: Page, percent: number): Promise<void> {
  const session = await page.context().newCDPSession(page);
  await session.send('Page.setFontSizes', {
    fontSizes: { standard: (16 * percent) / 100, fixed: Math.round((13 * percent) / 100) },
  });
  // A system has its size before a window opens.
  await page.reload();
  await page.waitForSelector('h1');
}

/** Sets the theme of all windows and waits until `page` has it. */
export async function wear(page: Page, theme: 'light' | 'dark'): Promise<void> {
  await callIn(page, 'config.set', { key: 'app.theme', value: theme });
  await page.waitForFunction(
    // Both: the window is told by the system, and the page by the event of the setting.
    (wanted) =>
      matchMedia('(prefers-color-scheme: dark)').matches === (wanted === 'dark') &&
      document.documentElement.getAttribute('data-mantine-color-scheme') === wanted,
    theme,
  );
  // Colours on their way are neither the one theme nor the other.
  await page.evaluate(async () => {
    const ending = document
      .getAnimations()
      // What follows a scrollbar ends at a place, not at a time.
      .filter(({ effect }) => Number.isFinite(effect?.getComputedTiming().endTime));
    await Promise.allSettled(ending.map((one) => one.finished));
  });
}
