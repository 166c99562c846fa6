/** How a turn ended, in one line: the start of its answer, or why there is none. Pure. */
import { t } from '../../shared/messages';
import type { TurnSummary } from '../../shared/types';
import { shownTurn } from './state-view';
import { localClocks } from './time-view';

/** Markdown syntax at the start of a line, and around words. */
const LINE_MARKS = /^\s*(?:#{1,6}\s+|[-*+]\s+|\d+[.)]\s+|>\s?)/;
const WORD_MARKS = /(\*\*|__|`)/g;
/** A word, or several, between single marks: no product of numbers, and no name with a line in it. */
const EMPHASIS = /(?<![\p{L}\p{N}*_])([*_])(?=\S)([^*_\n]+?)(?<=\S)\1(?![\p{L}\p{N}*_])/gu;

/**
 * The first meaningful line of an answer, without Markdown syntax, up to the end of its first
 * sentence.
 */
function answerLine(answerStart: string): string {
  const lines = answerStart
    .split('\n')
    .map((line) =>
      line.replace(LINE_MARKS, '').replace(WORD_MARKS, '').replace(EMPHASIS, '$2').trim(),
    )
    .filter((line) => /[\p{L}\p{N}]/u.test(line));
  // A heading alone only announces something, so the line after it is added.
  const isHeading = /^\s*#/.test(answerStart.trimStart());
  const said = isHeading && lines.length > 1 ? `${lines[0] ?? ''}: ${lines[1] ?? ''}` : lines[0];
  return (said ?? '').replace(/([.!?])\s+\S.*$/, '$1').replace(/\.$/, '');
}

/** The outcome of a turn. */
export function outcomeOf(
  turn: Pick<TurnSummary, 'answerStart' | 'reason' | 'state' | 'steps'>,
  locale?: string,
): string {
  const answer = answerLine(turn.answerStart ?? '');
  if (turn.state === 'completed' && answer !== '') return answer;
  const state = t(shownTurn(turn.state).label as 'state.running');
  if (turn.reason !== '') {
    const reason = localClocks(turn.reason, locale).replace(/\.$/, '');
    return turn.state === 'completed' ? reason : `${state}: ${reason}`;
  }
  return `${state}, ${t('turn.steps', { count: turn.steps })}`;
}
