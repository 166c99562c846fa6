import type { Clock } from '../../../ports/clock';
import type { TurnRow } from '../../../ports/journal/rows';
import type { JournalEntry } from '../../../ports/journal/entries';
import type { ExternalReads, ExternalSessionRow } from '../../../ports/journal/external';

/** Which conversation of an outside agent a turn goes on in: the agent keeps it, we keep its number. */
export interface OwnConversations {
  /** Undefined where it begins a new one. */
  of(turn: TurnRow): ExternalSessionRow | undefined;
  /** The entries by which later turns find it. `costUsd` is absent where that is as it was. */
  remember(turn: TurnRow, ref: string, costUsd?: number): readonly JournalEntry[];
}

/**
 * In a start without restore a session begins a conversation of its own with its agent, as it does
 * with ours: the one that a turn in flight waits in is neither loaded nor written to, and is the
 * one that the next ordinary start goes on in. The number of the new one is known as long as this
 * process lives; a turn that is cut off in it is told the facts in one more. Source: S4-29, R21.
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
