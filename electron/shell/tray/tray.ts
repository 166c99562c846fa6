/** Applies the tray's model: only what changed, and never under the user's pointer. */
import { Menu, Tray, nativeImage } from 'electron';
import type { MenuItemConstructorOptions } from 'electron';
import type { FirstIcon } from './first-icon';
import type { TrayModel } from './tray-view';
import type { TrayAction } from './tray-row';
import type { TrayRow } from './tray-row';

interface TrayDeps {
  /** Undefined if no icon is wanted. */
  readonly iconPath: (state: TrayModel['state']) => string | undefined;
  readonly onAction: (action: TrayAction) => void;
  readonly platform: string;
  /** Taken over, so that there is one icon from the first moment on. */
  readonly first: FirstIcon | undefined;
}

export interface AppTray {
  apply(model: TrayModel): void;
  /** Makes the icon again where the desktop lost it, after sleep for instance. */
  revive(): void;
}

/** `&` marks a mnemonic in menus; a title may hold one. */
const escaped = (label: string): string => label.replaceAll('&', '&&');

function menuTemplate(
  rows: readonly TrayRow[],
  onAction: (action: TrayAction) => void,
): MenuItemConstructorOptions[] {
  return rows.map((row): MenuItemConstructorOptions => {
    switch (row.kind) {
      case 'separator':
        return { type: 'separator' };
      case 'label':
        return { label: escaped(row.label), enabled: false };
      case 'action':
        return {
          label: escaped(row.label),
          enabled: row.isEnabled,
          click: () => onAction(row.action),
        };
      case 'check':
        return {
          type: 'checkbox',
          label: escaped(row.label),
          checked: row.isChecked,
          click: () => onAction(row.action),
        };
      case 'submenu':
        return { label: escaped(row.label), submenu: menuTemplate(row.rows, onAction) };
    }
  });
}

export function createTray(deps: TrayDeps): AppTray {
  let tray: Tray | undefined = deps.first?.tray;
  let shown:
    { readonly icon: string; readonly tooltip: string; readonly rows: string } | undefined =
    deps.first && { icon: deps.first.icon, tooltip: '', rows: '' };
  let latest: TrayModel | undefined;
  let isMenuOpen = false;

  const listen = (to: Tray): Tray =>
    // On macOS and with an application indicator the click opens the menu; elsewhere it is ours.
    to.on('click', () => {
      if (deps.platform !== 'darwin') deps.onAction({ kind: 'open', route: '/' });
    });
  if (tray !== undefined) listen(tray);
  const make = (icon: string): Tray => listen(new Tray(nativeImage.createFromPath(icon)));

  const watchMenu = (menu: Electron.Menu): void => {
    // Linux reports only the opening, so waiting for the end would wait forever there.
    if (deps.platform === 'linux') return;
    menu.on('menu-will-show', () => {
      isMenuOpen = true;
    });
    menu.on('menu-will-close', () => {
      isMenuOpen = false;
      if (latest !== undefined) apply(latest);
    });
  };

  const apply = (model: TrayModel): void => {
    latest = model;
    const icon = deps.iconPath(model.state);
    if (icon === undefined) {
      tray?.destroy();
      tray = undefined;
      shown = undefined;
      return;
    }
    const rows = JSON.stringify(model.rows);
    if (tray === undefined || tray.isDestroyed()) {
      tray = make(icon);
      shown = undefined;
    } else if (shown?.icon !== icon) tray.setImage(nativeImage.createFromPath(icon));
    if (shown?.tooltip !== model.tooltip) {
      tray.setToolTip(model.tooltip);
    }
    if (isMenuOpen) {
      shown = { icon, tooltip: model.tooltip, rows: shown?.rows ?? '' };
      return;
    }
    if (shown?.rows !== rows) {
      const menu = Menu.buildFromTemplate(menuTemplate(model.rows, deps.onAction));
      watchMenu(menu);
      tray.setContextMenu(menu);
    }
    shown = { icon, tooltip: model.tooltip, rows };
  };

  return {
    apply,
    revive() {
      if (latest !== undefined && tray?.isDestroyed() === true) apply(latest);
    },
  };
}
