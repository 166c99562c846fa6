/** The built program where its output or its data directory cannot be written. */
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { builtProgram } from '../../helpers/built-program';

let home: string;
beforeAll(() => {
  home = fs.mkdtempSync(path.join(os.tmpdir(), 'hf-out-'));
});
afterAll(() => fs.rmSync(home, { recursive: true, force: true }));

/** A command in a shell; `$HF` is the program. */
const shell = (line: string, env: Readonly<Record<string, string>> = {}) => {
  const ended = spawnSync('bash', ['-c', line], {
    encoding: 'utf8',
    timeout: 60_000,
    killSignal: 'SIGKILL',
    env: {
      PATH: process.env['PATH'],
      HOME: home,
      HOLDFAST_HOME: path.join(home, 'data'),
      HF: `${process.execPath} ${builtProgram()}`,
      ...env,
    },
  });
  return { code: ended.status, out: ended.stdout, err: ended.stderr };
};

describe.skipIf(process.platform !== 'linux')('output that nobody gets', () => {
  it.each([
    ['completion bash', 1],
    ['status --json', 3],
  ])(
    'X-02 %s on a full disk says what was not written and ends with %i, never with 0',
    (command, expected) => {
      const { code, err } = shell(`$HF ${command} > /dev/full`);
      expect(err).toMatch(/could not be written: .*no space left/i);
      expect(code).toBe(expected);
    },
  );

  it('X-02 a command keeps its exit code where its reader is gone, on either stream', () => {
    const gone = (line: string) => shell(`set -o pipefail; { ${line}; } | true`).code;
    expect(gone('sleep 0.2; $HF nosuch 2>&1')).toBe(2);
    expect(gone('sleep 0.2; $HF turns show 99 --json')).toBe(3);
    expect(gone('sleep 0.2; $HF completion bash')).toBe(0);
  });
});

describe.skipIf(process.platform !== 'linux')('a data directory that cannot be made', () => {
  it('S2-41 is refused at once with 4 in a file system that takes no folders', () => {
    const HOLDFAST_HOME = '/proc/holdfast-data';
    const { code, err } = shell('$HF start --headless', { HOLDFAST_HOME });
    expect(err).toContain(HOLDFAST_HOME);
    expect(code).toBe(4);
    expect(shell('$HF config set app.theme dark', { HOLDFAST_HOME }).code).toBe(4);
  });

  it('an empty --data-dir of a start is wrong usage, not a stack trace', () => {
    const { code, out, err } = shell(`$HF start --headless --data-dir '' --json`);
    expect([code, err]).toEqual([2, '']);
    expect(JSON.parse(out)).toMatchObject({ error: { code: 'INPUT_INVALID' } });
  });
});
