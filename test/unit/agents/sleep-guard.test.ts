import fs from 'node:fs';
import { describe, expect, it } from 'vitest';
import { judgeSleep, sleepRefusal } from '../../../electron/engine/agents/guard/sleep-guard';

interface Case {
  readonly id: string;
  readonly command: string;
  readonly expect: 'block' | 'allow';
  readonly env?: object;
  readonly suggest_seconds?: number;
}
const { cases } = JSON.parse(
  fs.readFileSync('test/cases/sleep-interceptor-cases.json', 'utf8'),
) as { readonly cases: readonly Case[] };

describe('the sleep-command guard', () => {
  // With the switch off nothing is judged: test/unit/agents/sleep-switch.test.ts.
  it.each(cases.filter((one) => one.env === undefined).map((one) => [one.id, one] as const))(
    'S1-25 S1-26 S1-27 S1-28 case %s',
    (_id, { command, expect: wanted, suggest_seconds: seconds }) => {
      const verdict = judgeSleep(command);
      expect({ command, blocked: verdict.blocked }).toEqual({
        command,
        blocked: wanted === 'block',
      });
      if (!verdict.blocked || seconds === undefined) return;
      expect(verdict.seconds).toBe(seconds);
      expect(verdict.suggestion).toContain(
        seconds <= 3_600 ? `timer(${String(seconds)},` : 'schedule_task(',
      );
    },
  );

  it.each([
    'sleep infinity',
    'sleep 0.1',
    'sleep $(cat n)',
    'sleep 60 > f',
    'a\tb; sleep 9',
    'a\nsleep 9',
    '(sleep 60)',
    'time sleep 60',
    'FOO=1 sleep 60',
    'npm build &&\tsleep 60',
    'bash -c "sleep 60"',
    'bash -lc "cd x && sleep 60"',
    'sleep 60 # note',
    'a || b && sleep 5',
    'busybox sleep 5',
    'x=$(sleep 60)',
    'until false; do sleep 1; done',
    'while sleep 60; do :; done',
    'timeout --signal KILL 60 sleep 60',
    'sudo --user bob sleep 60',
    'env --unset FOO sleep 60',
    'env -S "sleep 60"',
    'gtimeout 90 gsleep 60',
    'echo 60 | xargs sleep',
    'fish -c "sleep 60"',
    "bash -c -- 'sleep 60'",
    "bash -o pipefail -c 'sleep 60'",
    "$'\\x73leep' 60",
    '"$(sleep 60)"',
    `sleep 60 # ${'a'.repeat(100_000)}`,
  ])('S1-26 blocks %j', (command) => {
    expect(judgeSleep(command).blocked).toBe(true);
  });

  it.each([
    'sleep 60; echo hi',
    'sleep 5 || true',
    'npm build || sleep 5',
    'echo "a && sleep 60"',
    'sleep 60 &',
    'sleepy 3',
    './sleep 5',
    'for i in 1 2; do curl x; sleep 5; done',
    'f() { sleep 60; }',
    'sleep() { echo hi; }; sleep 60',
    'bash run.sh -c "sleep 60"',
    'while sleep 5; do date; done',
    'slee '.repeat(40_000),
  ])('S1-27 S1-28 allows %j', (command) => {
    expect(judgeSleep(command).blocked).toBe(false);
  });

  it('S1-28 counts the 600 seconds of a sleep that something follows', () => {
    expect(judgeSleep('sleep 600; true')).toEqual({ blocked: false, waitsSeconds: 600 });
  });

  it('S1-30 the refusal names the ready timer call with the same seconds, above 3600 schedule_task', () => {
    const said = (command: string): string => {
      const verdict = judgeSleep(command);
      return verdict.blocked ? sleepRefusal(verdict) : '';
    };
    expect(said('sleep 60')).toContain('timer(60, "');
    expect(said('sleep 3600')).toContain('timer(3600, "');
    expect(said('sleep 3601')).toContain('schedule_task("<what to do then>", "in 3601s")');
    expect(said('sleep 2h')).toContain('"in 2h"');
    expect(said('sleep $N')).toContain('timer(<seconds>, "');
    expect(said('sleep -- 60')).toContain('timer(60, "');
    expect(said('sleep 1e3')).toContain('timer(1000, "');
    expect(said('sleep 1m 30s')).toContain('timer(90, "');
  });
});
