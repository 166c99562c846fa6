import fs from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parseSchedule } from '../../../shared/schedule/grammar';
import { quoted } from '../../../shared/schedule/refusal';

interface Expected {
  readonly ok: boolean;
  readonly kind?: string;
  readonly ms?: number;
  readonly cron?: string;
}
interface Case {
  readonly id: string;
  readonly input: unknown;
  readonly expect: Expected;
  readonly why: string;
}

const { cases } = JSON.parse(fs.readFileSync('test/cases/schedule-grammar-cases.json', 'utf8')) as {
  readonly cases: readonly Case[];
};

/** What a refusal says after the input that it quotes. */
const saysWhatIsTaken = (error: string, input: unknown): boolean =>
  /"[^"]+"|\b(from|between) \S+ (to|and) \d|larger units first|longest is|five fields|use s, m/.test(
    error.slice(quoted(input).length),
  );

describe('the grammar of schedules', () => {
  it.each(cases.map((one) => [one.id, one] as const))(
    'S1-06 S1-09 reads or refuses case %s as the documents say',
    (_id, { input, expect: wanted }) => {
      const parsed = parseSchedule(input);
      expect({ input, ok: parsed.ok, said: parsed }).toMatchObject({ input, ok: wanted.ok });
      if (!parsed.ok) {
        expect(parsed.error).toContain(quoted(input));
        expect(saysWhatIsTaken(parsed.error, input), parsed.error).toBe(true);
        return;
      }
      expect(parsed.kind).toBe(wanted.kind);
      if (wanted.ms !== undefined) expect(parsed).toMatchObject({ ms: wanted.ms });
      if (wanted.cron !== undefined) expect(parsed).toMatchObject({ cron: wanted.cron });
    },
  );

  it.each([
    ['every 1.5h', { kind: 'interval', ms: 5_400_000 }],
    ['every 2 hrs', { kind: 'interval', ms: 7_200_000 }],
    ['Every 5 M', { kind: 'interval', ms: 300_000 }],
    ['weekly', { kind: 'interval', ms: 604_800_000 }],
    ['every 2w', { kind: 'interval', ms: 1_209_600_000 }],
    ['daily', { kind: 'daily' }],
    ['daily at 9am', { kind: 'daily', cron: '0 9 * * *' }],
    ['daily at 12am', { kind: 'daily', cron: '0 0 * * *' }],
    ['every day at 17:30', { kind: 'daily', cron: '30 17 * * *' }],
    ['weekdays at 9', { kind: 'cron', cron: '0 9 * * 1-5' }],
    ['every weekday at 09:05', { kind: 'cron', cron: '5 9 * * 1-5' }],
    ['weekly on monday at 8', { kind: 'cron', cron: '0 8 * * 1' }],
    ['every friday at 5pm', { kind: 'cron', cron: '0 17 * * 5' }],
    ['Every Fri at 5pm', { kind: 'cron', cron: '0 17 * * 5' }],
    ['weekly on sun at 8:15', { kind: 'cron', cron: '15 8 * * 0' }],
    ['0 0 29W 2 *', { kind: 'cron', cron: '0 0 29W 2 *' }],
    ['2027-06-01T09:00-11:30', { kind: 'once', atMs: Date.UTC(2027, 5, 1, 20, 30) }],
    ['0 0 L * *', { kind: 'cron', cron: '0 0 L * *' }],
    ['0 9 * * fri-sun', { kind: 'cron', cron: '0 9 * * fri-sun' }],
    ['*/10 * * * * *', { kind: 'cron', cron: '*/10 * * * * *' }],
    ['2027-06-01T09:00:00+02:00', { kind: 'once', atMs: Date.UTC(2027, 5, 1, 7) }],
    [
      'at 2027-06-01 09:00',
      { kind: 'once', wall: { year: 2027, month: 6, day: 1, hour: 9, minute: 0, second: 0 } },
    ],
  ])('S1-07 S1-08 S1-10 reads %j', (input, wanted) => {
    expect(parseSchedule(input)).toMatchObject({ ok: true, ...wanted });
  });

  it.each([
    ['2027-02-30T09:00', 'out_of_range'],
    ['2027-13-01T09:00Z', 'out_of_range'],
    ['2027-06-01T24:30', 'out_of_range'],
    ['2027-06-01', 'incomplete'],
    ['0 0 30 2 *', 'never'],
    ['0 0 31 4,6,sep *', 'never'],
    ['0 0 31W 4 *', 'never'],
    ['0 0 30-31/1 2 *', 'never'],
    ['0/15 * * * *', 'syntax'],
    ['2027-06-01T09:00+25:00', 'out_of_range'],
    ['2027-06-01T09:00+02:60', 'out_of_range'],
    ['daily at', 'incomplete'],
    ['every monday', 'incomplete'],
    ['weekly on mond at 9', 'syntax'],
    ['every 0.5s', 'too_small'],
    ['every 30m1h', 'syntax'],
    ['daily at 25:00', 'out_of_range'],
    ['daily at noon', 'out_of_range'],
    ['weekdays', 'incomplete'],
    ['every 100001d', 'too_large'],
    ['@reboot', 'syntax'],
  ])('S1-09 S1-10 refuses %j as %s, with the input and what is accepted', (input, code) => {
    const parsed = parseSchedule(input);
    expect(parsed).toMatchObject({ ok: false, code });
    const error = parsed.ok ? '' : parsed.error;
    expect(error).toContain(quoted(input));
    expect(saysWhatIsTaken(error, input), error).toBe(true);
  });

  it('S1-09 cuts a text before it makes it fit for a line, and cuts no character in half', () => {
    expect(quoted(`${'a'.repeat(59)}😀`)).toBe(`"${'a'.repeat(59)} …"`);
    expect(quoted('\t'.repeat(1e6))).toBe(`"${' '.repeat(60)}…"`);
  });

  it('S1-06 answers within 50 ms of work however hostile the text is: length bounds it', () => {
    for (const text of [
      'every ' + '1h'.repeat(90),
      '('.repeat(100_000),
      'every ' + '9'.repeat(1e6),
    ])
      expect(parseSchedule(text).ok).toBe(false);
  });
});
