import { describe, expect, it } from 'vitest';
import {
  judgeLinkEnd,
  judgeVersion,
  plainLine,
  planPause,
} from '../../../electron/engine/hosts/plan-link';

describe('the pause before a host is tried again', () => {
  it.each([
    ['after the first failure', 0, 0, false, 1, 1_000],
    ['doubled after the second', 1, 0, false, 2, 2_000],
    ['never longer than 2 min', 12, 0, false, 13, 120_000],
    ['never shorter again by overflow', 2_000, 0, false, 2_001, 120_000],
    ['still growing after a connection that was dropped at once', 5, 2_000, false, 6, 32_000],
    ['still growing after one of just below 1 min', 5, 59_999, false, 6, 32_000],
    ['anew after one that lasted 1 min', 5, 60_000, false, 1, 1_000],
    ['long for another version, which stays', 0, 0, true, 1, 600_000],
  ] as const)('HO-02 %s', (_, tries, connectedMs, isOtherVersion, next, pauseMs) => {
    expect(planPause({ tries, connectedMs, isOtherVersion })).toEqual({ tries: next, pauseMs });
  });
});

describe('what the end of a connection says', () => {
  const end = (code: number | null, lastWords = '', fault?: 'too_much' | 'no_ssh') => ({
    code,
    lastWords,
    ...(fault === undefined ? {} : { fault }),
  });
  const away = (why: string) => ({ kind: 'unreachable', why });
  it.each([
    ['no ssh', end(null, '', 'no_ssh'), false, false, away('There is no ssh on this computer.')],
    ['a flood', end(null, '', 'too_much'), true, false, away('It sent too much data.')],
    ['silence from the start', end(null), false, true, away('It did not answer in time.')],
    ['silence later', end(null), true, true, away('It stopped responding.')],
    [
      'a refusal, in the words of ssh',
      end(255, 'warning\nssh: connect: refused\u001b[2J\r\n'),
      false,
      false,
      away('The connection failed: ssh: connect: refused [2J'),
    ],
    ['a cut without a word', end(255), true, false, away('The connection failed.')],
    ['no program', end(127, 'not found'), false, false, away('It has no Holdfast on its PATH.')],
    [
      'an end after the greeting: no other version, whatever the exit code',
      end(1, 'oops'),
      true,
      false,
      away('It ended the connection with 1: oops'),
    ],
    [
      'an end without a greeting: its version is asked for, not guessed from the exit code',
      end(2, "error: unknown command 'link'"),
      false,
      false,
      { kind: 'ask', why: "It ended the connection with 2: error: unknown command 'link'" },
    ],
  ] as const)('HO-02 %s', (_, ended, hello, silence, verdict) => {
    expect(judgeLinkEnd(ended, { hello, silence })).toEqual(verdict);
  });

  it.each([
    ['another one is another version', '0.0.9', { kind: 'other_version', theirs: '0.0.9' }],
    ['the same one failed in another way', '1.0.0', { kind: 'unreachable', why: 'why' }],
    ['none is no Holdfast', undefined, { kind: 'unreachable', why: 'why' }],
  ] as const)('HO-02 %s', (_, theirs, verdict) => {
    expect(judgeVersion('why', { theirs, ours: '1.0.0' })).toEqual(verdict);
  });

  it('HO-03 text of a host is one bounded line that steers nothing', () => {
    expect(plainLine('a\u202eb\u001b[2J\n\tc')).toBe('a b [2J c');
    expect(plainLine('x'.repeat(1_000))).toHaveLength(240);
  });
});
