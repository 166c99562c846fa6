/** What is said and asked in a box of the system. */
import { app, dialog } from 'electron';
import type { BrowserWindow, MessageBoxOptions } from 'electron';
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
  return isYes({ defaultId: 0, ...stopAllQuestion(open) }, front);
}

/** Shows all that is copied, so that nobody pastes what they have not seen. R5 */
export function confirmCopy(text: string, front: BrowserWindow | undefined): Promise<boolean> {
  return isYes(
    {
      buttons: ['Cancel', 'Copy'],
      defaultId: 1,
      message: 'Copy this about your Holdfast?',
      detail: `It goes to the clipboard and nowhere else.\n\n${text}`,
    },
    front,
  );
}

/** Of two buttons the second is the yes; closing the box is the first. */
async function isYes(
  question: Omit<MessageBoxOptions, 'type' | 'cancelId'>,
  front: BrowserWindow | undefined,
): Promise<boolean> {
  const options = { type: 'question' as const, cancelId: 0, ...question };
  const answer =
    front === undefined
      ? await dialog.showMessageBox(options)
      : await dialog.showMessageBox(front, options);
  return answer.response === 1;
}
