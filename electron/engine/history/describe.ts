/** Describes journal entries and audit lines for the events page and the terminal. */
import { sentence, sentenceText, type Sentence } from '../../../shared/messages';
import { EN_AUDIT } from '../../../shared/messages/en-audit';
import type { HistoryEvent } from '../../../shared/types';
import type { AuditLine, HistoryRow } from '../../ports/history';
import type { JournalEntry } from '../../ports/journal/entries';
import {
  ENTRY_TEXTS,
  type EntryText,
  type Place,
  numberOf,
  plainTool,
  recoveredText,
  textOf,
} from './describe-entry';

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
const textOfEntry = (entry: JournalEntry, place: Place): EntryText =>
  (ENTRY_TEXTS[entry.kind] as (entry: JournalEntry, place: Place) => EntryText)(entry, place);

/** A sentence and its text in this process's language. */
const said = (one: Sentence): Pick<Description, 'words' | 'sentence'> => ({
  words: sentenceText(one),
  sentence: one,
});

const AUDIT_KEYS = Object.keys(EN_AUDIT) as (keyof typeof EN_AUDIT)[];
/** Fields that may name a line's subject. */
const NAMES = [
  'key', 'name', 'client', 'provider', 'agent', 'topic', 'channel', 'server', 'path', 'stage', 'skill',
] as const; // prettier-ignore
const NUMBERS = ['taskId', 'draftId', 'timerId', 'runId', 'port', 'requestId', 'pid'] as const;

/** Describes an audit line; an unknown event shows its name. Pure. */
export function describeAuditLine(line: AuditLine): Description {
  const { event, facts } = line;
  const id = textOf(facts['turnId']);
  const values = {
    id,
    step: textOf(facts['step']),
    tool: plainTool(textOf(facts['tool'])),
    outcome: textOf(facts['state'] ?? facts['outcome']),
    version: textOf(facts['version']),
    name: textOf(NAMES.map((name) => facts[name]).find((value) => value !== undefined)),
    number: textOf(NUMBERS.map((name) => facts[name]).find((value) => value !== undefined)),
    text:
      event === 'turn_recovered'
        ? recoveredText(facts['action'])
        : textOf(facts['answer'] ?? facts['to']).replace('_', '-'),
    count: numberOf(facts['lost'] ?? facts['count'] ?? facts['failedTurns'] ?? facts['order']),
  };
  const key = AUDIT_KEYS.find((one) => one === `audit.${event}`);
  const outcome = textOf(
    facts['state'] ?? facts['action'] ?? facts['answer'] ?? facts['reason'] ?? facts['outcome'],
  );
  const detail = Object.entries(facts)
    .map(([name, value]) => `${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join('\n');
  return {
    kind: event,
    ...(key === undefined ? { words: event.replaceAll('_', ' ') } : said(sentence(key, values))),
    ...(outcome === '' ? {} : { outcome }),
    ...(detail === '' ? {} : { detail }),
  };
}

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
