import { describe, expect, it } from 'vitest';
import { stepViews } from '../../../electron/engine/status/views';
import type { StepRow } from '../../../electron/ports/journal';
import { DONE, FAILED, stepRow, UNKNOWN } from '../recovery/step-rows';

const views = (steps: readonly StepRow[]): readonly boolean[] =>
  stepViews(
    {
      databaseId: 'db',
      sideEffectTools: [],
      allowedBy: () => undefined,
      skillOf: () => undefined,
      outsideCalls: () => [],
      requestsOfTurn: () => [],
      isOver: () => false,
      callTries: () => [],
    },
    steps,
  ).map((step) => step.duplicateRisk);

describe('S4-24 a possible duplicate', () => {
  it.each([
    ['after one whose result is unknown', [UNKNOWN, DONE], {}, [false, true]],
    ['after one that surely did nothing', [FAILED, DONE], {}, [false, false]],
    ['after one of each', [UNKNOWN, FAILED, DONE], {}, [false, true, true]],
    ['after one of each, the other way round', [FAILED, UNKNOWN, DONE], {}, [false, false, true]],
    ['of a call that may be repeated', [UNKNOWN, DONE], { isIdempotent: true }, [false, false]],
    ['of a read', [FAILED, DONE], { purity: 'world' }, [false, false]],
  ] as const)('S4-24 %s', (_what, ends, more, expected) => {
    const steps = ends.map((end, index) =>
      stepRow(index + 1, { ...more, ...(index === 0 ? {} : { againOf: 1 }), end }),
    );
    expect(views(steps)).toEqual(expected);
  });
});
