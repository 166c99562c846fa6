import type { InboundEvent } from '../../ports/channel';

/** Why an event becomes no turn. */
type FilteredReason = 'no_content' | 'edited' | 'reaction' | 'receipt' | 'typing' | 'sticker';

/** Invisible characters count as nothing, like white space. */
const INVISIBLE =
  /[\s\u00ad\u034f\u061c\u115f\u1160\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\uffa0]/gu;

/**
 * Decides which channel events are messages for an agent. All others cost no model request and are
 * counted. An edit of an earlier message does not count as a message: its turn started long ago.
 * Pure. Source: S2-53.
 */
export function filterInbound(
  event: InboundEvent,
):
  | { readonly kind: 'accept'; readonly text: string }
  | { readonly kind: 'filtered'; readonly reason: FilteredReason } {
  const what = event.event ?? 'message';
  if (what !== 'message') return { kind: 'filtered', reason: what };
  const media = event.media ?? [];
  const text = event.text ?? '';
  const hasText = text.replace(INVISIBLE, '') !== '';
  if (!hasText && media.length === 0) return { kind: 'filtered', reason: 'no_content' };
  const named = media.map(({ kind, name }) => `[${kind}${name === undefined ? '' : `: ${name}`}]`);
  return { kind: 'accept', text: [...(hasText ? [text] : []), ...named].join('\n') };
}
