/** Folders and files of the desktop, for the verbs of the windows. */
import { app, shell } from 'electron';
import type { BrowserWindow } from 'electron';
import type { Holdfast } from '../../engine/api/facade';
import type { DesktopVerbDeps } from '../desktop-verbs';
import { choosePath } from '../windows/dialogs';
import { createWorkspaceOpener } from '../windows/open-workspace';
import { choosePlace, saveText } from '../windows/save-text';

export function desktopPaths({
  env,
  engine,
  front,
}: {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Undefined while no engine runs in this process. */
  readonly engine: () => { readonly holdfast: Pick<Holdfast, 'call'> } | undefined;
  readonly front: () => BrowserWindow | undefined;
}): DesktopVerbDeps['paths'] {
  const openPath = (path: string): Promise<string> => shell.openPath(path);
  let isAsking = false;
  /** One dialog at a time: a page in a loop must not cover the screen with them. */
  const alone = async <T>(ask: () => Promise<T | undefined>): Promise<T | undefined> => {
    if (isAsking) return undefined;
    isAsking = true;
    return ask().finally(() => {
      isAsking = false;
    });
  };
  return {
    open: openPath,
    choose: (what) => alone(() => choosePath(what, front())),
    save: (file) => alone(() => saveText(file, { folder: app.getPath('home'), front: front() })),
    savePatch: (turnId) =>
      alone(async () => {
        const place = { folder: app.getPath('home'), front: front() };
        const patchFile = await choosePlace(`turn-${String(turnId)}.patch`, place);
        if (patchFile === undefined) return undefined;
        const input = { turnId, act: 'patch', patchFile, mayReplace: true } as const;
        const answer = await engine()?.holdfast.call('share.files', input, 'tray');
        return answer === undefined ? undefined : patchFile;
      }),
    openWorkspace: createWorkspaceOpener({
      env,
      platform: process.platform,
      show: openPath,
      async folderOf(agent) {
        const answer = await engine()?.holdfast.call('agents.list', {}, 'window');
        return answer?.agents.find(({ name }) => name === agent)?.workspace;
      },
    }),
  };
}
