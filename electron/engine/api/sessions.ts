import type { VerbOutput } from '../../../shared/contract';
import type { SessionRow, TurnRow } from '../../ports/journal/rows';
import { textOf } from '../journal/stored-text';
import { sessionStatus } from '../status/session-status';
import { joinEvents, lifeEvents } from '../status/session-life';
import { sessionEvent, sessionView } from '../status/views';
import { cancel } from './cancel';
import { type Handlers, type VerbsDeps, summary } from './deps';

const OPEN_STATES = ['queued', 'running', 'requires_action', 'waiting', 'held', 'parked'] as const;

/** Messages and the sessions that they belong to. */
export function sessionVerbs(
  deps: VerbsDeps,
): Handlers<
  | 'send'
  | 'sessions.list'
  | 'session.create'
  | 'session.status'
  | 'session.events'
  | 'session.interrupt'
  | 'session.defineOutcome'
> {
  const { reads, sessions } = deps;
  const openTurnsOf = (sessionId: number): readonly TurnRow[] =>
    reads.turns({ sessionId, states: OPEN_STATES, limit: 200 });
  const waitsByItself = (turnId: number): boolean => reads.held(turnId) !== undefined;
  const eventDeps = {
    blobs: deps.blobs,
    outsideCalls: (turnId: number) => reads.outsideCalls(turnId),
    requestsOfTurn: (turnId: number) => reads.requestsOfTurn(turnId),
  };
  return {
    send: async ({ text, session, agent, unsent }, origin) => {
      const accepted = await sessions.accept({
        text,
        channel: origin === 'window' || origin === 'tray' ? 'window' : 'cli',
        peer: '',
        sent: unsent,
        ...(session === undefined ? {} : { session }),
        ...(agent === undefined ? {} : { agent }),
      });
      return {
        turnId: accepted.turn.id,
        sessionId: accepted.session.id,
        sessionKey: accepted.session.key,
      };
    },
    'sessions.list': ({ limit = 100, before }) => {
      const rows = reads.sessions(limit + 1, before);
      return Promise.resolve({
        sessions: rows
          .slice(0, limit)
          .map((row) =>
            sessionView(row, row.openTurnCount === 0 ? [] : openTurnsOf(row.id), waitsByItself),
          ),
        hasMore: rows.length > limit,
      });
    },
    'session.create': async (input) => {
      const { key, title, agent, parent } = input;
      const row = await sessions.create({
        agent,
        ...(key === undefined ? {} : { key }),
        ...(title === undefined ? {} : { title }),
        ...(parent === undefined ? {} : { parent }),
      });
      return sessionView(row, []);
    },
    'session.status': ({ session }) => {
      const row = sessions.find(session);
      return statusOf(deps, row, openTurnsOf(row.id));
    },
    'session.events': async ({ session, limit = 100, beforeSeq, life = true }) => {
      const { id } = sessions.find(session);
      const found = reads.events(id, {
        limit: limit + 1,
        ...(beforeSeq === undefined ? {} : { beforeSeq }),
      });
      const shown = found.slice(-limit);
      const hasMore = found.length > limit;
      const talk = await Promise.all(shown.map((event) => sessionEvent(eventDeps, id, event)));
      if (!life) return { events: talk, hasMore };
      // What a page does not reach of the one list, it leaves out of the other.
      const lived = deps.work.life(id, {
        afterSeq: hasMore ? (found[0]?.seq ?? 0) : 0,
        beforeSeq: beforeSeq ?? Number.MAX_SAFE_INTEGER,
        limit: limit + 1,
      });
      const marks = lifeEvents(id, lived.marks, lived.before);
      const since = lived.hasMore ? lived.sinceSeq : 0;
      const page = joinEvents(
        talk.filter(({ seq }) => seq > since),
        marks,
        limit,
      );
      return { events: [...page.events], hasMore: hasMore || lived.hasMore || page.isCut };
    },
    'session.defineOutcome': async ({ session, outcome }) => {
      const { turn } = await sessions.accept({
        text: outcome,
        channel: 'cli',
        peer: '',
        // A session that is there: nothing is begun by a name that was mistyped.
        session: sessions.find(session).key,
        isOutcome: true,
      });
      return { turnId: turn.id };
    },
    'session.interrupt': async ({ session, note }, origin) => {
      const row = sessions.find(session);
      // One that waits for its servers runs already, though its start is not on disk yet.
      const running = new Set(deps.scheduler.running());
      const open = openTurnsOf(row.id).filter(
        (turn) => turn.state !== 'queued' || running.has(turn.id),
      );
      await deps.journal.commit([
        { kind: 'session.interrupted', sessionId: row.id, note: (note ?? '').slice(0, 200) },
        // What was to be looked at again is decided anew with the note (S3-+01).
        ...deps.wakes.dropping(row.id, 'A person cut in.'),
      ]);
      await cancel(deps, open, origin);
      if (note !== undefined)
        await sessions.accept({ text: note, channel: 'cli', peer: '', session: row.key });
      return { cancelled: open.map((turn) => turn.id) };
    },
  };
}

async function statusOf(
  deps: VerbsDeps,
  row: SessionRow,
  open: readonly TurnRow[],
): Promise<VerbOutput<'session.status'>> {
  const outcome = deps.reads.outcome(row.id);
  return sessionStatus(
    {
      work: deps.work,
      settings: deps.settings,
      requests: (sessionId) =>
        deps.reads.requests({ includeAnswered: false, sessionId, limit: 100 }),
      drafts: deps.drafts,
      leaseOf: (sessionId) => deps.scheduler.leaseOf(sessionId),
      monotonicMs: () => deps.clock.monotonicMs(),
    },
    {
      row,
      view: sessionView(row, open, (turnId) => deps.reads.held(turnId) !== undefined),
      environment: deps.environmentOf(row.agent),
      open,
      openTurns: open.map((turn) => summary(deps, turn)),
      outcome: outcome === undefined ? undefined : await textOf(deps.blobs, outcome),
    },
  );
}
