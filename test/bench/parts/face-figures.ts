/**
 * The windows with very much to show: 100,000 turns, their events, and one turn of 2,000 steps.
 * What the tasks of the window take while a page opens and while somebody scrolls through all of it.
 */
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { CDPSession, ElectronApplication, Page } from 'playwright-core';
import { startRun } from './bench-world';
import { fill } from './growth-figures';
import { addWaits, waitOf } from './face-waits';
import type { Wait } from './face-waits';
import { median } from './numbers';
import type { Report } from './report';

const TURNS = 100_000;
const STEPS = 2_000;
/** Longer than this a person feels it. */
const LONG_MS = 50;
const REFERENCE = 'reference: 2,000 rows of text made and laid out';
/** The list of all turns is behind this choice. */
const TURNS_TAB = 'Turns';
/** Every page is gone to from this one. */
const FROM = '#/agents';
const WHEEL_TURNS = 60;
const WHEEL_PX = 1_600;

export async function addFaceFigures(report: Report, repeats: number): Promise<void> {
  const section = `Face with ${TURNS.toLocaleString('en')} turns and a turn of ${STEPS.toLocaleString('en')} steps`;
  if (process.env['HOLDFAST_TEST_ELECTRON'] === undefined || process.platform !== 'linux') {
    report.add(section, { name: 'long tasks', value: undefined, unit: '', note: 'needs Electron and a display on Linux' }); // prettier-ignore
    return;
  }
  process.env['HOLDFAST_TEST_APP'] ??= fileURLToPath(new URL('../../', import.meta.url));
  const { createTestHome, pageOf } = await import('../../helpers/electron-app');
  const home = await createTestHome();
  try {
    const longTurn = await furnish(home.dataDir);
    const app = await home.launch();
    const page = await pageOf(app, 'index.html');
    const cdp = await page.context().newCDPSession(page);
    await cdp.send('Performance.enable');
    const scenes = [
      ['home', '#/'],
      ['sessions', '#/sessions'],
      ['all turns', '#/sessions', TURNS_TAB],
      ['session of all turns', '#/sessions/1'],
      ['events', '#/events'],
      ['turn of 2,000 steps', `#/turns/${String(longTurn)}`],
    ] as readonly (readonly [name: string, hash: string, tab?: string])[];
    const reference = median(await referenceMs(page, repeats));
    for (const [name, hash, tab] of scenes) {
      const openings: Work[] = [];
      const waits: Wait[] = [];
      for (let round = 0; round < repeats; round += 1) {
        await startAnew(page);
        waits.push(await waitOf(page, hash, tab));
        await startAnew(page);
        openings.push(
          await workOf({ app, page, cdp }, async () => {
            await page.evaluate((to) => (window.location.hash = to), hash);
            if (tab !== undefined) await page.getByText(tab, { exact: true }).first().click();
            await page.waitForTimeout(1_000);
          }),
        );
      }
      addWaits(report, section, name, waits, reference);
      addWork(report, section, `${name}, opening`, openings);
      addWork(report, section, `${name}, scrolling`, [
        await workOf({ app, page, cdp }, () => scrollThrough(page)),
      ]);
    }
    report.add(section, { name: REFERENCE, value: reference, unit: 'ms' });
  } finally {
    await home.end();
  }
}

/** Anew, so that the code of a page is loaded each time that it is gone to. */
async function startAnew(page: Page): Promise<void> {
  await page.evaluate((to) => (window.location.hash = to), FROM);
  await page.reload();
  await page.waitForSelector('h1');
  await page.waitForTimeout(700);
}

/** Closed turns by SQL, and one long turn through the engine; its id. */
async function furnish(dataDir: string): Promise<number> {
  const { compose } = await import('../../../electron/compose/compose');
  const make = async (dir: string, steps: number): Promise<number> => {
    const run = await startRun(compose, dir);
    await run.composition.lifecycle.start();
    const done = run.closed(1);
    await run.send(steps, 'long');
    await done;
    const { turns } = await run.composition.holdfast.call('turns.list', { limit: 1 }, 'test');
    await run.composition.lifecycle.stop('stop');
    return turns[0]?.id ?? 0;
  };
  // The first start makes the tables; what it wrote is thrown away with its turn.
  fs.mkdirSync(path.join(dataDir, 'workspace'), { recursive: true, mode: 0o700 });
  const first = await startRun(compose, dataDir);
  await first.composition.lifecycle.start();
  await first.composition.lifecycle.stop('stop');
  fill(dataDir, TURNS, 1);
  fs.writeFileSync(
    path.join(dataDir, 'config.json'),
    JSON.stringify({ app: { first_start_done: true } }),
    { mode: 0o600 },
  );
  return make(dataDir, STEPS - 2);
}

/** What one thing that a person does costs the window. */
interface Work {
  readonly longestMs: number;
  readonly tooLong: number;
  readonly scriptMs: number;
  /** Styles and places. */
  readonly layoutMs: number;
  readonly nodes: number;
}

async function workOf(
  { app, page, cdp }: { app: ElectronApplication; page: Page; cdp: CDPSession },
  work: () => Promise<void>,
): Promise<Work> {
  const read = async (): Promise<(name: string) => number> => {
    const { metrics } = await cdp.send('Performance.getMetrics');
    return (name) => metrics.find((metric) => metric.name === name)?.value ?? 0;
  };
  const before = await read();
  const tasks = await tasksOf(app, page, work);
  const after = await read();
  const ms = (name: string): number => (after(name) - before(name)) * 1_000;
  return {
    longestMs: Math.max(0, ...tasks),
    tooLong: tasks.filter((taskMs) => taskMs > LONG_MS).length,
    scriptMs: ms('ScriptDuration'),
    layoutMs: ms('LayoutDuration') + ms('RecalcStyleDuration'),
    nodes: Math.max(0, after('Nodes') - before('Nodes')),
  };
}

function addWork(report: Report, section: string, name: string, works: readonly Work[]): void {
  const of = (what: keyof Work): number => median(works.map((work) => work[what]));
  report.add(
    section,
    { name: `${name}: longest task`, value: of('longestMs'), unit: 'ms' }, // prettier-ignore
    { name: `${name}: tasks over ${String(LONG_MS)} ms`, value: of('tooLong'), unit: '' },
    { name: `${name}: script`, value: of('scriptMs'), unit: 'ms' },
    { name: `${name}: styles and layout`, value: of('layoutMs'), unit: 'ms' },
    { name: `${name}: nodes made`, value: of('nodes'), unit: '' },
  );
}

/** The same work in every run, to read the rest beside it. */
async function referenceMs(page: Page, repeats: number): Promise<readonly number[]> {
  const found: number[] = [];
  for (let round = 0; round < repeats; round += 1) {
    found.push(
      await page.evaluate(() => {
        const start = performance.now();
        const list = document.createElement('ul');
        for (let at = 0; at < 2_000; at += 1) {
          const row = document.createElement('li');
          row.textContent = `row ${String(at)}`;
          list.append(row);
        }
        document.body.append(list);
        list.getBoundingClientRect();
        const tookMs = performance.now() - start;
        list.remove();
        return tookMs;
      }),
    );
  }
  return found;
}

/**
 * What each task of the window's main thread took of the processor, in ms: the clock on the wall
 * would count what else the machine does.
 */
async function tasksOf(
  app: ElectronApplication,
  page: Page,
  work: () => Promise<void>,
): Promise<readonly number[]> {
  await app.evaluate(({ contentTracing }) =>
    contentTracing.startRecording({ included_categories: ['toplevel', '__metadata'] }),
  );
  const pid = await app.evaluate(({ BrowserWindow }) =>
    BrowserWindow.getAllWindows()
      .find((one) => one.webContents.getURL().includes('index.html'))
      ?.webContents.getOSProcessId(),
  );
  await work();
  await page.waitForTimeout(100);
  const file = await app.evaluate(({ contentTracing }) => contentTracing.stopRecording());
  const { traceEvents } = JSON.parse(fs.readFileSync(file, 'utf8')) as { traceEvents: Traced[] };
  fs.rmSync(file, { force: true });
  const thread = traceEvents.find(
    (event) => event.pid === pid && event.args?.name === 'CrRendererMain',
  )?.tid;
  return traceEvents
    .filter((event) => event.pid === pid && event.tid === thread)
    .filter((event) => event.name.endsWith('::RunTask') || event.name === 'RunTask')
    .map((event) => (event.tdur ?? 0) / 1_000);
}
interface Traced {
  readonly pid: number;
  readonly tid: number;
  readonly name: string;
  /** Time of the processor, in microseconds. */
  readonly tdur?: number;
  readonly args?: { readonly name?: string };
}

/** Turns the wheel over the longest list of the page, and jumps to its end and back. */
async function scrollThrough(page: Page): Promise<void> {
  const place = await page.evaluate(() => {
    const lists = [...document.querySelectorAll<HTMLElement>('*')].filter(
      (one) =>
        one.scrollHeight > one.clientHeight + 20 &&
        one.clientHeight > 100 &&
        ['auto', 'scroll'].includes(getComputedStyle(one).overflowY),
    );
    const longest = lists.sort((a, b) => b.scrollHeight - a.scrollHeight)[0];
    if (longest === undefined) return undefined;
    longest.dataset['benchList'] = 'yes';
    const { left, top, width, height } = longest.getBoundingClientRect();
    return { x: left + width / 2, y: top + height / 2 };
  });
  if (place === undefined) return;
  await page.mouse.move(place.x, place.y);
  for (let turn = 0; turn < WHEEL_TURNS; turn += 1) {
    await page.mouse.wheel(0, WHEEL_PX);
    await page.waitForTimeout(16);
  }
  for (const share of [1, 0.5, 0]) {
    await page.evaluate((at) => {
      const list = document.querySelector<HTMLElement>('[data-bench-list]');
      if (list !== null) list.scrollTop = list.scrollHeight * at;
    }, share);
    await page.waitForTimeout(200);
  }
}
