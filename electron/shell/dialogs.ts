/** What is said and asked in a box of the system. */
import { app, dialog } from 'electron';
import type { BrowserWindow } from 'electron';
import type { HoldfastError } from '../engine/kernel/errors';
import type { StartLog } from './start-log';
import { stopAllQuestion } from './stop-question';

/** Says on the terminal, and where a person can see it, why a start did not succeed. */
export async function tellFailedStart(
  known: HoldfastError,
  { isHidden, log }: { readonly isHidden: boolean; readonly log: StartLog },
): Promise<void> {
  const { code, message, hint } = known;
  log.error('app.start_failed', { code });
  process.stderr.write(`${message}\n${hint === undefined ? '' : `${hint}\n`}`);
  if (isHidden) return;
  await app.whenReady();
  dialog.showErrorBox('Holdfast could not start', [message, hint ?? ''].join('\n\n'));
}

/** True where all turns shall end. */
export async function confirmStopAll(
  open: number,
  front: BrowserWindow | undefined,
): Promise<boolean> {
  const question = {
    type: 'question' as const,
    buttons: ['Let them run', 'Stop all turns'],
    defaultId: 0,
    cancelId: 0,
    ...stopAllQuestion(open),
  };
  const answer =
    front === undefined
      ? await dialog.showMessageBox(question)
      : await dialog.showMessageBox(front, question);
  return answer.response === 1;
}
