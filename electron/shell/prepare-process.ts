import { Menu, app, protocol } from 'electron';
import type { Log } from '../ports/log';
import { installContentGuard } from './windows/content-guard';
import { openAllowedExternal } from './windows/open-external';

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
  installContentGuard({
    app,
    openInBrowser: openAllowedExternal,
    onRefused: (what) => log.warn('window.refused', { what }),
  });
}
