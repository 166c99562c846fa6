import { quitSentences, quitWhenDoneText, type ForeseenStart } from '../../shared/quit-words';
import type { QuitStep } from '../../shared/types/status';
import { say } from './say';

/** The confirmation dialogs: before all turns are stopped, and before quitting. Pure. */
interface BoxQuestion {
  readonly message: string;
  readonly detail: string;
  /** No, then yes, then optionally a second yes. */
  readonly buttons: [string, string, string?];
  /** The button that counts when the box is closed, if that is not the no. */
  readonly cancelId?: number;
}

export function stopAllQuestion(open: number): BoxQuestion {
  const count = open;
  return {
    message: say('ask.cancelAll', { count }),
    detail: say('ask.cancelAll.about', { count }),
    buttons: [say('ask.cancelAll.no', { count }), say('ask.cancelAll.yes', { count })],
  };
}

/** What a quit would do now, with the number of steps it may wait for. */
export interface ForeseenQuit extends ForeseenStart {
  readonly atWork: number;
}

/** True if a step is running that the next start would repeat or ask about. */
export const canWait = ({ atWork }: ForeseenQuit): boolean => atWork > 0;

export const whenDoneLabel = (atWork: number): string =>
  say('ask.quit.whenDone', { count: atWork });

/** The user closes a window that no tray icon could bring back. */
export const quitQuestion = (foreseen: ForeseenQuit | undefined): BoxQuestion => ({
  message: say('ask.quit'),
  detail: say('ask.quit.about', {
    text:
      (foreseen === undefined ? say('ask.quit.unknown') : quitSentences(foreseen)) ||
      say('ask.quit.nothing'),
  }),
  buttons:
    foreseen !== undefined && canWait(foreseen)
      ? [say('ask.quit.no'), say('ask.quit.yes'), whenDoneLabel(foreseen.atWork)]
      : [say('ask.quit.no'), say('ask.quit.yes')],
});

/**
 * The same window is closed again while Holdfast waits for its steps; closing the box changes
 * nothing.
 */
export const waitingQuestion = (steps: readonly QuitStep[], nowMs: number): BoxQuestion => ({
  message: `${quitWhenDoneText(steps, ({ startedAtMs }) => secondsText(nowMs - startedAtMs))}.`,
  detail: say('ask.waiting.about'),
  buttons: [say('ask.waiting.no'), say('ask.waiting.now'), say('ask.waiting.wait')],
  cancelId: 2,
});

const secondsText = (ms: number): string => `${String(Math.max(0, Math.round(ms / 1_000)))} s`;
