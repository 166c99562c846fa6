/**
 * Lists from another computer, read here entry by entry, bounded and inert, whichever version wrote
 * them: an unreadable entry does not affect the others, and is counted. Pure. HO-02, HO-03
 */
import { z } from 'zod';
import { line } from './far-text';
import { once } from './once';
import { atMs, count, id } from './types/base';
import {
  MAX_FAR_HITS,
  MAX_FAR_SESSIONS,
  type FarHit,
  type FarSession,
  type HostHits,
  type HostSessions,
} from './types/far-lists';
import { searchHit } from './types/search';
import { sessionView } from './types/sessions';

/** Of a list beyond that nothing is read. */
const MAX_READ = 2_000;

/**
 * Reads a list; undefined if there is none under that name, for example in a version with another
 * name for it.
 */
function readList<T>(
  told: unknown,
  {
    list,
    entry,
    most,
  }: { readonly list: string; readonly entry: z.ZodType<T>; readonly most: number },
): { readonly read: readonly T[]; readonly hidden: number; readonly isCut: boolean } | undefined {
  const found = z.object({ [list]: z.array(z.unknown()) }).safeParse(told);
  const all = found.success ? found.data[list] : undefined;
  if (all === undefined) return undefined;
  const tried = all.slice(0, MAX_READ);
  const read = tried.flatMap((one) => {
    const it = entry.safeParse(one);
    return it.success ? [it.data] : [];
  });
  return {
    read: read.slice(0, most),
    hidden: tried.length - read.length,
    isCut: all.length > MAX_READ || read.length > most,
  };
}

/** A session in another version's format. */
export const readableSession = once(() =>
  z.object({
    id,
    key: line(200),
    title: line(200),
    agent: line(64),
    status: sessionView.shape.status.optional().catch(undefined),
    stopReason: line(300).catch(''),
    turns: count,
    pendingEvents: count.catch(0),
    lastEventAtMs: atMs,
  }),
);
const more = z.object({ hasMore: z.literal(true) });

/** Reads a host's sessions; undefined if it is not such a list. */
export function readFarSessions(told: unknown): HostSessions | undefined {
  const found = readList<FarSession>(told, {
    list: 'sessions',
    entry: readableSession(),
    most: MAX_FAR_SESSIONS,
  });
  if (found === undefined) return undefined;
  const { read, hidden, isCut } = found;
  return {
    kind: 'told',
    sessions: [...read],
    hidden,
    hasMore: isCut || more.safeParse(told).success,
  };
}

const hit = once(() => {
  const { part, state, turnId, step, atMs: at, sessionId } = searchHit.shape;
  return z.object({
    part: part.optional().catch(undefined),
    state: state.catch(undefined),
    atMs: at,
    turnId,
    step,
    sessionId,
    title: line(300).optional(),
    tool: line(300).optional(),
    session: line(300),
    agent: line(300),
    excerpt: line(400),
  });
});
const older = z.object({ nextBefore: z.number() });
const behind = z.object({ notIndexed: count });

/** Reads a host's search results; undefined if it is not such a list. */
export function readFarHits(told: unknown): HostHits | undefined {
  const found = readList<FarHit>(told, { list: 'hits', entry: hit(), most: MAX_FAR_HITS });
  if (found === undefined) return undefined;
  const { read, hidden, isCut } = found;
  const late = behind.safeParse(told);
  return {
    kind: 'told',
    hits: [...read],
    hidden,
    hasMore: isCut || older.safeParse(told).success,
    notIndexed: late.success ? late.data.notIndexed : 0,
  };
}
