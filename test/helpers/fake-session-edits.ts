/** The verbs of the session menu, on the seed. */
import type { EventName, EventPayload, VerbInput } from '../../shared/contract';
import type { SessionView } from '../../shared/types';
import type { Seed } from './fake-seed-type';

type Emit = <E extends EventName>(event: E, payload: EventPayload<E>) => void;

export function fakeSessionEdits<R>(
  seed: Seed,
  refusal: (code: 'SESSION_UNKNOWN', message: string) => R,
  emit: Emit,
) {
  const find = (ref: string): SessionView | undefined =>
    seed.sessions.find((one) => one.key === ref || String(one.id) === ref);
  const unknown = (ref: string): R => refusal('SESSION_UNKNOWN', `There is no session "${ref}".`);
  const changed = (sessionId: number): void => emit('session.changed', { sessionId, seq: 1 });
  return {
    'session.edit': ({ session, title, isPinned, isArchived }: VerbInput<'session.edit'>) => {
      const found = find(session);
      if (found === undefined) return unknown(session);
      const { isPinned: wasPinned, isArchived: wasArchived, ...rest } = found;
      const next: SessionView = {
        ...rest,
        title: title ?? found.title,
        ...((isPinned ?? wasPinned === true) ? { isPinned: true as const } : {}),
        ...((isArchived ?? wasArchived === true) ? { isArchived: true as const } : {}),
      };
      seed.sessions = seed.sessions.map((one) => (one.id === found.id ? next : one));
      changed(found.id);
      return next;
    },
    'session.delete': ({ session }: VerbInput<'session.delete'>) => {
      const found = find(session);
      if (found === undefined) return unknown(session);
      seed.sessions = seed.sessions.filter((one) => one.id !== found.id);
      changed(found.id);
      return { ok: true as const };
    },
    'session.fork': ({ session, turnId }: VerbInput<'session.fork'>) => {
      const found = find(session);
      if (found === undefined) return unknown(session);
      const id = Math.max(...seed.sessions.map((one) => one.id)) + 1;
      const made: SessionView = {
        id,
        key: `${found.agent}-${String(id)}`,
        title: `Fork of ${found.title}`,
        agent: found.agent,
        status: 'idle',
        stopReason: '',
        turns: 0,
        pendingEvents: 0,
        createdAtMs: seed.nowMs,
        lastEventAtMs: seed.nowMs,
        fork: { sessionId: found.id, turnId, title: found.title },
      };
      seed.sessions.push(made);
      return made;
    },
  };
}
