/**
 * What the real app does when the computer wakes up: the login manager says so on the system bus, and
 * the wall clock has gone on while the monotonic one stood still.
 */
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ElectronApplication } from 'playwright-core';
import type { Verb, VerbInput, VerbOutput } from '../../shared/contract';
import { createTestHome, pageOf } from '../helpers/electron-app';
import type { TestHome } from '../helpers/electron-app';
import { shiftClock, type StoryTime } from '../helpers/story-app';

const PROVIDER = 'practice';
const HOUR_MS = 3_600_000;
let home: TestHome;
let app: ElectronApplication;

beforeAll(async () => {
  home = await createTestHome();
  home.writeConfig({
    app: { first_start_done: true },
    // Nothing is due for an hour.
    resilience: { outage_threshold: 1, early_probe: false, probe_interval: '1h' },
    breakers: { failure_threshold: 1, initial_backoff: '1h', max_backoff: '1h' },
    retry: { server: { max_attempts: 1 } },
  });
  app = await home.launch({ switches: ['-r', shiftClock] });
  await pageOf(app, 'index.html');
});
afterAll(async () => home.end());

/** Through the window, but not through the test driver's own line to it: Chromium cuts that at a wake. */
async function call<V extends Verb>(verb: V, input: VerbInput<V>): Promise<VerbOutput<V>> {
  const code = `window.holdfast.call[${JSON.stringify(verb)}](${JSON.stringify(input)})`;
  const answer = await app.evaluate(
    async ({ BrowserWindow }, asked) =>
      (await BrowserWindow.getAllWindows()[0]?.webContents.executeJavaScript(asked)) as unknown,
    code,
  );
  const known = answer as { ok: boolean; value: VerbOutput<V>; message?: string };
  if (!known.ok) throw new Error(`${verb}: ${known.message ?? 'refused'}`);
  return known.value;
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
const until = async (is: () => Promise<boolean>): Promise<void> => {
  while (!(await is())) await pause(100);
};

/** Asleep for so long, as the login manager and the clock tell it; Electron hears of it twice. */
async function sleepFor(sleptMs: number): Promise<void> {
  await app.evaluate(({ powerMonitor }) => {
    const world = globalThis as { woken?: Promise<void> };
    world.woken = new Promise((resolve) => powerMonitor.once('resume', () => resolve()));
  });
  home.desktop.sleep(true);
  await app.evaluate((_electron, forMs) => {
    (globalThis as unknown as { storyTime: StoryTime }).storyTime.advance(forMs);
  }, sleptMs);
  home.desktop.sleep(false);
  home.desktop.sleep(false);
  await app.evaluate(() => (globalThis as { woken?: Promise<void> }).woken);
}

const audited = (name: string): readonly Record<string, unknown>[] =>
  readdirSync(join(home.dataDir, 'audit'))
    .flatMap((file) =>
      readFileSync(join(home.dataDir, 'audit', file), 'utf8')
        .trim()
        .split('\n'),
    )
    .filter((line) => line.includes(`"${name}"`))
    .map((line) => JSON.parse(line) as Record<string, unknown>);

describe('a computer that wakes up', () => {
  it('S0-22 S0-23 after 8 h asleep runs a task of every hour once, for its newest slot; told of the wake twice, and of another at once, no more', async () => {
    const { id: taskId } = await call('tasks.add', {
      prompt: 'check the build',
      schedule: 'every 1h',
      agent: PROVIDER,
    });
    const before = (await call('tasks.show', { taskId })).nextRunAtMs ?? 0;
    await sleepFor(8 * HOUR_MS);
    const runs = async () => (await call('tasks.history', { taskId, limit: 10 })).runs;
    await until(async () => (await runs())[0]?.status === 'completed');
    await sleepFor(0);
    const { nextRunAtMs } = await call('tasks.show', { taskId });
    expect((nextRunAtMs ?? 0) - before).toBe(8 * HOUR_MS);
    expect(await runs()).toMatchObject([
      { outcome: 'ran', why: 'in_window', slotMs: before + 7 * HOUR_MS },
    ]);
    expect(audited('clock_gap')).toMatchObject([{ facts: { kind: 'asleep' } }]);
    await home.desktop.notification(({ title }) => title === `Reply: Task ${taskId}`);
    expect(
      home.desktop.notifications.filter(({ title }) => title.startsWith('Reply: Task ')),
    ).toHaveLength(1);
    await call('tasks.cancel', { taskId });
  });

  it('S0-24 a task for once whose time is 8 h past is missed, and a notification says so and leads to where it can be run', async () => {
    const { id: taskId } = await call('tasks.add', {
      prompt: 'check the build',
      schedule: 'in 30m',
      agent: PROVIDER,
    });
    await sleepFor(8 * HOUR_MS);
    const title = `Task ${taskId} was missed`;
    const { body } = await home.desktop.notification((one) => one.title === title);
    expect(body).toContain('You can run it now.');
    expect((await call('tasks.show', { taskId })).state).toBe('missed');
    await call('tasks.cancel', { taskId });
  });

  it('R2 S0-19 asks a provider that was down at once, and its turn goes on', async () => {
    await call('practice.providerDown', { seconds: 600 });
    await call('send', { text: 'say hello', agent: PROVIDER });
    const waiting = async (): Promise<number> =>
      (await call('outage.queue', { provider: PROVIDER })).total;
    await until(async () => (await waiting()) === 1);
    await call('practice.providerDown', { seconds: 1 });
    await pause(1_500);
    expect(await waiting()).toBe(1);
    await sleepFor(0);
    await until(async () => (await waiting()) === 0);
    // It has left the queue, and may still be at work.
    const done = async () => {
      const { turns } = await call('turns.list', { states: ['completed'], limit: 10 });
      return turns.map((turn) => turn.promptStart);
    };
    await expect.poll(done).toEqual(['say hello', 'check the build']);
  });
});
