import { describe, expect, it } from 'vitest';
import type { ResumePlan } from '../../../shared/types';
import { buildLedger, toldWorkMs, workedMs } from '../../../electron/engine/recovery/ledger';
import {
  goesAlone,
  planInWords,
  planResume,
  resumeDelayMs,
  type RecoveryPolicy,
} from '../../../electron/engine/recovery/plan-resume';
import type { StepRow, TurnRow } from '../../../electron/ports/journal/rows';
import type { StepEnd } from '../../../electron/ports/journal/entries';
import { MATRIX, MODES } from './gate-matrix';
import { DONE, FAILED, policyOf, stepRow, turnRow, UNKNOWN } from './step-rows';

const plan = (
  policy: Partial<RecoveryPolicy>,
  steps: readonly StepRow[],
  turn: Partial<TurnRow> = {},
  nowMs = 2_000,
  wasAlone = true,
): ResumePlan => {
  const row = turnRow(turn);
  const planned = planResume({
    turn: row,
    steps,
    runs: [],
    policy: policyOf(policy),
    nowMs,
    isAnswered: row.isAnswered,
    wasAlone,
    idempotencyKeyOf: (root) => `hf-db-7-${String(root)}`,
  });
  return planInWords(planned);
};

describe('X-04 turn gate before step policy', () => {
  it('has 36 different cases', () => {
    expect(new Set(MATRIX.map((one) => one.slice(0, 4).join())).size).toBe(36);
  });

  it.each(MATRIX)(
    'mode %s, policy %s, %s and %s: the turn is %s, the step %s',
    (mode, stepPolicy, listed, outcome, action, stepAction) => {
      const sideEffectTools = listed === 'listed' ? ['charge'] : [];
      for (const end of outcome === 'finished' ? [DONE] : [UNKNOWN, undefined]) {
        const step = stepRow(1, end === undefined ? {} : { end });
        const made = plan({ mode, stepPolicy, sideEffectTools }, [step]);
        expect([made.action, made.steps.map((one) => one.action)]).toEqual([action, [stepAction]]);
        expect(made.ambiguous).toEqual(outcome === 'ambiguous' ? [1] : []);
        expect(made.steps[0]?.isListed).toBe(listed === 'listed');
        expect(made.steps[0]?.idempotencyKey).toBe('hf-db-7-1');
      }
    },
  );
});

describe('the plan of a cut-off turn', () => {
  it('S0-08 a listed tool that was never reached does not hold the turn', () => {
    const read = stepRow(1, { tool: 'files.read_file', purity: 'world', end: DONE });
    expect(plan({ sideEffectTools: ['send_email'] }, [read]).action).toBe('resume');
  });

  it('S0-13 plain and qualified names hold it, another host or another case does not', () => {
    const step = stepRow(1, { tool: 'mail.send', end: DONE });
    const action = (name: string): string => plan({ sideEffectTools: [name] }, [step]).action;
    expect(['send', 'mail.send', 'post.send', 'Send', 'mail'].map(action)).toEqual([
      'hold',
      'hold',
      'resume',
      'resume',
      'resume',
    ]);
  });

  it('S0-+01 1 ms above the age it is stale, at the age it resumes', () => {
    const facts = { maxAgeMs: 5_000 };
    expect(plan(facts, [], {}, 6_000).action).toBe('resume');
    expect(plan(facts, [], {}, 6_001).action).toBe('stale');
  });

  it.each<[string, readonly [number, number | undefined][], number, string]>([
    ['its start', [], 6_000, 'resume'],
    ['its start', [], 6_001, 'stale'],
    ['the newest step that ended', [[1_000, 80_000]], 85_000, 'resume'],
    ['the newest step that ended', [[1_000, 80_000]], 85_001, 'stale'],
    [
      'a step that was cut off after a day of waiting',
      [
        [1_000, 1_001],
        [90_000_000, undefined],
      ],
      90_005_000,
      'resume',
    ],
    [
      'a step that was cut off after a day of waiting',
      [
        [1_000, 1_001],
        [90_000_000, undefined],
      ],
      90_005_001,
      'stale',
    ],
  ])(
    'S0-+01 R10 counts the age from %s: what it waited before is none (%#)',
    (_from, times, nowMs, action) => {
      const steps = times.map(([startedAtMs, endedAtMs], index) =>
        stepRow(index + 1, {
          purity: 'llm',
          startedAtMs,
          ...(endedAtMs === undefined ? {} : { end: DONE, endedAtMs }),
        }),
      );
      expect(plan({ maxAgeMs: 5_000 }, steps, {}, nowMs).action).toBe(action);
    },
  );

  it('S0-+04 below 3 ends it resumes, at 3 it is parked, answered or not', () => {
    for (const isAnswered of [false, true]) {
      const actions = [0, 1, 2, 3, 4].map(
        (crashes) => plan({}, [], { crashes, isAnswered }).action,
      );
      expect(actions).toEqual(['resume', 'resume', 'resume', 'park', 'park']);
    }
  });

  it.each([1, 2, 5])(
    'S0-+04 with %i attempts it is parked at as many ends, not one before',
    (n) => {
      const at = (crashes: number) => plan({ maxAttempts: n }, [], { crashes }).action;
      expect([at(n - 1), at(n)]).toEqual(['resume', 'park']);
    },
  );

  it('S0-+04 of turns that were at work together none is parked, after 3 ends or 9', () => {
    for (const crashes of [3, 9]) {
      const { action, reason } = plan({}, [], { crashes }, 2_000, false);
      expect([action, reason]).toEqual([
        'resume',
        'No outcome is unknown: it resumes where it stopped. Holdfast crashed again while this turn was running: it runs alone until it gets further.',
      ]);
    }
  });

  it.each([
    [1, [false, true, true, true]],
    [2, [false, true, true, true]],
    [3, [false, false, true, true]],
    [4, [false, false, false, true]],
  ])(
    'S0-+04 with %i attempts a turn goes alone after 0, 1, 2, 3 ends: %j',
    (maxAttempts, alone) => {
      expect([0, 1, 2, 3].map((crashes) => goesAlone({ crashes }, { maxAttempts }))).toEqual(alone);
    },
  );

  it.each([
    [3, 0, 'ended Holdfast 3 times'],
    [3, 3, 'stopped responding 3 times'],
    [3, 1, 'ended Holdfast 2 times and stopped responding once'],
    [4, 3, 'ended Holdfast once and stopped responding 3 times'],
  ])(
    'S0-+04 S3-18 of %i ends %i were silences: a parked turn says that it %s',
    (crashes, stalls, words) => {
      const { reason } = plan({}, [], { crashes, stalls, stepCount: 4 });
      expect(reason).toBe(`Parked: this turn ${words} at step 4.`);
    },
  );

  it('S0-+04 the delay grows 0, 0, 2, 4, 8 s and never above a minute', () => {
    expect([0, 1, 2, 3, 4, 40].map((crashes) => resumeDelayMs(crashes, 2_000))).toEqual([
      0, 0, 2_000, 4_000, 8_000, 60_000,
    ]);
  });

  it('S4-+04 answered, the gate is passed in every mode and the open step runs again', () => {
    for (const mode of MODES) {
      const made = plan(
        { mode, sideEffectTools: ['charge'], stepPolicy: 'skip' },
        [stepRow(1, { end: UNKNOWN })],
        { isAnswered: true },
      );
      expect([made.action, made.steps[0]?.action]).toEqual(['resume', 'ask']);
    }
  });

  it('S4-20 reads and model calls that were cut off are never an open question', () => {
    const cut = [
      stepRow(1, { purity: 'llm', tool: 'model' }),
      stepRow(2, { purity: 'world' }),
      stepRow(3, { purity: 'pure' }),
    ];
    const made = plan({ mode: 'always' }, cut);
    expect(made.ambiguous).toEqual([]);
    expect(made.steps.map((step) => step.action)).toEqual(['run_again', 'run_again', 'run_again']);
  });
});

describe('the ledger', () => {
  const outcomes = (steps: readonly StepRow[]): string[] =>
    buildLedger(steps).map((line) => `${line.outcome} ${String(line.last.step)}`);

  it('S4-23 tries of one step are one line with the number of the first', () => {
    const lines = buildLedger([
      stepRow(1, { end: UNKNOWN }),
      stepRow(2, { end: UNKNOWN, againOf: 1 }),
      stepRow(3, { end: DONE, againOf: 2 }),
    ]);
    expect(lines.map((line) => [line.root, line.last.step, line.outcome])).toEqual([
      [1, 3, 'finished'],
    ]);
  });

  it.each([
    [[UNKNOWN, FAILED], 'open 1'],
    [[UNKNOWN, FAILED, FAILED], 'open 1'],
    [[FAILED, UNKNOWN], 'open 2'],
    [[FAILED, FAILED], 'again 2'],
    [[FAILED], 'again 1'],
    [[UNKNOWN, DONE], 'finished 2'],
    [[DONE, FAILED], 'finished 1'],
    [[DONE, UNKNOWN], 'finished 1'],
  ])('S4-20 the tries %j are %s: a try that did nothing hides nothing', (ends, expected) => {
    const steps = ends.map((end, index) =>
      stepRow(index + 1, { end, ...(index === 0 ? {} : { againOf: index }) }),
    );
    expect(outcomes(steps)).toEqual([expected]);
  });
});

describe('how long a turn has worked', () => {
  it('limits: its finished steps count together, cut off ones and clocks set back count 0', () => {
    const step = (number: number, startedAtMs: number, endedAtMs?: number): StepRow =>
      stepRow(number, {
        end: DONE,
        startedAtMs,
        ...(endedAtMs === undefined ? {} : { endedAtMs }),
      });
    const { endedAtMs: _none, ...open } = step(3, 9_000);
    expect(workedMs([step(1, 1_000, 1_400), step(2, 5_000, 4_000)])).toBe(400);
    expect(workedMs([step(1, 1_000, 3_000), step(2, 90_000, 90_500), open as StepRow])).toBe(2_500);
    // Ends that the next start wrote a day later, and a person after that.
    const day = { startedAtMs: 1_000, endedAtMs: 86_401_000 };
    const late = [FAILED, UNKNOWN, { ...DONE, state: 'confirmed', by: 'person' } as StepEnd];
    expect(workedMs(late.map((end) => stepRow(1, { ...day, end })))).toBe(0);
    expect(workedMs([])).toBe(0);
  });

  it('limits: of an agent of another program each run says it; calls inside of it and waits for people count 0', () => {
    const hour = { startedAtMs: 0, endedAtMs: 3_600_000 };
    const steps = [
      stepRow(1, { ...hour, end: { ...FAILED, workedMs: 4_000 } }),
      stepRow(2, { ...hour, end: DONE }),
      stepRow(3, { ...hour, end: { ...UNKNOWN, workedMs: 500 } }),
      stepRow(4, { ...hour, end: FAILED }),
    ];
    expect([toldWorkMs(steps), toldWorkMs([])]).toEqual([4_500, 0]);
  });
});

describe('a call that the policy leaves out', () => {
  it('S4-25 is no whole process of an agent: what the plan shows of that is what its run does', () => {
    const steps = [
      stepRow(1, { tool: 'command.claude', end: UNKNOWN }),
      stepRow(2, { tool: 'claude.shell', end: UNKNOWN }),
    ];
    const shown = plan({ mode: 'always', stepPolicy: 'skip' }, steps).steps;
    expect(shown.map(({ action }) => action)).toEqual(['ask', 'skip']);
  });
});
