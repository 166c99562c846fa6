import { filterInbound } from '../engine/sessions/inbound-filter';
import type { SessionsRoom } from '../engine/sessions/intake';
import type { InboundMessage, Intake } from '../ports/channel';
import type { Audit } from '../ports/log';

/** What came in through channels since the start. */
export interface InboundCounts {
  readonly accepted: number;
  /** No message to an agent: no turn, no model call (S2-53). */
  readonly filtered: number;
}

/** The same, by kind of event, for the metrics (S2-56). */
export interface InboundKind {
  readonly kind: string;
  readonly filtered: boolean;
  readonly count: number;
}

/** The way from channels to sessions: filtered first, counted always. */
export function createInbound(deps: { readonly sessions: SessionsRoom; readonly audit: Audit }): {
  readonly counts: () => InboundCounts;
  readonly kinds: () => readonly InboundKind[];
  readonly of: (channel: string) => Intake;
} {
  let counts: InboundCounts = { accepted: 0, filtered: 0 };
  const kinds = new Map<string, InboundKind>();
  const count = (kind: string, filtered: boolean): void => {
    counts = filtered
      ? { ...counts, filtered: counts.filtered + 1 }
      : { ...counts, accepted: counts.accepted + 1 };
    const key = `${kind} ${String(filtered)}`;
    kinds.set(key, { kind, filtered, count: (kinds.get(key)?.count ?? 0) + 1 });
  };
  const accept = async (
    channel: string,
    { peer, text, session, agent }: InboundMessage,
  ): Promise<{ readonly turnId: number }> => {
    const { turn } = await deps.sessions.accept({
      text,
      channel,
      peer,
      ...(session === undefined ? {} : { session }),
      ...(agent === undefined ? {} : { agent }),
    });
    count('message', false);
    return { turnId: turn.id };
  };
  return {
    counts: () => counts,
    kinds: () => [...kinds.values()],
    of: (channel) => ({
      accept: (message) => accept(channel, message),
      async offer(event) {
        const verdict = filterInbound(event);
        if (verdict.kind === 'filtered') {
          count(event.event ?? 'message', true);
          deps.audit.record('inbound_filtered', { channel, reason: verdict.reason });
          return verdict;
        }
        const { turnId } = await accept(channel, { ...event, text: verdict.text });
        return { kind: 'accepted', turnId };
      },
    }),
  };
}
