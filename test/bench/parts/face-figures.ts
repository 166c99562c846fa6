/**
 * The windows with very much to show: 100,000 turns, their events, and one turn of 2,000 steps.
 * Long tasks while a page opens and while somebody scrolls through all of it.
 */
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import { startRun } from './bench-world';
import { fill } from './growth-figures';
import type { Report } from './report';

const TURNS = 100_000;
const STEPS = 2_000;
/** Longer than this a person feels it. */
const LONG_MS = 50;
const WHEEL_TURNS = 60;
const WHEEL_PX = 1_600;

export async function addFaceFigures(report: Report): Promise<void> {
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
    await page.waitForSelector('h1');
    await page.waitForTimeout(1_500);
    const scenes = [
      ['home', '#/'],
      ['sessions', '#/sessions'],
      ['session of all turns', '#/sessions/1'],
      ['events', '#/events'],
      ['turn of 2,000 steps', `#/turns/${String(longTurn)}`],
    ] as const;
    for (const [name, hash] of scenes) {
      const opening = await longTasks(page, async () => {
        await page.evaluate((to) => (window.location.hash = to), hash);
        await page.waitForTimeout(1_500);
      });
      const scrolling = await longTasks(page, () => scrollThrough(page));
      for (const [what, tasks] of [
        ['opening', opening],
        ['scrolling', scrolling],
      ] as const) {
        report.add(
          section,
          { name: `${name}, ${what}: longest task`, value: Math.max(0, ...tasks), unit: 'ms' },
          {
            name: `${name}, ${what}: tasks over ${String(LONG_MS)} ms`,
            value: tasks.filter((ms) => ms > LONG_MS).length,
            unit: '',
          },
        );
      }
    }
  } finally {
    await home.end();
  }
}

/** Closed turns by SQL, and one long turn through the engine; its id. */
async function furnish(dataDir: string): Promise<number> {
  const { compose } = await import('../../../electron/compose');
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

async function longTasks(page: Page, work: () => Promise<void>): Promise<readonly number[]> {
  await page.evaluate(() => {
    const kept = window as unknown as { tasks: number[]; watcher: PerformanceObserver };
    kept.tasks = [];
    kept.watcher = new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) kept.tasks.push(entry.duration);
    });
    kept.watcher.observe({ entryTypes: ['longtask'] });
  });
  await work();
  return page.evaluate(async () => {
    const kept = window as unknown as { tasks: number[]; watcher: PerformanceObserver };
    await new Promise((resolve) => setTimeout(resolve, 100));
    kept.watcher.disconnect();
    return kept.tasks;
  });
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
