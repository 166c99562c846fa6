import { refuse, type Refusal } from './refusal';

/** What starts a task, besides time. */
export type Trigger =
  /** A file, or anything in a folder. */
  | { readonly on: 'file'; readonly path: string }
  | { readonly on: 'git'; readonly place: string; readonly ref: string }
  /** A message that a channel receives; `where`: only one with this text. */
  | { readonly on: 'webhook'; readonly channel: string; readonly where?: string }
  /** A message of the event broker; `*` and `>` as in NATS. */
  | { readonly on: 'nats'; readonly subject: string; readonly where?: string }
  | { readonly on: 'task'; readonly taskId: number };

/** Events within this time start one run. */
export const DEFAULT_DEBOUNCE_MS = 10_000;

const ACCEPTED =
  'use for example "on file ~/inbox", "on git ~/project main", "on webhook ci where failed", "on nats orders.created" or "on task 3", with "debounce 1m" at its end if you like.';

type ParsedTrigger =
  { readonly ok: true; readonly trigger: Trigger; readonly debounce: string | undefined } | Refusal;

const refused = (input: string, why: string): Refusal => refuse('syntax', input, why);

/** Words; those in double quotes may contain spaces. */
const wordsOf = (text: string): readonly string[] =>
  [...text.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? '');

/** Parses the text after "on". Never throws; bounded time. Pure. Source: GT-02, GT-04. */
export function parseTrigger(input: string, text: string): ParsedTrigger {
  const [kind = '', of = '', ...rest] = wordsOf(text);
  const at = rest.findIndex((word) => word.toLowerCase() === 'debounce');
  const debounce = at < 0 ? undefined : rest.slice(at + 1).join(' ');
  const more = at < 0 ? rest : rest.slice(0, at);
  const isShort = of === '' || debounce === '' || /[\0\r\n]/.test(text);
  const trigger = isShort ? undefined : readTrigger(kind.toLowerCase(), of, more);
  return trigger === undefined ? refused(input, ACCEPTED) : { ok: true, trigger, debounce };
}

/** The part after a message's place: empty, or its filter; undefined for anything else. */
function filterOf([where, ...texts]: readonly string[]): { readonly where?: string } | undefined {
  if (where === undefined) return {};
  const isFilter = where.toLowerCase() === 'where' && texts.length > 0;
  return isFilter ? { where: texts.join(' ') } : undefined;
}

/** A subject of NATS with its wildcards. */
const SUBJECT = /^(?=.{1,200}$)(?:(?:[A-Za-z0-9_-]+|\*)(?:\.(?:[A-Za-z0-9_-]+|\*))*(?:\.>)?|>)$/;

/**
 * Holdfast publishes the ends of its turns there: a task started by them would start itself
 * forever.
 */
function isOwnTurns(subject: string): boolean {
  const [first = '', second = '>'] = subject.split('.');
  if (first === '>') return true;
  return ['holdfast', '*'].includes(first) && ['turn', '*', '>'].includes(second);
}

function readTrigger(kind: string, of: string, more: readonly string[]): Trigger | undefined {
  switch (kind) {
    case 'file':
    case 'folder':
      return more.length === 0 ? { on: 'file', path: of } : undefined;
    case 'git': {
      const [ref = 'HEAD', ...others] = more;
      const isPlain = !/^-|::/.test(of) && /^[^-~^:?*[\\\s][^~^:?*[\\\s]*$/.test(ref);
      return isPlain && others.length === 0 ? { on: 'git', place: of, ref } : undefined;
    }
    case 'webhook': {
      if (!/^[A-Za-z0-9_-]{1,32}$/.test(of)) return undefined;
      const filter = filterOf(more);
      return filter === undefined ? undefined : { on: 'webhook', channel: of, ...filter };
    }
    case 'nats': {
      const filter = filterOf(more);
      if (filter === undefined || !SUBJECT.test(of) || isOwnTurns(of)) return undefined;
      return { on: 'nats', subject: of, ...filter };
    }
    case 'task':
      return /^[1-9]\d{0,14}$/.test(of) && more.length === 0
        ? { on: 'task', taskId: Number(of) }
        : undefined;
    default:
      return undefined;
  }
}

/** Describes what is watched. */
export function triggerText(trigger: Trigger): string {
  switch (trigger.on) {
    case 'file':
      return trigger.path;
    case 'git':
      return trigger.ref === 'HEAD' ? trigger.place : `${trigger.place} ${trigger.ref}`;
    case 'webhook':
      return trigger.where === undefined ? trigger.channel : `${trigger.channel}: ${trigger.where}`;
    case 'nats':
      return trigger.where === undefined ? trigger.subject : `${trigger.subject}: ${trigger.where}`;
    case 'task':
      return String(trigger.taskId);
  }
}
