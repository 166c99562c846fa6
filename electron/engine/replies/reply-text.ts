/**
 * What a channel is told at the end of a turn: the answer, or in a sentence that there is none. A
 * message without words would be refused by some, and leave who asked waiting by others. Pure.
 */
export function replyText(
  turn: { readonly state: string; readonly reason: string },
  answer: string,
): string {
  if (answer.trim() !== '') return answer;
  if (turn.state === 'completed') return 'Done. The agent had nothing to say about it.';
  const why = turn.reason === '' ? '' : ` ${turn.reason}`;
  return `This could not be finished.${why}`;
}
