import { describe, expect, it } from 'vitest';
import type { ResumePlan } from '../../../shared/types';
import { planInWords, planResume } from '../../../electron/engine/recovery/plan-resume';
import { createPortableTexts } from '../../../electron/engine/journal/portable-text';
import { planImport } from '../../../electron/engine/sharing/plan-import';
import {
  endIn,
  endWire,
  readWire,
  startOut,
  writeWire,
  type WireEntry,
  type WireTexts,
} from '../../../electron/engine/sharing/wire';
import type { StepRow } from '../../../electron/ports/journal/rows';
import { MATRIX } from '../recovery/gate-matrix';
import { DONE, policyOf, stepRow, turnRow, UNKNOWN } from '../recovery/step-rows';

const portable = createPortableTexts({ workspace: ['/w'], data: ['/d'], home: ['/home/ada'] });

/** Short texts travel inside of their entries. */
const texts: WireTexts = {
  blobs: { get: () => Promise.resolve(undefined) } as unknown as WireTexts['blobs'],
  hasher: { sha256Hex: () => '' } as unknown as WireTexts['hasher'],
  store: { putText: () => Promise.resolve(), getText: () => Promise.resolve(undefined) },
  frame: () => undefined,
  purityOf: () => undefined,
  portableIn: () => portable,
  portableOf: () => portable,
};

/** What a computer with an empty journal knows of a step that another one has written. */
async function arrived(row: StepRow): Promise<StepRow> {
  const {
    state: _s,
    startedAtMs: _a,
    endedAtMs: _b,
    endedSeq: _c,
    reusedCount: _d,
    end,
    ...start
  } = row;
  const sent: WireEntry[] = [
    { k: 'attempt', attempt: 1, framedAtMs: 1, frame: '0'.repeat(64) },
    startOut(start),
    ...(end === undefined ? [] : [await endWire(texts, row, end)]),
  ];
  const wires = sent.map((wire) => readWire(portable, writeWire(portable, wire)));
  const plan = planImport({ turnId: row.turnId, attempt: 0, steps: [], calls: [] }, wires);
  const [begun] = plan.starts;
  const [ended] = plan.ends;
  const told =
    ended === undefined
      ? undefined
      : await endIn(texts, ended.end, { turnId: row.turnId, portable });
  if (begun === undefined) throw new Error('no step has arrived');
  return {
    ...row,
    ...begun,
    state: told?.state ?? 'started',
    endedAtMs: told === undefined ? undefined : 1_001,
    end: told,
  };
}

const planOf = (
  steps: readonly StepRow[],
  { mode, stepPolicy, isListed }: Pick<(typeof CASES)[number], 'mode' | 'stepPolicy' | 'isListed'>,
): ResumePlan =>
  planInWords(
    planResume({
      turn: turnRow(),
      steps,
      runs: [],
      policy: policyOf({ mode, stepPolicy, sideEffectTools: isListed ? ['charge'] : [] }),
      nowMs: 2_000,
      isAnswered: false,
      wasAlone: true,
      idempotencyKeyOf: (root) => `hf-db-7-${String(root)}`,
    }),
  );

const CASES = MATRIX.map(([mode, stepPolicy, listed, outcome, turn, step]) => ({
  mode,
  stepPolicy,
  listed,
  isListed: listed === 'listed',
  outcome,
  turn,
  step,
}));

describe('DW-10 the gate holds on the computer that takes over', () => {
  it('has 36 cases', () => {
    expect(CASES).toHaveLength(36);
  });

  it.each(CASES)(
    'DW-10 mode $mode, policy $stepPolicy, $listed and $outcome on another computer: the turn is $turn, the step $step, under the same key',
    async ({ outcome, turn, step, ...policy }) => {
      for (const end of outcome === 'finished' ? [DONE] : [UNKNOWN, undefined]) {
        const own = stepRow(1, { key: 'ab01', ...(end === undefined ? {} : { end }) });
        const there = planOf([await arrived(own)], policy);
        expect([there.action, there.steps.map(({ action }) => action)]).toEqual([turn, [step]]);
        expect(there).toEqual(planOf([own], policy));
      }
    },
  );
});
