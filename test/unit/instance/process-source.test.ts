/**
 * What Holdfast asks another system about its processes, on stand-ins for that system's tools here,
 * and for real in the workflow. UP-03
 */
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  createProcessTable,
  createSystemProcessTable,
} from '../../../electron/adapters/instance/process-table';
import { windowsProcessSource } from '../../../electron/adapters/instance/command-process-facts';

/** Waiting for PowerShell on a machine that has just started takes seconds. */
const REAL_MS = 60_000;

describe.runIf(process.platform !== 'win32')('Windows, over a stand-in for PowerShell', () => {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-powershell-'));
  const path = process.env['PATH'];

  /** It answers this, and notes what it was asked. */
  function answers(stdout: string, exitCode = 0): void {
    writeFileSync(join(folder, 'answer'), stdout);
    writeFileSync(
      join(folder, 'powershell.exe'),
      `#!/bin/sh\nprintf '%s\\n' "$@" > '${folder}/asked'\n/bin/cat '${folder}/answer'\nexit ${String(exitCode)}\n`,
    );
    chmodSync(join(folder, 'powershell.exe'), 0o755);
  }
  const asked = (): string[] => readFileSync(join(folder, 'asked'), 'utf8').trim().split('\n');

  const notepad = { started: '638', ppid: 4, exe: 'C:\\a\\notepad.exe', command: 'notepad x' };

  beforeAll(() => {
    process.env['PATH'] = `${folder}${delimiter}${path ?? ''}`;
  });
  afterAll(() => {
    process.env['PATH'] = path;
    rmSync(folder, { recursive: true });
  });
  beforeEach(() => answers(JSON.stringify(notepad)));

  it('UP-03 reads a process in one question, without profile and without a prompt', async () => {
    expect(await windowsProcessSource.read(4242)).toEqual({
      kind: 'alive',
      startTicks: '638',
      ppid: 4,
      uid: null,
      exe: 'C:\\a\\notepad.exe',
      commandLine: 'notepad x',
    });
    expect(asked().slice(0, 4)).toEqual(['-NoProfile', '-NonInteractive', '-NoLogo', '-Command']);
    expect(asked()[4]).toContain("'ProcessId=4242'");
  });

  it.each([
    ['an empty answer is a pid that nobody has', '', 0, 'dead'],
    ['a failure is no fact, and not a death', '', 1, 'unavailable'],
    ['an answer in another form is no fact', 'Access denied.', 0, 'unavailable'],
    ['a process without a start time is no fact', '{"ppid":4,"command":"x"}', 0, 'unavailable'],
  ])('UP-03 %s', async (_title, stdout, exitCode, kind) => {
    answers(stdout, exitCode);
    expect((await windowsProcessSource.read(4242)).kind).toBe(kind);
  });

  it('UP-03 a process of another user hides program and command line, and is still told apart', async () => {
    answers('{"started":"638","ppid":4,"exe":null,"command":null}');
    expect(await windowsProcessSource.read(4242)).toMatchObject({
      kind: 'alive',
      startTicks: '638',
      exe: null,
      commandLine: null,
    });
  });

  it('UP-03 boot and machine are the trimmed answer, and unknown after a failure', async () => {
    answers('  638001\r\n');
    expect(await windowsProcessSource.bootId()).toBe('638001');
    expect(await windowsProcessSource.rawMachineId()).toBe('638001');
    answers('', 1);
    expect(await windowsProcessSource.bootId()).toBeNull();
    expect(await windowsProcessSource.rawMachineId()).toBeNull();
  });

  it('UP-03 signals only the process it means: same start, same program, same command', async () => {
    const sent: number[] = [];
    const table = createProcessTable({
      source: windowsProcessSource,
      kill: (pid) => void sent.push(pid),
    });
    const meant = {
      pid: 4242,
      startTicks: '638',
      uid: null,
      exe: 'C:\\a\\notepad.exe',
      argvMarker: 'notepad',
    };
    expect(await table.signal({ ...meant, startTicks: '637' }, 'SIGTERM')).toBe('mismatch');
    expect(await table.signal({ ...meant, exe: 'C:\\b.exe' }, 'SIGTERM')).toBe('mismatch');
    expect(await table.signal({ ...meant, argvMarker: 'holdfast' }, 'SIGTERM')).toBe('mismatch');
    expect(sent).toEqual([]);
    expect(await table.signal(meant, 'SIGTERM')).toBe('sent');
    expect(sent).toEqual([4242]);
  });
});

describe('this system, for real', () => {
  it(
    'UP-03 reads itself twice with the same start, its boot twice the same, and none that has ended',
    async () => {
      const table = createSystemProcessTable();
      const first = await table.read(process.pid);
      expect(first).toMatchObject({ kind: 'alive', ppid: process.ppid });
      expect(await table.read(process.pid)).toEqual(first);
      const { pid } = spawnSync(process.execPath, ['--version']);
      expect(await table.read(pid)).toEqual({ kind: 'dead' });
      const machine = await table.machine();
      expect(machine.platform).toBe(process.platform);
      expect(await createSystemProcessTable().machine()).toEqual(machine);
      // A container may have no machine ID; each of these systems has a boot.
      expect(machine.bootId).toEqual(expect.any(String));
    },
    REAL_MS,
  );
});
