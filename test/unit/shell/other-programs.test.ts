/** Programs and processes where the system shows less of them. UP-03 */
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { holdCommands, holderOf } from '../../../electron/adapters/power/awake-holder';
import { resolveLoginEnvironment } from '../../../electron/adapters/shell/login-environment';
import { endOrphan, findOrphans, killTurn } from '../../../electron/adapters/shell/orphans';
import { findProgram } from '../../../electron/adapters/shell/program-there';
import { findShell } from '../../../electron/adapters/shell/shell-tools';
import { terminalProcess } from '../../../electron/cli/hook-entry';
import { onSystem, OTHER_SYSTEMS } from '../../helpers/on-system';

let folder: string;
beforeEach(() => {
  folder = fs.mkdtempSync(join(tmpdir(), 'holdfast-programs-'));
});
afterEach(() => {
  fs.rmSync(folder, { recursive: true });
});
const make = (name: string): string => {
  const path = join(folder, name);
  fs.writeFileSync(path, '', { mode: 0o755 });
  return path;
};

describe('what holds off sleep', () => {
  const started = (platform: NodeJS.Platform, holdsIdle = true) =>
    holdCommands(platform, 'a turn runs', holdsIdle).map((command) => command.join(' '));

  it('UP-03 on Linux logind: a block while idle and a delay, or the delay alone', () => {
    const both = started('linux');
    expect(both[0]).toMatch(/^systemd-inhibit --what=idle --mode=block .*--why=a turn runs cat$/);
    expect(both[1]).toMatch(/^systemd-inhibit --what=sleep --mode=delay /);
    expect(started('linux', false)).toEqual(both.slice(1));
  });

  it('UP-03 on macOS and Windows a program that lasts until its input ends', () => {
    expect(started('darwin')).toEqual(['/usr/bin/caffeinate -i /bin/cat']);
    const [line = ''] = started('win32');
    expect(line).toMatch(/^powershell\.exe -NoProfile -NonInteractive -Command /);
    // ES_CONTINUOUS and ES_SYSTEM_REQUIRED: the screen may go dark.
    expect(line).toContain(`SetThreadExecutionState(${String(0x8000_0001)})`);
    expect(line).toContain('[Console]::In.ReadToEnd()');
  });

  it('UP-03 on a system that nothing is known of nothing is started', () => {
    expect(started('freebsd')).toEqual([]);
  });

  it.each(['darwin', 'win32'] as const)(
    'UP-03 in the app on %s the desktop holds, alone',
    (platform) => {
      const awake = { hold: vi.fn(), isHeard: true };
      expect(holderOf(awake, { platform, env: {} })).toBe(awake);
    },
  );
});

describe('programs', () => {
  it('UP-03 on Windows one is found by its name without an ending; elsewhere not', async () => {
    const path = make('tool.cmd');
    expect(await onSystem('win32', () => findProgram('tool', folder))).toBe(path);
    if (process.platform !== 'win32')
      expect(await onSystem('darwin', () => findProgram('tool', folder))).toBeUndefined();
    expect(await onSystem('win32', () => findProgram('other', folder))).toBeUndefined();
  });

  it('UP-03 on Windows the shell is the bash.exe of PATH, never one of a relative folder', async () => {
    const shell = (PATH: string) => onSystem('win32', () => findShell({ PATH }));
    expect(await shell(folder)).toBeUndefined();
    const path = make('bash.exe');
    expect(await shell(['bin', folder].join(delimiter))).toBe(path);
    expect(await shell('.')).toBeUndefined();
  });

  it('UP-03 on Windows no login shell is started', async () => {
    const shell = make('bash');
    fs.writeFileSync(shell, `#!/bin/sh\ntouch ${join(folder, 'started')}\n`);
    const answer = await onSystem('win32', () => resolveLoginEnvironment({ own: {}, shell }));
    expect(answer).toEqual({
      kind: 'own',
      reason: 'Windows gives every program the same environment.',
    });
    expect(fs.existsSync(join(folder, 'started'))).toBe(false);
  });
});

describe.each(OTHER_SYSTEMS)('processes on %s', (platform) => {
  it('UP-03 what an earlier run left is not known, which is said, and nothing is signaled', async () => {
    const who = { instanceId: 'i', runId: 'r' };
    const child = spawn(process.execPath, ['-e', 'setTimeout(() => {}, 60_000)'], {
      env: { ...process.env, HOLDFAST_INSTANCE: 'i', HOLDFAST_RUN: 'r', HOLDFAST_TURN: '7' },
      stdio: 'ignore',
    });
    try {
      await onSystem(platform, async () => {
        const found = await findOrphans({ ...who, runId: 'another' });
        expect(found).toMatchObject({ kind: 'unavailable', orphans: [] });
        expect(found.kind === 'unavailable' && found.reason).toMatch(/look for them manually/);
        const left = { pid: child.pid, bootId: 'b' } as never;
        expect(await endOrphan(left)).toBe('not_ours');
        await killTurn({ ...who, turnId: 7 });
      });
      await new Promise((resolve) => setTimeout(resolve, 100));
      expect([child.exitCode, child.signalCode]).toEqual([null, null]);
    } finally {
      child.kill('SIGKILL');
    }
  });

  it('UP-03 the caller of a hook is recorded without a start time', async () => {
    const none = (): never => {
      throw new Error('ENOENT');
    };
    expect(await onSystem(platform, () => terminalProcess(none))).toEqual({ pid: process.ppid });
    expect(await onSystem('linux', () => terminalProcess(none))).toEqual({});
  });
});
