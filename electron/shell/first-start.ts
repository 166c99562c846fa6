/**
 * What has to be known before any setting is read: the size and colors of the first window, the
 * icon.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
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
 * The theme that `config.json` names; read as above, and a wrong value costs one change of colors.
 * Undefined if it names none.
 */
export const saysTheme = (text: string): ShellState['theme'] | undefined => {
  const [, named] = /"theme"\s*:\s*"(system|light|dark)"/.exec(text) ?? [];
  return named as ShellState['theme'] | undefined;
};

/**
 * The tray icon set in `config.json`; read as above, and corrected once the settings are loaded.
 */
export const saysTrayIcon = (text: string): WantedIcon | undefined => {
  const [, named] = /"tray_icon"\s*:\s*"(auto|light|dark|off)"/.exec(text) ?? [];
  return named as WantedIcon | undefined;
};

/** From the file, read now: it may have been edited while nothing ran. */
export function readBeforeSettings(dataDir: string): {
  readonly isFirstStart: boolean;
  readonly theme: ShellState['theme'] | undefined;
  readonly trayIcon: WantedIcon | undefined;
} {
  let text = '';
  try {
    text = readFileSync(join(dataDir, 'config.json'), 'utf8');
  } catch {
    // Missing: nothing is set yet.
  }
  return {
    isFirstStart: !saysFirstStartDone(text),
    theme: saysTheme(text),
    trayIcon: saysTrayIcon(text),
  };
}
