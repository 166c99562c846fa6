/**
 * A session's spans and status changes, derived from its turns. A span is one bounded wake-up: from
 * the lease to whatever ends it. A question of a living run also ends it, and the answer starts the
 * next one. Pure. Session events of S3-32; S3-25.
 */
import type { SessionEvent, SessionView } from '../../../shared/types';
import type { LifeMark } from '../../ports/journal/work';

/** An open turn's activity, as far as the session status needs it. */
type TurnPhase = 'queued' | 'running' | 'asks' | 'retries';

const ASKS: ReadonlySet<string> = new Set(['requires_action', 'waiting', 'held', 'parked']);

/** The turn's state after a mark; undefined at its end. */
function phaseAfter({ event, entryKind, state }: LifeMark): TurnPhase | undefined {
  switch (event) {
    case 'leased':
    case 'resumed':
      return 'running';
    case 'requeued':
      return 'retries';
    case 'blocked':
    case 'abandoned':
      // A wait for a provider ends automatically; after a crash the next start decides.
      return entryKind === 'turn.waits' ? 'retries' : ASKS.has(state) ? 'asks' : 'queued';
    case 'ready':
      return 'queued';
    case 'acked':
      return undefined;
  }
}

/** The same order of precedence as for the status of a session. */
function statusOf(turns: ReadonlyMap<number, TurnPhase>): SessionView['status'] {
  const all = new Set(turns.values());
  if (all.has('running')) return 'running';
  if (all.has('asks')) return 'requires_action';
  return all.size > 0 ? 'rescheduling' : 'idle';
}

/** @param before the last earlier mark of each turn that was open at the start */
export function lifeEvents(
  sessionId: number,
  marks: readonly LifeMark[],
  before: readonly LifeMark[],
): readonly SessionEvent[] {
  const turns = new Map<number, TurnPhase>();
  const attempts = new Map<number, number>();
  const take = (mark: LifeMark): TurnPhase | undefined => {
    const after = phaseAfter(mark);
    if (mark.event !== 'resumed') attempts.set(mark.turnId, mark.attempt);
    if (after === undefined) turns.delete(mark.turnId);
    else turns.set(mark.turnId, after);
    return after;
  };
  for (const mark of before) take(mark);
  let status = statusOf(turns);
  return marks.flatMap((mark) => {
    const { seq, atMs, turnId, event, reason } = mark;
    const wasRunning = turns.get(turnId) === 'running';
    const isRunning = take(mark) === 'running';
    const next = statusOf(turns);
    const hasChanged = next !== status;
    status = next;
    const line = (type: SessionEvent['type'], ...words: readonly string[]): SessionEvent => ({
      seq,
      sessionId,
      turnId,
      type,
      atMs,
      isPending: false,
      text: words.filter((word) => word !== '').join(': '),
      isTruncated: false,
    });
    const wake = `wake ${String(turnId)}.${String(attempts.get(turnId) ?? mark.attempt)}`;
    return [
      ...(wasRunning && !isRunning ? [line('span.completed', wake, event, reason)] : []),
      ...(!wasRunning && isRunning ? [line('span.started', wake)] : []),
      ...(!hasChanged
        ? []
        : next === 'idle'
          ? [line('session.status_idle', next)]
          : [line('session.status_changed', next, next === 'running' ? '' : reason)]),
    ];
  });
}

/**
 * Merges two event lists into one page of at most `limit`, oldest first. Events of one journal
 * entry stay together, because pages start at an entry's number; the oldest moves to the next page.
 */
export function joinEvents(
  talk: readonly SessionEvent[],
  life: readonly SessionEvent[],
  limit: number,
): { readonly events: readonly SessionEvent[]; readonly isCut: boolean } {
  const all = [...talk, ...life].sort((a, b) => a.seq - b.seq);
  if (all.length <= limit) return { events: all, isCut: false };
  const first = all[all.length - limit]?.seq ?? 0;
  const isSplit = all[all.length - limit - 1]?.seq === first;
  const whole = isSplit ? all.filter(({ seq }) => seq > first) : all.slice(-limit);
  // If one entry exceeds the page, the page has its newest part.
  return { events: whole.length === 0 ? all.slice(-limit) : whole, isCut: true };
}
