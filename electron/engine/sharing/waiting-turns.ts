import type { SharedStore, WaitingRow } from '../../ports/shared-store';
import { toHoldfastError } from '../kernel/errors';
import { MAX_WHY, readWires, type WireEntry, type WireTexts } from './wire';

interface WaitingTurnsDeps {
  readonly store: Pick<SharedStore, 'waiting' | 'refusals'>;
  readonly texts: Pick<WireTexts, 'portableIn'>;
}

/** Why a computer that was granted a turn could not run it. */
export interface Refusal {
  readonly machine: string;
  readonly why: string;
}

/** A waiting turn, and the computers that have tried it. */
export interface WaitingTurn extends WaitingRow {
  readonly refusals: readonly Refusal[];
}

const MAX_ROWS = 200;
/** Each of them is one more query, while a person looks. */
const MAX_ASKED = 20;

/** The last refusal of each computer, unless it has run the turn since. */
export function planRefusals(
  wires: readonly WireEntry[],
  by: readonly string[],
): readonly Refusal[] {
  const said = new Map<string, string>();
  for (const [at, wire] of wires.entries()) {
    const machine = by[at] ?? '';
    if (wire.k === 'refused') said.set(machine, wire.why);
    else said.delete(machine);
  }
  return [...said].map(([machine, why]) => ({ machine, why }));
}

/**
 * True if the list of waiting turns lacks this refusal: it is new, or that computer has run the
 * turn since.
 */
export const isNewRefusal = (
  wires: readonly WireEntry[],
  by: readonly string[],
  { machine, why }: Refusal,
): boolean =>
  !planRefusals(wires, by).some(
    (said) => said.machine === machine && said.why === why.slice(0, MAX_WHY),
  );

/**
 * Waiting turns of the shared queue, with the refusals of computers that could not take them. A turn
 * that this computer may not read has no refusals.
 * @throws SHARE_UNREACHABLE. DW-20, DW-28
 */
export function createWaitingTurns({
  store,
  texts,
}: WaitingTurnsDeps): () => Promise<readonly WaitingTurn[]> {
  const refusalsOf = async (id: string): Promise<readonly Refusal[]> => {
    try {
      const { wires, by } = readWires(texts.portableIn(''), await store.refusals(id));
      return planRefusals(wires, by);
    } catch (error) {
      if (toHoldfastError(error).code === 'SHARE_UNREACHABLE') throw error;
      return [];
    }
  };
  return async () => {
    const rows = await store.waiting(MAX_ROWS);
    const asked = rows.slice(0, MAX_ASKED);
    const found = new Map(
      await Promise.all(asked.map(async ({ id }) => [id, await refusalsOf(id)] as const)),
    );
    return rows.map((row) => ({ ...row, refusals: found.get(row.id) ?? [] }));
  };
}
