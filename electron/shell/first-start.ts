/**
 * Values needed before the settings are loaded: the first window's size and colors, and the icon.
 */
import { join } from 'node:path';
import { readSettingsText } from '../disk/small-file';
import type { ShellState } from './shell-state';
import type { WantedIcon } from './tray/tray-icons';

/**
 * Whether the first start is over according to `config.json`. Not parsed: that would load the
 * schemas before the window, and this also works for a file with comments or with an error
 * elsewhere. A wrong answer costs one change of size.
 */
export const saysFirstStartDone = (text: string): boolean =>
  /"first_start_done"\s*:\s*true\b/.test(text);

/**
 * The theme named in `config.json`, found the same way; a wrong value costs one change of colors.
 * Undefined if there is none.
 */
export const saysTheme = (text: string): ShellState['theme'] | undefined => {
  const [, named] = /"theme"\s*:\s*"(system|light|dark)"/.exec(text) ?? [];
  return named as ShellState['theme'] | undefined;
};

/**
 * The tray icon set in `config.json`, found the same way, and corrected once the settings are
 * loaded.
 */
export const saysTrayIcon = (text: string): WantedIcon | undefined => {
  const [, named] = /"tray_icon"\s*:\s*"(auto|light|dark|off)"/.exec(text) ?? [];
  return named as WantedIcon | undefined;
};

/** Read from the file now, because it may have been edited while nothing ran. */
export function readBeforeSettings(dataDir: string): {
  readonly isFirstStart: boolean;
  readonly theme: ShellState['theme'] | undefined;
  readonly trayIcon: WantedIcon | undefined;
} {
  const text = readSettingsText(join(dataDir, 'config.json'));
  return {
    isFirstStart: !saysFirstStartDone(text),
    theme: saysTheme(text),
    trayIcon: saysTrayIcon(text),
  };
}
