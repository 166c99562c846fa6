import { describe, expect, it } from 'vitest';
import { limitUseOf, type NotedLimit } from '../../../electron/engine/outage/limit-use';
import { limitText } from '../../../renderer/outages/limit-view';

const HOUR = 3_600_000;
const noted = (more: Partial<NotedLimit['notice']>, resetsAtMs?: number): NotedLimit => ({
  notice: { status: 'allowed', limit: { window: 'session' }, ...more },
  atMs: 0,
  end: resetsAtMs === undefined ? undefined : { atMs: resetsAtMs },
});
const use = (one: NotedLimit, nowMs = 1) =>
  limitUseOf('agent.claude', one, { nowMs, time: (atMs) => `${String(atMs / HOUR)}:00` });

describe('the use of a usage limit, before it is reached', () => {
  it('LM-09 a warning says how much is used and when it resets', () => {
    expect(use(noted({ status: 'warning', used: 0.85 }, 3 * HOUR))).toEqual({
      window: 'session',
      usedPercent: 85,
      isWarning: true,
      resetsAtMs: 3 * HOUR,
      sentence: expect.stringMatching(
        /: 85 % of the session limit is used; it resets at 3:00\.$/,
      ) as string,
    });
  });

  it.each([
    ['80 % warns, whatever the agent calls it', noted({ used: 0.8 }), 1, true],
    ['79 % does not', noted({ used: 0.79 }), 1, false],
    ['a warning without a number warns', noted({ status: 'warning' }), 1, true],
    ['an allowed call without a number says nothing', noted({}), 1, undefined],
    ['a reached one is shown as a wait', noted({ status: 'reached', used: 1 }), 1, undefined],
    ['one whose window has ended is over', noted({ used: 0.9 }, 2 * HOUR), 2 * HOUR, undefined],
    ['one without an end is over after 5 h', noted({ used: 0.9 }), 5 * HOUR + 1, undefined],
  ])('LM-09 %s', (_what, one, nowMs, isWarning) => {
    expect(use(one, nowMs)?.isWarning).toBe(isWarning);
  });

  it('LM-09 the list of connections names the part and the reset', () => {
    expect(limitText({ usedPercent: 85 }, 0)).toBe('85 % of its usage limit');
    expect(limitText({}, 0)).toBe('usage limit nearly reached');
  });
});
