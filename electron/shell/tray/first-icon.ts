/**
 * The icon in the tray before any of the engine is loaded: the first thing the user looks for after
 * starting Holdfast. The tray takes it over with the first known state.
 */
import { join } from 'node:path';
import { Tray, nativeImage, nativeTheme, screen } from 'electron';
import type { TrayState } from '../../../shared/types';
import type { LockContent } from '../../ports/instance-lock';
import { readSmallFile } from '../../disk/small-file';
import { readBeforeSettings } from '../first-start';
import { trayIconPath, trayVariant } from './tray-icons';
import type { WantedIcon } from './tray-icons';

export interface FirstIcon {
  readonly tray: Tray;
  /** The file of the icon that is shown. */
  readonly icon: string;
}

/** The glyph for the current bar; undefined if the user wants none. */
export function iconPath(
  appPath: string,
  env: Readonly<Record<string, string | undefined>>,
  state: TrayState,
  wanted: WantedIcon,
): string | undefined {
  if (wanted === 'off') return undefined;
  const variant = trayVariant({
    platform: process.platform,
    isDark: nativeTheme.shouldUseDarkColors,
    desktop: env['XDG_CURRENT_DESKTOP'] ?? '',
    wanted,
  });
  const scale = Math.max(...screen.getAllDisplays().map((display) => display.scaleFactor));
  return trayIconPath(appPath, state, variant, process.platform, scale);
}

/**
 * Call after `ready`. No icon if another process may hold the data directory: its icon is there,
 * and the lock decides who keeps it. A process that loses the lock anyway ends, and its icon with
 * it. None either if the settings turn it off.
 */
export function showFirstIcon(facts: {
  readonly appPath: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly dataDir: string;
  /** Reads the text of `agent.lock`. */
  readonly parse: (text: string) => LockContent;
}): { readonly isHeld: boolean; readonly firstIcon: FirstIcon | undefined } {
  if (mayBeHeld(join(facts.dataDir, 'agent.lock'), facts.parse))
    return { isHeld: true, firstIcon: undefined };
  const { trayIcon = 'auto' } = readBeforeSettings(facts.dataDir);
  const icon = iconPath(facts.appPath, facts.env, 'stopped', trayIcon);
  const firstIcon =
    icon === undefined ? undefined : { tray: new Tray(nativeImage.createFromPath(icon)), icon };
  return { isHeld: false, firstIcon };
}

/**
 * Only a check, not a lock: a missing file, or one of a process that has ended, means that nothing
 * holds the data directory.
 */
function mayBeHeld(lockFile: string, parse: (text: string) => LockContent): boolean {
  const file = readSmallFile(lockFile);
  if (file.kind !== 'text') return file.kind !== 'absent';
  const content = parse(file.text);
  if (content.kind !== 'record') return true;
  try {
    process.kill(content.record.pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}
