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
export const quitQuestion = (open: number): BoxQuestion => ({
  message: 'Quit Holdfast?',
  detail: `${
    open === 0
      ? 'No turn runs or waits to run.'
      : open === 1
        ? 'The open turn stays on disk and goes on at the next start.'
        : `The ${String(open)} open turns stay on disk and go on at the next start.`
  } Tasks, timers and heartbeats wait for it, too. There is no icon in the tray by your settings, so the window stays if you do not quit.`,
  buttons: ['Keep it running', 'Quit'],
});
