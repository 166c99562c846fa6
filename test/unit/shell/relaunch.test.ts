import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, renameSync, rmdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { planRelaunch } from '../../../electron/engine/instance/plan-relaunch';
import { createRelaunch, findRelaunchers, isRelauncher } from '../../../electron/shell/relaunch';
import type { RelaunchDeps } from '../../../electron/shell/relaunch';

let dir = '';
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'hf-back-'));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

const note = (): { restartsAtMs: number[]; heldBack?: string } =>
  JSON.parse(readFileSync(join(dir, 'run', 'come-back.json'), 'utf8')) as never;

function make(over: Partial<RelaunchDeps> = {}) {
  const relaunch = vi.fn();
  const comeBack = createRelaunch({
    dataDir: dir,
    isAfterCrash: false,
    rule: planRelaunch,
    platform: 'linux',
    pid: 1,
    relaunch,
    leadingArgs: ['/app'],
    log: { debug: vi.fn(), info: vi.fn(), warn: vi.fn(), error: vi.fn() },
    nowMs: () => 1_000_000,
    ...over,
  });
  return { comeBack, relaunch };
}

describe('coming back', () => {
  it('arms the helper with --hidden --after-crash --data-dir D and nothing else', () => {
    const { comeBack, relaunch } = make();
    comeBack.begin(true);
    expect(relaunch).toHaveBeenCalledTimes(1);
    expect(relaunch).toHaveBeenCalledWith(['/app', '--hidden', '--after-crash', '--data-dir', dir]);
  });

  it('is not armed where it is switched off, on Windows, or after it has been disarmed', () => {
    for (const [over, isWanted] of [
      [{}, false],
      [{ platform: 'win32' }, true],
    ] as const) {
      const { comeBack, relaunch } = make(over);
      comeBack.begin(isWanted);
      expect(relaunch).not.toHaveBeenCalled();
    }
    const { comeBack, relaunch } = make();
    comeBack.disarm();
    comeBack.begin(true);
    expect(relaunch).not.toHaveBeenCalled();
  });

  it('comes back 3 times in 10 minutes, stays down the 4th time, and says why at the next start', () => {
    let nowMs = 0;
    const start = (isAfterCrash: boolean) => {
      const { comeBack, relaunch } = make({ isAfterCrash, nowMs: () => nowMs });
      const why = comeBack.begin(true);
      return { why, isArmed: relaunch.mock.calls.length > 0, comeBack };
    };
    expect(start(false).isArmed).toBe(true);
    nowMs = 60_000;
    expect(start(true).isArmed).toBe(true);
    nowMs = 120_000;
    expect(start(true).isArmed).toBe(true);
    nowMs = 180_000;
    const third = start(true);
    expect(third).toMatchObject({ isArmed: false, why: undefined });
    expect(note().heldBack).toContain('3 times within 10 minutes');
    // It died again and nobody came: a person starts it.
    nowMs = 400_000;
    expect(start(false).why).toContain('3 times within 10 minutes');
    nowMs = 1_000_000;
    expect(start(false)).toMatchObject({ isArmed: true });
  });

  it('is not armed where earlier restarts cannot be read: 3 crashes are not forgotten', () => {
    for (let nowMs = 1; nowMs <= 3; nowMs += 1)
      make({ isAfterCrash: true, nowMs: () => nowMs }).comeBack.begin(true);
    const path = join(dir, 'run', 'come-back.json');
    renameSync(path, `${path}.away`);
    mkdirSync(path);
    const { comeBack, relaunch } = make({ nowMs: () => 4 });
    expect(comeBack.begin(true)).toBeUndefined();
    comeBack.disarm();
    expect(relaunch).not.toHaveBeenCalled();
    rmdirSync(path);
    renameSync(`${path}.away`, path);
    expect(note().heldBack).toContain('3 times within 10 minutes');
  });

  it('forgets that it was held back when it is stopped in order', () => {
    let nowMs = 0;
    for (nowMs = 1; nowMs <= 3; nowMs += 1)
      make({ isAfterCrash: true, nowMs: () => nowMs }).comeBack.begin(true);
    const { comeBack } = make({ nowMs: () => 4 });
    comeBack.begin(true);
    expect(note().heldBack).toBeDefined();
    comeBack.disarm();
    expect(note().heldBack).toBeUndefined();
    expect(make({ nowMs: () => 5 }).comeBack.begin(true)).toBeUndefined();
  });

  it('takes only its own helper for one', () => {
    expect(
      isRelauncher({ ppid: 5, command: '/e/electron --type=relauncher --no-sandbox --- x' }, 5),
    ).toBe(true);
    expect(isRelauncher({ ppid: 6, command: '/e/electron --type=relauncher' }, 5)).toBe(false);
    expect(isRelauncher({ ppid: 5, command: '/e/electron --type=zygote' }, 5)).toBe(false);
    expect(isRelauncher({ ppid: 5, command: '/e/electron --type=relauncher-not' }, 5)).toBe(false);
  });

  it.runIf(process.platform === 'linux')(
    'ends a real child that carries the mark and spares the others',
    async () => {
      const loop = 'setInterval(() => {}, 1000)';
      const helper = spawn(process.execPath, ['-e', loop, '--', '--type=relauncher', 'x'], {
        stdio: 'ignore',
      });
      const bystander = spawn(process.execPath, ['-e', loop, '--', '--type=zygote', 'x'], {
        stdio: 'ignore',
      });
      try {
        await Promise.all([once(helper, 'spawn'), once(bystander, 'spawn')]);
        await vi.waitFor(() => expect(findRelaunchers('linux', process.pid)).toEqual([helper.pid]));
        const { comeBack } = make({ pid: process.pid });
        comeBack.begin(true);
        const ended = once(helper, 'exit');
        comeBack.disarm();
        expect((await ended)[1]).toBe('SIGKILL');
        expect(bystander.exitCode).toBeNull();
      } finally {
        helper.kill('SIGKILL');
        bystander.kill('SIGKILL');
      }
    },
  );
});
