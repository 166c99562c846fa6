/** What the shared queue shows at the end: nothing lost, each turn ended once, nothing written out of its epoch. */
import { TURN_STATES } from '../../shared/states';
import { EFFECT_TOOLS } from '../crash/plans';
import type { Life } from '../crash/realm';
import { ENDED } from './compose-world';
import type { Postgres } from './postgres';

const OPEN_STATES = TURN_STATES.filter((state) => !ENDED.some((end) => end === state));

interface EntryRow {
  readonly turn: string;
  readonly n: number;
  readonly epoch: number;
  readonly who: string;
  readonly body: string;
}

interface Said {
  readonly k: string;
  readonly step?: number;
  readonly againOf?: number;
  readonly purity?: string;
  readonly end?: { readonly state: string };
}

/**
 * The sessions that the store or a computer has not ended. A message whose sender was told that the
 * store does not answer is saved at the sender, and comes into the store late.
 */
export async function openSessions(
  postgres: Pick<Postgres, 'sql'>,
  lives: readonly Pick<Life, 'call'>[],
): Promise<readonly string[]> {
  // The computers first: what leaves one in between is in the store, or has ended.
  const lists = await Promise.all(
    lives.map((life) => life.call('turns.list', { states: [...OPEN_STATES], limit: 500 })),
  );
  const rows = await postgres.sql<{ session: string }>(
    "SELECT session FROM holdfast.turn WHERE state <> 'done'",
  );
  const here = lists.flatMap(({ turns }) => turns);
  return [...rows.map(({ session }) => session), ...here.map(({ sessionKey }) => sessionKey)];
}

/**
 * What is wrong with the store and the effects of all computers together, where each session is one message.
 *
 * @param accepted sessions of which the sender was told that they are in the store
 * @param effects lines of what tools have done
 */
export async function queueProblems(
  postgres: Pick<Postgres, 'sql'>,
  accepted: ReadonlySet<string>,
  effects: readonly string[] = [],
): Promise<readonly string[]> {
  const found: string[] = [];
  const turns = await postgres.sql<{ id: string; session: string; state: string; body: string }>(
    'SELECT id, session, state, body FROM holdfast.turn',
  );
  const entries = await postgres.sql<EntryRow & Record<string, unknown>>(
    "SELECT turn, n, epoch, machine || '/' || life AS who, body FROM holdfast.entry ORDER BY turn, n",
  );
  const counts = new Map<string, number>();
  for (const { session } of turns) counts.set(session, (counts.get(session) ?? 0) + 1);
  for (const session of accepted) if (!counts.has(session)) found.push(`lost: ${session}`);
  for (const [session, count] of counts) if (count !== 1) found.push(`twice: ${session}`);
  const made = effects
    .map((line) => JSON.parse(line) as { readonly tool: string; readonly key: string })
    .filter(({ tool }) => EFFECT_TOOLS.includes(tool));
  for (const turn of turns) {
    const own = entries.filter((entry) => entry.turn === turn.id);
    const said = own.map((entry) => ({ ...entry, ...(JSON.parse(entry.body) as Said) }));
    const ends = said.filter(({ k }) => k === 'close').length;
    if (turn.state !== 'done') found.push(`not ended: ${turn.session}`);
    if (ends !== 1) found.push(`${String(ends)} ends: ${turn.session}`);
    found.push(...outOfEpoch(said, turn.session), ...repeated(said, turn.session));
    found.push(...unannounced(said, turn.body, made));
  }
  return found;
}

/** An effect starts after its intent is in the store: there are never more of them than intents. */
function unannounced(
  said: readonly Said[],
  body: string,
  made: readonly { readonly key: string }[],
): readonly string[] {
  const { origin } = JSON.parse(body) as { origin: { databaseId: string; turnId: number } };
  return said.flatMap(({ k, step, againOf }) => {
    if (k !== 'start' || againOf !== undefined) return [];
    const key = `hf-${origin.databaseId}-${String(origin.turnId)}-${String(step)}`;
    const count = made.filter((effect) => effect.key === key).length;
    const begun = said.filter(
      (one) => one.k === 'start' && (one.step === step || one.againOf === step),
    ).length;
    return count > begun ? [`${String(count)} effects of ${String(begun)} intents: ${key}`] : [];
  });
}

/** Epochs of a turn never fall, and each has one writer. */
function outOfEpoch(said: readonly (Said & EntryRow)[], session: string): readonly string[] {
  const writers = new Map<number, string>();
  let newest = 0;
  return said.flatMap(({ epoch, who, n }) => {
    const other = writers.get(epoch) ?? who;
    writers.set(epoch, other);
    const isWrong = epoch < newest || other !== who;
    newest = Math.max(newest, epoch);
    return isWrong ? [`out of epoch: ${session}, entry ${String(n)}`] : [];
  });
}

const EFFECTS: ReadonlySet<string> = new Set(['side_effect', 'external']);

/** An effect whose end is on record is never begun again; a read may be. */
function repeated(said: readonly Said[], session: string): readonly string[] {
  const finished = new Set<number>();
  const rootOf = new Map<number, number>();
  const found: string[] = [];
  for (const { k, step = 0, againOf, purity, end } of said) {
    if (k === 'start') {
      const root = againOf === undefined ? step : (rootOf.get(againOf) ?? againOf);
      rootOf.set(step, root);
      if (finished.has(root) && EFFECTS.has(purity ?? ''))
        found.push(`again: ${session}, step ${String(root)}`);
    }
    if (k === 'end' && end?.state === 'completed') finished.add(rootOf.get(step) ?? step);
  }
  return found;
}
