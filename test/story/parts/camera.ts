/** Takes pictures of the real app into `dist/screens`, in each theme, size and look. */
import fs from 'node:fs';
import path from 'node:path';
import type { ElectronApplication, Page } from 'playwright-core';
import { createTestHome, pageOf } from '../../helpers/electron-app';
import type { TestHome } from '../../helpers/electron-app';
import { goToPage, resize, scaleText, wear } from '../../helpers/story-app';
import type { StoryPage } from '../../helpers/story-app';
import { indexPage } from './index-page';
import type { Picture } from './index-page';

/** build/screens.mjs says it: where this runs, it stands in dist. */
export const project = process.env['HOLDFAST_TEST_APP'] ?? process.cwd();
const out = path.join(project, 'dist', 'screens');

export const THEMES = ['light', 'dark'] as const;
export interface Size {
  readonly width: number;
  readonly height: number;
}
export const LARGE: Size = { width: 1200, height: 800 };
/** What the first start opens at, and where columns begin to move below each other. */
export const MEDIUM: Size = { width: 1000, height: 720 };
export const SMALL: Size = { width: 880, height: 600 };
export const HUGE: Size = { width: 1440, height: 900 };
export const SETTINGS_LARGE: Size = { width: 1000, height: 760 };
const SETTINGS_SIZES = [SETTINGS_LARGE, { width: 800, height: 560 }] as const;
/** `--quick`: both themes in two sizes, which is enough while a page is being changed. */
const isQuick = process.argv.includes('--quick');
export const MAIN_SIZES = isQuick ? [LARGE, MEDIUM] : [LARGE, MEDIUM, SMALL];
export const ENGLISH = { switches: ['--lang=en-GB'], env: { LANG: 'en_GB.UTF-8' } } as const;

export const sizeName = (size: Size): string => `${String(size.width)}x${String(size.height)}`;

/** One window of the running app. */
export interface Shown {
  readonly app: ElectronApplication;
  readonly page: Page;
  readonly file: 'index.html' | 'settings.html';
}

const pictures: Picture[] = [];

/** Whether a part is left out; it says why. */
export function isMissing(part: string, why: string | undefined): boolean {
  if (why !== undefined) process.stderr.write(`No pictures of ${part}: ${why}\n`);
  return why !== undefined;
}

export function emptyAlbum(): void {
  fs.rmSync(out, { recursive: true, force: true });
  fs.mkdirSync(out, { recursive: true });
}

export function closeAlbum(): void {
  fs.writeFileSync(path.join(out, 'index.html'), indexPage(pictures));
  process.stdout.write(`${String(pictures.length)} pictures: dist/screens/index.html\n`);
}

export async function take(page: Page, name: string, variant: string): Promise<void> {
  const file = `${name}-${variant}.png`;
  // Nothing under a pointer that nobody holds.
  await page.mouse.move(0, 0);
  // What ends by itself has ended; what follows a scrollbar belongs to the picture.
  await page.evaluate(async () => {
    const ending = document
      .getAnimations()
      .filter(({ effect }) => Number.isFinite(effect?.getComputedTiming().endTime));
    await Promise.allSettled(ending.map((one) => one.finished));
  });
  await page.screenshot({ path: path.join(out, file), animations: 'allow', caret: 'hide' });
  pictures.push({ page: name, variant, file });
}

/** A picture that is there already, as a tray glyph. */
export function keep(from: string, page: string, variant: string, file: string): void {
  const to = path.join(out, file);
  fs.mkdirSync(path.dirname(to), { recursive: true });
  fs.copyFileSync(from, to);
  pictures.push({ page, variant, file });
}

export async function shoot(page: Page, one: StoryPage, variant: string): Promise<void> {
  await goToPage(page, one);
  await take(page, one.name, variant);
  await one.leave?.(page);
}

/** The pages in both themes and in these sizes of their window. */
export async function everyLook(
  { app, page, file }: Shown,
  pages: readonly StoryPage[],
  sizes: readonly Size[] = file === 'index.html' ? MAIN_SIZES : SETTINGS_SIZES,
): Promise<void> {
  for (const theme of THEMES) {
    await wear(page, theme);
    for (const size of sizes) {
      await resize(app, file, size);
      for (const one of pages) await shoot(page, one, `${theme}-${sizeName(size)}`);
    }
  }
}

function filter(page: Page, value: string): Promise<void> {
  return page.evaluate((text) => {
    document.documentElement.style.filter = text;
  }, value);
}

/** Changes the page for one picture, and back. */
const LOOKS: readonly {
  readonly name: string;
  readonly pages?: readonly string[];
  readonly put: (page: Page) => Promise<unknown>;
  readonly off: (page: Page) => Promise<unknown>;
}[] = [
  ...[125, 150, 200].map((percent) => ({
    name: `text-${String(percent)}`,
    put: (page: Page) => scaleText(page, percent),
    off: (page: Page) => scaleText(page, 100),
  })),
  {
    name: 'forced-colours',
    put: (page) => page.emulateMedia({ forcedColors: 'active' }),
    off: (page) => page.emulateMedia({ forcedColors: null }),
  },
  {
    name: 'greyscale',
    pages: ['home', 'turn', 'turn-resumed'],
    put: (page) => filter(page, 'grayscale(1)'),
    off: (page) => filter(page, ''),
  },
];

/** The pages in light with larger text, in forced colours, and some of them without colours. */
export async function otherLooks(
  { app, page, file }: Shown,
  pages: readonly StoryPage[],
): Promise<void> {
  if (isQuick) return;
  const size = file === 'index.html' ? LARGE : SETTINGS_LARGE;
  await wear(page, 'light');
  for (const look of LOOKS) {
    await resize(app, file, size);
    await look.put(page);
    for (const one of pages) {
      if (look.pages?.includes(one.name) ?? true)
        await shoot(page, one, `light-${sizeName(size)}-${look.name}`);
    }
    await look.off(page);
  }
}

/** The pages in the pretended language, light. */
export async function pretended(
  { app, page, file }: Shown,
  pages: readonly StoryPage[],
  sizes: readonly Size[],
): Promise<void> {
  if (isQuick) return;
  await setLanguage(page, 'pseudo');
  for (const size of sizes) {
    await resize(app, file, size);
    for (const one of pages) await shoot(page, one, `light-${sizeName(size)}-pseudo`);
  }
  await setLanguage(page, 'en');
}

async function setLanguage(page: Page, locale: 'en' | 'pseudo'): Promise<void> {
  await page.evaluate((value) => window.localStorage.setItem('holdfast.locale', value), locale);
  await page.reload();
  await page.waitForSelector('h1');
}

type Environment = Readonly<Record<string, string>>;

/** The app with these settings in a home of its own, which is gone afterward; its main window is open. */
export async function inHome(
  settings: object | undefined,
  visit: (shown: Shown & { readonly home: TestHome }) => Promise<void>,
  environment: (home: TestHome) => Environment | Promise<Environment> = () => ({}),
): Promise<void> {
  const home = await createTestHome();
  try {
    if (settings !== undefined) home.writeConfig(settings);
    const env = { ...ENGLISH.env, ...(await environment(home)) };
    const app = await home.launch({ switches: ENGLISH.switches, env });
    const page = await pageOf(app, 'index.html');
    await page.waitForSelector('h1');
    await visit({ home, app, page, file: 'index.html' });
  } finally {
    await home.end();
  }
}

/** Asks until it is so; a picture that never comes says what it waited for. */
export async function waitUntil(isSo: () => Promise<boolean>, what: string): Promise<void> {
  const untilMs = Date.now() + 60_000;
  while (!(await isSo())) {
    if (Date.now() > untilMs) throw new Error(`Not within 60 s: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}
