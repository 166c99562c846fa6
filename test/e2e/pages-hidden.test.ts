/** A window that nobody sees costs nothing, and after five minutes it is gone. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it } from 'vitest';
import { until, visibleWindows } from '../helpers/electron-app';
import { openStory, startStoryApp } from '../helpers/story-app';

const preload = (name: string): string =>
  fileURLToPath(new URL(`../helpers/${name}`, import.meta.url));

let end: () => Promise<void> = () => Promise.resolve();
afterEach(async () => end());

describe('a hidden window', () => {
  it('has no timers: a running turn counts its seconds while it is seen, 0 callbacks in 1.4 s once hidden', async () => {
    const { home, stop } = await openStory('busy');
    end = stop;
    const file = join(home.dir, 'probe.json');
    home.start({
      switches: ['-r', preload('hidden-probe.cjs')],
      env: { HIDDEN_PROBE_FILE: file },
    });
    await until(() => existsSync(file), 'the figures of the probe', 30_000);
    const facts: unknown = JSON.parse(readFileSync(file, 'utf8'));
    expect(facts).toEqual({
      seen: { state: 'visible', ticks: expect.any(Number) as number },
      hidden: { state: 'hidden', ticks: 0 },
    });
    expect((facts as { seen: { ticks: number } }).seen.ticks).toBeGreaterThan(0);
  });

  it('is destroyed after its 5 minutes (here 1.5 s), not before, and opens again from the tray', async () => {
    const story = await startStoryApp({
      variant: 'busy',
      switches: ['-r', preload('short-hidden-life.cjs')],
    });
    end = story.end;
    const { app, home } = story;
    const windows = (): Promise<number> =>
      app.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows().length);
    await expect.poll(() => visibleWindows(app)).toBe(1);
    await app.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]?.hide());
    expect([await windows(), await visibleWindows(app)]).toEqual([1, 0]);
    await expect.poll(windows, { timeout: 6_000 }).toBe(0);
    await home.desktop.chooseMenu('Open Holdfast');
    await expect.poll(() => visibleWindows(app)).toBe(1);
  });
});
