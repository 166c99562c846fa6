import { app, systemPreferences } from 'electron';
import { formatLocale } from './format-locale';

/** How this system writes times, numbers and money; call after `ready`. */
export const systemFormats = (): string =>
  formatLocale({
    platform: process.platform,
    env: process.env,
    systemLocale: app.getSystemLocale(),
    menuLocale: app.getLocale(),
    clock: clockOfMac(),
  });

/** The switch "24-hour time" of macOS, if the user has changed it. */
function clockOfMac(): '12' | '24' | undefined {
  if (process.platform !== 'darwin') return undefined;
  const isOn = (key: string): boolean => systemPreferences.getUserDefault(key, 'boolean');
  if (isOn('AppleICUForce24HourTime')) return '24';
  return isOn('AppleICUForce12HourTime') ? '12' : undefined;
}
