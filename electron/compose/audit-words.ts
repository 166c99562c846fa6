/** The lines of the audit in words: who did what, as the page of events and the terminal tell it. */
import { sentence } from '../../shared/messages';
import { EN_AUDIT } from '../../shared/messages/en-audit';
import type { AuditLine } from '../adapters/log/audit-reader';
import { numberOf, plainTool, recoveredText, textOf } from './event-facts';
import { said } from './event-words';
import type { EventWords } from './event-words';

const AUDIT_KEYS = Object.keys(EN_AUDIT) as (keyof typeof EN_AUDIT)[];
/** What a line is about, by whatever name its facts have it. */
const NAMES = [
  'key', 'name', 'client', 'provider', 'agent', 'topic', 'channel', 'server', 'path', 'stage', 'skill',
] as const; // prettier-ignore
const NUMBERS = ['taskId', 'draftId', 'timerId', 'runId', 'port', 'requestId', 'pid'] as const;

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
