import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { planClose } from '../../../electron/shell/windows/close-plan';
import { createReloadBudget } from '../../../electron/shell/windows/window-watchdog';
import type { BrowserWindow } from 'electron';
import { createShellStateFile, readShellState } from '../../../electron/shell/shell-state';
import { createWindows } from '../../../electron/shell/windows/windows';
import type { WindowsDeps } from '../../../electron/shell/windows/windows';
import { saysFirstStartDone, saysTheme, saysTrayIcon } from '../../../electron/shell/first-start';
import {
  WINDOW_SIZES,
  growAfterFirstStart,
  planBounds,
} from '../../../electron/shell/windows/window-state';
import { created } from '../../helpers/fake-electron';

vi.mock('electron', () => import('../../helpers/fake-electron'));

describe('close', () => {
  const facts = {
    page: 'index',
    isQuitting: false,
    closeToTray: true,
    tray: 'available',
    isNoticeShown: true,
  } as const;
  it.each([
    ['hides where a tray shows us', {}, { kind: 'hide', notice: false }],
    ['says so the first time', { isNoticeShown: false }, { kind: 'hide', notice: true }],
    ['minimises where there is no tray', { tray: 'missing' }, { kind: 'minimise', notice: false }],
    [
      'minimises where nobody knows',
      { tray: 'unknown', isNoticeShown: false },
      { kind: 'minimise', notice: true },
    ],
    ['asks where nobody wants an icon', { tray: 'off', isNoticeShown: false }, { kind: 'ask' }],
    ['quits without an icon, too', { tray: 'off', closeToTray: false }, { kind: 'quit' }],
    ['quits where the setting is off', { closeToTray: false }, { kind: 'quit' }],
    ['never keeps the app from quitting', { isQuitting: true }, { kind: 'close' }],
    ['closes the settings window', { page: 'settings' }, { kind: 'close' }],
    ['closes the quick prompt', { page: 'quick' }, { kind: 'close' }],
  ] as const)('%s', (_name, over, plan) => {
    expect(planClose({ ...facts, ...over })).toEqual(plan);
  });
});

describe('places', () => {
  const display = { x: 0, y: 0, width: 1920, height: 1080 };
  const saved = { x: 100, y: 100, width: 1000, height: 700, isMaximised: false };
  it('opens at 1200 x 800 the first time, settings at 1000 x 760', () => {
    expect(planBounds(undefined, [display], WINDOW_SIZES.index)).toEqual({
      width: 1200,
      height: 800,
    });
    expect(planBounds(undefined, [display], WINDOW_SIZES.settings)).toEqual({
      width: 1000,
      height: 760,
    });
  });
  it.each([
    ['no file of settings', '', false],
    ['one that says nothing of it', '{"app": {"theme": "dark"}}', false],
    ['one that says no', '{"app": {"first_start_done": false}}', false],
    ['one that says yes', '{"app": {"first_start_done": true}}', true],
    ['one with comments and an error below', '{"app": {"first_start_done" : true, // x\n', true],
  ])('the first start is over with %s: %s', (_what, text, isDone) => {
    expect(saysFirstStartDone(text)).toBe(isDone);
  });
  it.each([
    ['no file of settings', '', undefined],
    ['one that names no theme', '{"app": {"first_start_done": true}}', undefined],
    ['one that names dark', '{"app": {"theme": "dark"}}', 'dark'],
    ['one with comments and an error below', '{"app": {"theme" : "light", // x\n', 'light'],
    ['a theme that there is not', '{"app": {"theme": "pink"}}', undefined],
  ])('the first window has its colors from %s: %s', (_what, text, theme) => {
    expect(saysTheme(text)).toBe(theme);
  });
  it.each([
    ['no file of settings', '', undefined],
    ['one that wants none', '{"app": {"tray_icon": "off"}}', 'off'],
    ['one with comments and an error below', '{"app": {"tray_icon" : "dark", // x\n', 'dark'],
    ['an icon that there is not', '{"app": {"tray_icon": "pink"}}', undefined],
  ])('the first icon is that of %s: %s', (_what, text, wanted) => {
    expect(saysTrayIcon(text)).toBe(wanted);
  });
  it.each([
    [
      'about its middle',
      1920,
      1080,
      { x: 460, y: 180 },
      { x: 360, y: 140, width: 1200, height: 800 },
    ],
    [
      'inside the display',
      1920,
      1080,
      { x: 5, y: 355 },
      { x: 0, y: 280, width: 1200, height: 800 },
    ],
    ['no larger than it', 1100, 730, { x: 0, y: 0 }, { x: 0, y: 0, width: 1100, height: 730 }],
  ])('grows after the first start %s', (_how, width, height, at, grown) => {
    expect(
      growAfterFirstStart({ ...at, width: 1000, height: 720 }, { x: 0, y: 0, width, height }),
    ).toEqual(grown);
  });
  it('stays as large as a person made it during the first start', () => {
    const now = { x: 20, y: 20, width: 1500, height: 900 };
    expect(growAfterFirstStart(now, display)).toEqual(now);
  });
  it('comes back where it was', () => {
    expect(planBounds(saved, [display], WINDOW_SIZES.index)).toEqual({
      x: 100,
      y: 100,
      width: 1000,
      height: 700,
    });
    expect(
      planBounds({ ...saved, x: -1500 }, [{ ...display, x: -1920 }, display], WINDOW_SIZES.index),
    ).toMatchObject({ x: -1500 });
  });
  it.each([
    ['a display that is gone', { ...saved, x: 2500 }],
    ['above the upper edge', { ...saved, y: -60 }],
    ['below the lower edge', { ...saved, y: 1060 }],
    ['with 119 px left on the display', { ...saved, x: 1801 }],
  ])('is centered instead of %s', (_name, bounds) => {
    expect(planBounds(bounds, [display], WINDOW_SIZES.index)).not.toHaveProperty('x');
  });
  it('never opens smaller than the smallest size, nor larger than the largest display', () => {
    expect(
      planBounds({ ...saved, width: 10, height: 10 }, [display], WINDOW_SIZES.index),
    ).toMatchObject({ width: 880, height: 600 });
    expect(planBounds({ ...saved, width: 9000 }, [display], WINDOW_SIZES.index)).toMatchObject({
      width: 1920,
    });
  });
});

describe('shell.json', () => {
  let dir = '';
  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), 'hf-shell-'));
  });
  afterEach(() => rmSync(dir, { recursive: true, force: true }));
  it('keeps places and quiet over a restart, readable by the user only', () => {
    const bounds = { x: 1, y: 2, width: 900, height: 700, isMaximised: true };
    const held = [{ key: 'k', kind: 'outage', title: 't', body: 'b', route: '/outages' }] as const;
    createShellStateFile(dir).change({ index: bounds, isDoNotDisturb: true, held });
    expect(createShellStateFile(dir).get()).toEqual({
      index: bounds,
      isDoNotDisturb: true,
      held,
      isWindowShown: false,
      theme: 'system',
    });
    expect(statSync(join(dir, 'shell.json')).mode & 0o777).toBe(0o600);
  });
  it.each([
    '',
    '{',
    'null',
    '[]',
    '{"index":{"x":"a"}}',
    '{"isDoNotDisturb":5,"index":7}',
    '{"held":7}',
    '{"held":[null,7,{"kind":"outage","title":"t"},{"key":"k","kind":"x","title":"t","body":"b","route":"/"}]}',
  ])('takes the defaults for %j', (text) => {
    writeFileSync(join(dir, 'shell.json'), text);
    expect(createShellStateFile(dir).get()).toEqual({
      isDoNotDisturb: false,
      held: [],
      isWindowShown: false,
      theme: 'system',
    });
  });
  it('replaces nothing that cannot be read now: 2 held notices are there again when it can, with the change made meanwhile', () => {
    const path = join(dir, 'shell.json');
    const one = { key: 'k', kind: 'outage', title: 't', body: 'b', route: '/outages' } as const;
    createShellStateFile(dir).change({ held: [one, { ...one, key: 'l' }] });
    renameSync(path, `${path}.away`);
    mkdirSync(path);
    const file = createShellStateFile(dir);
    expect(file.get().held).toEqual([]);
    file.change({ theme: 'dark' });
    expect(file.get().theme).toBe('dark');
    rmdirSync(path);
    renameSync(`${path}.away`, path);
    expect(file.get()).toMatchObject({ theme: 'dark', held: [{ key: 'k' }, { key: 'l' }] });
    file.change({ isWindowShown: true });
    expect(createShellStateFile(dir).get()).toEqual(file.get());
  });
  it('lets a window close where the disk refuses', () => {
    const file = createShellStateFile(join(dir, 'missing'));
    expect(() => file.change({ isDoNotDisturb: true })).not.toThrow();
    expect(file.get().isDoNotDisturb).toBe(true);
    expect(() => readFileSync(join(dir, 'missing', 'shell.json'))).toThrow();
  });
});

const silent = (): WindowsDeps['on'] => ({
  close: vi.fn(),
  shown: vi.fn(),
  gone: vi.fn(),
  givenUp: vi.fn(),
  contextMenu: vi.fn(),
});
const noFirst: WindowsDeps['firstWindow'] = {
  window: undefined,
  isSmall: false,
  isFirstStart: () => false,
};

describe('windows', () => {
  const make = (over: Partial<WindowsDeps> = {}) =>
    createWindows({
      appPath: '/p',
      isPackaged: false,
      state: { get: () => readShellState(''), change: vi.fn() },
      firstWindow: noFirst,
      closeFacts: () => ({
        isQuitting: false,
        closeToTray: true,
        tray: 'available',
        isNoticeShown: true,
      }),
      on: silent(),
      tellRoute: vi.fn(),
      log: { debug: vi.fn(), info: vi.fn(), warn: vi.fn(), error: vi.fn() },
      nowMs: () => 0,
      hiddenLifeMs: 300_000,
      ...over,
    });
  beforeEach(() => {
    created.length = 0;
    vi.useFakeTimers();
  });

  it('is not visible before its first frame', () => {
    make().open('index');
    expect(created[0]!.visible).toBe(false);
    created[0]!.emit('ready-to-show');
    expect(created[0]!.visible).toBe(true);
  });

  it('takes over the window that was there first, also one that is on the screen already', () => {
    make().open('index');
    const first = created[0]!;
    first.emit('ready-to-show');
    const onShown = vi.fn();
    const windows = make({
      firstWindow: { ...noFirst, window: first as unknown as BrowserWindow },
      on: { ...silent(), shown: onShown },
    });
    windows.open('index');
    expect(created).toHaveLength(1);
    expect(onShown).toHaveBeenCalledTimes(1);
    expect(windows.isOurs(first.webContents.id)).toBe(true);
  });

  it('the first start opens at 1000 x 720 and no smaller; its end makes it 1200 x 800, no smaller than 880 x 600', () => {
    const change = vi.fn();
    const state = { get: () => readShellState(''), change };
    const windows = make({ firstWindow: { ...noFirst, isFirstStart: () => true }, state });
    windows.open('index');
    const window = created[0]!;
    expect(window.options).toMatchObject({
      width: 1000,
      height: 720,
      minWidth: 1000,
      minHeight: 720,
    });
    // Where it was closed meanwhile says nothing about the main window.
    window.pressClose();
    expect(change).not.toHaveBeenCalledWith(expect.objectContaining({ index: expect.anything() }));
    windows.endFirstStart();
    expect([window.minimum, window.bounds]).toEqual([
      [880, 600],
      { x: 360, y: 140, width: 1200, height: 800 },
    ]);
    window.bounds = { ...window.bounds, width: 900 };
    windows.endFirstStart();
    expect(window.bounds.width).toBe(900);
    window.pressClose();
    expect(change).toHaveBeenCalledWith(expect.objectContaining({ index: expect.anything() }));
  });

  it('a link that is followed before the first start is over opens a window of 1200 x 800', () => {
    make({ firstWindow: { ...noFirst, isFirstStart: () => true } }).open('index', '/decisions/3');
    expect(created[0]!.options).toMatchObject({ width: 1200, height: 800, minWidth: 880 });
  });

  it('the window of the first start goes back to the place of another day', () => {
    const index = { x: 7, y: 8, width: 950, height: 650, isMaximised: false };
    const windows = make({
      firstWindow: { ...noFirst, isFirstStart: () => true },
      state: { get: () => ({ ...readShellState(''), index }), change: vi.fn() },
    });
    windows.open('index');
    windows.endFirstStart();
    expect(created[0]!.bounds).toEqual({ x: 7, y: 8, width: 950, height: 650 });
  });

  it('makes another window where the first one is gone', () => {
    make().open('index');
    const first = created[0]!;
    first.destroy();
    make({ firstWindow: { ...noFirst, window: first as unknown as BrowserWindow } }).open('index');
    expect(created).toHaveLength(2);
  });

  it('is destroyed after 5 minutes hidden, not before, and made anew when opened', () => {
    const windows = make();
    windows.open('index');
    created[0]!.emit('ready-to-show');
    expect(created[0]!.pressClose()).toBe(true);
    vi.advanceTimersByTime(299_999);
    expect(created[0]!.isGone).toBe(false);
    vi.advanceTimersByTime(1);
    expect(created[0]!.isGone).toBe(true);
    windows.open('index', '/turns/5');
    expect(created).toHaveLength(2);
    expect(created[1]!.webContents.url).toBe('holdfast://app/index.html#/turns/5');
  });

  it('lives on when it is shown again in time', () => {
    const windows = make();
    windows.open('index');
    created[0]!.emit('ready-to-show');
    created[0]!.pressClose();
    vi.advanceTimersByTime(200_000);
    windows.open('index');
    vi.advanceTimersByTime(600_000);
    expect(created).toHaveLength(1);
    expect(created[0]!.isGone).toBe(false);
  });

  it('tells an open window where to go instead of loading it again', () => {
    const tellRoute = vi.fn();
    const windows = make({ tellRoute });
    windows.open('index');
    windows.open('index', '/decisions/3');
    expect(created).toHaveLength(1);
    expect(tellRoute).toHaveBeenCalledWith(
      expect.objectContaining({ id: created[0]!.webContents.id }),
      '/decisions/3',
    );
  });

  it('knows its own pages and forgets them when they are gone', () => {
    const onGone = vi.fn();
    const windows = make({ on: { ...silent(), gone: onGone } });
    windows.open('settings');
    const { id } = created[0]!.webContents;
    expect([windows.isOurs(id), windows.isOurs(id + 1)]).toEqual([true, false]);
    expect(created[0]!.pressClose()).toBe(false);
    expect(windows.isOurs(id)).toBe(false);
    expect(onGone).toHaveBeenCalledWith(id);
    expect(windows.targets()).toEqual([]);
  });
});

describe('W10 reload budget', () => {
  it('W10 allows 3 within a minute and the 4th a minute later', () => {
    const budget = createReloadBudget();
    expect([0, 1, 2, 3, 59_999, 60_000].map((nowMs) => budget.take(nowMs))).toEqual([
      true,
      true,
      true,
      false,
      false,
      true,
    ]);
  });
});
