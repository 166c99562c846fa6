/** The application menu. Packaged builds have no way to reload a page or to open developer tools (W9). */
import type { MenuItemConstructorOptions } from 'electron';

export interface AppMenuDeps {
  readonly platform: string;
  readonly isPackaged: boolean;
  readonly onSettings: () => void;
  readonly onQuit: () => void;
}

export function appMenu(deps: AppMenuDeps): MenuItemConstructorOptions[] {
  const isMac = deps.platform === 'darwin';
  const settings: MenuItemConstructorOptions = {
    label: 'Settings…',
    accelerator: 'CmdOrCtrl+,',
    click: deps.onSettings,
  };
  const quit: MenuItemConstructorOptions = {
    label: 'Quit Holdfast',
    accelerator: 'CmdOrCtrl+Q',
    click: deps.onQuit,
  };
  const window: MenuItemConstructorOptions[] = [{ role: 'minimize' }, { role: 'close' }];
  const edit: MenuItemConstructorOptions = {
    label: 'Edit',
    submenu: [
      { role: 'undo' },
      { role: 'redo' },
      { type: 'separator' },
      { role: 'cut' },
      { role: 'copy' },
      { role: 'paste' },
      { role: 'selectAll' },
    ],
  };
  const view: MenuItemConstructorOptions = {
    label: 'View',
    submenu: [
      { role: 'resetZoom' },
      { role: 'zoomIn' },
      { role: 'zoomOut' },
      { role: 'togglefullscreen' },
      ...(deps.isPackaged
        ? []
        : ([{ type: 'separator' }, { role: 'reload' }, { role: 'toggleDevTools' }] as const)),
    ],
  };
  return [
    {
      label: 'Holdfast',
      submenu: isMac
        ? [
            { role: 'about' },
            { type: 'separator' },
            settings,
            { type: 'separator' },
            { role: 'hide' },
            quit,
          ]
        : [settings, { type: 'separator' }, quit],
    },
    edit,
    view,
    { label: 'Window', submenu: window },
  ];
}
