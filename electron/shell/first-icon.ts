/**
 * The icon in the tray before anything of the engine is loaded: what a person who has just started
 * Holdfast looks for. The tray takes it over with the first state that is known.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Tray, nativeImage, nativeTheme, screen } from 'electron';
import type { TrayState } from '../../shared/model';
import type { LockContent } from '../ports/instance-lock';
import { trayIconPath, trayVariant } from './tray-icons';

export interface FirstIcon {
  readonly tray: Tray;
  /** The file that it shows. */
  readonly icon: string;
}

/** The glyph for the bar of now. */
export function iconPath(
  appPath: string,
  env: Readonly<Record<string, string | undefined>>,
  state: TrayState,
): string {
  const variant = trayVariant({
    platform: process.platform,
    isDark: nativeTheme.shouldUseDarkColors,
    desktop: env['XDG_CURRENT_DESKTOP'] ?? '',
  });
  const scale = Math.max(...screen.getAllDisplays().map((display) => display.scaleFactor));
  return trayIconPath(appPath, state, variant, process.platform, scale);
}

/**
 * Call after `ready`. Undefined where somebody may hold the data directory already: their icon is
 * there, and the lock decides whose it stays. Who loses the lock in spite of this ends, and the icon
 * with it.
 */
export function showFirstIcon(facts: {
  readonly appPath: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly dataDir: string;
  /** Reads the text of `agent.lock`. */
  readonly parse: (text: string) => LockContent;
}): FirstIcon | undefined {
  if (mayBeHeld(join(facts.dataDir, 'agent.lock'), facts.parse)) return undefined;
  const icon = iconPath(facts.appPath, facts.env, 'stopped');
  return { tray: new Tray(nativeImage.createFromPath(icon)), icon };
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
