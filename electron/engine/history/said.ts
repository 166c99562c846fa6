import { sentenceText, type Sentence } from '../../../shared/messages';
import type { HistoryEvent } from '../../../shared/types';

/**
 * An event's description; the rest of {@link HistoryEvent} locates it. `words` are the sentences in
 * this process's language; windows render them in theirs.
 */
export type Description = Pick<HistoryEvent, 'kind' | 'words'> & {
  readonly sentence?: Sentence;
  readonly outcome?: string;
  readonly detail?: string;
  readonly detailSentences?: Sentence[];
};

/** A sentence and its text in this process's language. */
export const said = (one: Sentence): Pick<Description, 'words' | 'sentence'> => ({
  words: sentenceText(one),
  sentence: one,
});
