/** What loading the engine waits for: the frame on the screen, but not for ever. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { app, created } from '../../helpers/fake-electron';

vi.mock('electron', () => import('../../helpers/fake-electron'));
const { showFirstWindow } = await import('../../../electron/shell/windows/first-window');

let dataDir: string;
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'hf-frame-'));
  vi.useFakeTimers();
  created.length = 0;
});
afterEach(() => {
  app.reset();
  rmSync(dataDir, { recursive: true, force: true });
});

/** Since when the rest may be loaded, looked at after each of these times. */
function waits(isHidden: boolean, mayBeHeld = false) {
  let isOver = false;
  const log = { debug() {}, info() {}, warn() {}, error() {} } as never;
  const pages = showFirstWindow({
    appPath: dataDir,
    dataDir,
    flags: { hidden: isHidden, afterCrash: false },
    route: undefined,
    mayBeHeld,
    log,
  });
  void pages.shown.then(() => (isOver = true));
  return async (ms: number): Promise<boolean> => {
    await vi.advanceTimersByTimeAsync(ms);
    return isOver;
  };
}

describe('W4 the wait of a start for its window', () => {
  it('W4 ends when the frame is on the screen', async () => {
    const isOverAfter = waits(false);
    expect(await isOverAfter(1_400)).toBe(false);
    created[0]?.show();
    expect(await isOverAfter(0)).toBe(true);
  });

  it('W4 ends after 1.5 s where the frame does not come', async () => {
    const isOverAfter = waits(false);
    expect(await isOverAfter(1_499)).toBe(false);
    expect(await isOverAfter(1)).toBe(true);
  });

  it('W4 of one that stays in the tray is 100 ms, for the icon, and makes no window', async () => {
    const isOverAfter = waits(true);
    expect(await isOverAfter(99)).toBe(false);
    expect(await isOverAfter(1)).toBe(true);
    expect(created).toEqual([]);
  });

  it('W4 is none where another process may have the data', async () => {
    expect(await waits(false, true)(0)).toBe(true);
    expect(created).toEqual([]);
  });
});
