import {
  quitSentences,
  quitWhenDoneText,
  type ForeseenStart,
  type QuitStep,
} from '../../shared/quit-words';

/** The questions of boxes: before all turns are stopped (look.md, sentence 25), before the end. Pure. */
interface BoxQuestion {
  readonly message: string;
  readonly detail: string;
  /** No, then yes, then another yes. */
  readonly buttons: [string, string, string?];
  /** What closing the box means, where that is not the no. */
  readonly cancelId?: number;
}

export function stopAllQuestion(open: number): BoxQuestion {
  const what = open === 1 ? 'the turn' : open === 2 ? 'both turns' : `all ${open} turns`;
  return {
    message: `Stop ${what}?`,
    detail:
      open === 1
        ? 'It ends where it is and is never replayed. Finished steps stay in the journal.'
        : 'They end where they are and are never replayed. Finished steps stay in the journal.',
    buttons: open === 1 ? ['Let it run', 'Stop the turn'] : ['Let them run', 'Stop all turns'],
  };
}

/** What a quit would mean now, with the number of steps that it may wait for. */
export interface ForeseenQuit extends ForeseenStart {
  readonly atWork: number;
}

/** True if a step is at work that the next start would make again or ask about. */
export const canWait = ({ atWork }: ForeseenQuit): boolean => atWork > 0;

export const whenDoneLabel = (atWork: number): string =>
  `Quit when ${atWork === 1 ? 'this step is' : 'these steps are'} done`;

/** A window is closed that no icon would bring back. */
export const quitQuestion = (foreseen: ForeseenQuit | undefined): BoxQuestion => ({
  message: 'Quit Holdfast?',
  detail: `${
    (foreseen === undefined ? 'Open turns stay on disk.' : quitSentences(foreseen)) ||
    'No turn runs or waits to run.'
  } Tasks, timers and heartbeats wait for it, too. There is no icon in the tray by your settings, so the window stays if you do not quit.`,
  buttons:
    foreseen !== undefined && canWait(foreseen)
      ? ['Keep it running', 'Quit', whenDoneLabel(foreseen.atWork)]
      : ['Keep it running', 'Quit'],
});

/** The same window is closed again while Holdfast waits for its steps; closing the box changes nothing. */
export const waitingQuestion = (steps: readonly QuitStep[], nowMs: number): BoxQuestion => ({
  message: `${quitWhenDoneText(steps, ({ startedAtMs }) => secondsText(nowMs - startedAtMs))}.`,
  detail:
    'No other step and no turn begins meanwhile; messages are still accepted and kept on disk. If you quit now, the step is cut off.',
  buttons: ['Do not quit', 'Quit now', 'Wait for it'],
  cancelId: 2,
});

const secondsText = (ms: number): string => `${String(Math.max(0, Math.round(ms / 1_000)))} s`;
