import fs from 'node:fs';
import { describe, expect, it } from 'vitest';
import {
  commandIn,
  isSleepGuardOn,
  sleepGuardWords,
} from '../../../electron/engine/shell-policy/guarded-tools';
import { judgeSleep } from '../../../electron/engine/shell-policy/sleep-guard';

interface Case {
  readonly id: string;
  readonly command: string;
  readonly expect: 'block' | 'allow';
  readonly env?: Readonly<Record<string, string>>;
}
const { cases } = JSON.parse(
  fs.readFileSync('test/cases/sleep-interceptor-cases.json', 'utf8'),
) as { readonly cases: readonly Case[] };

describe('the switch of the sleep-command guard', () => {
  it.each(cases.filter((one) => one.env !== undefined).map((one) => [one.id, one] as const))(
    'S1-31 case %s',
    (_id, { command, expect: wanted, env = {} }) => {
      const isBlocked = isSleepGuardOn(true, env) && judgeSleep(command).blocked;
      expect(isBlocked).toBe(wanted === 'block');
    },
  );

  it.each(['HOLDFAST_SLEEP_INTERCEPTOR', 'REEBOOT_SLEEP_INTERCEPTOR'])(
    'S1-31 X-06 %s: 0, false, off and no switch it off; 1, true, an empty value and another word do not',
    (name) => {
      const isOn = (value: string): boolean => isSleepGuardOn(true, { [name]: value });
      expect(['0', ' 0 ', 'false', 'FALSE', 'off', 'no'].map(isOn)).toEqual(Array(6).fill(false));
      expect(['', '1', 'true', 'on', '00', 'x'].map(isOn)).toEqual(Array(6).fill(true));
      expect(isSleepGuardOn(false, { [name]: '1' })).toBe(false);
    },
  );

  it('S1-31 the doctor says how it stands and what has switched it off', () => {
    expect(sleepGuardWords(true, {})).toContain('blocks');
    expect(sleepGuardWords(true, { HOLDFAST_SLEEP_INTERCEPTOR: '0' })).toBe(
      'off by HOLDFAST_SLEEP_INTERCEPTOR: agents can run commands that only wait',
    );
    expect(sleepGuardWords(false, {})).toContain('off by shell.sleep_guard');
  });
});

describe('the command in the arguments of a declared shell tool', () => {
  const isBlocked = (args: Parameters<typeof commandIn>[0]): boolean =>
    judgeSleep(commandIn(args) ?? '').blocked;

  it.each([
    [{ command: 'npm build && sleep 60' }, true],
    [{ cmd: ['sleep', '60'] }, true],
    [{ command: ['bash', '-lc', 'npm build && sleep 60'] }, true],
    [{ command: ['bash', '-lc', 'sleep 60; echo hi'] }, false],
    [{ command: ['echo', 'a && sleep 60'] }, false],
    [{ command: ['echo', "it's; sleep 60"] }, false],
    [{ command: 'sleep', args: ['60'] }, true],
    [{ command: 'bash', args: ['-c', 'sleep 60'] }, true],
    [{ command: 'npm', args: ['run', 'sleep 60'] }, false],
    [{ command: 'sleep 60', args: [] }, true],
    [{ script: 'sleep 60' }, true],
    [{ text: 'sleep 60' }, false],
    [['sleep 60'], false],
    [null, false],
  ] as const)('S1-29 S1-26 %j is refused: %s', (args, wanted) => {
    expect(isBlocked(args as never)).toBe(wanted);
  });
});
