/** Describes audit lines for the events page and the terminal. */
import { CATALOGUE, sentence, type Sentence, type SentenceValue } from '../../../shared/messages';
import { EN_AUDIT } from '../../../shared/messages/en-audit';
import { providerTitle } from '../../../shared/provider-title';
import { BREAKER_STATES, CLOSED_TURN_STATES } from '../../../shared/states';
import type { AuditLine } from '../../ports/history';
import { breakerSubject, numberOf, plainTool, recoveredText, textOf } from './describe-entry';
import { said, type Description } from './said';

type Facts = AuditLine['facts'];

const AUDIT_KEYS = Object.keys(EN_AUDIT) as (keyof typeof EN_AUDIT)[];
/** Fields that may name a line's subject. */
const NAMES = [
  'key', 'name', 'client', 'provider', 'agent', 'topic', 'channel', 'server', 'path', 'stage', 'skill',
] as const; // prettier-ignore
const NUMBERS = ['taskId', 'draftId', 'timerId', 'runId', 'port', 'requestId', 'pid'] as const;
const STEP_ENDS = ['completed', 'failed', 'ambiguous', 'skipped', 'confirmed'] as const;

/** Describes an audit line; an unknown event shows its name. Pure. */
export function describeAuditLine({ event, facts }: AuditLine): Description {
  const one = sentenceOf(event, facts);
  const outcome = textOf(
    facts['state'] ?? facts['action'] ?? facts['answer'] ?? facts['reason'] ?? facts['outcome'],
  );
  const detail = Object.entries(facts)
    .map(([name, value]) => `${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join('\n');
  return {
    kind: event,
    ...(one === undefined ? { words: event.replaceAll('_', ' ') } : said(one)),
    ...(outcome === '' ? {} : { outcome }),
    ...(detail === '' ? {} : { detail }),
  };
}

/** The journal says the same things of steps, turns and breakers: its sentences are taken. */
function sentenceOf(event: string, facts: Facts): Sentence | undefined {
  const id = textOf(facts['turnId']);
  const step = textOf(facts['step']);
  const tool = plainTool(textOf(facts['tool']));
  const { state } = facts;
  switch (event) {
    case 'step':
      return sentence(`event.step.${oneOf(STEP_ENDS, state)}`, { step, tool });
    case 'turn_ended':
      return sentence(`event.turn.${oneOf(CLOSED_TURN_STATES, state)}`, { id });
    case 'breaker_moved':
      return sentence(`event.breaker.${oneOf(BREAKER_STATES, facts['to'])}`, {
        name: breakerSubject(textOf(facts['name'])),
      });
    default: {
      const key = AUDIT_KEYS.find((one) => one === `audit.${event}`);
      return key === undefined ? undefined : sentence(key, valuesOf(event, facts));
    }
  }
}

const valuesOf = (event: string, facts: Facts) => ({
  id: textOf(facts['turnId']),
  step: textOf(facts['step']),
  tool: plainTool(textOf(facts['tool'])),
  outcome: textOf(facts['state'] ?? facts['outcome']),
  version: textOf(facts['version']),
  name: nameIn(facts),
  number: textOf(NUMBERS.map((name) => facts[name]).find((value) => value !== undefined)),
  text: textIn(event, facts),
  count: numberOf(facts['lost'] ?? facts['count'] ?? facts['failedTurns'] ?? facts['order']),
});

const ANSWERS = ['resume', 'confirm', 'skip', 'discard', 'raise_limit', 'discard_run'] as const;

function textIn(event: string, facts: Facts): SentenceValue {
  if (event === 'turn_recovered') return recoveredText(facts['action']);
  const answer = ANSWERS.find((one) => event === 'decision_recorded' && one === facts['answer']);
  return answer === undefined
    ? textOf(facts['answer'] ?? facts['to']).replace('_', '-')
    : sentence(`audit.decision.${answer}`);
}

/** The subject as a person knows it: settings by their titles, providers as they are written. */
function nameIn(facts: Facts): SentenceValue {
  const field = NAMES.find((name) => facts[name] !== undefined);
  const name = field === undefined ? '' : textOf(facts[field]);
  switch (field) {
    case 'key': {
      const title = `setting.${name}`;
      return isTitle(title) ? sentence(title) : name;
    }
    case 'provider':
      return providerTitle(name);
    case 'topic':
      return name.replace(/^holdfast\./, '');
    default:
      return name;
  }
}

type TitleKey = Extract<keyof typeof CATALOGUE, `setting.${string}`>;
/** A title alone: what takes values is a sentence about a setting. */
const isTitle = (key: string): key is TitleKey =>
  Object.hasOwn(CATALOGUE, key) && !CATALOGUE[key as TitleKey].includes('{');

/** The value if it is one of these, else the first: a newer version may have written others. */
const oneOf = <T extends string>(all: readonly [T, ...T[]], value: unknown): T =>
  all.find((one) => one === value) ?? all[0];
