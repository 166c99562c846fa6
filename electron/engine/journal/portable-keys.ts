/** Key material of turns that other computers may continue: the same on each. Pure. DW-18 */
import type { AnswerPart, JsonValue, Message, ModelRequest, ToolOffer } from '../../ports/provider';
import type { PortableTexts } from './portable-text';

type Key = Pick<PortableTexts, 'key'>;

/** Maps every string in the value, including member names. */
export function portableValue(value: JsonValue, texts: Key): JsonValue {
  if (typeof value === 'string') return texts.key(value);
  if (value === null || typeof value !== 'object') return value;
  if (Array.isArray(value))
    return (value as readonly JsonValue[]).map((one) => portableValue(one, texts));
  return Object.fromEntries(
    Object.entries(value).map(([name, one]) => [texts.key(name), portableValue(one, texts)]),
  );
}

/**
 * Reasoning goes back to its provider unchanged or not at all: if it contains a path of this
 * computer it stays here, and its place in the answer is empty.
 */
export function withoutOwnReasoning(part: AnswerPart, texts: Key): AnswerPart {
  if (part.kind !== 'reasoning') return part;
  const text = JSON.stringify([part.text, part.opaque ?? null]);
  return texts.key(text) === text ? part : { kind: 'reasoning', text: '' };
}

/** Tool lists of the newest requests, which share them. */
const portableOffers = new WeakMap<
  readonly ToolOffer[],
  { readonly texts: Key; readonly offers: readonly ToolOffer[] }
>();

function offersOf(tools: readonly ToolOffer[], texts: Key): readonly ToolOffer[] {
  const last = portableOffers.get(tools);
  if (last?.texts === texts) return last.offers;
  const offers = portableValue(tools as unknown as JsonValue, texts) as unknown as ToolOffer[];
  portableOffers.set(tools, { texts, offers });
  return offers;
}

/** A request as its key covers it; `texts` is undefined if the turn is not shared. */
export function portableRequest(request: ModelRequest, texts: Key | undefined): ModelRequest {
  if (texts === undefined) return request;
  const { tools, messages, ...rest } = request;
  const own = messages.map((message): Message =>
    message.role === 'assistant'
      ? { ...message, parts: message.parts.map((part) => withoutOwnReasoning(part, texts)) }
      : message,
  );
  const same = portableValue({ ...rest, messages: own }, texts);
  return { ...(same as unknown as ModelRequest), tools: offersOf(tools, texts) };
}

/** Arguments of a call as its key covers them. */
export const portableArgs = (args: JsonValue, texts: Key | undefined): JsonValue =>
  texts === undefined ? args : portableValue(args, texts);
