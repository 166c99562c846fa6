import type { MenuItemConstructorOptions } from 'electron';
import { describe, expect, it, vi } from 'vitest';
import { appMenu } from '../../../electron/shell/windows/app-menu';
import { isRoute } from '../../../electron/shell/windows/links';
import { hrefOf, parseRoute } from '../../../renderer/route';
import { PAGES } from '../../../renderer/pages';
import { t } from '../../../shared/messages';

const open = (platform: string, isPackaged = true) => {
  const onSettings = vi.fn();
  const onQuit = vi.fn();
  const onGo = vi.fn();
  const menu = appMenu({ platform, isPackaged, onSettings, onQuit, onGo });
  const itemsOf = (item: MenuItemConstructorOptions): MenuItemConstructorOptions[] => [
    item,
    ...(Array.isArray(item.submenu) ? item.submenu.flatMap(itemsOf) : []),
  ];
  const items = menu.flatMap(itemsOf);
  const press = (accelerator: string): void => {
    const found = items.find((item) => item.accelerator === accelerator);
    (found?.click as (() => void) | undefined)?.();
  };
  return { menu, items, press, onSettings, onQuit, onGo };
};

describe('the application menu', () => {
  it.each([
    ['linux', ['File', 'Edit', 'View', 'Go', 'Window', 'Help']],
    ['win32', ['File', 'Edit', 'View', 'Go', 'Window', 'Help']],
    ['darwin', ['Holdfast', 'File', 'Edit', 'View', 'Go', 'Window', 'Help']],
  ])('has the usual menus of %s', (platform, labels) => {
    expect(open(platform).menu.map((item) => item.label)).toEqual(labels);
  });

  it.each(['linux', 'darwin', 'win32'])('uses no key twice on %s', (platform) => {
    const keys = open(platform).items.flatMap((item) => item.accelerator ?? []);
    expect(new Set(keys).size).toBe(keys.length);
    expect(keys).toContain('CmdOrCtrl+,');
    expect(keys).toContain('CmdOrCtrl+W');
  });

  it('opens Settings and asks to quit by their keys', () => {
    const { press, onSettings, onQuit } = open('linux');
    press('CmdOrCtrl+,');
    expect(onSettings).toHaveBeenCalledTimes(1);
    expect(onQuit).not.toHaveBeenCalled();
    press('CmdOrCtrl+Q');
    expect(onQuit).toHaveBeenCalledTimes(1);
  });

  it('goes to the pages of the sidebar by Ctrl and the digit that the page has there', () => {
    const { press, onGo, menu } = open('linux');
    const go = menu.find((item) => item.label === 'Go')?.submenu;
    expect(Array.isArray(go) ? go.map((item) => item.label) : []).toEqual(
      PAGES.map((page) => t(page.label)),
    );
    for (const [at, page] of PAGES.entries()) {
      press(`CmdOrCtrl+${String(at + 1)}`);
      const route = String(onGo.mock.lastCall?.[0]);
      expect(isRoute(route)).toBe(true);
      expect(hrefOf(parseRoute(route))).toBe(hrefOf(page.route));
    }
  });

  it('has no place to go to where nobody could show it', () => {
    const menu = appMenu({
      platform: 'linux',
      isPackaged: true,
      onSettings: vi.fn(),
      onQuit: vi.fn(),
    });
    expect(menu.map((item) => item.label)).toEqual(['File', 'Edit', 'View', 'Window']);
  });
});
