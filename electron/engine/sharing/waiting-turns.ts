import type { SharedStore, WaitingRow } from '../../ports/shared-store';
import { toHoldfastError } from '../kernel/errors';
import { MAX_WHY, readWire, type WireEntry, type WireTexts } from './wire';

interface WaitingTurnsDeps {
  readonly store: Pick<SharedStore, 'waiting' | 'entries'>;
  readonly texts: Pick<WireTexts, 'portableIn'>;
}

/** Why one computer that was granted a turn could not run it. */
export interface Refusal {
  readonly machine: string;
  readonly why: string;
}

/** A turn that waits, and which computers have tried. */
export interface WaitingTurn extends WaitingRow {
  readonly refusals: readonly Refusal[];
}

const MAX_ROWS = 200;
/** Each of them is one more query, while a person looks. */
const MAX_ASKED = 20;

/** Of each computer what it said last, unless it has run the turn since. */
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

/** Whether the list of what waits does not say this yet: not at all, or not since that computer ran the turn. */
export const isNewRefusal = (
  wires: readonly WireEntry[],
  by: readonly string[],
  { machine, why }: Refusal,
): boolean =>
  !planRefusals(wires, by).some(
    (said) => said.machine === machine && said.why === why.slice(0, MAX_WHY),
  );

/**
 * What waits in the shared queue, with what computers say that could not take it: only turns with files are ever
 * given back. Of a turn that this computer may not read it has none. @throws SHARE_UNREACHABLE. DW-20, DW-28
 */
export function createWaitingTurns({
  store,
  texts,
}: WaitingTurnsDeps): () => Promise<readonly WaitingTurn[]> {
  const refusalsOf = async (id: string): Promise<readonly Refusal[]> => {
    try {
      const rows = await store.entries(id, 0);
      const portable = texts.portableIn('');
      return planRefusals(
        rows.map(({ body }) => readWire(portable, body)),
        rows.map(({ machine }) => machine),
      );
    } catch (error) {
      if (toHoldfastError(error).code === 'SHARE_UNREACHABLE') throw error;
      return [];
    }
  };
  return async () => {
    const rows = await store.waiting(MAX_ROWS);
    const asked = rows
      .filter(({ needs }) => needs.some((need) => need.startsWith('repository:')))
      .slice(0, MAX_ASKED);
    const found = new Map(
      await Promise.all(asked.map(async ({ id }) => [id, await refusalsOf(id)] as const)),
    );
    return rows.map((row) => ({ ...row, refusals: found.get(row.id) ?? [] }));
  };
}
