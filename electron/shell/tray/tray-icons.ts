/** Which glyph file the tray shows. Pure; `tray.ts` loads it. */
import { join } from 'node:path';
import type { TrayState } from '../../../shared/types';
import type { Settings } from '../../../shared/settings';

/** `app.tray_icon`: for users whose icon is dark on a dark bar, or who want no icon. */
export type WantedIcon = Settings['app.tray_icon'];

/** `light` is for light bars, `dark` for dark ones. */
type TrayVariant = 'template' | 'light' | 'dark';

interface BarFacts {
  readonly platform: string;
  readonly isDark: boolean;
  /** `XDG_CURRENT_DESKTOP`. */
  readonly desktop: string;
  readonly wanted: Exclude<WantedIcon, 'off'>;
}

/** GNOME and Unity draw a dark bar even with a light theme. */
export function trayVariant({ platform, isDark, desktop, wanted }: BarFacts): TrayVariant {
  // macOS makes the template dark or light itself.
  if (platform === 'darwin') return 'template';
  if (wanted !== 'auto') return wanted;
  if (platform === 'linux' && /gnome|unity/i.test(desktop)) return 'dark';
  return isDark ? 'dark' : 'light';
}

/** Linux trays take one bitmap: the largest display decides. macOS finds `@2x` itself. */
export function trayIconPath(
  appPath: string,
  state: TrayState,
  variant: TrayVariant,
  platform: string,
  scale: number,
): string {
  const folder = join(appPath, 'build', 'tray', variant);
  if (variant === 'template') return join(folder, `${state}Template.png`);
  if (platform === 'win32') return join(folder, `${state}.ico`);
  const size = scale >= 2 ? 48 : scale > 1 ? 32 : 24;
  return join(folder, `${state}-${size}.png`);
}
