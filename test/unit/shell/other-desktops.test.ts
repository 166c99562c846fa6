/** The tray, windows and formats where the desktop is another one. UP-03 */
import { afterEach, describe, expect, it, vi } from 'vitest';
import { appIcon } from '../../../electron/shell/windows/app-icon';
import { prepareProcess } from '../../../electron/shell/prepare-process';
import { systemFormats } from '../../../electron/shell/system/system-formats';
import { createTray } from '../../../electron/shell/tray/tray';
import { createTrayPlace } from '../../../electron/shell/tray/tray-place';
import type { TrayModel } from '../../../electron/shell/tray/tray-view';
import { app, macSettings, Tray } from '../../helpers/fake-electron';
import { onSystem } from '../../helpers/on-system';

vi.mock('electron', () => import('../../helpers/fake-electron'));

const quiet = { debug: vi.fn(), info: vi.fn(), warn: vi.fn(), error: vi.fn() } as never;
afterEach(() => {
  macSettings.clear();
  Tray.made.length = 0;
});

describe('the process of the app', () => {
  it.each([
    ['win32', 'dev.holdfast.app'],
    ['darwin', ''],
    ['linux', ''],
  ] as const)('UP-03 on %s its notifications come from "%s"', async (platform, id) => {
    app.reset();
    await onSystem(platform, () => prepareProcess(quiet));
    expect(app.userModelId).toBe(id);
  });

  it('UP-03 windows and notifications bring a picture on Linux only', () => {
    expect(appIcon('/app', 'linux')).toBe('/app/build/icons/256x256.png');
    expect([appIcon('/app', 'darwin'), appIcon('C:\\app', 'win32')]).toEqual([
      undefined,
      undefined,
    ]);
  });

  it.each([
    ['darwin', 'AppleICUForce24HourTime', true],
    ['darwin', 'AppleICUForce12HourTime', false],
    ['win32', 'AppleICUForce24HourTime', false],
  ] as const)('UP-03 on %s with %s hours count to 24: %s', async (platform, key, isTo24) => {
    macSettings.add(key);
    const locale = await onSystem(platform, systemFormats);
    const text = new Date(2026, 0, 1, 15).toLocaleTimeString(locale, { hour: 'numeric' });
    expect(text.includes('15')).toBe(isTo24);
  });
});

describe('where an icon in the tray would be seen', () => {
  it.each(['darwin', 'win32'])('UP-03 on %s always, and the desktop is not asked', (platform) => {
    const ask = vi.fn(async () => 'unavailable' as never);
    const place = createTrayPlace({ platform, ask, isOff: () => false });
    place.look();
    expect(ask).not.toHaveBeenCalled();
    expect(place.now()).toBe('available');
  });

  it('UP-03 on Linux it is not known until the desktop has told, and never where no icon is wanted', async () => {
    let isOff = false;
    const place = createTrayPlace({
      platform: 'linux',
      ask: async () => 'available',
      isOff: () => isOff,
    });
    expect(place.now()).toBe('unknown');
    place.look();
    await vi.waitFor(() => expect(place.now()).toBe('available'));
    isOff = true;
    expect(place.now()).toBe('off');
  });
});

describe('the icon in the tray', () => {
  const model = (label: string): TrayModel =>
    ({
      state: 'idle',
      tooltip: 'Idle',
      rows: [{ kind: 'action', label, isEnabled: true, action: { kind: 'open', route: '/' } }],
    }) as TrayModel;
  const made = (platform: string) => {
    const onAction = vi.fn();
    const tray = createTray({ platform, onAction, iconPath: (state) => state, first: undefined });
    tray.apply(model('Open Holdfast'));
    const [icon] = Tray.made;
    if (icon === undefined) throw new Error('there is no icon');
    return { tray, icon, onAction, labels: () => icon.menu?.rows.map(({ label }) => label) };
  };

  it.each([
    ['darwin', 0],
    ['win32', 1],
    ['linux', 1],
  ])('UP-03 on %s a click does %i things besides the menu of the system', (platform, times) => {
    const { icon, onAction } = made(platform);
    icon.emit('click');
    expect(onAction).toHaveBeenCalledTimes(times);
  });

  it.each(['darwin', 'win32'])(
    'UP-03 on %s a menu that is open stays as it is, and is the newest one once it is closed',
    (platform) => {
      const { tray, icon, labels } = made(platform);
      const opened = icon.menu;
      opened?.emit('menu-will-show');
      tray.apply(model('Open Holdfast (1)'));
      expect(icon.menu).toBe(opened);
      opened?.emit('menu-will-close');
      expect(labels()).toEqual(['Open Holdfast (1)']);
    },
  );

  it('UP-03 on Linux, which tells of the opening alone, no menu is waited for', () => {
    const { tray, icon, labels } = made('linux');
    icon.menu?.emit('menu-will-show');
    tray.apply(model('Open Holdfast (1)'));
    expect(labels()).toEqual(['Open Holdfast (1)']);
  });
});
