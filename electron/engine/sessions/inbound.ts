import { flatLine } from '../../../shared/unseen';
import { createKeyedMutex } from '../kernel/keyed-mutex';
import { createOneMessage } from './one-message';
import type { SessionsRoom } from './intake';
import type { InboundMessage, Intake, InboundEvent } from '../../ports/channel';
import type { Ids } from '../../ports/ids';

/** Why an event does not become a turn. */
type FilteredReason = 'no_content' | 'edited' | 'reaction' | 'receipt' | 'typing' | 'sticker';

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
  // Invisible characters count as nothing.
  const hasText = flatLine(text) !== '';
  if (!hasText && media.length === 0) return { kind: 'filtered', reason: 'no_content' };
  const named = media.map(({ kind, name }) => `[${kind}${name === undefined ? '' : `: ${name}`}]`);
  return { kind: 'accept', text: [...(hasText ? [text] : []), ...named].join('\n') };
}

/** Channel messages received since startup. */
interface InboundCounts {
  readonly accepted: number;
  /** Not a message for an agent: no turn, no model request (S2-53). */
  readonly filtered: number;
}

/** The same, by kind of event, for the metrics (S2-56). */
interface InboundKind {
  readonly kind: string;
  readonly filtered: boolean;
  readonly count: number;
}

/** Passes channel messages to sessions: filtered first, always counted, each message once. */
export function createInbound(
  deps: Parameters<typeof createOneMessage>[0] & {
    readonly sessions: SessionsRoom;
    readonly ids: Pick<Ids, 'newId'>;
    /**
     * The scheduled tasks that the message starts. It then belongs to them and is not a message for an
     * agent.
     */
    readonly offerToTasks: (
      channel: string,
      message: { readonly id: string; readonly text: string },
    ) => Promise<readonly number[]>;
  },
): {
  readonly counts: () => InboundCounts;
  readonly kinds: () => readonly InboundKind[];
  readonly of: (channel: string) => Pick<Intake, 'accept' | 'offer' | 'each'>;
} {
  const each = createOneMessage(deps);
  let counts: InboundCounts = { accepted: 0, filtered: 0 };
  const kinds = new Map<string, InboundKind>();
  const count = (kind: string, filtered: boolean): void => {
    counts = filtered
      ? { ...counts, filtered: counts.filtered + 1 }
      : { ...counts, accepted: counts.accepted + 1 };
    const key = `${kind} ${String(filtered)}`;
    kinds.set(key, { kind, filtered, count: (kinds.get(key)?.count ?? 0) + 1 });
  };
  /** The same message arriving twice at once counts once. */
  const oneByOne = createKeyedMutex<string>();
  const accept = async (
    channel: string,
    message: InboundMessage,
  ): Promise<{ readonly turnId: number; readonly isRepeat: boolean }> => {
    const { peer, text, session, agent, newAgent, messageId } = message;
    const known = messageId === undefined ? undefined : deps.reads.heardMessage(channel, messageId);
    if (known !== undefined) return { turnId: known, isRepeat: true };
    const { turn } = await deps.sessions.accept({
      text,
      channel,
      peer,
      ...(session === undefined ? {} : { session }),
      ...(agent === undefined ? {} : { agent }),
      ...(newAgent === undefined ? {} : { newAgent }),
      ...(messageId === undefined ? {} : { messageId }),
    });
    count('message', false);
    return { turnId: turn.id, isRepeat: false };
  };
  const once = (
    channel: string,
    message: InboundMessage,
  ): Promise<{ readonly turnId: number; readonly isRepeat: boolean }> =>
    message.messageId === undefined
      ? accept(channel, message)
      : oneByOne(`${channel}\n${message.messageId}`, () => accept(channel, message));
  return {
    counts: () => counts,
    kinds: () => [...kinds.values()],
    of: (channel) => ({
      accept: (message) => once(channel, message),
      each: each(channel),
      async offer(event) {
        const verdict = filterInbound(event);
        if (verdict.kind === 'filtered') {
          count(event.event ?? 'message', true);
          deps.audit.record('inbound_filtered', { channel, reason: verdict.reason });
          return verdict;
        }
        const { messageId } = event;
        // A message that already became a turn stays one when it is sent again: a task that was
        // added since must not start from it.
        const isHeard =
          messageId !== undefined && deps.reads.heardMessage(channel, messageId) !== undefined;
        // Without an ID, each message counts as a separate event.
        const id = messageId ?? deps.ids.newId();
        const taskIds = isHeard ? [] : await deps.offerToTasks(channel, { id, text: verdict.text });
        if (taskIds.length > 0) {
          count('task', false);
          deps.audit.record('inbound_for_tasks', { channel, taskIds });
          return { kind: 'filtered', reason: 'task' };
        }
        return { kind: 'accepted', ...(await once(channel, { ...event, text: verdict.text })) };
      },
    }),
  };
}
