import { describe, expect, it } from 'vitest';
import {
  buildLedger,
  isOpenEffect,
  isOutcomeUnknown,
} from '../../../electron/engine/recovery/ledger';
import { settleByHooks } from '../../../electron/engine/executors/command/plan';
import { settleSteps } from '../../../electron/engine/recovery/skill-discard';
import type { StepEnd } from '../../../electron/ports/journal/entries';
import type { StepRow } from '../../../electron/ports/journal/rows';
import { DONE, FAILED, stepRow, UNKNOWN } from './step-rows';

const content = { kind: 'inline', text: 'It may have happened.' } as const;
const TOLD: StepEnd = { state: 'ambiguous', error: 'interrupted', content };

/** Each end, and whether the step's outcome is unknown. */
const ENDS: readonly (readonly [string, Partial<StepRow>, boolean])[] = [
  ['started, without an end', {}, true],
  ['ended as unknown', { end: UNKNOWN }, true],
  ['unknown, and its end cannot be read', { state: 'ambiguous' }, true],
  ['ended as unknown, and the agent was told so', { end: TOLD }, false],
  ['completed', { end: DONE }, false],
  ['failed without an effect', { end: FAILED }, false],
  ['skipped', { end: { state: 'skipped', content, by: 'person' } }, false],
  ['confirmed', { end: { state: 'confirmed', content, by: 'person' } }, false],
];

describe('S4-20 one rule says which outcome is unknown', () => {
  it.each(ENDS)('a call that is %s', (_title, extra, isUnknown) => {
    const step = stepRow(3, { ...extra, scope: { runId: 5, phase: 'work', visit: 1 } });
    const asked = { ...step, purity: 'world' as const };
    const call = {
      turnId: 7,
      step: 3,
      callId: 'c3',
      tool: 'execute',
      title: 'send',
      input: '',
      identity: '',
      asking: undefined,
      requestId: undefined,
    } as const;
    const settled = settleByHooks({
      turnId: 7,
      steps: [step],
      calls: [call],
      records: [{ kind: 'after', attempt: 1, callId: 'c3', isError: false, output: 'sent' }],
    });
    expect({
      isUnknown: isOutcomeUnknown(step),
      isOpen: isOpenEffect(step),
      isReadOpen: isOpenEffect(asked),
      isLineOpen: buildLedger([step])[0]?.outcome === 'open',
      settledByDiscard: settleSteps([step], new Set([5])).length,
      settledByReport: settled.length,
    }).toEqual({
      isUnknown,
      isOpen: isUnknown,
      isReadOpen: false,
      isLineOpen: isUnknown,
      settledByDiscard: isUnknown ? 1 : 0,
      settledByReport: isUnknown ? 1 : 0,
    });
  });
});
