import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { planImport, planTail } from '../../../electron/engine/sharing/plan-import';
import { readWire, startOut, type WireEntry } from '../../../electron/engine/sharing/wire';
import type { StepRow } from '../../../electron/ports/journal/rows';
import type { StepEnd, StepStart } from '../../../electron/ports/journal/entries';

const start = (step: number, attempt = 1): StepStart => ({
  turnId: 9,
  step,
  attempt,
  tool: 'fake.charge',
  purity: 'side_effect',
  key: 'ab',
  hint: '',
  hasEffects: true,
  isWorkspaceRead: false,
  isIdempotent: false,
});
const done: StepEnd = {
  state: 'completed',
  content: { kind: 'inline', text: 'ok' },
  isError: false,
};
const wireDone = { state: 'completed', content: { t: 'ok' }, isError: false } as const;
const unknown: StepEnd = { state: 'ambiguous', error: 'cut' };

const row = (step: number, end?: StepEnd): StepRow => ({
  ...start(step),
  state: end?.state ?? 'started',
  startedAtMs: 0,
  endedAtMs: end === undefined ? undefined : 1,
  end,
  endedSeq: end === undefined ? undefined : step,
  reusedCount: 0,
});
const local = (...steps: StepRow[]) => ({ turnId: 9, attempt: 1, steps });
const begun = (step: number): WireEntry => startOut(start(step));
const ended = (
  step: number,
  end: Extract<WireEntry, { k: 'end' }>['end'] = wireDone,
): WireEntry => ({
  k: 'end',
  step,
  end,
});

describe('what another computer has written of a turn', () => {
  it('DW-09 comes into an empty journal whole, with the number of the last step', () => {
    const plan = planImport({ turnId: 9, attempt: 0, steps: [] }, [
      { k: 'attempt', attempt: 1, framedAtMs: 5, frame: 'f'.repeat(64) },
      begun(1),
      ended(1),
      begun(2),
    ]);
    expect(plan.attempts).toHaveLength(1);
    expect(plan.starts.map(({ step }) => step)).toEqual([1, 2]);
    expect(plan.ends.map(({ step }) => step)).toEqual([1]);
    expect(plan).toMatchObject({ lastStep: 2, close: undefined, isOfSkill: false });
  });

  it('DW-09 settles what is open here: what a later owner has decided of a step counts', () => {
    const plan = planImport(local(row(1, done), row(2), row(3, unknown)), [
      begun(1),
      ended(1),
      begun(2),
      ended(2, { state: 'ambiguous', error: 'cut' }),
      ended(2, { state: 'confirmed', content: { t: 'done' }, by: 'person' }),
      begun(3),
      ended(3, { state: 'ambiguous', error: 'cut' }),
    ]);
    expect(plan.starts).toEqual([]);
    expect(plan.ends.map(({ step, end }) => [step, end.state])).toEqual([[2, 'confirmed']]);
  });

  it('DW-09 is imported once: a second look at the same entries finds nothing', () => {
    fc.assert(
      fc.property(fc.array(fc.boolean(), { maxLength: 12 }), (finished) => {
        const stored = finished.flatMap((isDone, index) =>
          isDone ? [begun(index + 1), ended(index + 1)] : [begun(index + 1)],
        );
        const rows = finished.map((isDone, index) => row(index + 1, isDone ? done : undefined));
        const plan = planImport(local(...rows), stored);
        expect([plan.starts, plan.ends]).toEqual([[], []]);
      }),
    );
  });

  it('DW-18 nothing but the known fields is taken from the store', () => {
    expect(readWire(JSON.stringify(begun(1)))).toEqual(begun(1));
    for (const body of [
      'no json',
      '{}',
      '{"k":"attempt"}',
      JSON.stringify({ ...begun(1), turnId: 4 }),
      JSON.stringify({ k: 'close', state: 'running', reason: '' }),
    ])
      expect(() => readWire(body), body).toThrow(/does not understand/);
  });
});

describe('what this journal knows and the store lacks', () => {
  it('DW-08 DW-13 goes there with the next claim; a step whose intent never arrived has not begun', () => {
    const tail = planTail(local(row(1, done), row(2, done), row(3)), [
      begun(1),
      ended(1),
      begun(2),
    ]);
    expect(
      tail.entries.map((one) => (one.kind === 'end' ? ['end', one.step] : one.wire.k)),
    ).toEqual([['end', 2], 'start', ['end', 3]]);
    expect(tail.notBegun).toEqual([3]);
  });

  it('DW-08 a step that the store knows as begun stays open: it may have happened', () => {
    expect(planTail(local(row(1)), [begun(1)])).toEqual({ entries: [], notBegun: [] });
  });
});
