/** Texts and questions in system dialogs. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { app, dialog } from 'electron';
import type { BrowserWindow, MessageBoxOptions, OpenDialogOptions } from 'electron';
import type { QuitStep } from '../../../shared/types/status';
import type { HoldfastError } from '../../engine/kernel/errors';
import type { WebLink } from './open-link';
import { say } from '../say';
import { createStartLog, type StartLog } from '../start-log';
import {
  quitQuestion,
  stopAllQuestion,
  waitingQuestion,
  type ForeseenQuit,
} from '../stop-question';

/** Reports a failed start on the terminal and where the user can see it. */
export async function tellFailedStart(
  known: HoldfastError,
  { isHidden, log }: { readonly isHidden: boolean; readonly log: StartLog },
): Promise<void> {
  const { code, message, hint } = known;
  log.error('app.start_failed', { code });
  process.stderr.write(`${message}\n${hint === undefined ? '' : `${hint}\n`}`);
  if (isHidden) return;
  await app.whenReady();
  dialog.showErrorBox(say('dialog.failedStart'), [message, hint ?? ''].join('\n\n'));
}

/**
 * The same, if the data directory cannot even hold what Chromium writes; then ends the process. The
 * entry must not await it, because the box waits for the entry. Source: S0-03.
 */
export async function refuseToStart(known: HoldfastError, isHidden: boolean): Promise<never> {
  // Chromium needs a folder for the dialog, too. Its default folder is not ours.
  const aside = mkdtempSync(join(tmpdir(), 'holdfast-'));
  app.setPath('userData', aside);
  await tellFailedStart(known, { isHidden, log: createStartLog() });
  app.once('quit', () => {
    rmSync(aside, { recursive: true, force: true });
  });
  app.exit(1);
  return new Promise<never>(() => undefined);
}

/** A folder, a program or a file that the user picks; undefined if the dialog was closed. */
export async function choosePath(
  what: 'folder' | 'program' | 'file',
  front: BrowserWindow | undefined,
): Promise<string | undefined> {
  const options: OpenDialogOptions =
    what === 'folder'
      ? { title: 'Choose a folder', properties: ['openDirectory', 'createDirectory'] }
      : {
          title: what === 'file' ? 'Choose a file' : 'Choose a program',
          properties: ['openFile'],
        };
  const { filePaths } = await (front === undefined
    ? dialog.showOpenDialog(options)
    : dialog.showOpenDialog(front, options));
  return filePaths[0];
}

/** True if all turns are to be stopped. */
export async function confirmStopAll(
  open: number,
  front: BrowserWindow | undefined,
): Promise<boolean> {
  return isYes({ defaultId: 0, ...stopAllQuestion(open) }, front);
}

/** What closing the last window means. */
export async function askAboutQuit(
  foreseen: ForeseenQuit | undefined,
  waitsFor: readonly QuitStep[] | undefined,
  front: BrowserWindow | undefined,
): Promise<'nothing' | 'take_back' | 'quit' | 'quit_when_done'> {
  if (waitsFor === undefined) {
    const answer = await answerTo({ defaultId: 0, ...quitQuestion(foreseen) }, front);
    return answer === 2 ? 'quit_when_done' : answer === 1 ? 'quit' : 'nothing';
  }
  const answer = await answerTo({ defaultId: 2, ...waitingQuestion(waitsFor, Date.now()) }, front);
  return answer === 2 ? 'nothing' : answer === 1 ? 'quit' : 'take_back';
}

/** Shows everything that will be copied, so that nothing is pasted unseen. R5 */
export function confirmCopy(text: string, front: BrowserWindow | undefined): Promise<boolean> {
  return isYes(
    {
      buttons: [say('dialog.cancel'), say('dialog.copy.yes')],
      defaultId: 1,
      message: say('dialog.copy'),
      detail: `${say('dialog.copy.about')}\n\n${text}`,
    },
    front,
  );
}

/** Shows where a link of an answer leads before anything opens; Cancel is the default. W6 */
export function confirmOpenLink(
  { host, url, warning }: WebLink,
  front: BrowserWindow | undefined,
): Promise<boolean> {
  return isYes(
    {
      buttons: [say('dialog.cancel'), say('dialog.link.yes')],
      defaultId: 0,
      message: say('dialog.link', { name: host }),
      detail: [warning, say('dialog.link.about'), url].filter((line) => line !== '').join('\n\n'),
    },
    front,
  );
}

/** Something that was chosen outside a window failed, and no window can say so. */
export function tellFailed(
  { message, next }: { readonly message: string; readonly next: string },
  front: BrowserWindow | undefined,
): void {
  void answerTo({ type: 'warning', buttons: [say('dialog.close')], message, detail: next }, front);
}

/** The second of two buttons means yes. Closing the box means the first. */
async function isYes(question: Question, front: BrowserWindow | undefined): Promise<boolean> {
  return (await answerTo(question, front)) === 1;
}

type Question = Omit<MessageBoxOptions, 'buttons'> & {
  readonly buttons: readonly (string | undefined)[];
};

async function answerTo(
  { buttons, ...question }: Question,
  front: BrowserWindow | undefined,
): Promise<number> {
  const options = {
    type: 'question' as const,
    cancelId: 0,
    ...question,
    buttons: buttons.filter((label) => label !== undefined),
  };
  const answer =
    front === undefined
      ? await dialog.showMessageBox(options)
      : await dialog.showMessageBox(front, options);
  return answer.response;
}
