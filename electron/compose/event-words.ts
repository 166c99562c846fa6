import { sentence, sentenceText, type Sentence } from '../../shared/messages';
import type { HistoryEvent } from '../../shared/types';
import type { HistoryRow } from '../adapters/sqlite/tables/history';
import { JOURNAL_WORDS } from './journal-words';

/**
 * What an event says; the rest of {@link HistoryEvent} is where it stands. The words are those of the
 * sentences in the language of this process; windows say the sentences in their own.
 */
export type EventWords = Pick<HistoryEvent, 'kind' | 'words'> & {
  readonly sentence?: Sentence;
  readonly outcome?: string;
  readonly detail?: string;
  readonly detailSentences?: Sentence[];
};

function detailOf(
  detail: string | readonly Sentence[] | undefined,
): Pick<EventWords, 'detail' | 'detailSentences'> {
  if (detail === undefined || detail === '') return {};
  if (typeof detail === 'string') return { detail };
  return { detail: detail.map(sentenceText).join(' '), detailSentences: [...detail] };
}

/** A journal row in words. Pure; a kind that a newer version wrote says so. */
export function journalWords(row: HistoryRow): EventWords {
  const { body, kind, turnId, started } = row;
  if (kind === undefined) return { kind: 'unknown', ...said(sentence('event.unknown')) };
  const told = JOURNAL_WORDS[kind]({
    body,
    id: turnId ?? 0,
    step: row.step ?? 0,
    turnId,
    started,
  });
  return {
    kind,
    ...said(told.said),
    ...(told.outcome === undefined || told.outcome === '' ? {} : { outcome: told.outcome }),
    ...detailOf(told.detail),
  };
}

/** A sentence, and its words in the language of this process. */
export const said = (one: Sentence): Pick<EventWords, 'words' | 'sentence'> => ({
  words: sentenceText(one),
  sentence: one,
});
