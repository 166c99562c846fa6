import { describe, expect, it } from 'vitest';
import type { TimelineTurn } from '../../../renderer/charts/step-timeline-plan';
import { FIT } from '../../../renderer/charts/step-timeline-shapes';
import { step, stop, turnOf, timelineModel } from './timeline-samples';

describe('what a turn waits for', () => {
  const waits: Readonly<Record<string, Partial<TimelineTurn>>> = {
    'at its restart': { steps: [step(1, 0, 10)], stops: [stop(10, 300)] },
    '2 s after it': { steps: [step(1, 0, 10), step(2, 300, 2)], stops: [stop(10, 300)] },
    'long after it': { steps: [step(1, 0, 10), step(2, 300, 90)], stops: [stop(10, 20)] },
    'without a stop': { steps: [step(1, 0, 90)], stops: [] },
  };
  it.each(Object.keys(waits))(
    'the words of a wait %s lie over no stop, restart, time or tick, from 240 to 1,120 px, at 100 to 200 %, of 8 to 40 letters',
    (when) => {
      const missing: string[] = [];
      for (const label of ['for you', 'waits for you', 'a'.repeat(22), 'a'.repeat(40)]) {
        for (const textScale of [1, 1.25, 2]) {
          for (let width = 240; width <= 1120; width += 40) {
            const turn = turnOf({ ...waits[when], waiting: { tone: 'waiting', label, steps: [] } });
            const timePx = 50 * textScale;
            const { marks, ticks } = timelineModel(turn, width, FIT, { timePx, textScale });
            const wait = marks.find((mark) => mark.kind === 'wait');
            const wide = label.length * 6.2 * textScale;
            if (wait?.word === undefined) {
              if (width >= 600 && wide <= 170) missing.push(`${label} at ${String(width)}`);
              continue;
            }
            const { endX, line } = wait.word;
            expect(endX).toBeLessThanOrEqual(width - 4);
            const meets = (from: number, to: number): boolean => from < endX && to > endX - wide;
            for (const mark of marks) {
              if (mark.kind !== 'stop' && mark.kind !== 'restart') continue;
              if (line === 'ticks') expect(meets(mark.x - 5, mark.x + 5)).toBe(false);
              if (line === 'flags' && mark.side !== undefined) {
                const from = mark.side === 'left' ? mark.x - 3 - timePx : mark.x + 4;
                expect(meets(from, from + timePx)).toBe(false);
              }
            }
            if (line === 'ticks')
              for (const { x } of ticks) expect(meets(x - timePx / 2, x + timePx / 2)).toBe(false);
          }
        }
      }
      expect(missing).toEqual([]);
    },
  );
});
