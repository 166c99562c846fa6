import { quitSentences, type ForeseenStart } from '../../shared/quit-words';

/** The questions of boxes: before all turns are stopped (look.md, sentence 25), before the end. Pure. */
interface BoxQuestion {
  readonly message: string;
  readonly detail: string;
  /** No, then yes. */
  readonly buttons: [string, string];
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

/** A window is closed that no icon would bring back. */
export const quitQuestion = (foreseen: ForeseenStart | undefined): BoxQuestion => ({
  message: 'Quit Holdfast?',
  detail: `${
    (foreseen === undefined ? 'Open turns stay on disk.' : quitSentences(foreseen)) ||
    'No turn runs or waits to run.'
  } Tasks, timers and heartbeats wait for it, too. There is no icon in the tray by your settings, so the window stays if you do not quit.`,
  buttons: ['Keep it running', 'Quit'],
});
