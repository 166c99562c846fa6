import type { VerbOutput } from '../../../shared/contract';
import type { SessionView } from '../../../shared/types';
import type { Environment } from '../../../shared/types/agents';
import type { Basics } from '../kernel/basics';
import type { JournalReads } from '../../ports/journal/reads';
import type { SessionRow, TurnRow } from '../../ports/journal/rows';
import type { WorkReads } from '../../ports/journal/work';
import { textOf } from '../journal/stored-text';
import type { Adoption } from '../executors/program/adopt';
import type { SessionEdits } from '../sessions/edit-session';
import type { SessionsRoom } from '../sessions/intake';
import { activationView } from '../status/activation-view';
import { joinEvents, lifeEvents } from '../status/session-life';
import { isElsewhere, sessionStatus, type SessionStatusDeps } from '../status/session-status';
import { computerOf, sessionEvent, sessionView } from '../status/views';
import type { TurnScheduler } from '../turns/scheduler';
import type { Wakes } from '../wakes/wakes';
import type { Families } from './handlers';
import type { Cancel, Summarize } from './turns';

interface SessionsDeps extends Pick<Basics, 'journal' | 'blobs'> {
  readonly reads: JournalReads;
  readonly work: WorkReads;
  readonly scheduler: TurnScheduler;
  readonly sessions: SessionsRoom;
  readonly wakes: Wakes;
  /** Null if the agent no longer exists. */
  readonly environmentOf: (agent: string) => Environment | null;
  readonly statusOf: SessionStatusDeps;
  /** User actions on a whole session. */
  readonly acts: { readonly adoption: Adoption; readonly edits: SessionEdits };
  readonly summarize: Summarize;
  readonly cancel: Cancel;
}

const OPEN_STATES = ['queued', 'running', 'requires_action', 'waiting', 'held', 'parked'] as const;

/** Messages and the sessions that they belong to. */
export function sessionHandlers(deps: SessionsDeps): Families['sessions'] {
  const { reads, sessions } = deps;
  const openTurnsOf = (sessionId: number): readonly TurnRow[] =>
    reads.turns({ sessionId, states: OPEN_STATES, limit: 200 });
  /** Queried only if work was ever shared. */
  const lastComputer = (sessionId: number): { computer?: string } =>
    reads.hasShared() ? computerOf(reads.turns({ sessionId, limit: 1 })[0]) : {};
  const waitsByItself = (turnId: number): boolean =>
    reads.held(turnId) !== undefined || isElsewhere(deps.statusOf, turnId);
  const eventDeps = {
    blobs: deps.blobs,
    outsideCalls: (turnId: number) => reads.outsideCalls(turnId),
    requestsOfTurn: (turnId: number) => reads.requestsOfTurn(turnId),
  };
  return {
    'sessions.list': ({ limit = 100, before, archived = false }) => {
      const rows = reads.sessions(limit + 1, before, archived);
      // All pinned sessions are on the first page, so that paging goes by use alone.
      const pinned = before === undefined && !archived ? reads.pinnedSessions() : [];
      return Promise.resolve({
        sessions: [...pinned, ...rows.slice(0, limit)].map((row) => {
          const open = row.openTurnCount === 0 ? [] : openTurnsOf(row.id);
          return {
            ...sessionView(row, open, waitsByItself),
            ...doingIn(deps, open),
            ...lastComputer(row.id),
          };
        }),
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
    'session.edit': async ({ session, ...change }) => {
      const row = await deps.acts.edits.edit(session, change);
      return sessionView(row, openTurnsOf(row.id), waitsByItself);
    },
    'session.delete': async ({ session }) => {
      await deps.acts.edits.remove(session);
      return { ok: true };
    },
    'session.fork': async ({ session, turnId }) =>
      sessionView(await deps.acts.edits.fork(session, turnId), []),
    'session.status': ({ session }) => {
      const row = sessions.find(session);
      return statusOf(deps, row, openTurnsOf(row.id));
    },
    'activations.events': ({ session, claimId, kinds, afterSeq, limit = 50 }) =>
      Promise.resolve({
        events: deps.work
          .activations({
            ...(session === undefined ? {} : { sessionId: deps.sessions.find(session).id }),
            ...(claimId === undefined ? {} : { claimId }),
            ...(kinds === undefined ? {} : { events: kinds }),
            ...(afterSeq === undefined ? {} : { afterSeq }),
            limit,
          })
          .map((row) => activationView(row, (turnId) => deps.work.wakesQueuedBy(turnId))),
      }),
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
      // Cuts both lists of a page at the same point.
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
        // An existing session: a mistyped name must not start a new one.
        session: sessions.find(session).key,
        isOutcome: true,
      });
      return { turnId: turn.id };
    },
    'session.adopt': async (wanted) => {
      const { row, ...found } = await deps.acts.adoption.adopt(wanted);
      return { ...found, ...(row === undefined ? {} : { session: sessionView(row, []) }) };
    },
    'session.handBack': ({ session }) => deps.acts.adoption.handBack(session),
    'watch.list': async () => ({ terminals: [...(await deps.acts.adoption.watched())] }),
    'session.interrupt': async ({ session, note }, origin) => {
      const row = sessions.find(session);
      // A turn that waits for its servers is already running, though its start is not on disk yet.
      const running = new Set(deps.scheduler.running());
      const open = openTurnsOf(row.id).filter(
        (turn) => turn.state !== 'queued' || running.has(turn.id),
      );
      await deps.journal.commit([
        { kind: 'session.interrupted', sessionId: row.id, note: (note ?? '').slice(0, 200) },
        // The note replaces the planned review (S3-+01).
        ...deps.wakes.dropping(row.id, 'You interrupted the turn.'),
      ]);
      await deps.cancel(open, origin);
      if (note !== undefined)
        await sessions.accept({ text: note, channel: 'cli', peer: '', session: row.key });
      return { cancelled: open.map((turn) => turn.id) };
    },
  };
}

/** What the running turn of a session is doing. */
function doingIn(deps: SessionsDeps, open: readonly TurnRow[]): Pick<SessionView, 'doing'> {
  const running = open.find(({ state }) => state === 'running');
  const doing = running === undefined ? undefined : deps.summarize(running).doing;
  return doing === undefined ? {} : { doing };
}

async function statusOf(
  deps: SessionsDeps,
  row: SessionRow,
  open: readonly TurnRow[],
): Promise<VerbOutput<'session.status'>> {
  const outcome = deps.reads.outcome(row.id);
  return sessionStatus(deps.statusOf, {
    row,
    view: sessionView(
      row,
      open,
      (turnId) => deps.reads.held(turnId) !== undefined || isElsewhere(deps.statusOf, turnId),
    ),
    environment: deps.environmentOf(row.agent),
    open,
    openTurns: open.map(deps.summarize),
    outcome: outcome === undefined ? undefined : await textOf(deps.blobs, outcome),
  });
}
