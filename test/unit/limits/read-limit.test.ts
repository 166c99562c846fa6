import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FAR_MS, limitEnd, readLimit } from '../../../shared/limits/read-limit';
import { instantOf, wallOf } from '../../../shared/limits/zone-time';
import { NOW_MS, OTHER_TEXTS, OWN_ZONE, SENTENCES, TIMES } from './limit-sentences';

const end = (text: string, nowMs = NOW_MS, zone = OWN_ZONE) =>
  limitEnd(readLimit(text)?.resets, { nowMs, zone });
const shown = (atMs: number | undefined): string | undefined =>
  atMs === undefined ? undefined : new Date(atMs).toISOString();

describe('the sentences of usage limits', () => {
  it.each([...SENTENCES, ...TIMES])('LM-02 LM-03 %j: %s, until %s', (text, window, until) => {
    const limit = readLimit(text);
    expect(limit?.window).toBe(window);
    expect(shown(end(text)?.atMs)).toBe(
      until === undefined ? undefined : new Date(until).toISOString(),
    );
  });

  it('LM-02 there are at least 60 of them, no two alike', () => {
    expect(new Set(SENTENCES.map(([text]) => text)).size).toBe(SENTENCES.length);
    expect(SENTENCES.length).toBeGreaterThanOrEqual(60);
  });

  it.each(OTHER_TEXTS)('LM-03 %j is no usage limit', (text) => {
    expect(readLimit(text)).toBeUndefined();
  });

  it('LM-02 a reset more than 8 days away is said to be far, one within them is not', () => {
    expect(end('usage limit reached, try again at Nov 5th, 2026 8:19 PM')?.isFar).toBe(true);
    expect(end('usage limit reached, try again in 9 days')?.isFar).toBe(true);
    expect(end('usage limit reached, try again in 8 days')?.isFar).toBe(false);
    // In January, a day of December is of the year that comes.
    const january = Date.parse('2027-01-02T10:00:00Z');
    expect(end('usage limit reached, resets Dec 31, 7pm', january)?.isFar).toBe(true);
  });

  it('LM-02 a day of January that is named in December is of the next year', () => {
    const december = Date.parse('2026-12-30T10:00:00Z');
    expect(shown(end('weekly limit reached ∙ resets Jan 2, 7pm', december)?.atMs)).toBe(
      '2027-01-02T18:00:00.000Z',
    );
  });
});

describe('the clock where it is set', () => {
  const newYork = { nowMs: Date.parse('2027-03-14T05:00:00Z'), zone: 'America/New_York' };
  it.each<[string, string, string]>([
    // The clock goes from 2:00 to 3:00: what is skipped is the end of the gap, as in cron.
    ['resets 2am', '2027-03-14T05:00:00Z', '2027-03-14T07:00:00.000Z'],
    ['resets 2:30am', '2027-03-14T05:00:00Z', '2027-03-14T07:00:00.000Z'],
    ['resets 3am', '2027-03-14T05:00:00Z', '2027-03-14T07:00:00.000Z'],
    // It goes from 2:00 back to 1:00: the first of the two.
    ['resets 1:30am', '2027-11-07T04:00:00Z', '2027-11-07T05:30:00.000Z'],
    ['resets 2am', '2027-11-07T04:00:00Z', '2027-11-07T07:00:00.000Z'],
  ])('LM-02 "%s" at %s is %s', (text, now, atMs) => {
    const found = end(`usage limit reached ${text}`, Date.parse(now), newYork.zone);
    expect(shown(found?.atMs)).toBe(atMs);
  });

  it('LM-02 half an hour of daylight time and a gap at midnight', () => {
    const wall = { year: 2027, month: 10, day: 3, hour: 2, minute: 0 };
    expect(shown(instantOf('Australia/Lord_Howe', wall))).toBe('2027-10-02T15:30:00.000Z');
    const midnight = { year: 2027, month: 9, day: 5, hour: 0, minute: 0 };
    expect(shown(instantOf('America/Santiago', midnight))).toBe('2027-09-05T04:00:00.000Z');
  });
});

const ZONES = ['UTC', 'America/New_York', 'Asia/Colombo', 'Australia/Lord_Howe', 'Nowhere/Land'];
const instants = fc.integer({ min: Date.parse('2024-01-01'), max: Date.parse('2032-01-01') });
const times = fc
  .tuple(
    fc.integer({ min: 1, max: 12 }),
    fc.integer({ min: 0, max: 59 }),
    fc.constantFrom('am', 'pm'),
  )
  .map(([hour, minute, half]) => `${String(hour)}:${String(minute).padStart(2, '0')}${half}`);
const days = fc.constantFrom('', 'Mon ', 'Sunday ', 'tomorrow ', 'Feb 29, ', 'Dec 31, ', 'Oct 9, ');

describe('any sentence at any time', () => {
  it('LM-02 is never in the past, and never above 8 days without saying so', () => {
    fc.assert(
      fc.property(
        instants,
        fc.oneof(
          fc
            .tuple(days, times, fc.constantFrom(...ZONES))
            .map(([day, time, zone]) => `usage limit reached ∙ resets ${day}${time} (${zone})`),
          fc
            .integer({ min: 0, max: 4_000_000 })
            .map((seconds) => `usage limit reached, try again in ${String(seconds)} seconds`),
          fc
            .integer({ min: 1e9, max: 4e9 })
            .map((epoch) => `Claude AI usage limit reached|${String(epoch)}`),
          fc.string({ maxLength: 60 }).map((text) => `usage limit reached, resets ${text}`),
        ),
        fc.constantFrom(...ZONES.slice(0, 4)),
        (nowMs, text, zone) => {
          const found = end(text, nowMs, zone);
          if (found === undefined) return;
          expect(found.atMs).toBeGreaterThan(nowMs);
          expect(found.isFar).toBe(found.atMs - nowMs > FAR_MS);
        },
      ),
      { numRuns: 3_000 },
    );
  });

  it('LM-02 of a time of day alone is within 25 hours, and the clock there shows it or skips it', () => {
    fc.assert(
      fc.property(instants, times, fc.constantFrom(...ZONES.slice(0, 4)), (nowMs, time, zone) => {
        const found = end(`usage limit reached ∙ resets ${time} (${zone})`, nowMs);
        expect(found?.atMs).toBeLessThanOrEqual(nowMs + 25 * 3_600_000);
        const wall = wallOf(zone, found?.atMs ?? 0);
        const [, hour = '', minute = '', half] = /(\d+):(\d+)(.m)/.exec(time) ?? [];
        const asked = ((Number(hour) % 12) + (half === 'pm' ? 12 : 0)) * 60 + Number(minute);
        expect(wall.hour * 60 + wall.minute - asked).toBeGreaterThanOrEqual(0);
        expect(wall.hour * 60 + wall.minute - asked).toBeLessThanOrEqual(60);
      }),
      { numRuns: 1_000 },
    );
  });

  it('LM-02 of a weekday is within 8 days', () => {
    fc.assert(
      fc.property(
        instants,
        times,
        fc.constantFrom('Mon', 'thursday', 'Sunday'),
        (nowMs, time, day) => {
          const found = end(`weekly limit reached ∙ resets ${day} ${time}`, nowMs, 'UTC');
          expect(found?.isFar).toBe(false);
        },
      ),
      { numRuns: 500 },
    );
  });
});
