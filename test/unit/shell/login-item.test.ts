import { mkdtempSync, existsSync, readFileSync, rmSync, writeFileSync, mkdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  autostartEntry,
  createLoginItem,
  planAutostart,
  quoteExec,
} from '../../../electron/shell/system/login-item';

describe('Exec', () => {
  it.each([
    ['/opt/Holdfast/holdfast', '/opt/Holdfast/holdfast'],
    ['--hidden', '--hidden'],
    ['/home/a b/x', '"/home/a b/x"'],
    ['/a"b', '"/a\\\\"b"'],
    ['/a$b`c', '"/a\\\\$b\\\\`c"'],
    ['/a\\b', '"/a\\\\\\\\b"'],
    ['/100%', '"/100%%"'],
    ['/ä', '"/ä"'],
  ])('quotes %j as %j', (argument, quoted) => {
    expect(quoteExec(argument)).toBe(quoted);
  });
});

describe('autostart plan', () => {
  const entry = autostartEntry(['/opt/holdfast', '--hidden']);
  it.each([
    ['writes a missing file', true, false, undefined, 'write'],
    ['leaves its own file', true, false, entry, 'leave'],
    [
      'renews its own file of an older place',
      true,
      false,
      entry.replace('/opt/', '/old/'),
      'write',
    ],
    ['removes its own file', false, false, entry, 'remove'],
    ['has nothing to remove', false, true, undefined, 'leave'],
    [
      'does not remove a file of somebody else',
      false,
      true,
      '[Desktop Entry]\nExec=other',
      'leave',
    ],
    ['honours Hidden=true at a start', true, false, `${entry}Hidden=true\n`, 'leave'],
    [
      'honours X-GNOME-Autostart-enabled=false at a start',
      true,
      false,
      entry.replace('enabled=true', 'enabled=false'),
      'leave',
    ],
    [
      'switches on what the desktop had off when asked here',
      true,
      true,
      `${entry}Hidden=true\n`,
      'write',
    ],
  ] as const)('%s', (_name, isWanted, isAsked, existing, plan) => {
    expect(planAutostart(isWanted, isAsked, existing, entry)).toBe(plan);
  });
});

describe('login item on Linux', () => {
  let dir = '';
  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), 'hf-login-'));
  });
  afterEach(() => rmSync(dir, { recursive: true, force: true }));
  const make = (over: object = {}) =>
    createLoginItem({
      app: {} as never,
      platform: 'linux',
      env: { XDG_CONFIG_HOME: dir },
      home: '/home/x',
      command: ['/opt/Hold fast/holdfast'],
      dataDir: undefined,
      ...over,
    });
  const file = () => join(dir, 'autostart', 'holdfast.desktop');

  it('writes an entry that starts hidden, and takes it away', () => {
    const item = make();
    expect(item.facts()).toEqual({ supported: true, enabled: false, path: file() });
    item.apply(true, true);
    expect(readFileSync(file(), 'utf8')).toContain('Exec="/opt/Hold fast/holdfast" --hidden\n');
    expect(item.facts().enabled).toBe(true);
    item.apply(false, true);
    expect(existsSync(file())).toBe(false);
  });

  it('names the AppImage itself and another data directory', () => {
    make({
      env: { XDG_CONFIG_HOME: dir, APPIMAGE: '/home/x/Holdfast.AppImage' },
      dataDir: '/data/two',
    }).apply(true, true);
    expect(readFileSync(file(), 'utf8')).toContain(
      'Exec=/home/x/Holdfast.AppImage --hidden --data-dir /data/two\n',
    );
  });

  it('tells that the desktop has switched it off', () => {
    mkdirSync(join(dir, 'autostart'));
    writeFileSync(file(), `${autostartEntry(['/opt/holdfast'])}Hidden=true\n`);
    const item = make();
    item.apply(true, false);
    expect(item.facts().enabled).toBe(false);
  });

  it('asks the system elsewhere', () => {
    const setLoginItemSettings = vi.fn();
    const item = make({
      platform: 'win32',
      app: { setLoginItemSettings, getLoginItemSettings: () => ({ openAtLogin: true }) },
    });
    item.apply(true, true);
    expect(setLoginItemSettings).toHaveBeenCalledWith({
      openAtLogin: true,
      path: '/opt/Hold fast/holdfast',
      args: ['--hidden'],
    });
    expect(item.facts().enabled).toBe(true);
  });
});
