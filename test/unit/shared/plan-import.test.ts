import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createPortableTexts } from '../../../electron/engine/journal/portable-text';
import { settleConflicts } from '../../../electron/engine/sharing/plan-conflicts';
import { crashesOf, planImport, planTail } from '../../../electron/engine/sharing/plan-import';
import {
  readWire,
  startOut,
  writeWire,
  type WireEntry,
} from '../../../electron/engine/sharing/wire';
import type { ExternalAsking, ExternalCallRow } from '../../../electron/ports/journal/external';
import type { StepRow } from '../../../electron/ports/journal/rows';
import type { JournalEntry, StepEnd, StepStart } from '../../../electron/ports/journal/entries';

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
const cut = { state: 'ambiguous', error: 'cut' } as const;
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
const local = (...steps: StepRow[]) => ({ turnId: 9, attempt: 1, steps, calls: [] });
const begun = (step: number): WireEntry => startOut(start(step));
const ended = (
  step: number,
  end: Extract<WireEntry, { k: 'end' }>['end'] = wireDone,
): WireEntry => ({
  k: 'end',
  step,
  end,
});

describe('how often a computer has ended at work on a turn', () => {
  const run = (attempt: number): WireEntry => ({
    k: 'attempt',
    attempt,
    framedAtMs: 5,
    frame: 'f'.repeat(64),
  });
  it.each([
    ['never: no lease ran out', [run(1), begun(1)], 0, 0],
    ['never: it waited there, and no run had begun', [], 3, 0],
    ['once: a run, and two leases under which it waited', [run(1), begun(1)], 3, 1],
    ['once: the run that brought a result went on', [run(1), begun(1), ended(1)], 1, 1],
    ['twice: a result, and one more run', [run(1), begun(1), ended(1), run(2)], 2, 2],
    ['3 times: 3 runs without a result', [run(1), run(2), run(3)], 3, 3],
    ['once: of 3 runs 2 were given back', [run(1), run(2), run(3)], 1, 1],
    ['twice: an unknown outcome is no result', [run(1), begun(1), ended(1, cut), run(2)], 2, 2],
  ])('DW-11 %s', (_, stored, lives, crashes) => {
    expect(crashesOf(stored, lives)).toBe(crashes);
  });
});

describe('what another computer has written of a turn', () => {
  it('DW-09 comes into an empty journal whole, with the number of the last step', () => {
    const plan = planImport({ turnId: 9, attempt: 0, steps: [], calls: [] }, [
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

  it.each<
    [string, number, number | undefined, readonly [number, number][], readonly [number, number][]]
  >([
    ['none here yet', 0, undefined, [[1, 70]], [[1, 70]]],
    ['the same one', 1, 70, [[1, 70]], []],
    ['one here that never got out, under the number of another', 1, 60, [[1, 70]], [[1, 70]]],
    ['two here that never got out', 2, 60, [[1, 70]], [[2, 70]]],
    [
      'a later one there',
      1,
      60,
      [
        [1, 70],
        [2, 70],
      ],
      [[2, 70]],
    ],
    ['ours went out, a later one here has not', 2, 70, [[1, 70]], []],
    ['nothing there', 1, 60, [], []],
  ])(
    'DW-09 of the runs with %s, those of the store count',
    (_name, attempt, framedAtMs, there, imported) => {
      const run = ([number, atMs]: readonly [number, number]): WireEntry => ({
        ...{ k: 'attempt', attempt: number, framedAtMs: atMs, frame: String(atMs) },
      });
      const plan = planImport({ ...local(), attempt, framedAtMs }, there.map(run));
      expect(plan.attempts).toEqual(imported.map(run));
    },
  );

  it('DW-18 nothing but the known fields is taken from the store', () => {
    const portable = createPortableTexts({ workspace: [], data: [], home: [] });
    expect(readWire(portable, writeWire(portable, begun(1)))).toEqual(begun(1));
    for (const body of [
      'no json',
      '{}',
      '{"k":"attempt"}',
      JSON.stringify({ ...begun(1), turnId: 4 }),
      JSON.stringify({ k: 'close', state: 'running', reason: '' }),
    ])
      expect(() => readWire(portable, body), body).toThrow(/does not understand/);
  });
});

describe('what this journal knows and the store lacks', () => {
  it('DW-08 DW-13 goes there with the next claim; a step whose intent never arrived has not begun', () => {
    const tail = planTail(local(row(1, done), row(2, done), row(3)), [
      begun(1),
      ended(1),
      begun(2),
    ]);
    expect(tail.entries.map((one) => (one.kind === 'end' ? ['end', one.step] : one.kind))).toEqual([
      ['end', 2],
      'start',
      ['end', 3],
    ]);
    expect(tail.notBegun).toEqual([3]);
  });

  it('DW-08 a step that the store knows as begun stays open: it may have happened', () => {
    expect(planTail(local(row(1)), [begun(1)])).toEqual({ entries: [], notBegun: [] });
  });
});

const callOf = (step: number, asking?: ExternalAsking): ExternalCallRow => ({
  turnId: 9,
  step,
  callId: `call-${String(step)}`,
  tool: 'execute',
  title: 'one',
  input: '{}',
  identity: String(step).padStart(64, '0'),
  asking,
  requestId: undefined,
});
const called = (step: number, title = 'one'): WireEntry => {
  const { turnId: _t, asking: _a, requestId: _r, input: _i, ...call } = callOf(step);
  return { k: 'call', ...call, title, input: { t: '{}' } };
};
const asks = (step: number, state: ExternalAsking): WireEntry => ({
  k: 'asking',
  step,
  state,
  by: 'policy',
});

describe('calls of an agent of another program', () => {
  it('DW-19 come with what was said of them last, each question behind its call', () => {
    const stored = [
      ...[called(2, 'Terminal'), begun(2), called(2), asks(2, 'asked')],
      ...[called(3), begun(3), asks(2, 'allowed'), ended(2)],
    ];
    const plan = planImport({ turnId: 9, attempt: 0, steps: [], calls: [] }, stored);
    expect(plan.calls).toEqual([called(2), asks(2, 'allowed'), called(3)]);
    const known = { ...local(row(2, done), row(3)), calls: [callOf(2, 'allowed'), callOf(3)] };
    expect(planImport(known, stored).calls).toEqual([]);
  });

  it.each<[string, ExternalAsking | undefined, readonly WireEntry[], readonly number[]]>([
    ['told without asking, not in the store: it runs already', undefined, [], []],
    ['told without asking', undefined, [begun(2), called(2)], []],
    ['asked', 'asked', [begun(2), called(2), asks(2, 'asked')], [2]],
    ['asked, not in the store', 'asked', [], [2]],
    ['allowed, and only here', 'allowed', [begun(2), called(2), asks(2, 'asked')], [2]],
    ['allowed, not in the store', 'allowed', [], [2]],
    ['allowed, and heard so', 'allowed', [begun(2), called(2), asks(2, 'allowed')], []],
  ])('DW-08 DW-19 a call that was %s: has it not begun?', (_name, asking, stored, notBegun) => {
    const tail = planTail({ ...local(row(2)), calls: [callOf(2, asking)] }, stored);
    expect(tail.notBegun).toEqual(notBegun);
    // What the store lacks goes there: the step before what is known of it.
    const kinds = tail.entries.map(({ kind }) => kind);
    expect(kinds).toEqual([
      ...(stored.length === 0 ? ['start', 'call'] : []),
      ...(notBegun.length === 0 ? [] : ['end']),
    ]);
  });
});

describe('a step that never reached the store, where another owner has given its number to another one', () => {
  const other = (step: number, againOf?: number): WireEntry =>
    startOut({ ...start(step), key: 'cd', ...(againOf === undefined ? {} : { againOf }) });
  const kindsOf = (entries: readonly JournalEntry[]) =>
    entries.map((entry) => [entry.kind, 'step' in entry ? entry.step : 0]);

  it('DW-06 DW-31 is replaced by the one of the store, so that an effect that is on record there is not begun again', () => {
    // Three calls at once; only the first intent got out, and was repeated elsewhere as step 3.
    const here = local(row(1, done), row(2), { ...row(3), key: 'ef' });
    const stored = [begun(1), ended(1), begun(2), other(3, 2), ended(3), other(4)];
    const { local: left, before, after } = settleConflicts(here, stored);
    expect(kindsOf(before)).toEqual([['step.ended', 3]]);
    expect(after).toEqual([]);
    const plan = planImport(left, stored);
    expect(plan.starts.map(({ step, againOf }) => [step, againOf])).toEqual([
      [3, 2],
      [4, undefined],
    ]);
    expect(plan.ends.map(({ step }) => step)).toEqual([3]);
    expect(planTail(left, stored)).toEqual({ entries: [], notBegun: [] });
  });

  it.each<[string, StepEnd | undefined, ExternalAsking | undefined, boolean]>([
    ['told without asking: it may have run', undefined, undefined, true],
    ['and has ended', done, undefined, true],
    ['asked for', undefined, 'asked', false],
    ['allowed, and nobody has heard so', undefined, 'allowed', false],
    ['refused', { state: 'failed', error: 'no', isCutOff: false }, 'refused', false],
  ])('DW-08 DW-19 a call of another program %s', (_name, end, asking, isMoved) => {
    const here = { ...local(row(1, done), row(2, end)), calls: [callOf(2, asking)] };
    const stored = [begun(1), ended(1), other(2), ended(2), other(3)];
    const { local: left, before, after } = settleConflicts(here, stored);
    expect(kindsOf(before)).toEqual(end?.state === 'failed' ? [] : [['step.ended', 2]]);
    const kinds = ['step.started', 'outside.call', ...(end === undefined ? [] : ['step.ended'])];
    expect(kindsOf(after)).toEqual(isMoved ? kinds.map((kind) => [kind, 4]) : []);
    const { entries, notBegun } = planTail(left, stored);
    expect(notBegun).toEqual([]);
    expect(entries.map(({ kind }) => kind)).toEqual(
      isMoved ? ['start', 'call', ...(end === undefined ? [] : ['end'])] : [],
    );
  });

  it('DW-09 one that both began in the same way is the same step', () => {
    const here = local(row(1, done), row(2));
    expect(settleConflicts(here, [begun(1), begun(2), ended(2)])).toEqual({
      local: here,
      before: [],
      after: [],
    });
  });
});
