/** Time limits that are longer than a timer of the system can wait. */
import os from 'node:os';
import { expect, it } from 'vitest';
import { runCommand } from '../../../electron/adapters/shell/run-command';
import { durationMs } from '../../../shared/settings';

it.each(['24d', '25d', '60d', '520w'])(
  'S2-+05 a command with a limit of %s runs to its end',
  async (limit) => {
    const end = await runCommand({
      argv: ['/bin/sh', '-c', 'sleep 0.2; echo done'],
      cwd: os.tmpdir(),
      env: { PATH: '/usr/bin:/bin' },
      timeoutMs: durationMs(limit),
      capBytes: 1_000,
      signal: new AbortController().signal,
    });
    expect(end).toMatchObject({ kind: 'exited', code: 0, output: 'done\n' });
  },
);
