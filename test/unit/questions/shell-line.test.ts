import { describe, expect, it } from 'vitest';
import { callQuestionText, callWarnings } from '../../../shared/questions/call-question';
import { shellLine } from '../../../shared/questions/shell-line';

const call = (args: unknown) => ({
  kind: 'approval' as const,
  tool: 'codex.shell',
  covers: 'codex.shell',
  hint: '',
  args: JSON.stringify(args),
});

describe('the command of a call', () => {
  it.each([
    ['rm -rf build', 'rm -rf build'],
    [['bash', '-lc', 'rm -rf build'], 'rm -rf build'],
    [['/bin/sh', '-c', 'sudo ls'], 'sudo ls'],
    [['rm', '-rf', 'my build'], "rm -rf 'my build'"],
    [['bash', '-lc', 'echo', 'x'], 'bash -lc echo x'],
    [['rm', 7], undefined],
    [[], undefined],
    [{ a: 1 }, undefined],
    ['  ', undefined],
  ])('S3-06 of %j is %j', (value, line) => {
    expect(shellLine(value)).toBe(line);
  });

  it.each([{ command: ['bash', '-lc', 'rm -rf build'] }, { cmd: 'rm -rf build' }])(
    'S3-06 %j is asked about and warned of like the same text',
    (args) => {
      const text = call({ command: 'rm -rf build' });
      expect(callQuestionText(call(args))).toBe(callQuestionText(text));
      expect(callWarnings(call(args))).toEqual(callWarnings(text));
      expect(callWarnings(call(args))).toHaveLength(1);
    },
  );
});
