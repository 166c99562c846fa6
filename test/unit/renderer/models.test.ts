import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { inertPieces, oneLine } from '../../../renderer/parts/inert-view';
import { isClosed, shownStep, shownTurn } from '../../../renderer/parts/state-view';
import {
  ageText,
  clockText,
  durationText,
  moneyText,
  roughlyText,
  untilText,
} from '../../../renderer/parts/time-view';
import { hrefOf, parseRoute } from '../../../renderer/route';
import type { Route } from '../../../renderer/route';
import { COLOURS, variablesOf } from '../../../renderer/theme/tokens';
import { CLOSED_TURN_STATES, TURN_STATES } from '../../../shared/states';
import { SLACK } from '../../helpers/slack';
import { anyCharacter } from '../../helpers/any-text';

describe('times as people read them', () => {
  it.each([
    [0, 'under 0.1 s'],
    [400, '0.4 s'],
    [9_949, '9.9 s'],
    [42_000, '42 s'],
    [59_600, '1 min'],
    [253_000, '4 min 13 s'],
    [3_599_999, '1 h'],
    [89 * 60_000, '1 h 29 min'],
    [51 * 3_600_000, '2 d 3 h'],
    [-5, 'under 0.1 s'],
  ])('%d ms is %s', (ms, text) => {
    expect(durationText(ms)).toBe(text);
  });

  it('S0-30 gives the downtime of 4 min 13 s in words, never in ms', () => {
    expect(durationText(253_400)).toBe('4 min 13 s');
  });

  it.each([
    [59_000, 'now'],
    [29 * 60_000, '29 min'],
    [8 * 3_600_000, '8 h'],
    [3 * 86_400_000, '3 d'],
  ])('an age of %d ms is %s', (age, text) => {
    expect(ageText(1_000_000_000_000 - age, 1_000_000_000_000)).toBe(text);
  });

  it('counts seconds only in the last two minutes', () => {
    expect(untilText(1_042_000, 1_000_000)).toBe('in 42 s');
    expect(untilText(1_121_000, 1_000_000)).toBe('in 3 min');
    expect(untilText(1_000_000, 1_000_000)).toBe('now');
  });

  it('adds the day to a clock time that is not today', () => {
    const now = new Date(2026, 2, 24, 14, 31).getTime();
    expect(clockText(new Date(2026, 2, 24, 14, 2).getTime(), now, 'en-GB')).toBe('14:02');
    expect(clockText(new Date(2026, 2, 22, 9, 0).getTime(), now, 'en-GB')).toBe('Sunday 09:00');
    expect(clockText(new Date(2026, 0, 2, 9, 0).getTime(), now, 'en-GB')).toBe('2 Jan 2026 09:00');
    // Beside the sidebar's mark there is room for one of the two.
    const roughly = (...at: [number, number, number, number, number]): string =>
      roughlyText(new Date(...at).getTime(), now, 'en-GB');
    expect(roughly(2026, 2, 24, 14, 2)).toBe('14:02');
    expect(roughly(2026, 2, 22, 9, 0)).toBe('Sunday');
    expect(roughly(2026, 0, 2, 9, 0)).toBe('2 Jan');
    expect(roughly(2025, 0, 2, 9, 0)).toBe('2 Jan 2025');
  });

  it.each([
    [3.86, '$3.86'],
    [0.004, 'under $0.01'],
    [0, '$0.00'],
  ])('%d dollars are %s', (usd, text) => {
    expect(moneyText(usd)).toBe(text);
  });
});

describe('W8 text from outside is inert', () => {
  it.each([
    ['\u202egnp.exe', 'U+202E', 'direction'],
    ['a\u200bb', 'U+200B', 'invisible'],
    ['a\u{e0041}b', 'U+E0041', 'invisible'],
    ['a\u001b[31mb', 'U+001B', 'control'],
    ['a\rb', 'U+000D', 'control'],
  ])('makes the odd character in %j visible as %s', (text, code, name) => {
    expect(inertPieces(text)).toContainEqual({ kind: 'odd', code, name });
  });

  it('leaves lines, tabs, umlauts and emoji as they are', () => {
    const text = 'Zeile 1\n\tZeile 2: Grüße 🎉';
    expect(inertPieces(text)).toEqual([{ kind: 'text', text }]);
  });

  it('loses nothing: the pieces give the text back', () => {
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter, maxLength: 200 }), (text) => {
        const back = inertPieces(text)
          .map((piece) =>
            piece.kind === 'text'
              ? piece.text
              : String.fromCodePoint(parseInt(piece.code.slice(2), 16)),
          )
          .join('');
        expect(back).toBe(text);
      }),
    );
  });

  it('cuts a megabyte to one line of 160 characters within 50 ms', () => {
    const text = 'word\n'.repeat(200_000);
    const startMs = performance.now();
    expect(oneLine(text)).toHaveLength(160);
    expect(performance.now() - startMs).toBeLessThan(50 * SLACK);
  });
});

describe('states', () => {
  it('gives each of the 10 turn states a mark and a word of its own', () => {
    const words = TURN_STATES.map((state) => shownTurn(state).label);
    expect(new Set(words).size).toBe(TURN_STATES.length);
  });

  it('knows the same closed states as the model', () => {
    expect(TURN_STATES.filter(isClosed)).toEqual([...CLOSED_TURN_STATES]);
  });

  it.each([
    [{ state: 'ambiguous', fate: 'cut_off' }, 'fate.unknown', 'diamond'],
    [{ state: 'confirmed', fate: 'recorded_as_done' }, 'fate.recorded', 'check'],
    [{ state: 'skipped', fate: 'skipped_by_you' }, 'fate.skipped', 'skip'],
    [{ state: 'started', fate: 'cut_off' }, 'fate.cutOff', 'cut'],
    [
      { state: 'completed', fate: 'asked_again', drift: 'changed' },
      'fate.askedAgainChanged',
      'loop',
    ],
    [{ state: 'completed', fate: 'asked_again', drift: 'same' }, 'fate.askedAgainSame', 'loop'],
    [{ state: 'completed', fate: 'fresh', reusedCount: 1 }, 'fate.reused', 'mark'],
    [{ state: 'failed', fate: 'fresh' }, 'fate.failed', 'cross'],
    [{ state: 'failed', fate: 'fresh', again: 'due' }, 'fate.failedSoFar', 'clock'],
    [{ state: 'failed', fate: 'fresh', again: 'made' }, 'fate.failedAgain', 'loop'],
    [{ state: 'started', fate: 'fresh' }, 'fate.running', 'play'],
    [{ state: 'completed', fate: 'fresh' }, 'fate.done', 'check'],
  ] as const)('S4-+02 shows %j as %s', (step, label, mark) => {
    expect(shownStep({ reusedCount: 0, ...step })).toMatchObject({ label, mark });
  });
});

describe('routes', () => {
  it.each<Route>([
    { kind: 'home' },
    { kind: 'decisions' },
    { kind: 'decisions', turnId: 7 },
    { kind: 'sessions', sessionId: 3 },
    { kind: 'farSession', host: 'box', sessionId: 3 },
    { kind: 'farSession', host: 'a-1/b%', sessionId: 12 },
    { kind: 'turn', turnId: 12 },
    { kind: 'agents' },
    { kind: 'restart' },
    { kind: 'welcome' },
  ])('reads back its own hash of %j', (route) => {
    expect(parseRoute(hrefOf(route))).toEqual(route);
  });

  it.each(['decisions/7', '/decisions/7', '#/decisions/7'])(
    'D1 takes the route %s from main',
    (route) => {
      expect(parseRoute(route)).toEqual({ kind: 'decisions', turnId: 7 });
    },
  );

  it.each(['#/sessions/on-box', '#/sessions/on-box-0', '#/sessions/on--3', '#/sessions/on-%-3'])(
    'HO-02 lists all sessions where %s names none of a host',
    (route) => {
      expect(parseRoute(route)).toEqual({ kind: 'sessions' });
    },
  );

  it.each([
    '#/turns/0',
    '#/turns/1e3',
    '#/turns/../7',
    '#/x',
    '#/turns/7/cancel',
    '#/decisions/7/yes',
  ])('D1 goes Home for the unknown route %s', (route) => {
    expect(parseRoute(route)).toEqual({ kind: 'home' });
  });
});

/** Contrast of two #rrggbb colours, WCAG 2. */
const contrast = (a: string, b: string): number => {
  const luminance = (hex: string): number => {
    const [r = 0, g = 0, blue = 0] = [1, 3, 5].map((at) => {
      const channel = parseInt(hex.slice(at, at + 2), 16) / 255;
      return channel <= 0.04045 ? channel / 12.92 : ((channel + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * r + 0.7152 * g + 0.0722 * blue;
  };
  const [high = 0, low = 0] = [luminance(a), luminance(b)].toSorted((x, y) => y - x);
  return (high + 0.05) / (low + 0.05);
};

describe('color tokens', () => {
  const INKS = [
    'kept',
    'ok',
    'working',
    'waiting',
    'attention',
    'outage',
    'ambiguous',
    'reissued',
  ] as const;
  for (const scheme of [0, 1] as const) {
    const name = scheme === 0 ? 'light' : 'dark';
    it.each(INKS)(
      `has AA text (4.5) for %s on its soft ground, card and canvas in ${name}`,
      (ink) => {
        for (const ground of [`${ink}-bg`, 'surface', 'canvas', 'sunken'] as const) {
          expect(contrast(COLOURS[ink][scheme], COLOURS[ground][scheme])).toBeGreaterThanOrEqual(
            4.5,
          );
        }
      },
    );

    it.each(['text', 'text-2', 'text-3', 'muted'] as const)(
      `has AA text (4.5) for %s on every ground in ${name}`,
      (ink) => {
        for (const ground of ['canvas', 'surface', 'sunken', 'raised'] as const) {
          expect(contrast(COLOURS[ink][scheme], COLOURS[ground][scheme])).toBeGreaterThanOrEqual(
            4.5,
          );
        }
      },
    );

    it.each(['code-keyword', 'code-string', 'code-value', 'code-name'] as const)(
      `has AA text (4.5) for %s on every ground of code in ${name}`,
      (ink) => {
        for (const ground of ['canvas', 'surface', 'ok-bg', 'outage-bg'] as const) {
          expect(contrast(COLOURS[ink][scheme], COLOURS[ground][scheme])).toBeGreaterThanOrEqual(
            4.5,
          );
        }
      },
    );

    it(`has 3:1 for controls and bars on a card in ${name}`, () => {
      for (const mark of ['switch-off', 'p-pure', 'p-world', 'p-llm', 'p-side', 'p-ext'] as const) {
        expect(contrast(COLOURS[mark][scheme], COLOURS.surface[scheme])).toBeGreaterThanOrEqual(3);
      }
    });

    it(`writes the filled button in AA in ${name}`, () => {
      expect(contrast(COLOURS['on-kept'][scheme], COLOURS.kept[scheme])).toBeGreaterThanOrEqual(
        4.5,
      );
    });
  }

  it('hands every color to the page as --hf-<name>', () => {
    expect(variablesOf(0)['--hf-kept']).toBe('#0b6a73');
    expect(variablesOf(1)['--hf-kept']).toBe('#4fc3c7');
  });
});
