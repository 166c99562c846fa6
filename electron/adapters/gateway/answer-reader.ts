import {
  NO_TOKENS,
  objectIn,
  tokensOf,
  type Tokens,
  withReported,
} from '../providers/reported-tokens';
import type { StreamEvent } from './event-stream';
import type { Endpoint } from './routes';
import { type Json } from '../../engine/kernel/json-object';

/** What an event means for the answer it is part of. */
type EventMeaning =
  | 'part'
  /** Before the first content: a client that has not seen it misses nothing. */
  | 'opening'
  /** The answer is complete with this event. */
  | 'end'
  /** The end of an answer that never started: it is not an answer and must not be cached as one. */
  | 'empty'
  /** The provider reports an error instead of the rest. */
  | 'error'
  /** Usage only, which the client did not request. */
  | 'counts_only';

/** Content of a message beyond its opening; unknown types do not start an answer. */
const MESSAGE_PARTS: ReadonlySet<string> = new Set([
  'content_block_delta',
  'content_block_stop',
  'message_delta',
]);
const RESPONSE_OPENINGS: ReadonlySet<string> = new Set([
  'response.created',
  'response.queued',
  'response.in_progress',
  'response.output_item.added',
  'response.content_part.added',
]);

const RESPONSE_ENDS: ReadonlySet<string> = new Set([
  'response.completed',
  'response.incomplete',
  'response.cancelled',
]);

/** True if an event belongs to an answer, whatever it contains. */
function beginsAnswer(kind: Endpoint['kind'], json: Json): boolean {
  // Anthropic starts with the input usage, which shows the same.
  if (kind === 'messages') return false;
  if (kind === 'responses') return String(json['type']).startsWith('response.');
  return Array.isArray(json['choices']) && json['choices'].length > 0;
}

/**
 * True for an error in place of an answer, whatever the status was. Answers may contain the field
 * as null.
 */
export const reportsError = ({ error }: Json): boolean =>
  (typeof error === 'object' && error !== null) || (typeof error === 'string' && error !== '');

/** Text, reasoning, a tool call or the finish: anything in a choice except the role. */
function hasWords(choice: unknown): boolean {
  if (typeof (choice as Json)['finish_reason'] === 'string') return true;
  const delta = objectIn(choice, 'delta') ?? {};
  return Object.entries(delta).some(
    ([name, value]) => name !== 'role' && value !== null && value !== '',
  );
}

/**
 * Follows the events of one answer: the last event, errors and usage. A stream that ends without
 * its last event was interrupted, whatever the connection reports.
 */
export function createAnswerReader(
  kind: Endpoint['kind'],
  { hidesCounts }: { readonly hidesCounts: boolean },
): { read(event: StreamEvent): EventMeaning; tokens(): Tokens; hasEnded(): boolean } {
  let tokens = NO_TOKENS;
  let hasEnded = false;
  let hasFinish = false;
  /** An answer may be empty: one that started and ended is an answer and was billed. */
  let isBegun = false;
  const meaning = ({ json, isDone }: StreamEvent): EventMeaning => {
    if (isDone) return 'end';
    if (json === undefined) return 'opening';
    const type = json['type'];
    isBegun ||= beginsAnswer(kind, json);
    tokens = withReported(tokens, json);
    if (type === 'error' || (type === undefined && reportsError(json))) return 'error';
    if (kind === 'messages')
      return type === 'message_stop' ? 'end' : MESSAGE_PARTS.has(String(type)) ? 'part' : 'opening';
    if (kind === 'responses') {
      if (type === 'response.failed') return 'error';
      if (RESPONSE_ENDS.has(String(type))) return 'end';
      // It continues in the background and can be fetched by its ID: a new request would create a
      // second one.
      if (objectIn(json, 'response')?.['background'] === true) return 'part';
      const isOpening =
        !String(type).startsWith('response.') || RESPONSE_OPENINGS.has(String(type));
      return isOpening ? 'opening' : 'part';
    }
    const choices = json['choices'];
    if (!Array.isArray(choices)) return 'opening';
    if (choices.some((choice: unknown) => typeof (choice as Json)['finish_reason'] === 'string'))
      hasFinish = true;
    if (choices.length === 0 && hidesCounts && objectIn(json, 'usage') !== undefined)
      return 'counts_only';
    return choices.some(hasWords) ? 'part' : 'opening';
  };
  return {
    read(event) {
      const found = meaning(event);
      if (found === 'part') isBegun = true;
      if (found !== 'end') return found;
      hasEnded = true;
      return isBegun || (tokens.input ?? 0) + (tokens.output ?? 0) > 0 ? 'end' : 'empty';
    },
    tokens: () => tokens,
    // Some servers of this dialect end with a finish and without [DONE].
    hasEnded: () => hasEnded || (kind === 'chat' && hasFinish),
  };
}

/**
 * Whether a document is an answer. `{}` is not. An empty answer counts, and so does one in another
 * service's format: its client may fail to read it, but it was produced and billed. Pure.
 */
export function isAnswer(kind: Endpoint['kind'], document: Json): boolean {
  if (saysSomething(kind, document)) return true;
  switch (kind) {
    case 'chat':
      return false;
    case 'messages':
      return Array.isArray(document['content']);
    case 'responses':
      return document['object'] === 'response' || Array.isArray(document['output']);
    case 'plain':
      return true;
  }
}

/** Fields in which the services return model output, and names that others use. */
const LISTS = { chat: 'choices', messages: 'content', responses: 'output', plain: 'data' } as const;
const FOREIGN_LISTS = ['choices', 'output', 'candidates', 'outputs', 'generations'] as const;
const FOREIGN_TEXTS = ['response', 'completion', 'output_text', 'generated_text'] as const;

const isFilled = (value: unknown): boolean =>
  typeof value === 'object' ? Object.keys(value ?? {}).length > 0 : value !== '';

/** True if it contains model output. Pure. */
export function saysSomething(kind: Endpoint['kind'], document: Json): boolean {
  const isFull = (name: string): boolean => {
    const list = document[name];
    return Array.isArray(list) && list.some(isFilled);
  };
  return (
    [LISTS[kind], ...FOREIGN_LISTS].some(isFull) ||
    FOREIGN_TEXTS.some((name) => typeof document[name] === 'string') ||
    typeof objectIn(document, 'message')?.['content'] === 'string'
  );
}

/** Tokens of an answer that came as one document. */
export function tokensOfDocument(document: Json): Tokens {
  const usage = objectIn(document, 'usage');
  return usage === undefined ? NO_TOKENS : tokensOf(usage);
}
