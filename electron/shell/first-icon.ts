/**
 * The icon in the tray before anything of the engine is loaded: what a person who has just started
 * Holdfast looks for. The tray takes it over with the first state that is known.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Tray, nativeImage, nativeTheme, screen } from 'electron';
import type { TrayState } from '../../shared/types';
import type { LockContent } from '../ports/instance-lock';
import { readBeforeSettings } from './first-start';
import { trayIconPath, trayVariant } from './tray-icons';
import type { WantedIcon } from './tray-icons';

export interface FirstIcon {
  readonly tray: Tray;
  /** The file that it shows. */
  readonly icon: string;
}

/** The glyph for the bar of now; undefined where none is wanted. */
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
 * Call after `ready`. No icon where somebody may hold the data directory already: theirs is there,
 * and the lock decides whose it stays. Who loses the lock in spite of this ends, and the icon with
 * it. None either where the settings want none.
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

/** A look, not a lock: no file, or a process that is no more, holds nothing. */
function mayBeHeld(lockFile: string, parse: (text: string) => LockContent): boolean {
  let text: string;
  try {
    text = readFileSync(lockFile, 'utf8');
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ENOENT';
  }
  const content = parse(text);
  if (content.kind !== 'record') return true;
  try {
    process.kill(content.record.pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}
