import type { ScheduleReads } from '../../ports/journal/schedule';
import type { Basics } from '../kernel/basics';
import type { JournalEntry } from '../../ports/journal/entries';
import type { SessionReads, TurnReads } from '../../ports/journal/reads';
import type { SessionRow } from '../../ports/journal/rows';
import type { SessionErasure } from '../../ports/session-erasure';
import { HoldfastError } from '../kernel/errors';
import type { SessionsRoom } from './intake';

/** What the user may change about a session; absent fields stay as they are. */
interface SessionChange {
  readonly title?: string | undefined;
  readonly isPinned?: boolean | undefined;
  readonly isArchived?: boolean | undefined;
}

/** The user's decisions about a whole session. */
export interface SessionEdits {
  /** On disk when it resolves. @throws SESSION_UNKNOWN, INPUT_INVALID, DISK_* */
  edit(ref: string, change: SessionChange): Promise<SessionRow>;
  /**
   * Removes a session from every list and erases its prompts, answers and steps. Its wake-ups,
   * timers and heartbeat end in the same commit, and its key is free again.
   * @throws SESSION_UNKNOWN, SESSION_BUSY, DISK_*
   */
  remove(ref: string): Promise<void>;
  /**
   * Starts a session that continues after a completed turn of another one. On disk when it
   * resolves. @throws SESSION_UNKNOWN, INPUT_INVALID, STARTING, STOPPING, DISK_*
   */
  fork(ref: string, turnId: number): Promise<SessionRow>;
}

interface SessionEditsDeps extends Pick<Basics, 'journal' | 'crashPoints' | 'audit'> {
  readonly reads: SessionReads & TurnReads;
  readonly schedule: Pick<ScheduleReads, 'timers' | 'heartbeat'>;
  readonly sessions: Pick<SessionsRoom, 'find' | 'create' | 'ending'>;
  readonly erasure: SessionErasure;
  /** Entries that drop everything queued for a session. */
  readonly droppingWakes: (sessionId: number, reason: string) => readonly JournalEntry[];
  /** True for an agent whose conversation Holdfast itself stores and can fork. */
  readonly canFork: (agent: string) => boolean;
}

/** Maximum pinned sessions: the first page of the list shows all of them. */
const MAX_PINNED = 20;
const MAX_TIMERS = 1000;
const MAX_TITLE = 200;

export function createSessionEdits(deps: SessionEditsDeps): SessionEdits {
  const { journal, reads, sessions, crashPoints } = deps;

  const put = async (entries: readonly JournalEntry[]): Promise<void> => {
    crashPoints.hit('session.set.before');
    await journal.commit(entries);
    crashPoints.hit('session.set.after');
  };

  return {
    async edit(ref, change) {
      const { id, isPinned } = sessions.find(ref);
      if (change.isPinned === true && !isPinned && reads.countPinned() >= MAX_PINNED)
        throw tooManyPinned();
      const { title, isPinned: pin, isArchived: archive } = change;
      await put([
        {
          kind: 'session.set',
          sessionId: id,
          ...(title === undefined ? {} : { title }),
          ...(pin === undefined ? {} : { isPinned: pin }),
          ...(archive === undefined ? {} : { isArchived: archive }),
        },
      ]);
      deps.audit.record('session_changed', { sessionId: id });
      return sessions.find(String(id));
    },
    async remove(ref) {
      const session = sessions.find(ref);
      const { id } = session;
      const forks = reads.countForks(id);
      if (forks > 0) throw hasForks(session, forks);
      if (session.openTurnCount > 0) throw busy(session);
      const reason = 'You deleted the session.';
      const isEnded = await sessions.ending(id, () =>
        put([
          { kind: 'session.set', sessionId: id, isDeleted: true },
          ...deps.droppingWakes(id, reason),
          ...deps.schedule.timers({ sessionId: id, limit: MAX_TIMERS }).map(({ timerId }) => ({
            kind: 'timer.ended' as const,
            sessionId: id,
            timerId,
            how: 'cancelled' as const,
          })),
          ...(deps.schedule.heartbeat(id) === undefined
            ? []
            : [{ kind: 'heartbeat.stopped' as const, sessionId: id, by: 'person' }]),
        ]),
      );
      // A message that arrives at the same moment keeps its session, with everything that belongs
      // to it.
      if (!isEnded) throw busy(session);
      deps.audit.record('session_deleted', { sessionId: id });
      crashPoints.hit('session.erase.before');
      await deps.erasure.erase();
    },
    async fork(ref, turnId) {
      const session = sessions.find(ref);
      const turn = reads.turn(turnId);
      if (turn?.sessionId !== session.id || turn.state !== 'completed') throw notCompleted(turnId);
      if (!deps.canFork(session.agent)) throw ownConversation(session);
      crashPoints.hit('session.set.before');
      const made = await sessions.create({
        agent: session.agent,
        title: `Fork of ${session.title}`.slice(0, MAX_TITLE),
        fork: { sessionId: session.id, turnId },
      });
      crashPoints.hit('session.set.after');
      deps.audit.record('session_forked', { sessionId: made.id, turnId });
      return made;
    },
  };
}

const short = ({ title }: SessionRow): string => title.slice(0, 60);

const busy = (session: SessionRow): HoldfastError =>
  new HoldfastError('SESSION_BUSY', `The session "${short(session)}" has an unfinished turn.`, {
    hint: 'Nothing was deleted. Cancel its unfinished turns, then delete it.',
  });

const hasForks = (session: SessionRow, count: number): HoldfastError =>
  new HoldfastError(
    'SESSION_BUSY',
    count === 1
      ? `Another session is a fork of "${short(session)}" and needs its conversation.`
      : `${String(count)} sessions are forks of "${short(session)}" and need its conversation.`,
    { hint: 'Nothing was deleted. Delete the forks first, or archive this session.' },
  );

const tooManyPinned = (): HoldfastError =>
  new HoldfastError('SESSION_LIMIT', `${String(MAX_PINNED)} sessions are pinned already.`, {
    hint: 'Nothing was changed. Unpin another session first.',
  });

const notCompleted = (turnId: number): HoldfastError =>
  new HoldfastError(
    'INPUT_INVALID',
    `Turn ${String(turnId)} is not a completed turn of this session.`,
    { hint: 'Nothing was created. Fork from a completed turn.' },
  );

const ownConversation = ({ agent }: SessionRow): HoldfastError =>
  new HoldfastError(
    'INPUT_INVALID',
    `The agent "${agent}" keeps its own conversation, which Holdfast cannot copy.`,
    { hint: 'Nothing was created. Start a new session with this agent.' },
  );
