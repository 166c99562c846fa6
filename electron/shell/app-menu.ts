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
  const isMac = deps.platform === 'darwin';
  const settings: MenuItemConstructorOptions = {
    label: 'Settings…',
    accelerator: 'CmdOrCtrl+,',
    click: () => deps.onSettings(),
  };
  const quit: MenuItemConstructorOptions = {
    label: 'Quit Holdfast',
    accelerator: 'CmdOrCtrl+Q',
    click: () => deps.onQuit(),
  };
  const close: MenuItemConstructorOptions = {
    role: 'close',
    label: 'Close Window',
    accelerator: 'CmdOrCtrl+W',
  };
  const application: MenuItemConstructorOptions[] = isMac
    ? [
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
      ]
    : [{ label: 'File', submenu: [settings, SEPARATOR, close, SEPARATOR, quit] }];
  const edit: MenuItemConstructorOptions = {
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
  const view: MenuItemConstructorOptions = {
    label: 'View',
    submenu: [
      { role: 'resetZoom', label: 'Actual Size' },
      { role: 'zoomIn' },
      { role: 'zoomOut' },
      SEPARATOR,
      { role: 'togglefullscreen' },
      ...(deps.isPackaged
        ? []
        : ([SEPARATOR, { role: 'reload' }, { role: 'toggleDevTools' }] as const)),
    ],
  };
  const window: MenuItemConstructorOptions = {
    label: 'Window',
    submenu: [
      { role: 'minimize' },
      { role: 'zoom' },
      ...(isMac ? ([SEPARATOR, { role: 'front' }] as const) : []),
    ],
  };
  const { onGo } = deps;
  if (onGo === undefined) return [...application, edit, view, window];
  const go: MenuItemConstructorOptions = {
    label: 'Go',
    submenu: PLACES.map(({ label, route }, at) => ({
      label,
      accelerator: `CmdOrCtrl+${String(at + 1)}`,
      click: () => onGo(route),
    })),
  };
  const help: MenuItemConstructorOptions = {
    role: 'help',
    label: 'Help',
    submenu: [
      { label: 'First Steps and Practice', click: () => onGo('/welcome') },
      ...(isMac ? [] : ([SEPARATOR, { role: 'about', label: 'About Holdfast' }] as const)),
    ],
  };
  return [...application, edit, view, go, window, help];
}
