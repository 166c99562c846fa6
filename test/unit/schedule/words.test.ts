import { describe, expect, it } from 'vitest';
import { slotWords } from '../../../shared/schedule/words';

const HOUR = 3_600_000;
const at = (text: string): number => Date.parse(text);
const zone = 'Europe/Berlin';
/** 09:00 to 20:00 in Berlin. */
const span = { fromMs: at('2027-06-07T07:00:00Z'), toMs: at('2027-06-07T18:00:00Z'), zone };
const told = { lateMs: 2 * HOUR, missed: 23, windowMs: HOUR, span };

describe('what became of a slot, in words', () => {
  it.each([
    [
      'says of 23 skipped slots between which times of the zone of the task they were',
      { ...told, why: 'window' as const },
      'Skipped: 2 h late, catch-up window is 1 h. 23 missed between 09:00 and 20:00.',
    ],
    [
      'says that 23 slots became one run',
      { ...told, why: 'in_window' as const },
      'Caught up, 2 h late. 23 missed between 09:00 and 20:00, caught up with one run.',
    ],
    [
      'names the days where there are two',
      { ...told, why: 'never' as const, span: { ...span, toMs: span.toMs + 24 * HOUR } },
      'Skipped: 2 h late; this task never catches up. 23 missed between Mon 7 Jun 2027, 09:00 and Tue 8 Jun 2027, 20:00.',
    ],
    [
      'says nothing of a time between where there is one slot',
      { ...told, why: 'never' as const, missed: 1 },
      'Skipped: 2 h late; this task never catches up.',
    ],
    [
      'says that there were more than are counted',
      { why: 'in_window' as const, lateMs: 2 * HOUR, missed: 100 },
      'Caught up, 2 h late. 100+ missed runs, caught up with one.',
    ],
    [
      'says of one that runs once and was missed that it waits, not that it is over',
      { why: 'window' as const, lateMs: 2 * HOUR, missed: 1, windowMs: HOUR, isMissed: true },
      '2 h late, catch-up window is 1 h. It runs only if you choose Run now.',
    ],
    [
      'says so where catching up is off, too',
      { why: 'window' as const, lateMs: 2 * HOUR, missed: 1, windowMs: 0, isMissed: true },
      '2 h late, and catch-up is off. It runs only if you choose Run now.',
    ],
    [
      'has no times of a decision that was made before they were kept',
      { why: 'window' as const, lateMs: 2 * HOUR, missed: 23, windowMs: HOUR },
      'Skipped: 2 h late, catch-up window is 1 h. 23 runs were missed.',
    ],
  ])('S1-08 S0-24 %s', (_title, slot, words) => {
    expect(slotWords(slot)).toBe(words);
  });
});
