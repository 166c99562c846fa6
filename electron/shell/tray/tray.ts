/**
 * Applies the tray's model: changes only what differs, and never while the user has the menu open.
 */
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
  /** The icon that is already shown; it is taken over, so that there is never a second one. */
  readonly first: FirstIcon | undefined;
}

export interface AppTray {
  apply(model: TrayModel): void;
  /** Creates the icon again if the desktop lost it, for example after sleep. */
  revive(): void;
}

/** `&` marks a mnemonic in menus; a title may contain one. */
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
    // On macOS and with an application indicator, a click opens the menu. Elsewhere the click is
    // reported to us.
    to.on('click', () => {
      if (deps.platform !== 'darwin') deps.onAction({ kind: 'open', route: '/' });
    });
  if (tray !== undefined) listen(tray);
  const make = (icon: string): Tray => listen(new Tray(nativeImage.createFromPath(icon)));

  const watchMenu = (menu: Electron.Menu): void => {
    // Linux reports only that a menu was opened, so a wait for its end would never finish.
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
