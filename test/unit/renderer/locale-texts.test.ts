import { describe, expect, it } from 'vitest';
import {
  ageText,
  clockText,
  durationText,
  fullTimeText,
  localClocks,
  moneyText,
  untilText,
} from '../../../renderer/parts/time-view';
import { inWindow, troubleText } from '../../../renderer/parts/trouble-view';
import { ERROR_CODES } from '../../../shared/error-codes';
import { ERROR_MESSAGES } from '../../../shared/error-messages';

const at = new Date(2026, 2, 24, 14, 2, 11).getTime();
// Some locales put an unseen space between time and PM.
const plain = (text: string): string => text.replace(/[\u00a0\u202f]/g, ' ');

describe('texts in the locale of the person', () => {
  it.each([
    ['en-US', '2:02 PM', '2:02:11 PM', '$1,234.50', '0.4 s', 'under $0.01'],
    ['en-GB', '14:02', '14:02:11', '$1,234.50', '0.4 s', 'under $0.01'],
    ['de-DE', '14:02', '14:02:11', '1.234,50 $', '0,4 s', 'under 0,01 $'],
    ['en-US-u-hc-h23', '14:02', '14:02:11', '$1,234.50', '0.4 s', 'under $0.01'],
  ])('%s: %s, %s, %s, %s', (locale, short, long, money, duration, small) => {
    expect(plain(clockText(at, at, locale))).toBe(short);
    expect(plain(clockText(at, at, locale, true))).toBe(long);
    expect(plain(moneyText(1234.5, locale))).toBe(money);
    expect(plain(moneyText(0.004, locale))).toBe(small);
    expect(durationText(400, locale)).toBe(duration);
  });

  it.each([
    [42_000, '٤٢ s'],
    [253_000, '٤ min ١٣ s'],
    [5_340_000, '١ h ٢٩ min'],
    [183_600_000, '٢ d ٣ h'],
  ])('%i ms have the digits of their place, as the time beside them: %s', (ms, text) => {
    expect(durationText(ms, 'ar-EG')).toBe(text);
    expect(durationText(40, 'ar-EG')).toBe('under ٠٫١ s');
    expect(ageText(at, at + 29 * 60_000, 'ar-EG')).toBe('٢٩ min');
    expect(untilText(at + 41_000, at, 'ar-EG')).toBe('in ٤١ s');
    expect(untilText(at + 3 * 60_000, at, 'ar-EG')).toBe('in ٣ min');
  });

  it.each([
    ['Daily at 17:42, Europe/Berlin time', 'Daily at 5:42 PM, Europe/Berlin time'],
    ['15 missed between 07:30 and 14:30:05.', '15 missed between 7:30 AM and 2:30:05 PM.'],
    ['Once, Wed 25 Mar 2026, 08:00', 'Once, Wed 25 Mar 2026, 8:00 AM'],
    ['2026-03-24T15:00:00+02:00', '2026-03-24T15:00:00+02:00'],
    ['0 8 * * 1-5', '0 8 * * 1-5'],
  ])('a sentence of the engine, %s, is %s where the day has two halves', (said, shown) => {
    expect(plain(localClocks(said, 'en-US'))).toBe(shown);
    expect(localClocks(said, 'en-GB')).toBe(said);
  });

  it('names the day, and in the tooltip the whole date', () => {
    const now = new Date(2026, 2, 26, 9, 0).getTime();
    expect(clockText(at, now, 'de-DE')).toBe('Dienstag 14:02');
    expect(fullTimeText(at, 'en-GB')).toMatch(/^Tuesday,? 24 March 2026 at 14:02:11$/);
  });

  it.each([
    [41_000, 'in 41 s'],
    [120_000, 'in 120 s'],
    [121_000, 'in 3 min'],
    [0, 'now'],
    [-5, 'now'],
  ])('%i ms away is %s', (left, text) => {
    expect(untilText(1_000_000 + left, 1_000_000)).toBe(text);
  });
});

describe('troubleText', () => {
  it.each(ERROR_CODES)('S2-30 %s without a hint still has a sentence and a next step', (code) => {
    const silent = troubleText({ code, message: '' });
    expect(silent).toEqual({
      sentence: ERROR_MESSAGES[code].sentence,
      next: inWindow(ERROR_MESSAGES[code].next),
    });
    expect(troubleText({ code, message: 'It broke' }).next).toBe(
      inWindow(ERROR_MESSAGES[code].next),
    );
  });

  it('lets an expected error speak for itself', () => {
    expect(
      troubleText({ code: 'DISK_FULL', message: 'The disk of D is full', hint: 'Free 2 MB.' }),
    ).toEqual({ sentence: 'The disk of D is full.', next: 'Free 2 MB.' });
  });

  it.each(['INTERNAL', 'FROM_THE_FUTURE'])('puts its own words before those of %s', (code) => {
    const text = troubleText({
      code,
      message: "Cannot read properties of undefined (reading 'x')",
    });
    expect(text.sentence).toBe(ERROR_MESSAGES.INTERNAL.sentence);
    expect(text.detail).toBe("Cannot read properties of undefined (reading 'x').");
    expect(text.next).toBe(inWindow(ERROR_MESSAGES.INTERNAL.next));
  });
});
