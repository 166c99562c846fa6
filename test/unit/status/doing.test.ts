import { expect, it } from 'vitest';
import { doingOf } from '../../../electron/engine/status/doing';
import type { StepRow } from '../../../electron/ports/journal/rows';

const step = {
  turnId: 7,
  step: 3,
  tool: 'shell.shell',
  purity: 'side_effect',
  hint: 'npm test',
  state: 'started',
  startedAtMs: 1_000,
} as StepRow;
const doing = (newest: StepRow | undefined, printed?: string) =>
  doingOf({ reads: { newestStep: () => newest }, live: { of: () => printed } }, 7);

it('a running turn is at its newest step, with the last line that its command has printed', () => {
  expect(doing(step, 'one\ntwo\n\n')).toEqual({
    step: 3,
    tool: 'shell.shell',
    purity: 'side_effect',
    hint: 'npm test',
    sinceMs: 1_000,
    lastLine: 'two',
  });
  expect(doing(step, 'x'.repeat(500))?.lastLine).toHaveLength(200);
});

it('says no line where nothing was printed, and nothing between two steps', () => {
  expect(doing(step)).not.toHaveProperty('lastLine');
  expect(doing(step, '\n')).not.toHaveProperty('lastLine');
  expect(doing({ ...step, state: 'completed' })).toBeUndefined();
  expect(doing(undefined)).toBeUndefined();
});
