/** The application menu. Packaged builds have no way to reload a page or to open developer tools (W9). */
import type { MenuItemConstructorOptions } from 'electron';
import { say } from '../say';

interface AppMenuDeps {
  readonly platform: string;
  readonly isPackaged: boolean;
  readonly onSettings: () => void;
  readonly onQuit: () => void;
  /** Shows a page of the window. Without it the menu has no pages. */
  readonly onGo?: (route: string) => void;
}

/** Pages in the order of the sidebar; their keys are Ctrl or Cmd with the digit of the page. */
const PLACES = [
  { key: 'menu.go.home', route: '/home' },
  { key: 'menu.go.inbox', route: '/decisions' },
  { key: 'menu.go.sessions', route: '/sessions' },
  { key: 'menu.go.schedule', route: '/schedule' },
  { key: 'menu.go.outages', route: '/outages' },
  { key: 'menu.go.events', route: '/events' },
  { key: 'menu.go.agents', route: '/agents' },
  { key: 'menu.go.usage', route: '/usage' },
  { key: 'menu.go.search', route: '/search' },
] as const;

const SEPARATOR: MenuItemConstructorOptions = { type: 'separator' };

/** Nothing here starts, stops or answers anything: the menu leads to pages and closes windows. */
export function appMenu(deps: AppMenuDeps): MenuItemConstructorOptions[] {
  const { onGo } = deps;
  const isMac = deps.platform === 'darwin';
  const first = [...applicationMenus(deps, isMac), EDIT, viewMenu(deps.isPackaged)];
  if (onGo === undefined) return [...first, windowMenu(isMac)];
  return [...first, goMenu(onGo), windowMenu(isMac), helpMenu(onGo, isMac)];
}

function applicationMenus(
  { onSettings, onQuit }: AppMenuDeps,
  isMac: boolean,
): MenuItemConstructorOptions[] {
  const settings: MenuItemConstructorOptions = {
    label: say('menu.settings'),
    accelerator: 'CmdOrCtrl+,',
    click: () => onSettings(),
  };
  const quit: MenuItemConstructorOptions = {
    label: say('menu.quit'),
    accelerator: 'CmdOrCtrl+Q',
    click: () => onQuit(),
  };
  const close: MenuItemConstructorOptions = {
    role: 'close',
    label: say('menu.closeWindow'),
    accelerator: 'CmdOrCtrl+W',
  };
  if (!isMac)
    return [{ label: say('menu.file'), submenu: [settings, SEPARATOR, close, SEPARATOR, quit] }];
  return [
    {
      label: say('menu.app'),
      submenu: [
        { role: 'about' },
        SEPARATOR,
        settings,
        SEPARATOR,
        { role: 'services' },
        SEPARATOR,
        { role: 'hide' },
        { role: 'hideOthers' },
        { role: 'unhide' },
        SEPARATOR,
        quit,
      ],
    },
    { label: say('menu.file'), submenu: [close] },
  ];
}

const EDIT: MenuItemConstructorOptions = {
  label: say('menu.edit'),
  submenu: [
    { role: 'undo' },
    { role: 'redo' },
    SEPARATOR,
    { role: 'cut' },
    { role: 'copy' },
    { role: 'paste' },
    { role: 'delete' },
    SEPARATOR,
    { role: 'selectAll' },
  ],
};

const viewMenu = (isPackaged: boolean): MenuItemConstructorOptions => ({
  label: say('menu.view'),
  submenu: [
    { role: 'resetZoom', label: say('menu.actualSize') },
    { role: 'zoomIn' },
    { role: 'zoomOut' },
    SEPARATOR,
    { role: 'togglefullscreen' },
    ...(isPackaged ? [] : ([SEPARATOR, { role: 'reload' }, { role: 'toggleDevTools' }] as const)),
  ],
});

const windowMenu = (isMac: boolean): MenuItemConstructorOptions => ({
  label: say('menu.window'),
  submenu: [
    { role: 'minimize' },
    { role: 'zoom' },
    ...(isMac ? ([SEPARATOR, { role: 'front' }] as const) : []),
  ],
});

const goMenu = (onGo: (route: string) => void): MenuItemConstructorOptions => ({
  label: say('menu.go'),
  submenu: PLACES.map(({ key, route }, at) => ({
    label: say(key),
    accelerator: `CmdOrCtrl+${String(at + 1)}`,
    click: () => onGo(route),
  })),
});

const helpMenu = (onGo: (route: string) => void, isMac: boolean): MenuItemConstructorOptions => ({
  role: 'help',
  label: say('menu.help'),
  submenu: [
    { label: say('menu.onboarding'), click: () => onGo('/welcome') },
    ...(isMac ? [] : ([SEPARATOR, { role: 'about', label: say('menu.about') }] as const)),
  ],
});
