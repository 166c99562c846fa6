import { Menu, app, protocol } from 'electron';
import { createTokenBucket } from '../../shared/token-bucket';
import type { Log } from '../ports/log';
import { installContentGuard } from './windows/content-guard';
import { openAllowedExternal } from './windows/open-external';

/** A user follows such a link once, to create a key. */
const OPENS_AT_ONCE = 3;
const OPENS_PER_SECOND = 0.2;

/** Settings that must be made before `ready` (W2, W4, W5, W7). */
export function prepareProcess(log: Log): void {
  // The call would undo `--no-sandbox`, which launchers pass if no sandbox is available (root,
  // kernels without namespaces); every page enables the sandbox in its own preferences.
  if (!app.commandLine.hasSwitch('no-sandbox')) app.enableSandbox();
  // Otherwise Electron creates its default menu first.
  Menu.setApplicationMenu(null);
  if (process.platform === 'win32') app.setAppUserModelId('dev.holdfast.app');
  protocol.registerSchemesAsPrivileged([
    {
      scheme: 'holdfast',
      privileges: { standard: true, secure: true, supportFetchAPI: true, codeCache: true },
    },
  ]);
  // A page in a loop opens no tabs without end, and does not fill the log.
  const opens = createTokenBucket(OPENS_AT_ONCE, OPENS_PER_SECOND);
  let count = 0;
  installContentGuard({
    app,
    openInBrowser: (url) => opens.take(performance.now()) && openAllowedExternal(url),
    onRefused: (what) => {
      count += 1;
      if ((count & (count - 1)) === 0) log.warn('window.refused', { what, count });
    },
  });
}
