import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { providerWaitMs } from '../../../electron/adapters/providers/provider-wait';

const NOW_MS = Date.parse('2026-11-21T12:00:00Z');
const of = (headers: Record<string, string>): number | undefined =>
  providerWaitMs({ headers, nowMs: NOW_MS });

describe('S2-25 Retry-After', () => {
  it.each<[string, number | undefined]>([
    ['3', 3_000],
    [' 3 ', 3_000],
    ['1.5', 1_500],
    ['3600', 3_600_000],
    ['86400', 86_400_000],
    ['3456000', 3_456_000_000],
    ['Sat, 21 Nov 2026 12:00:30 GMT', 30_000],
    ['Wed, 21 Oct 2015 07:28:00 GMT', undefined],
    ['0', undefined],
    ['-5', undefined],
    ['', undefined],
    ['soon', undefined],
    ['NaN', undefined],
    ['Infinity', undefined],
    ['1e9', undefined],
    ['2027', 2_027_000],
    ['99999999999', undefined],
    ['2026-11-21T12:00:30Z', undefined],
  ])('"%s" is %s ms', (value, ms) => {
    expect(of({ 'retry-after': value })).toBe(ms);
  });

  it('the exact header wins, and a malformed one falls back', () => {
    expect(of({ 'retry-after-ms': '1250', 'retry-after': '9' })).toBe(1_250);
    expect(of({ 'retry-after-ms': 'x', 'retry-after': '9' })).toBe(9_000);
  });

  it('is undefined or a whole number of ms from 1 to a year, whatever the text', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.double().map(String),
          fc.date({ noInvalidDate: true }).map((d) => d.toUTCString()),
        ),
        (value) => {
          const ms = of({ 'retry-after': value });
          return ms === undefined || (Number.isInteger(ms) && ms >= 1 && ms <= 366 * 86_400_000);
        },
      ),
    );
  });
});
