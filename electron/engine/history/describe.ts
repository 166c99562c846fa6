/** Describes journal entries for the events page and the terminal. */
import { sentence, sentenceText, type Sentence } from '../../../shared/messages';
import type { HistoryRow } from '../../ports/history';
import type { JournalEntry } from '../../ports/journal/entries';
import { ENTRY_TEXTS, type EntryText, type EntryPlace } from './describe-entry';
import { said, type Description } from './said';

export type { Description } from './said';

export { describeAuditLine } from './describe-audit';

function detailOf(
  detail: string | readonly Sentence[] | undefined,
): Pick<Description, 'detail' | 'detailSentences'> {
  if (detail === undefined || detail === '') return {};
  if (typeof detail === 'string') return { detail };
  return { detail: detail.map(sentenceText).join(' '), detailSentences: [...detail] };
}

/** Describes a journal row. Pure; reports a kind that a newer version wrote. */
export function describeEntry(row: Omit<HistoryRow, 'seq' | 'atMs' | 'sessionId'>): Description {
  const { entry, turnId, step, started } = row;
  if (entry === undefined) return { kind: 'unknown', ...said(sentence('event.unknown')) };
  const text = textOfEntry(entry, { id: turnId ?? 0, step: step ?? 0, turnId, started });
  return {
    kind: entry.kind,
    ...said(text.sentence),
    ...(text.outcome === undefined || text.outcome === '' ? {} : { outcome: text.outcome }),
    ...detailOf(text.detail),
  };
}

// The text of a kind takes the entries of that kind only.
const textOfEntry = (entry: JournalEntry, place: EntryPlace): EntryText =>
  (ENTRY_TEXTS[entry.kind] as (entry: JournalEntry, place: EntryPlace) => EntryText)(entry, place);

const MAX_WORDS = 500;
const MAX_DETAIL = 2000;

/**
 * Sends sentences only if they match the words: a secret that shows only in the whole text, not in
 * a single value, stays hidden.
 */
export function hideSecrets(raw: Description, hide: (text: string) => string): Description {
  const { sentence: whole, detail, detailSentences, ...rest } = raw;
  const words = hide(raw.words).slice(0, MAX_WORDS);
  const about = detail === undefined ? undefined : hide(detail).slice(0, MAX_DETAIL);
  const safe = whole === undefined ? undefined : hiddenIn(whole, hide);
  const details = detailSentences?.map((one) => hiddenIn(one, hide));
  return {
    ...rest,
    words,
    ...(safe !== undefined && sentenceText(safe).slice(0, MAX_WORDS) === words
      ? { sentence: safe }
      : {}),
    ...(about === undefined ? {} : { detail: about }),
    ...(details !== undefined && details.map(sentenceText).join(' ') === about
      ? { detailSentences: details }
      : {}),
  };
}

const hiddenIn = ({ key, values }: Sentence, hide: (text: string) => string): Sentence => ({
  key,
  ...(values === undefined
    ? {}
    : {
        values: Object.fromEntries(
          Object.entries(values).map(([name, value]) => [
            name,
            typeof value === 'string'
              ? hide(value)
              : typeof value === 'object'
                ? hiddenIn(value, hide)
                : value,
          ]),
        ),
      }),
});
