/** The tasks of the mocks: made in the evening, stopped over the night, started twice on the Tuesday. */
import type { ElectronApplication, Page } from 'playwright-core';
import { createTestHome, pageOf } from '../../helpers/electron-app';
import type { TestHome } from '../../helpers/electron-app';
import { callIn, shiftClock, shiftPages } from '../../helpers/story-app';
import type { StoryPage } from '../../helpers/story-app';
import { ENGLISH, everyLook, otherLooks, pretended, SMALL, waitUntil } from './camera';
import type { Shown } from './camera';

const TASKS_OF_THE_DAY: readonly (readonly [string, string, 'always'?])[] = [
  ['Price watch', 'every 30m'],
  ['Calendar sync', 'every 15m', 'always'],
  ['Weekly licenses', '0 7 * * 2'],
  ['Back up notes', 'daily at 02:00'],
  ['Call the bank', '2026-03-24T04:30:00Z'],
  ['Morning digest', '0 8 * * 1-5'],
  ['Tidy downloads', 'daily at 13:00'],
  ['Check certificate', '2026-03-24T15:00:00Z'],
  ['Evening digest', '0 18 * * 1-5'],
];

async function startAt(home: TestHome, iso: string): Promise<Shown> {
  const app = await home.launch({
    switches: ['-r', shiftClock, ...ENGLISH.switches],
    env: {
      ...ENGLISH.env,
      TZ: 'Europe/Berlin',
      STORY_OFFSET_MS: String(Date.parse(iso) - Date.now()),
    },
  });
  const page = await pageOf(app, 'index.html');
  await page.waitForSelector('h1');
  return { app, page, file: 'index.html' };
}

const runsEnd = ({ page }: Shown): Promise<void> =>
  waitUntil(async () => {
    const { counts } = await callIn(page, 'status.get', {});
    return counts.running + counts.queued === 0;
  }, 'the end of the runs of tasks');

async function quit(app: ElectronApplication): Promise<void> {
  const ended = new Promise((resolve) => app.process().once('exit', resolve));
  await app.close();
  await ended;
}

async function makeTasks(page: Page): Promise<void> {
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
}

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
      await shown.getByLabel('Prompt').fill('List the invoices that are overdue.');
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

/** A task at work: Stop stands beside its run. */
async function taskAtWork(shown: Shown): Promise<void> {
  const { page } = shown;
  const { id: taskId } = await callIn(page, 'tasks.add', {
    name: 'Copy the archive',
    prompt: 'run: tail -f README.txt',
    schedule: 'daily at 23:00',
    agent: 'practice',
  });
  const { turnId } = await callIn(page, 'tasks.run', { taskId });
  await waitUntil(
    async () => (await callIn(page, 'turns.show', { turnId })).steps.length > 1,
    'a task at work',
  );
  const hash = `#/schedule/${String(taskId)}`;
  const toRuns = (at: Page): Promise<void> =>
    at.locator('.task-run').first().scrollIntoViewIfNeeded();
  await everyLook(shown, [{ name: 'schedule-at-work', hash, act: toRuns }]);
  await callIn(page, 'turns.cancel', { turnId });
  await runsEnd(shown);
}

export async function taskDay(): Promise<void> {
  const home = await createTestHome();
  try {
    home.writeConfig({
      app: { first_start_done: true },
      resilience: { scheduler: { catchup_spacing: '0s' } },
    });
    const evening = await startAt(home, '2026-03-23T20:00:00+01:00');
    await everyLook(evening, [{ name: 'schedule-empty', hash: '#/schedule' }]);
    await makeTasks(evening.page);
    await quit(evening.app);
    const morning = await startAt(home, '2026-03-24T07:12:00+01:00');
    await runsEnd(morning);
    await quit(morning.app);
    const shown = await startAt(home, '2026-03-24T14:31:00+01:00');
    await runsEnd(shown);
    await shiftPages(shown.app);
    await shown.page.reload();
    await everyLook(shown, pages);
    await otherLooks(shown, pages.slice(0, 1));
    await pretended(shown, pages.slice(0, 1), [SMALL]);
    await taskAtWork(shown);
  } finally {
    await home.end();
  }
}
