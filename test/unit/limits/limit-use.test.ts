import { describe, expect, it } from 'vitest';
import { limitUseOf, warningToStore } from '../../../electron/engine/outage/limit-use';
import type { NotedLimit } from '../../../electron/ports/journal/outage';
import { limitedTurns } from '../../../renderer/home/external-view';
import { heldText, limitText, limitWarnings } from '../../../renderer/outages/limit-view';
import type { HeldItem, LimitUse } from '../../../shared/types/outage';

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
        /: 85% of the session limit is used; it resets at 3:00\.$/,
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

  const store = (stored: NotedLimit | undefined, next: NotedLimit, nowMs = 1) =>
    warningToStore(stored, next, { nowMs, time: String });
  const warned = noted({ used: 0.85 }, 3 * HOUR);

  it.each<[string, NotedLimit | undefined, NotedLimit, ReturnType<typeof store>]>([
    ['a first warning is stored', undefined, warned, { warned }],
    ['the same again writes nothing', warned, { ...warned, atMs: 7 }, undefined],
    [
      'less than a percent more writes nothing',
      warned,
      noted({ used: 0.852 }, 3 * HOUR),
      undefined,
    ],
    [
      'the next percent is stored',
      warned,
      noted({ used: 0.86 }, 3 * HOUR),
      { warned: noted({ used: 0.86 }, 3 * HOUR) },
    ],
    ['what is no warning is never stored', undefined, noted({ used: 0.5 }), undefined],
    [
      'a window with room again takes the warning away',
      warned,
      noted({ used: 0.1 }),
      { warned: undefined },
    ],
    [
      'a limit that is reached does, too',
      warned,
      noted({ status: 'reached' }),
      { warned: undefined },
    ],
  ])('LM-09 over a restart: %s', (_what, stored, next, change) => {
    expect(store(stored, next)).toEqual(change);
  });

  it('LM-09 over a restart: a warning whose window has ended is not taken away by a write', () => {
    expect(store(warned, noted({ used: 0.1 }), 3 * HOUR)).toBeUndefined();
  });

  it('LM-09 the list of connections names the part and the reset', () => {
    expect(limitText({ usedPercent: 85 }, 0)).toBe('85% of its usage limit');
    expect(limitText({}, 0)).toBe('usage limit nearly reached');
  });
});

const held = (more: Partial<HeldItem>): HeldItem => ({
  position: 1,
  turnId: 1,
  sessionId: 1,
  sessionKey: 's',
  provider: 'agent.claude',
  agent: 'claude',
  channel: 'window',
  source: 'user',
  promptStart: 'p',
  cause: 'quota',
  sinceMs: 0,
  keptSteps: 0,
  merged: 0,
  isCanary: false,
  ...more,
});

describe('a turn that waits, and warnings, in the windows', () => {
  const nowMs = new Date(2026, 2, 24, 14, 0).getTime();
  it.each([
    [
      'a limit with its end',
      held({ untilMs: nowMs + 2 * HOUR }),
      /^Waiting for the usage limit of .*claude: continues at 16:00 \(in 2 h\)$/,
    ],
    ['a limit without one', held({}), /^Waiting for the usage limit of .*claude$/],
    [
      'one whose end has come',
      held({ untilMs: nowMs }),
      /^Waiting for the usage limit of .*claude$/,
    ],
    ['a provider that is down', held({ cause: 'outage', provider: 'main' }), /^Waiting for Main$/],
    ['the one that checks', held({ isCanary: true }), /^Checking whether .*claude is back$/],
  ])('LM-10 says what %s is', (_what, item, words) => {
    expect(heldText(item, nowMs, 'en-GB')).toMatch(words);
  });

  it('LM-10 Home decides about the first 3 turns of a usage limit, and about none that checks or waits for an outage', () => {
    const all = [
      held({ turnId: 1, isCanary: true }),
      held({ turnId: 2, cause: 'outage' }),
      held({ turnId: 3, provider: 'agent.other' }),
      ...[4, 5, 6, 7].map((turnId) => held({ turnId })),
    ];
    expect(limitedTurns(all, 'agent.claude').map(({ turnId }) => turnId)).toEqual([4, 5, 6]);
  });

  it('LM-09 Home warns of the two fullest limits and of none that is calm', () => {
    const limit = (
      sentence: string,
      usedPercent: number | undefined,
      isWarning = true,
    ): LimitUse => ({
      window: 'session',
      isWarning,
      sentence,
      ...(usedPercent === undefined ? {} : { usedPercent }),
    });
    const all = [
      limit('81', 81),
      limit('calm', 20, false),
      limit('near', undefined),
      limit('95', 95),
    ];
    expect(limitWarnings(all)).toEqual(['near', '95']);
    expect(limitWarnings(undefined)).toEqual([]);
  });
});
