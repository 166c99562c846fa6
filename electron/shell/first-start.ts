/** What has to be known before any setting is read: the size and colours of the first window, the icon. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ShellState } from './shell-state';
import type { WantedIcon } from './tray-icons';

/**
 * Whether the story of the first start is over, as `config.json` says it. Not parsed: that would load
 * the schemas before the window, and a file with comments or with an error elsewhere says it as well.
 * Being wrong costs one change of size.
 */
export const saysFirstStartDone = (text: string): boolean =>
  /"first_start_done"\s*:\s*true\b/.test(text);

/**
 * The theme that `config.json` names; read as above, and being wrong costs one change of colours.
 * Undefined where it names none.
 */
export const saysTheme = (text: string): ShellState['theme'] | undefined => {
  const [, named] = /"theme"\s*:\s*"(system|light|dark)"/.exec(text) ?? [];
  return named as ShellState['theme'] | undefined;
};

/** The icon that `config.json` wants in the tray; read as above, and mended by the first look at it. */
export const saysTrayIcon = (text: string): WantedIcon | undefined => {
  const [, named] = /"tray_icon"\s*:\s*"(auto|light|dark|off)"/.exec(text) ?? [];
  return named as WantedIcon | undefined;
};

/** As the file says it now: somebody may have written it while nothing ran. */
export function readBeforeSettings(dataDir: string): {
  readonly isFirstStart: boolean;
  readonly theme: ShellState['theme'] | undefined;
  readonly trayIcon: WantedIcon | undefined;
} {
  let text = '';
  try {
    text = readFileSync(join(dataDir, 'config.json'), 'utf8');
  } catch {
    // Missing: nobody has set anything yet.
  }
  return {
    isFirstStart: !saysFirstStartDone(text),
    theme: saysTheme(text),
    trayIcon: saysTrayIcon(text),
  };
}
