/** The application menu. Packaged builds have no way to reload a page or to open developer tools (W9). */
import type { MenuItemConstructorOptions } from 'electron';

interface AppMenuDeps {
  readonly platform: string;
  readonly isPackaged: boolean;
  readonly onSettings: () => void;
  readonly onQuit: () => void;
  /** Shows a page of the window; without it the menu has no places to go to. */
  readonly onGo?: (route: string) => void;
}

/** Pages in the order of the sidebar; their keys are Ctrl or Cmd with the digit of the page. */
const PLACES = [
  { label: 'Home', route: '/home' },
  { label: 'Decisions', route: '/decisions' },
  { label: 'Sessions', route: '/sessions' },
  { label: 'Schedule', route: '/schedule' },
  { label: 'Outages', route: '/outages' },
  { label: 'Events', route: '/events' },
  { label: 'Agents', route: '/agents' },
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
    label: 'Settings…',
    accelerator: 'CmdOrCtrl+,',
    click: () => onSettings(),
  };
  const quit: MenuItemConstructorOptions = {
    label: 'Quit Holdfast',
    accelerator: 'CmdOrCtrl+Q',
    click: () => onQuit(),
  };
  const close: MenuItemConstructorOptions = {
    role: 'close',
    label: 'Close Window',
    accelerator: 'CmdOrCtrl+W',
  };
  if (!isMac) return [{ label: 'File', submenu: [settings, SEPARATOR, close, SEPARATOR, quit] }];
  return [
    {
      label: 'Holdfast',
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
    { label: 'File', submenu: [close] },
  ];
}

const EDIT: MenuItemConstructorOptions = {
  label: 'Edit',
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
  label: 'View',
  submenu: [
    { role: 'resetZoom', label: 'Actual Size' },
    { role: 'zoomIn' },
    { role: 'zoomOut' },
    SEPARATOR,
    { role: 'togglefullscreen' },
    ...(isPackaged ? [] : ([SEPARATOR, { role: 'reload' }, { role: 'toggleDevTools' }] as const)),
  ],
});

const windowMenu = (isMac: boolean): MenuItemConstructorOptions => ({
  label: 'Window',
  submenu: [
    { role: 'minimize' },
    { role: 'zoom' },
    ...(isMac ? ([SEPARATOR, { role: 'front' }] as const) : []),
  ],
});

const goMenu = (onGo: (route: string) => void): MenuItemConstructorOptions => ({
  label: 'Go',
  submenu: PLACES.map(({ label, route }, at) => ({
    label,
    accelerator: `CmdOrCtrl+${String(at + 1)}`,
    click: () => onGo(route),
  })),
});

const helpMenu = (onGo: (route: string) => void, isMac: boolean): MenuItemConstructorOptions => ({
  role: 'help',
  label: 'Help',
  submenu: [
    { label: 'First Steps and Practice', click: () => onGo('/welcome') },
    ...(isMac ? [] : ([SEPARATOR, { role: 'about', label: 'About Holdfast' }] as const)),
  ],
});
