import type { Clock } from '../../../ports/clock';
import type { TurnRow } from '../../../ports/journal/rows';
import type { JournalEntry } from '../../../ports/journal/entries';
import type { ExternalReads, ExternalSessionRow } from '../../../ports/journal/external';

/**
 * Which conversation of an external agent a turn continues: the agent stores it, Holdfast stores
 * its ID.
 */
export interface OwnConversations {
  /** Undefined if the turn starts a new one. */
  of(turn: TurnRow): ExternalSessionRow | undefined;
  /** The entries by which later turns find it. `costUsd` is absent if unchanged. */
  remember(turn: TurnRow, ref: string, costUsd?: number): readonly JournalEntry[];
}

/**
 * In a start without restore, a session starts a new conversation with its agent too. The
 * conversation of an open turn is neither loaded nor written, and the next ordinary start continues
 * in it. The new conversation's ID lasts as long as this process; a turn interrupted in it gets the
 * facts in another new conversation. Source: S4-29, R21.
 */
export function createOwnConversations(deps: {
  readonly reads: ExternalReads;
  readonly clock: Pick<Clock, 'nowMs'>;
}): OwnConversations {
  const apart = new Map<string, ExternalSessionRow>();
  const keyOf = ({ sessionId, agent }: TurnRow): string => `${String(sessionId)} ${agent}`;
  return {
    of(turn) {
      if (deps.reads.isOutsideSessionKept(turn)) return apart.get(keyOf(turn));
      return deps.reads.outsideSession(turn.sessionId, turn.agent);
    },
    remember(turn, ref, costUsd) {
      const { sessionId, agent, id: turnId } = turn;
      const cost = costUsd === undefined ? {} : { costUsd };
      if (!deps.reads.isOutsideSessionKept(turn))
        return [{ kind: 'outside.session', sessionId, agent, ref, turnId, ...cost }];
      const known = apart.get(keyOf(turn));
      const before = known?.ref === ref ? known.costUsd : undefined;
      apart.set(keyOf(turn), {
        sessionId,
        agent,
        ref,
        usedAtMs: deps.clock.nowMs(),
        isInTerminal: false,
        costUsd: costUsd ?? before,
      });
      return [];
    },
  };
}
