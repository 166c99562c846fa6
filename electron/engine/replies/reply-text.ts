/**
 * The text for a channel at the end of a turn: the answer, or a sentence that there is none. Some
 * channels reject an empty message, and on others the requester would keep waiting. Pure.
 */
export function replyText(
  turn: { readonly state: string; readonly reason: string },
  answer: string,
): string {
  if (answer.trim() !== '') return answer;
  if (turn.state === 'completed') return 'Done. The agent gave no answer.';
  const why = turn.reason === '' ? '' : ` ${turn.reason}`;
  return `This could not be completed.${why}`;
}
