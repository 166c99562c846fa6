import { describe, expect, it } from 'vitest';
import { createFakeHoldfast } from '../control/fake-holdfast';
import { createWorld } from './cli-world';

const world = () => createWorld({ dataDir: '/nowhere', fake: createFakeHoldfast() });
const NEVER_OPENED: readonly string[] = [];

describe('trying a schedule or a command, without data and without anything that runs', () => {
  it('S1-06 S1-08 schedule parse tells kind, length, zone and the next 3 instants over a change of the clocks', async () => {
    const cli = world();
    const { code } = await cli.run(
      ...['schedule', 'parse', 'every 5m', '--tz', 'Europe/Berlin', '--count', '3', '--json'],
      ...['--from', '2027-03-28T00:00:00Z'],
    );
    expect(code).toBe(0);
    expect(JSON.parse(cli.out())).toEqual({
      ok: true,
      kind: 'interval',
      ms: 300_000,
      tz: 'Europe/Berlin',
      words: 'Every 5 min',
      next: ['2027-03-28T00:05:00Z', '2027-03-28T00:10:00Z', '2027-03-28T00:15:00Z'],
    });
    expect(cli.opened).toEqual(NEVER_OPENED);
  });

  it.each([
    [
      '0 9 * * 1-5',
      '2027-03-26T10:00:00Z',
      ['Weekdays at 09:00, Europe/Berlin time', 'Mon 29 Mar 2027, 09:00', 'Tue 30 Mar 2027, 09:00'],
    ],
    [
      'every 90s',
      '2027-03-28T00:59:00Z',
      ['Every 1 min 30 s (Europe/Berlin)', 'Sun 28 Mar 2027, 03:00:30', 'Sun 28 Mar 2027, 03:02'],
    ],
  ])(
    'S1-09 preview "%s" from %s shows the runs on the clocks of its zone, and with --utc in UTC',
    async (expr, from, shown) => {
      const given = [
        'tasks',
        'preview',
        expr,
        '--tz',
        'Europe/Berlin',
        '--count',
        '2',
        '--from',
        from,
      ];
      const cli = world();
      expect((await cli.run(...given)).code).toBe(0);
      expect(
        cli
          .out()
          .trim()
          .split('\n')
          .map((line) => line.replace(/ {2,}in .*$/, '')),
      ).toEqual(shown);
      const utc = world();
      await utc.run(...given, '--utc');
      expect(utc.out().trim().split('\n').slice(1)).toEqual([
        expect.stringMatching(/^2027-03-2\d\w+:\d\d:\d\d\.000Z$/),
        expect.stringMatching(/^2027-03-\d\d\w+:\d\d:\d\d\.000Z$/),
      ]);
    },
  );

  it('S1-09 schedule parse says {ok:false, error} with the input and ends with 2', async () => {
    const cli = world();
    expect((await cli.run('schedule', 'parse', '0 0 30 2 *', '--json')).code).toBe(2);
    const said = JSON.parse(cli.out()) as { ok: boolean; error: string };
    expect(said.ok).toBe(false);
    expect(said.error).toContain('"0 0 30 2 *"');
  });

  it('S1-26 S1-30 guard check tells whether a command is blocked, why, and the ready timer call', async () => {
    const cli = world();
    expect((await cli.run('guard', 'check', 'npm build && sleep 60', '--json')).code).toBe(0);
    expect(JSON.parse(cli.out())).toMatchObject({
      blocked: true,
      suggestion: 'timer(60, "<what to do then>")',
    });
    await cli.run('guard', 'check', 'sleep 2 && npm start', '--json');
    expect(JSON.parse(cli.out())).toMatchObject({ blocked: false, isOn: true });
  });
});

describe('a task while nothing runs', () => {
  it('S1-+01 cannot be run: that is work for now and no decision, so it ends with 3, changes nothing and names the start', async () => {
    const cli = world();
    expect((await cli.run('tasks', 'run', '1', '--json')).code).toBe(3);
    const { error } = JSON.parse(cli.out()) as { error: Record<string, string> };
    expect(error).toMatchObject({ code: 'NOT_RUNNING' });
    expect(error['hint']).toContain('holdfast start');
    expect(cli.opened).toEqual(NEVER_OPENED);
  });
});
