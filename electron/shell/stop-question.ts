/** The one question before all turns are stopped (look.md, sentence 25). Pure. */
export function stopAllQuestion(open: number): {
  readonly message: string;
  readonly detail: string;
  /** No, then yes. */
  readonly buttons: [string, string];
} {
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
