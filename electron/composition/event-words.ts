import { sentence, sentenceText, type Sentence } from '../../shared/messages';
import type { HistoryEvent } from '../../shared/model';
import type { AuditLine } from '../adapters/log/audit-reader';
import type { HistoryRow } from '../adapters/sqlite/history-reads';
import { numberOf, plainTool, recoveredText, textOf } from './event-facts';
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

/** A line of the audit in words; an event without words of its own shows its name. Pure. */
export function auditWords(line: AuditLine): EventWords {
  const { event, facts } = line;
  const id = textOf(facts['turnId']);
  const values = {
    id,
    step: textOf(facts['step']),
    tool: plainTool(textOf(facts['tool'])),
    outcome: textOf(facts['state'] ?? facts['outcome']),
    version: textOf(facts['version']),
    name: textOf(
      facts['key'] ?? facts['name'] ?? facts['provider'] ?? facts['agent'] ?? facts['topic'],
    ),
    text:
      event === 'turn_recovered'
        ? recoveredText(facts['action'])
        : textOf(facts['answer'] ?? facts['to']).replace('_', '-'),
    count: numberOf(facts['lost'] ?? facts['count'] ?? facts['failedTurns']),
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

const said = (one: Sentence): Pick<EventWords, 'words' | 'sentence'> => ({
  words: sentenceText(one),
  sentence: one,
});

const AUDIT_KEYS = [
  'audit.start',
  'audit.stopped',
  'audit.turn_accepted',
  'audit.step',
  'audit.step_memoized',
  'audit.world_drift',
  'audit.session_adopted',
  'audit.session_handed_back',
  'audit.turn_cancelled',
  'audit.turn_recovered',
  'audit.decision_recorded',
  'audit.setting_changed',
  'audit.agent_added',
  'audit.agent_changed',
  'audit.agent_removed',
  'audit.provider_key_set',
  'audit.provider_key_removed',
  'audit.practice_kill',
  'audit.upkeep',
  'audit.reset',
  'audit.notification',
  'audit.audit.lines_lost',
  'audit.conversation_shortened',
  'audit.breaker_moved',
  'audit.breaker_damaged',
  'audit.outage_declared',
  'audit.outage_resolved',
  'audit.provider_probed',
  'audit.provider_quota',
  'audit.turn_moved',
  'audit.event',
  'audit.event_refused',
  'audit.event_shed',
  'audit.event_buried',
  'audit.letters_replayed',
  'audit.letters_purged',
] as const;
