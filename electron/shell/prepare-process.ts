import { Menu, app, protocol } from 'electron';
import type { Log } from '../ports/log';
import { installContentGuard } from './windows/content-guard';
import { openAllowedExternal } from './windows/open-external';

/** What has to be settled before `ready` (W2, W4, W5, W7). */
export function prepareProcess(log: Log): void {
  // The call would undo `--no-sandbox`, with which launchers start us if no sandbox is available
  // (root, kernels without namespaces); every page enables it in its own preferences.
  if (!app.commandLine.hasSwitch('no-sandbox')) app.enableSandbox();
  // Otherwise Electron makes its own menu first.
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
