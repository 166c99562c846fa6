/**
 * `npm run screens`: every page of the real app with the story of the mocks in it, as pictures in
 * `dist/screens`, and one page that shows them all. Run by build/screens.mjs, which brings Electron
 * and a display.
 */
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { ElectronApplication, Page } from 'playwright-core';
import { createTestHome, pageOf } from '../helpers/electron-app';
import {
  callIn,
  goToPage,
  resize,
  scaleText,
  shiftPages,
  standsStill,
  startMockDay,
  storyPages,
  wear,
} from '../helpers/story-app';
import type { ApprovalView } from '../../shared/model';
import type { StoryPage } from '../helpers/story-app';
import { indexPage } from './parts/index-page';
import type { Picture } from './parts/index-page';
import { forms, foundAgents } from './parts/forms';
import type { EveryLook } from './parts/forms';

const project = fileURLToPath(new URL('../../', import.meta.url));
const out = path.join(project, 'dist', 'screens');
const THEMES = ['light', 'dark'] as const;
const LARGE = { width: 1200, height: 800 };
const SMALL = { width: 880, height: 600 };
/** What the window of the first start opens at. */
const FIRST = { width: 1000, height: 720 };
const SETTINGS_SIZES = [
  { width: 1000, height: 760 },
  { width: 800, height: 560 },
] as const;

const pictures: Picture[] = [];

async function take(page: Page, name: string, variant: string): Promise<void> {
  const file = `${name}-${variant}.png`;
  // Nothing under a pointer that nobody holds.
  await page.mouse.move(0, 0);
  await page.screenshot({ path: path.join(out, file), animations: 'disabled', caret: 'hide' });
  pictures.push({ page: name, variant, file });
}

const sizeName = (size: typeof LARGE): string => `${String(size.width)}x${String(size.height)}`;

/** Changes the page for one picture, and back. */
const LOOKS: readonly {
  readonly name: string;
  readonly size: typeof LARGE;
  readonly pages?: readonly string[];
  readonly put: (page: Page) => Promise<unknown>;
  readonly off: (page: Page) => Promise<unknown>;
}[] = [
  ...[125, 200].map((percent) => ({
    name: `text-${String(percent)}`,
    size: LARGE,
    put: (page: Page) => scaleText(page, percent),
    off: (page: Page) => scaleText(page, 100),
  })),
  {
    name: 'forced-colours',
    size: LARGE,
    put: (page) => page.emulateMedia({ forcedColors: 'active' }),
    off: (page) => page.emulateMedia({ forcedColors: null }),
  },
  {
    name: 'greyscale',
    size: LARGE,
    pages: ['home', 'turn', 'turn-resumed'],
    put: (page) => filter(page, 'grayscale(1)'),
    off: (page) => filter(page, ''),
  },
];

function filter(page: Page, value: string): Promise<void> {
  return page.evaluate((text) => {
    document.documentElement.style.filter = text;
  }, value);
}

async function setLanguage(page: Page, locale: 'en' | 'pseudo'): Promise<void> {
  await page.evaluate((value) => window.localStorage.setItem('holdfast.locale', value), locale);
  await page.reload();
  await page.waitForSelector('h1');
}

async function openDialog(page: Page, key: string): Promise<void> {
  await page.keyboard.press(key);
  await page.waitForSelector('[role="dialog"]');
}

async function closeDialog(page: Page): Promise<void> {
  await page.keyboard.press('Escape');
  await page.waitForSelector('[role="dialog"]', { state: 'detached' });
}

const menus: readonly StoryPage[] = [
  {
    name: 'palette',
    hash: '#/',
    act: (page) => openDialog(page, 'Control+k'),
    leave: closeDialog,
  },
  {
    name: 'keys',
    hash: '#/sessions',
    act: (page) => openDialog(page, '?'),
    leave: closeDialog,
  },
  {
    name: 'events-kinds',
    hash: '#/events',
    act: async (page) => page.locator('.mantine-Select-input').first().click(),
    leave: (page) => page.keyboard.press('Escape'),
  },
];

const SHIFT_CLOCK = fileURLToPath(
  new URL('../../test/story/parts/shift-clock.cjs', import.meta.url),
);
const TASKS_OF_THE_DAY: readonly (readonly [string, string, 'always'?])[] = [
  ['Price watch', 'every 30m'],
  ['Calendar sync', 'every 15m', 'always'],
  ['Weekly licences', '0 7 * * 2'],
  ['Back up notes', 'daily at 02:00'],
  ['Call the bank', '2026-03-24T04:30:00Z'],
  ['Morning digest', '0 8 * * 1-5'],
  ['Tidy downloads', 'daily at 13:00'],
  ['Check certificate', '2026-03-24T15:00:00Z'],
  ['Evening digest', '0 18 * * 1-5'],
];

const PARTS = {
  first: firstStart,
  forms: () => forms(everyLook),
  found: () => foundAgents(everyLook),
  approval: approvals,
  runs: skillsAndRuns,
  outages: providerDown,
  schedule: taskDay,
  busy: busyDay,
  calm: calmDay,
  config: brokenConfig,
  tray: trayGlyphs,
} as const;
/** `--only=first,tray`: these parts alone. */
const only = process.argv.find((one) => one.startsWith('--only='))?.slice('--only='.length);

async function main(): Promise<void> {
  fs.rmSync(out, { recursive: true, force: true });
  fs.mkdirSync(out, { recursive: true });
  for (const [name, shootPart] of Object.entries(PARTS)) {
    if (only?.split(',').includes(name) ?? true) await shootPart();
  }
  fs.writeFileSync(path.join(out, 'index.html'), indexPage(pictures));
  process.stdout.write(`${String(pictures.length)} pictures: dist/screens/index.html\n`);
}

/** The four steps of a first start as a new person sees them, the last one before and at work. */
async function firstStart(): Promise<void> {
  const home = await createTestHome();
  try {
    const app = await home.launch({ switches: ['--lang=en-GB'], env: { LANG: 'en_GB.UTF-8' } });
    const page = await pageOf(app, 'index.html');
    await page.waitForSelector('.welcome-step');
    const steps = await page.locator('.welcome-step').all();
    const everyLook = async (name: string): Promise<void> => {
      for (const theme of THEMES) {
        await wear(page, theme);
        for (const size of [LARGE, FIRST]) {
          await resize(app, 'index.html', size);
          await standsStill(page);
          await take(page, name, `${theme}-${sizeName(size)}`);
        }
      }
    };
    for (const [index, step] of steps.entries()) {
      await step.click();
      await page.getByText('Looking for agents on this computer.').waitFor({ state: 'detached' });
      await everyLook(`first-start-${String(index + 1)}`);
    }
    await page.locator('.practice-card').first().click();
    await page.waitForSelector('.practice-chart li:nth-child(3)');
    await everyLook('first-start-4-at-work');
  } finally {
    await home.end();
  }
}

/** As much of a repository as git needs to say where a remote is. */
function repositoryIn(folder: string): void {
  for (const name of ['refs', 'objects'])
    fs.mkdirSync(path.join(folder, '.git', name), { recursive: true });
  fs.writeFileSync(path.join(folder, '.git', 'HEAD'), 'ref: refs/heads/fix/upload-timeout\n');
  fs.writeFileSync(
    path.join(folder, '.git', 'config'),
    '[remote "origin"]\n\turl = git@git.lindner.example:tools/uploader.git\n',
  );
}

/** Calls that wait for approval: the list, the session and the turn; then the rules in the settings. */
async function approvals(): Promise<void> {
  const home = await createTestHome();
  try {
    home.writeConfig({
      app: { first_start_done: true },
      approvals: { tools: { 'shell:effects': 'ask', 'mail.*': 'deny' } },
    });
    const app = await home.launch({ switches: ['--lang=en-GB'], env: { LANG: 'en_GB.UTF-8' } });
    const page = await pageOf(app, 'index.html');
    await page.waitForSelector('h1');
    const asked = async (count: number): Promise<readonly ApprovalView[]> => {
      for (;;) {
        const { requests } = await callIn(page, 'approvals.list', {});
        if (requests.length >= count) return requests;
        await new Promise((resolve) => setTimeout(resolve, 100));
      }
    };
    await callIn(page, 'send', { text: 'ask for an approval', session: 'practice-2' });
    // Its folder is made for the first turn.
    await asked(1);
    repositoryIn(path.join(home.dataDir, 'practice'));
    await callIn(page, 'send', { text: 'run: git push origin fix/upload-timeout' });
    const requests = await asked(2);
    const push = requests.find(({ hint }) => hint.includes('push'));
    const remove = requests.find(({ hint }) => hint.includes('rm'));
    if (push === undefined || remove === undefined) throw new Error('Nothing waits for approval.');
    const pages: readonly StoryPage[] = [
      { name: 'approval-home', hash: '#/' },
      { name: 'approval', hash: `#/decisions/item-${String(push.requestId)}` },
      { name: 'approval-session', hash: `#/sessions/${String(remove.sessionId)}` },
      { name: 'approval-turn', hash: `#/turns/${String(remove.turnId)}` },
    ];
    await everyLook({ app, page, file: 'index.html' }, pages);
    await callIn(page, 'app.openSettings', {});
    const settings = await pageOf(app, 'settings.html');
    await settings.waitForSelector('h1');
    for (const theme of THEMES) {
      await wear(settings, theme);
      await goToPage(settings, { name: 'approval-rules', hash: '#/agents' });
      await settings.locator('.per-skill').first().scrollIntoViewIfNeeded();
      await take(settings, 'approval-rules', theme);
    }
  } finally {
    await home.end();
  }
}

/** Skills on disk, one run that has ended and one that waits; then how their session stands. */
async function skillsAndRuns(): Promise<void> {
  const home = await createTestHome();
  try {
    home.writeConfig({
      app: { first_start_done: true },
      approvals: { tools: { 'shell:effects': 'ask' } },
    });
    const skill = (name: string, front: string): void => {
      const folder = path.join(home.dataDir, 'skills', name);
      fs.mkdirSync(folder, { recursive: true });
      fs.writeFileSync(path.join(folder, 'SKILL.md'), `---\nname: ${name}\n${front}---\n`);
    };
    skill(
      'weekly-notes',
      'description: Gathers the notes of the week and sums them up\nphases:\n  - name: gather\n  - name: compare\n  - name: send\n    loop: compare\n    max_visits: 3\n',
    );
    skill('invoice', 'description: Writes an invoice\nrequires:\n  env: [LEDGER_TOKEN]\n');
    skill('tidy', 'description: Tidies\nphases:\n  - name: a b\n');
    const app = await home.launch({ switches: ['--lang=en-GB'], env: { LANG: 'en_GB.UTF-8' } });
    const page = await pageOf(app, 'index.html');
    await page.waitForSelector('h1');
    const done = await callIn(page, 'send', { text: '/skill weekly-notes tidy my notes' });
    const open = await callIn(page, 'send', {
      text: '/skill weekly-notes ask for an approval',
      session: 'practice-2',
    });
    let { requests } = await callIn(page, 'approvals.list', {});
    let first = await callIn(page, 'turns.show', { turnId: done.turnId });
    const untilMs = Date.now() + 60_000;
    while (requests.length < 1 || first.turn.endedAtMs === undefined) {
      if (Date.now() > untilMs) throw new Error('The runs did not come to where they should be.');
      await new Promise((resolve) => setTimeout(resolve, 100));
      ({ requests } = await callIn(page, 'approvals.list', {}));
      first = await callIn(page, 'turns.show', { turnId: done.turnId });
    }
    const { runs } = await callIn(page, 'runs.list', {});
    const pages: readonly StoryPage[] = [
      { name: 'runs', hash: '#/runs' },
      { name: 'run', hash: `#/runs/${String(runs[0]?.id ?? 1)}` },
      { name: 'runs-turn', hash: `#/turns/${String(done.turnId)}` },
      { name: 'runs-turn-open', hash: `#/turns/${String(open.turnId)}` },
      { name: 'runs-session', hash: `#/sessions/${String(open.sessionId)}` },
    ];
    await everyLook({ app, page, file: 'index.html' }, pages);
  } finally {
    await home.end();
  }
}

/** The first step of the turn, with the tries of its call. */
async function openTries(page: Page): Promise<void> {
  // By place, not by name: in each language.
  await page.locator('.tl-row').first().click();
  await page.locator('.step-tries').waitFor();
}

/** The practice provider plays one that is down: what waits for it, on its page, on Home, in Events. */
async function providerDown(): Promise<void> {
  const home = await createTestHome();
  try {
    home.writeConfig({
      app: { first_start_done: true },
      resilience: { outage_threshold: 1 },
      retry: { server: { first_wait: '100ms' } },
    });
    const app = await home.launch({ switches: ['--lang=en-GB'], env: { LANG: 'en_GB.UTF-8' } });
    const page = await pageOf(app, 'index.html');
    await page.waitForSelector('h1');
    await everyLook({ app, page, file: 'index.html' }, [
      { name: 'outages-calm', hash: '#/outages' },
    ]);
    await callIn(page, 'practice.providerDown', { seconds: 600 });
    const tasks = [
      'Draft the offer for Lindner',
      'Which contracts end in May?',
      'Translate the release note',
      'Summarise the board minutes',
      'Price list for Q3',
    ];
    let tried = 0;
    for (const [at, text] of tasks.entries()) {
      const session = `office-${String(at + 1)}`;
      const { turnId } = await callIn(page, 'send', { text, session, agent: 'practice' });
      if (at === 0) tried = turnId;
    }
    const untilMs = Date.now() + 60_000;
    while ((await callIn(page, 'outage.queue', {})).total < tasks.length) {
      if (Date.now() > untilMs) throw new Error('The turns did not come to wait.');
      await page.waitForTimeout(100);
    }
    await page.getByRole('heading', { name: 'Practice does not answer', level: 1 }).waitFor();
    const pages: readonly StoryPage[] = [
      { name: 'outages', hash: '#/outages' },
      { name: 'outages-home', hash: '#/' },
      { name: 'outages-delivery', hash: '#/events/delivery' },
      { name: 'outages-turn', hash: `#/turns/${String(tried)}`, act: openTries },
    ];
    await everyLook({ app, page, file: 'index.html' }, pages);
    await wear(page, 'light');
    for (const look of LOOKS) {
      await resize(app, 'index.html', look.size);
      await look.put(page);
      for (const one of pages) await shoot(page, one, `light-${sizeName(look.size)}-${look.name}`);
      await look.off(page);
    }
    await setLanguage(page, 'pseudo');
    await resize(app, 'index.html', SMALL);
    for (const one of pages) await shoot(page, one, 'light-880x600-pseudo');
  } finally {
    await home.end();
  }
}

/** A step that is opened from its row, by the tool that it calls. */
const openStep = (tool: string) => async (page: Page) => {
  await page.locator('.tl-row', { hasText: tool }).last().click();
  await page.locator('.step-pane').waitFor();
};

/** A second press on the row of an open step would close it. */
const closeStep = async (page: Page): Promise<void> => {
  await page.locator('.step-pane .section-head button').click();
};

/** A step that is skipped, and how the turn and the step look afterwards. S4-25 */
async function skippedStep(page: Page, turn: StoryPage): Promise<readonly StoryPage[]> {
  const { decisions } = await callIn(page, 'recovery.list', {});
  const held = decisions.find((one) => turn.hash.endsWith(`/${String(one.turnId)}`));
  const step = held?.ambiguous[0];
  if (held === undefined || step === undefined) throw new Error('The story holds no such step.');
  const { turnId, requestHash } = held;
  await callIn(page, 'recovery.skipStep', { turnId, requestHash, step: step.index });
  return [
    { name: 'turn-skipped', hash: turn.hash },
    {
      name: 'turn-skipped-step',
      hash: turn.hash,
      act: openStep('send_email'),
      leave: closeStep,
    },
  ];
}

async function busyDay(): Promise<void> {
  const { app, main: page, end } = await startMockDay({ variant: 'busy' });
  try {
    const story = await storyPages(page);
    const turn = story.find(({ name }) => name === 'turn');
    const pages = [
      ...story,
      ...(turn === undefined
        ? []
        : [{ ...turn, name: 'turn-step', act: openStep('send_email'), leave: closeStep }]),
      ...menus,
    ];
    await everyLook({ app, page, file: 'index.html' }, pages);
    await wear(page, 'light');
    for (const look of LOOKS) {
      await resize(app, 'index.html', look.size);
      await look.put(page);
      for (const one of pages) {
        if (look.pages?.includes(one.name) ?? true)
          await shoot(page, one, `light-${sizeName(look.size)}-${look.name}`);
      }
      await look.off(page);
    }
    await setLanguage(page, 'pseudo');
    for (const size of [LARGE, SMALL]) {
      await resize(app, 'index.html', size);
      for (const one of pages) await shoot(page, one, `light-${sizeName(size)}-pseudo`);
    }
    await setLanguage(page, 'en');
    if (turn !== undefined)
      await everyLook({ app, page, file: 'index.html' }, await skippedStep(page, turn));
    await settingsWindow(app, page);
  } finally {
    await end();
  }
}

/** The tasks of the mocks: made in the evening, stopped over the night, started twice on the Tuesday. */
async function taskDay(): Promise<void> {
  const home = await createTestHome();
  const startAt = async (iso: string): Promise<{ app: ElectronApplication; page: Page }> => {
    const app = await home.launch({
      switches: ['-r', SHIFT_CLOCK, '--lang=en-GB'],
      env: {
        TZ: 'Europe/Berlin',
        LANG: 'en_GB.UTF-8',
        STORY_OFFSET_MS: String(Date.parse(iso) - Date.now()),
      },
    });
    const page = await pageOf(app, 'index.html');
    await page.waitForSelector('h1');
    return { app, page };
  };
  const runsEnd = async (page: Page): Promise<void> => {
    const untilMs = Date.now() + 60_000;
    for (;;) {
      const { counts } = await callIn(page, 'status.get', {});
      if (counts.running + counts.queued === 0) return;
      if (Date.now() > untilMs) throw new Error('The runs of tasks did not end.');
      await page.waitForTimeout(100);
    }
  };
  const quit = async (app: ElectronApplication): Promise<void> => {
    const ended = new Promise((resolve) => app.process().once('exit', resolve));
    await app.close();
    await ended;
  };
  try {
    home.writeConfig({
      app: { first_start_done: true },
      resilience: { scheduler: { catchup_spacing: '0s' } },
    });
    let { app, page } = await startAt('2026-03-23T20:00:00+01:00');
    await everyLook({ app, page, file: 'index.html' }, [
      { name: 'schedule-empty', hash: '#/schedule' },
    ]);
    for (const [name, schedule, catchup] of TASKS_OF_THE_DAY) {
      const task = await callIn(page, 'tasks.add', {
        name,
        prompt: `say ${name}`,
        schedule,
        agent: 'practice',
        ...(catchup === undefined ? {} : { catchup }),
      });
      if (name === 'Tidy downloads') await callIn(page, 'tasks.pause', { taskId: task.id });
    }
    await quit(app);
    ({ app, page } = await startAt('2026-03-24T07:12:00+01:00'));
    await runsEnd(page);
    await quit(app);
    ({ app, page } = await startAt('2026-03-24T14:31:00+01:00'));
    await runsEnd(page);
    await shiftPages(app);
    await page.reload();
    const pages: readonly StoryPage[] = [
      { name: 'schedule', hash: '#/schedule/4' },
      {
        name: 'schedule-table',
        hash: '#/schedule/2',
        act: (shown) => shown.keyboard.press('t'),
        leave: (shown) => shown.keyboard.press('t'),
      },
      { name: 'schedule-home', hash: '#/' },
      { name: 'schedule-decision', hash: '#/decisions' },
      {
        name: 'schedule-new',
        hash: '#/schedule/new',
        act: async (shown) => {
          await shown.getByLabel('Name').fill('Open invoices');
          await shown.getByLabel('What to do').fill('List the invoices that are overdue.');
          await shown.getByRole('textbox', { name: /When/ }).fill('0 8 * * 1-5');
          await shown.getByText('Understood:').waitFor();
        },
        leave: async (shown) => {
          await shown.evaluate(() => {
            window.location.hash = '#/';
          });
        },
      },
    ];
    await everyLook({ app, page, file: 'index.html' }, pages);
    await wear(page, 'light');
    for (const look of LOOKS) {
      await resize(app, 'index.html', look.size);
      await look.put(page);
      await shoot(page, pages[0] as StoryPage, `light-${sizeName(look.size)}-${look.name}`);
      await look.off(page);
    }
    await setLanguage(page, 'pseudo');
    await resize(app, 'index.html', SMALL);
    await shoot(page, pages[0] as StoryPage, 'light-880x600-pseudo');
  } finally {
    await home.end();
  }
}

const everyLook: EveryLook = async ({ app, page, file }, pages) => {
  for (const theme of THEMES) {
    await wear(page, theme);
    for (const size of file === 'index.html' ? [LARGE, SMALL] : SETTINGS_SIZES) {
      await resize(app, file, size);
      for (const one of pages) await shoot(page, one, `${theme}-${sizeName(size)}`);
    }
  }
};

async function shoot(page: Page, one: StoryPage, variant: string): Promise<void> {
  await goToPage(page, one);
  await take(page, one.name, variant);
  await one.leave?.(page);
}

async function settingsWindow(app: ElectronApplication, opener: Page): Promise<void> {
  await callIn(opener, 'app.openSettings', {});
  const page = await pageOf(app, 'settings.html');
  await page.waitForSelector('h1');
  await standsStill(page);
  const sections = await page
    .getByRole('navigation')
    .getByRole('link')
    .or(page.getByRole('tab'))
    .all();
  for (const theme of THEMES) {
    await wear(page, theme);
    for (const size of SETTINGS_SIZES) {
      await resize(app, 'settings.html', size);
      for (const [index, section] of sections.entries()) {
        await section.click();
        await standsStill(page);
        const name = ((await section.textContent()) ?? '').trim().toLowerCase();
        const slug = name.replace(/[^a-z]+/g, '-').replace(/-$/, '') || String(index);
        await take(page, `settings-${slug}`, `${theme}-${sizeName(size)}`);
      }
    }
  }
}

async function calmDay(): Promise<void> {
  const { app, main: page, end } = await startMockDay({ variant: 'calm' });
  try {
    for (const theme of THEMES) {
      await wear(page, theme);
      for (const size of [LARGE, SMALL]) {
        await resize(app, 'index.html', size);
        await shoot(page, { name: 'home-calm', hash: '#/' }, `${theme}-${sizeName(size)}`);
        if (size === LARGE)
          await shoot(page, { name: 'decisions-calm', hash: '#/decisions' }, `${theme}-1200x800`);
      }
    }
  } finally {
    await end();
  }
}

/** A config.json that cannot be read: what both windows say. S1-33 */
async function brokenConfig(): Promise<void> {
  const home = await createTestHome();
  try {
    home.writeConfig({ app: { first_start_done: true } });
    const app = await home.launch({ switches: ['--lang=en-GB'], env: { LANG: 'en_GB.UTF-8' } });
    const page = await pageOf(app, 'index.html');
    await page.waitForSelector('h1');
    fs.writeFileSync(
      path.join(home.dataDir, 'config.json'),
      '{\n  "app": { "first_start_done": true },\n  "retry": { "server": \n',
    );
    await page.getByRole('heading', { name: 'config.json has a problem' }).waitFor();
    await callIn(page, 'app.openSettings', {});
    const settings = await pageOf(app, 'settings.html');
    await settings.waitForSelector('h1');
    // The system's colours: nothing is saved while the file cannot be read.
    for (const colorScheme of THEMES) {
      for (const [name, shown] of [
        ['config-home', page],
        ['config-settings', settings],
      ] as const) {
        await shown.emulateMedia({ colorScheme });
        await goToPage(shown, { name, hash: name === 'config-home' ? '#/' : '#/recovery' });
        await take(shown, name, colorScheme);
      }
    }
  } finally {
    await home.end();
  }
}

/** The tray glyphs as they are shipped; the page of all pictures shows them on bars of both kinds. */
async function trayGlyphs(): Promise<void> {
  const source = path.join(project, 'build', 'tray');
  for (const set of ['template', 'light', 'dark']) {
    const files = fs.readdirSync(path.join(source, set)).filter((name) => name.endsWith('.png'));
    fs.mkdirSync(path.join(out, 'tray', set), { recursive: true });
    for (const name of files) {
      fs.copyFileSync(path.join(source, set, name), path.join(out, 'tray', set, name));
      pictures.push({ page: 'tray', variant: set, file: `tray/${set}/${name}` });
    }
  }
}

await main();
// The provider of the story may still be writing an answer that never ends.
process.exit(0);
