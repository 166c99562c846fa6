import { beforeEach, describe, expect, it, vi } from 'vitest';
import { createQuiet } from '../../../electron/shell/notices/quiet-hours';
import { lastQuietEndMs, quietUntilMs } from '../../../shared/quiet-hours';
import { APP_SETTINGS } from '../../../shared/settings/app';

const at = (day: number, hour: number, minute: number): number =>
  new Date(2026, 2, day, hour, minute).getTime();

describe('quiet hours', () => {
  it.each([
    ['22:00-07:00', 24, 21, 59, undefined],
    ['22:00-07:00', 24, 22, 0, at(25, 7, 0)],
    ['22:00-07:00', 24, 23, 30, at(25, 7, 0)],
    ['22:00-07:00', 25, 0, 0, at(25, 7, 0)],
    ['22:00-07:00', 25, 6, 59, at(25, 7, 0)],
    ['22:00-07:00', 25, 7, 0, undefined],
    ['12:30-13:15', 24, 12, 29, undefined],
    ['12:30-13:15', 24, 12, 30, at(24, 13, 15)],
    ['12:30-13:15', 24, 13, 15, undefined],
    ['00:00-00:00', 24, 12, 0, undefined],
    ['', 24, 23, 0, undefined],
    ['soon', 24, 23, 0, undefined],
  ])('"%s" on the %ith at %i:%i', (span, day, hour, minute, until) => {
    expect(quietUntilMs(span, at(day, hour, minute))).toBe(until);
  });

  it('takes a span of two clock times or nothing, and says no to the rest', () => {
    const schema = APP_SETTINGS['notifications.quiet_hours'].schema;
    for (const good of ['', '22:00-07:00', '00:00-23:59'])
      expect([good, schema.safeParse(good).success]).toEqual([good, true]);
    for (const bad of ['22-7', '24:00-07:00', '22:00-07:60', '22:00', ' 22:00-07:00', 7])
      expect([bad, schema.safeParse(bad).success]).toEqual([bad, false]);
  });
});

describe('the end of quiet hours', () => {
  beforeEach(() => vi.useFakeTimers());
  const setUp = (startMs: number) => {
    vi.setSystemTime(startMs);
    const told = { on: false, span: '22:00-07:00', onEnd: vi.fn() };
    const quiet = createQuiet({
      isSwitchedOn: () => told.on,
      span: () => told.span,
      onEnd: told.onEnd,
      nowMs: Date.now,
    });
    return { quiet, told };
  };

  it('comes once, at 7:00, after somebody asked in the night', () => {
    const { quiet, told } = setUp(at(24, 23, 0));
    expect(quiet.isQuiet()).toBe(true);
    expect(quiet.isQuiet()).toBe(true);
    vi.setSystemTime(at(25, 6, 59));
    vi.advanceTimersByTime(59_000);
    expect(told.onEnd).not.toHaveBeenCalled();
    vi.advanceTimersByTime(61_000);
    expect(told.onEnd).toHaveBeenCalledTimes(1);
    expect(quiet.isQuiet()).toBe(false);
    vi.advanceTimersByTime(3_600_000);
    expect(told.onEnd).toHaveBeenCalledTimes(1);
  });

  it('sets no alarm where nobody asked, and by day', () => {
    const { quiet } = setUp(at(24, 12, 0));
    expect(vi.getTimerCount()).toBe(0);
    expect(quiet.isQuiet()).toBe(false);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('is not told while Do not disturb is on: that has an end of its own', () => {
    const { quiet, told } = setUp(at(25, 6, 59));
    told.on = true;
    expect(quiet.isQuiet()).toBe(true);
    vi.advanceTimersByTime(120_000);
    expect(told.onEnd).not.toHaveBeenCalled();
    expect(quiet.isQuiet()).toBe(true);
  });

  it('comes within a minute after the hours were taken out of the settings', () => {
    const { quiet, told } = setUp(at(24, 23, 0));
    expect(quiet.isQuiet()).toBe(true);
    told.span = '';
    expect(quiet.isQuiet()).toBe(false);
    vi.advanceTimersByTime(60_000);
    expect(told.onEnd).toHaveBeenCalledTimes(1);
  });

  it.each([
    ['22:00-07:00', at(25, 8, 0), at(25, 7, 0)],
    ['22:00-07:00', at(25, 6, 59), at(24, 7, 0)],
    ['', at(25, 8, 0), 0],
  ])('PH-07 the last night of %s ended', (span, nowMs, endedAtMs) => {
    expect(lastQuietEndMs(span, nowMs)).toBe(endedAtMs);
  });
});
