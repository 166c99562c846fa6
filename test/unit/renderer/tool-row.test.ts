import { describe, expect, it } from 'vitest';
import { sessionTitle } from '../../../renderer/session/session-title';
import {
  callTime,
  firstLines,
  shellEnd,
  writtenFile,
} from '../../../renderer/session/tool-row-view';

describe('the time of a tool call', () => {
  const ended = { startedAtMs: 1_000, endedAtMs: 42_000 } as const;
  it.each([
    ['completed', 'fresh', ended, true, { kind: 'took', tookMs: 41_000 }],
    ['failed', 'fresh', ended, true, { kind: 'took', tookMs: 41_000 }],
    ['completed', 'fresh', { startedAtMs: 5, endedAtMs: 1 }, true, { kind: 'took', tookMs: 0 }],
    ['started', 'fresh', { startedAtMs: 1_000 }, true, { kind: 'runs', sinceMs: 1_000 }],
    ['started', 'fresh', { startedAtMs: 1_000 }, false, { kind: 'none' }],
    ['started', 'asks', { startedAtMs: 1_000 }, true, { kind: 'none' }],
    ['started', 'cut_off', { startedAtMs: 1_000 }, true, { kind: 'none' }],
    ['skipped', 'skipped_by_you', ended, true, { kind: 'none' }],
    ['confirmed', 'recorded_as_done', ended, true, { kind: 'none' }],
    ['ambiguous', 'fresh', { startedAtMs: 1_000 }, false, { kind: 'none' }],
    [undefined, undefined, {}, true, { kind: 'none' }],
  ] as const)(
    '%s and %s, %j, its turn running: %s, is %j',
    (stepState, stepFate, at, runs, time) => {
      expect(
        callTime(
          {
            ...(stepState === undefined ? {} : { stepState }),
            ...(stepFate === undefined ? {} : { stepFate }),
            ...at,
          },
          runs,
        ),
      ).toEqual(time);
    },
  );
});

describe('the end of a command', () => {
  it.each([
    ['out\n[exit code 0]', { exitCode: 0, note: '', output: 'out' }],
    ['[exit code 3]', { exitCode: 3, note: '', output: '' }],
    ['a\n\n[exit code -1]', { exitCode: -1, note: '', output: 'a\n' }],
    [
      'a\n[exit code 0; something it started is still running in the background]',
      { exitCode: 0, note: 'something it started is still running in the background', output: 'a' },
    ],
    ['[exit code 0]\nmore', undefined],
    ['[exit code x]', undefined],
    ['', undefined],
  ])('of %j is %j', (result, end) => {
    expect(shellEnd(result)).toEqual(end);
  });
});

it('counts all lines and gives the first of them', () => {
  expect(firstLines('a\nb\nc', 2)).toEqual({ start: 'a\nb', lines: 3 });
  expect(firstLines('a', 2)).toEqual({ start: 'a', lines: 1 });
});

it.each([
  ['write_file', '{"path":"a.ts","content":"x"}', { path: 'a.ts', content: 'x' }],
  ['write_file', '{"path":"a.ts","content":"x', undefined],
  ['write_file', '{"path":1,"content":"x"}', undefined],
  ['write_file', 'null', undefined],
  ['read_file', '{"path":"a.ts","content":"x"}', undefined],
])('%s of %s wrote %j', (tool, json, file) => {
  expect(writtenFile(tool, json)).toEqual(file);
});

it.each([
  ['Fix the flaky upload test. It fails one time in ten.', 'Fix the flaky upload test'],
  ['Why does it fail? Look at src/port.ts first.', 'Why does it fail?'],
  ['Update to v1.2 of the tool e.g. today', 'Update to v1.2 of the tool e.g. today'],
  ['One line\nand another', 'One line'],
  ['', 'mender-6'],
  ['a'.repeat(300), `${'a'.repeat(79)}…`],
  ['Hi. Look at the log.', 'Hi. Look at the log'],
])('a session titled %j is named %j', (title, name) => {
  expect(sessionTitle({ title, key: 'mender-6' })).toBe(name);
});
