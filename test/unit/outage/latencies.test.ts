import { expect, it } from 'vitest';
import { createLatencies, medianOf } from '../../../electron/engine/outage/latencies';
import type { JournalEntry } from '../../../electron/ports/journal/entries';

it.each([
  ['nothing', [], undefined],
  ['one', [7], 7],
  ['two', [10, 21], 16],
  ['three, in any order', [900, 10, 20], 20],
])('the median of %s', (_words, tookMs, median) => {
  expect(medianOf(tookMs)).toBe(median);
});

function world() {
  let tell: (entries: readonly JournalEntry[], atMs: number) => void = () => undefined;
  const latencies = createLatencies({
    journal: {
      onCommitted(listener) {
        tell = (entries, atMs) => listener(entries, atMs, 1);
        return () => undefined;
      },
    },
    reads: {
      frame: (id) => ({ provider: id === 1 ? 'anthropic' : 'office' }) as never,
    },
  });
  const start = (turnId: number, step: number, purity: string): JournalEntry =>
    ({ kind: 'step.started', turnId, step, purity }) as unknown as JournalEntry;
  const open = (turnId: number): JournalEntry =>
    ({ kind: 'turn.started', turnId, frameId: turnId }) as unknown as JournalEntry;
  const end = (turnId: number, step: number, state: string): JournalEntry =>
    ({ kind: 'step.ended', turnId, step, end: { state } }) as unknown as JournalEntry;
  return {
    latencies,
    open,
    start,
    end,
    tell: (at: number, ...entries: JournalEntry[]) => tell(entries, at),
  };
}

it('X-02 measures a response from its request to its end, by provider; tools, failures and half turns do not count', () => {
  const { latencies, open, start, end, tell } = world();
  expect(latencies.of('anthropic')).toBeUndefined();
  tell(1_000, open(1), open(2), start(1, 1, 'llm'));
  tell(3_400, end(1, 1, 'completed'), start(1, 2, 'side_effect'));
  tell(9_000, end(1, 2, 'completed'), start(1, 3, 'llm'));
  tell(9_100, start(2, 1, 'llm'));
  tell(9_500, end(1, 3, 'failed'));
  tell(9_600, end(2, 1, 'completed'));
  tell(9_700, start(9, 1, 'llm'));
  tell(9_800, end(9, 1, 'completed'));
  tell(9_900, start(1, 4, 'llm'), { kind: 'turn.closed', turnId: 1 } as unknown as JournalEntry);
  tell(99_900, end(1, 4, 'completed'));
  expect(latencies.of('anthropic')).toEqual({ medianMs: 2_400, responses: 1 });
  expect(latencies.of('office')).toEqual({ medianMs: 500, responses: 1 });
});

it('X-02 remembers the last 20 responses', () => {
  const { latencies, open, start, end, tell } = world();
  tell(0, open(1));
  for (let step = 1; step <= 30; step += 1) {
    tell(step * 1_000, start(1, step, 'llm'));
    tell(step * 1_000 + (step <= 10 ? 900 : 100), end(1, step, 'completed'));
  }
  expect(latencies.of('anthropic')).toEqual({ medianMs: 100, responses: 20 });
});
