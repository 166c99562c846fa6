import { describe, expect, it } from 'vitest';
import { ERROR_CODES } from '../../../electron/engine/kernel/errors';
import { EXIT, exitCodeOf } from '../../../electron/cli/exit-codes';
import { logLineText } from '../../../electron/cli/verbs/history';
import {
  type Fact,
  facts,
  ifKnown,
  inert,
  inertLine,
  painter,
  safeJson,
  table,
  usageText,
  whenText,
} from '../../../electron/cli/render';
import { effectiveValue, settingValue } from '../../../electron/cli/verbs/config';
import { waitOutcome } from '../../../electron/cli/verbs/turns';
import { TURN_STATES } from '../../../shared/states';

const plain = painter(false, {});

describe('hostile text on a terminal', () => {
  const hostile =
    'a\u001b]0;owned\u0007\u001b[2Jb\u009b31m\u202egnp.exe\u2066\u200bc\rd\u0000\u007f';

  it('T4 escape sequences, C1 controls, bidi and zero-width characters are shown, not obeyed', () => {
    expect(inert(hostile)).toBe(
      'a\\x1b]0;owned\\x07\\x1b[2Jb\\x9b31m\\u202egnp.exe\\u2066\\u200bc\\x0dd\\x00\\x7f',
    );
    expect(inert('two\nlines\tand ünïcödé 😀')).toBe('two\nlines\tand ünïcödé 😀');
  });

  it('T4 a line break in a table cell cannot fake a second row', () => {
    expect(inertLine('first\nturn 9 completed\r\nx\ty')).toBe('first turn 9 completed x y');
  });

  it('T4 JSON keeps the exact value and holds no active character', () => {
    const text = safeJson({ prompt: hostile }, 2);
    expect(JSON.parse(text)).toEqual({ prompt: hostile });
    expect(text).not.toMatch(
      /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069\u200b]/,
    );
  });

  it('T4 a log line is shown inert', () => {
    expect(
      logLineText(
        '{"level":"warn","time":"2026-03-24T14:31:07.000Z","facts":{"n":1,"name":"\\u001b[2J"},"event":"x.y"}',
      ),
    ).toBe('14:31:07 warn  x.y n=1 name=\\x1b[2J');
    expect(logLineText('not json \u001b[2J')).toBe('not json \\x1b[2J');
  });
});

describe('tables and times', () => {
  it('S0-05 columns line up by what is seen, with color and wide code points', () => {
    const paint = painter(true, {});
    const text = table(
      ['A', 'LONG'],
      [
        [paint('bad', 'x'), '1'],
        ['😀yy', '2'],
      ],
      { paint: plain, columns: 0 },
    );
    expect(text.split('\n')).toEqual(['A     LONG', '\u001b[31mx\u001b[0m     1', '😀yy  2']);
  });

  it.each([
    ['日本語', 6],
    ['한국', 4],
    ['ＡＢ', 4],
    ['e\u0301te\u0301', 3],
    ['👍🏽', 2],
    ['🇩🇪', 2],
    ['שלום', 4],
    ['ünïcödé', 7],
  ])('S0-05 "%s" takes %d columns, and the next cell starts after them', (text, wide) => {
    const look = { paint: plain, columns: 0 };
    const [, first, second] = table(
      ['A', 'B'],
      [
        [text, 'x'],
        ['y'.repeat(20), 'x'],
      ],
      look,
    ).split('\n');
    expect(first).toBe(`${text}${' '.repeat(22 - wide)}x`);
    expect(second).toBe(`${'y'.repeat(20)}  x`);
  });

  it('S0-05 a row of wide characters is cut at the width of the terminal, not at twice of it', () => {
    const line = (columns: number): string =>
      table(['A'], [['語'.repeat(100)]], { paint: plain, columns }).split('\n')[1] ?? '';
    expect(line(40)).toBe(`${'語'.repeat(19)}…`);
    expect(line(41)).toBe(`${'語'.repeat(20)}…`);
  });

  it('S0-05 a row is cut at the width of the terminal and never elsewhere', () => {
    const row = [['1', 'y'.repeat(100)]];
    expect(table(['A', 'B'], row, { paint: plain, columns: 40 }).split('\n')[1]).toHaveLength(40);
    expect(table(['A', 'B'], row, { paint: plain, columns: 0 }).split('\n')[1]).toHaveLength(103);
    expect(table(['A'], [], { paint: plain, columns: 0 })).toBe('');
    // As on a terminal of 40 columns: a colour takes no room, and ends where the text is cut.
    const red = painter(true, {});
    const painted = [[red('bad', 'x'.repeat(10)), red('quiet', 'y'.repeat(100))]];
    const line = table(['A', 'B'], painted, { paint: red, columns: 40 }).split('\n')[1] ?? '';
    expect(line).toBe(`${red('bad', 'x'.repeat(10))}  ${red('quiet', `${'y'.repeat(27)}…`)}`);
  });

  it.each([
    [0, 'just now'],
    [999, 'just now'],
    [1_000, '1 s ago'],
    [59_999, '59 s ago'],
    [60_000, '1 min ago'],
    [7_200_000, '2 h ago'],
    [172_800_000, '2 d ago'],
    [-90_000, 'in 1 min'],
  ])('S0-05 %d ms before now is "%s"', (ago, text) => {
    expect(whenText(10_000_000_000 - ago, 10_000_000_000)).toBe(text);
  });

  it('S0-05 cost is money where the price is known, else tokens, else a dash', () => {
    expect(usageText({ inputTokens: 5, outputTokens: 6, costUsd: 0.0123 })).toBe('$0.0123');
    expect(usageText({ inputTokens: 5, outputTokens: 6, costUsd: 1.5 })).toBe('$1.50');
    expect(usageText({ inputTokens: 5, outputTokens: 6, costUsd: 0 })).toBe('11 tokens');
    expect(usageText({ inputTokens: 0, outputTokens: 0 })).toBe('-');
    expect(
      facts([
        ['a', '1'],
        ['long', '2'],
      ]),
    ).toBe('a     1\nlong  2');
  });

  it('S0-05 of 3 facts one without a value is left out and takes no width; an empty one stays', () => {
    const rows: Fact[] = [
      ['a', '1'],
      ['longer', undefined],
      ['bc', ''],
    ];
    expect(facts(rows)).toBe('a   1\nbc  ');
    expect(ifKnown(undefined, String)).toBeUndefined();
    expect(ifKnown(0, String)).toBe('0');
  });

  it.each([
    [true, {}, true],
    [false, {}, false],
    [true, { NO_COLOR: '1' }, false],
    [true, { TERM: 'dumb' }, false],
  ])('S0-05 color with terminal=%s and %o: %s', (isTTY, env, colours) => {
    expect(painter(isTTY, env)('bad', 'x') !== 'x').toBe(colours);
  });
});

describe('exit codes', () => {
  it('S2-40 every error code ends with 1..5', () => {
    for (const code of ERROR_CODES) expect([1, 2, 3, 4, 5], code).toContain(exitCodeOf(code));
  });

  it('S2-40 codes of one kind end alike: 1 for what is not there, 2 for what is invalid, 4 for a state, a limit or a refusal', () => {
    const kinds: readonly (readonly [RegExp, number])[] = [
      [/^(?!CONFIG_|VERB_|DATABASE_).*_UNKNOWN$/, 1],
      [/^(CONFIG_UNKNOWN_KEY|VERB_UNKNOWN|.*_INVALID)$/, 2],
      [/_(STATE|EXISTS|BUSY|REFUSED|FULL|LIMIT|OFF|VERSION)$/, 4],
      [/^(DATABASE_(NEWER|UNKNOWN|CORRUPT)|DISK_.*|LOCK_.*|CONFIG_(UNREADABLE|WRITE_FAILED))$/, 4],
    ];
    for (const [kind, exit] of kinds) {
      const alike = ERROR_CODES.filter((code) => kind.test(code));
      expect(alike.length).toBeGreaterThan(2);
      expect(Object.fromEntries(alike.map((code) => [code, exitCodeOf(code)]))).toEqual(
        Object.fromEntries(alike.map((code) => [code, exit])),
      );
    }
  });

  it.each([
    ['INPUT_INVALID', 2],
    ['CONFIG_INVALID', 2],
    ['HOST_UNREACHABLE', 3],
    ['DATABASE_MISSING', 3],
    ['NOT_RUNNING', 3],
    ['STARTING', 3],
    ['LOCK_HELD', 4],
    ['REQUEST_STALE', 4],
    ['REQUEST_ANSWERED', 4],
    ['TURN_STATE', 4],
    ['RUN_STATE', 4],
    ['DATABASE_NEWER', 4],
    ['CONFIRMATION_NEEDED', 5],
    ['TURN_UNKNOWN', 1],
    ['SESSION_UNKNOWN', 1],
    ['INTERNAL', 1],
  ] as const)('S2-40 %s ends with %d', (code, exit) => {
    expect(exitCodeOf(code)).toBe(exit);
  });

  it('S0-05 send --wait goes on while something happens by itself and ends with 5 when a person is needed', () => {
    const table_ = Object.fromEntries(
      TURN_STATES.map((state) => [state, waitOutcome(state, false) ?? 'wait']),
    );
    expect(table_).toEqual({
      queued: 'wait',
      running: 'wait',
      waiting: 'wait',
      requires_action: EXIT.needsDecision,
      held: EXIT.needsDecision,
      parked: EXIT.needsDecision,
      completed: EXIT.ok,
      failed: EXIT.failed,
      cancelled: EXIT.failed,
      discarded: EXIT.failed,
    });
    expect(waitOutcome('waiting', true)).toBe(EXIT.needsDecision);
    expect(waitOutcome('running', true)).toBeUndefined();
  });
});

describe('values of settings', () => {
  it.each([
    ['resilience.recovery.mode', 'never', 'never'],
    ['resilience.recovery.max_attempts', '5', 5],
    ['resilience.recovery.max_attempts', '"5"', '5'],
    ['resilience.recovery.max_attempts', '1e400', '1e400'],
    ['resilience.recovery.side_effect_tools', '["send_email"]', ['send_email']],
    ['resilience.recovery.gate_all_side_effects', 'true', true],
    ['resilience.recovery.max_age', '12h', '12h'],
    ['resilience.recovery.max_age', '5000', 5000],
    ['channels.default', '42', '42'],
    ['channels.default', 'true', 'true'],
    ['no.such.key', '{"a":1}', { a: 1 }],
    ['no.such.key', 'word', 'word'],
  ])('S0-02 config set %s %s sends %o', (key, word, value) => {
    expect(settingValue(key, word)).toEqual(value);
  });

  it.each([
    ['resilience.recovery.max_age', '24h', 86_400_000],
    ['limits.turn_time', '30m', 1_800_000],
    ['resilience.recovery.mode', 'never', 'never'],
    ['channels.default', '5m', '5m'],
  ])('S0-21 --effective of %s = %s is %o', (key, value, effective) => {
    expect(effectiveValue(key, value)).toBe(effective);
  });
});
