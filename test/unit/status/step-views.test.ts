import { describe, expect, it } from 'vitest';
import { stepViews } from '../../../electron/engine/status/views';
import type { StepRow } from '../../../electron/ports/journal/rows';
import type { StepView } from '../../../shared/types';
import { DONE, FAILED, stepRow, UNKNOWN } from '../recovery/step-rows';

const shown = (steps: readonly StepRow[], isOver = false): readonly StepView[] =>
  stepViews(
    {
      keyOrigin: (turnId) => ({ databaseId: 'db', turnId }),
      sideEffectTools: [],
      allowedBy: () => undefined,
      skillOf: () => undefined,
      outsideCalls: () => [],
      requestsOfTurn: () => [],
      isOver: () => isOver,
      callTries: () => [],
      answeredBy: () => undefined,
    },
    steps,
  );
const views = (steps: readonly StepRow[]): readonly boolean[] =>
  shown(steps).map((step) => step.duplicateRisk);

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

describe('S2-02 a failed model call', () => {
  const LOST = { state: 'failed', error: 'no answer', isCutOff: false } as const;
  it.each([
    ['of a turn that goes on is due again', [LOST], {}, false, ['due']],
    [
      'that another followed was made again',
      [LOST, LOST, DONE],
      {},
      true,
      ['made', 'made', undefined],
    ],
    ['that its turn has ended with is final', [LOST, LOST], {}, true, ['made', undefined]],
    ['that was cut off did not fail', [FAILED], {}, false, [undefined]],
    [
      'is not a tool: what that says goes to the model',
      [LOST, DONE],
      { purity: 'world' },
      false,
      [undefined, undefined],
    ],
  ] as const)('%s', (_what, ends, more, isOver, expected) => {
    const steps = ends.map((end, index) => stepRow(index + 1, { purity: 'llm', ...more, end }));
    expect(shown(steps, isOver).map((step) => step.again)).toEqual(expected);
  });
});
