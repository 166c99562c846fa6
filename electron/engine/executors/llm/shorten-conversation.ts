import type { ConversationCut } from '../../../ports/journal/entries';
import type { Message } from '../../../ports/provider';
import type { PortableTexts } from '../../journal/portable-text';

/** Characters that remain of a result that the model has already seen. */
const SEEN_CHARS = 400;
/** Characters that remain of a result that is new to the model. */
const NEW_CHARS = 4_000;
/** A conversation that would stay nearly as long is not sent again. */
const LEAST_GAIN = 0.1;

/**
 * Plans how to cut a conversation that a provider found too long to half its size. Removes the
 * oldest messages of earlier turns first, then cuts tool results: seen ones before new ones. This
 * turn's user message and the model's text stay complete. Undefined if the cut gains nothing. Pure.
 * S2-29
 */
export function planShorter(messages: readonly Message[]): ConversationCut | undefined {
  const before = charsOf(messages);
  const target = before / 2;
  const dropped = planDrop(messages, before - target);
  const plans: readonly ConversationCut[] = [
    { dropped },
    { dropped, keepSeen: SEEN_CHARS },
    { dropped, keepSeen: SEEN_CHARS, keepNew: NEW_CHARS },
  ];
  const sized = plans.map((plan) => ({ plan, chars: charsOf(shorten(messages, plan)) }));
  const fit = sized.find(({ chars }) => chars <= target) ?? sized.at(-1);
  return fit !== undefined && fit.chars <= before * (1 - LEAST_GAIN) ? fit.plan : undefined;
}

/**
 * The conversation after the cut. The same messages and cut always give the same result; with
 * `portable`, on every computer, whatever its paths. Pure.
 */
export function shorten(
  messages: readonly Message[],
  cut: ConversationCut,
  portable?: PortableTexts,
): Message[] {
  const seenBefore = messages.findLastIndex((one) => one.role === 'assistant');
  return messages.slice(cut.dropped).map((message, index) => {
    if (index === 0 && cut.dropped > 0 && message.role === 'user')
      return { ...message, text: `${leftOut(cut.dropped)}\n\n${message.text}` };
    if (message.role !== 'tool') return message;
    const keep = index + cut.dropped < seenBefore ? cut.keepSeen : cut.keepNew;
    return keep === undefined
      ? message
      : { ...message, content: cutAnywhere(message.content, keep, portable) };
  });
}

/** Describes the cut for the timeline. Pure. */
export function cutWords(messages: readonly Message[], cut: ConversationCut): string {
  const after = shorten(messages, cut);
  const results = after.filter(
    (one, index) => one.role === 'tool' && one !== messages[index + cut.dropped],
  ).length;
  const parts = [
    ...(cut.dropped === 0 ? [] : [`left out its first ${count(cut.dropped, 'message')}`]),
    ...(results === 0 ? [] : [`cut ${count(results, 'result')} of tools`]),
  ];
  return `Holdfast ${parts.join(' and ')} and sent the request once more.`;
}

/** Messages of earlier turns to drop, from the front, each question together with its answer. */
function planDrop(messages: readonly Message[], excess: number): number {
  const own = messages.findLastIndex((one) => one.role === 'user');
  // A short history is worth more than the space it takes.
  if (charsOf(messages.slice(0, Math.max(0, own))) < charsOf(messages) * LEAST_GAIN) return 0;
  let gone = 0;
  for (const [index, message] of messages.entries()) {
    if (index >= own) break;
    if (index > 0 && message.role === 'user' && gone >= excess) return index;
    gone += charsOf([message]);
  }
  return Math.max(0, own);
}

function cutAnywhere(text: string, keep: number, portable: PortableTexts | undefined): string {
  if (portable === undefined) return cutResult(text, keep);
  const same = portable.key(text);
  const cut = cutResult(same, keep);
  return cut === same ? text : portable.in(cut);
}

function cutResult(text: string, keep: number): string {
  // If the text is hardly longer than the limit, the note about the cut cancels the gain.
  if (text.length <= keep + 300) return text;
  const kept = text.slice(0, keep).replace(/[\ud800-\udbff]$/, '');
  const rest = String(text.length - kept.length);
  return `${kept}\n[Holdfast left out the rest of this result, ${rest} characters: the conversation was too long for the model.]`;
}

const leftOut = (dropped: number): string =>
  `[Holdfast left out the first ${count(dropped, 'message')} of this conversation: it was too long for the model.]`;

const count = (n: number, what: string): string => `${String(n)} ${what}${n === 1 ? '' : 's'}`;

function charsOf(messages: readonly Message[]): number {
  let sum = 0;
  for (const message of messages) {
    if (message.role === 'user') sum += message.text.length;
    else if (message.role === 'tool') sum += message.content.length;
    else sum += JSON.stringify(message.parts).length;
  }
  return sum;
}
