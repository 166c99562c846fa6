/** Prevents automatic sleep with the means of the desktop. KA-01, KA-04 */
import type { PowerSaveBlocker } from 'electron';
import type { DesktopHolder } from '../../ports/awake';

/** Desktops whose session manager honors Electron's blocker. */
const SESSION_MANAGED = /gnome|unity|kde|xfce|cinnamon|mate|budgie|pantheon|lxqt|deepin/i;

/** `prevent-app-suspension` does not affect the screen, and the user can still close the lid. */
export function createStayAwake(
  blocker: Pick<PowerSaveBlocker, 'start' | 'stop'>,
  platform: NodeJS.Platform,
  env: Readonly<Record<string, string | undefined>>,
): DesktopHolder {
  return {
    isHeard: platform !== 'linux' || SESSION_MANAGED.test(env['XDG_CURRENT_DESKTOP'] ?? ''),
    hold() {
      const id = blocker.start('prevent-app-suspension');
      return { release: () => void blocker.stop(id), lost: new Promise(() => undefined) };
    },
  };
}
