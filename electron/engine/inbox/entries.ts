import { quoted, type Reason } from '../../../shared/reason';
import type { ReplayDecision } from '../../../shared/types';
import type { JournalEntry } from '../../ports/journal/entries';
import type { InboxRow } from '../../ports/journal/inbox';
import type { TurnRow } from '../../ports/journal/rows';
import type { JsonValue } from '../../ports/provider';

type Opened = Extract<JournalEntry, { kind: 'inbox.opened' }>;
type Settled = Extract<JournalEntry, { kind: 'inbox.settled' }>;
type TurnOfItem = Pick<TurnRow, 'id' | 'sessionId' | 'promptStart'>;

const MAX_TITLE = 300;
const MAX_DETAIL = 1000;
/** A reason is one sentence for lists; a tool's output stays with its step. */
export const MAX_REASON = 500;

/** The state in which a turn waits for each kind of decision. */
const STATES = { held: 'held', stale: 'held', parked: 'parked', limit: 'waiting' } as const;

/** An inbox item, truncated to what lists show. */
export function openItem(
  inboxId: number,
  item: Opened['item'],
  about: {
    readonly turnId?: number | undefined;
    readonly sessionId?: number | undefined;
    readonly title: string;
    readonly detail: string | Reason;
    readonly facts?: JsonValue | undefined;
  },
): Opened {
  const { turnId, sessionId, facts } = about;
  return {
    kind: 'inbox.opened',
    inboxId,
    item,
    ...(turnId === undefined ? {} : { turnId }),
    ...(sessionId === undefined ? {} : { sessionId }),
    title: about.title.slice(0, MAX_TITLE),
    detail:
      typeof about.detail === 'string' ? quoted(about.detail.slice(0, MAX_DETAIL)) : about.detail,
    ...(facts === undefined ? {} : { facts }),
  };
}

/** Updates the text of an open item. */
export function retellItem(
  inboxId: number,
  about: Pick<Parameters<typeof openItem>[2], 'title' | 'facts'> & { readonly detail: string },
): Extract<JournalEntry, { kind: 'inbox.retold' }> {
  const { title, detail, facts } = openItem(inboxId, 'restart_notice', about);
  return {
    kind: 'inbox.retold',
    inboxId,
    title,
    detail,
    ...(facts === undefined ? {} : { facts }),
  };
}

/** Pauses the turn and asks the user how to proceed, in one commit. */
export function waitForDecision(
  inboxId: number,
  turn: TurnOfItem,
  decision: ReplayDecision['kind'],
  reason: Reason,
): readonly [JournalEntry, Opened] {
  return [
    {
      kind: 'turn.state',
      turnId: turn.id,
      state: STATES[decision],
      reason,
    },
    openItem(inboxId, decision === 'limit' ? 'limit' : 'replay_decision', {
      turnId: turn.id,
      sessionId: turn.sessionId,
      title: turn.promptStart,
      detail: reason,
      facts: { decision },
    }),
  ];
}

export const settle = (inboxId: number, outcome: string): Settled => ({
  kind: 'inbox.settled',
  inboxId,
  outcome,
});

/** Whether this item decides how a turn proceeds; an agent's question is answered separately. */
export const isDecision = ({ item }: Pick<InboxRow, 'item'>): boolean =>
  item === 'replay_decision' || item === 'limit';

/** The kind of question about a turn. */
export function decisionKind(row: Pick<InboxRow, 'item' | 'facts'>): ReplayDecision['kind'] {
  if (row.item === 'limit') return 'limit';
  const facts = row.facts as { readonly decision?: ReplayDecision['kind'] } | undefined;
  return facts?.decision ?? 'held';
}
