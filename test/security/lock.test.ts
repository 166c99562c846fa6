import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createInstanceLock } from '../../electron/adapters/instance/instance-lock';
import { createProcessTable } from '../../electron/adapters/instance/process-table';
import { openKernelLock } from '../../electron/adapters/instance/kernel-lock';
import {
  parsePsLine,
  psProcessSource,
} from '../../electron/adapters/instance/command-process-facts';
import { filesystemVerdict } from '../../electron/adapters/instance/data-dir';
import {
  linuxProcessSource,
  parseProcStat,
} from '../../electron/adapters/instance/linux-process-facts';
import { noCrashPoints } from '../../electron/engine/kernel/crash-points';
import { lockRules } from '../../electron/engine/instance/decide-lock';
import type { ProcessFacts, ProcessIdentity } from '../../electron/ports/process-facts';
import { buildHost, createHostYard, readAgentLock } from '../integration/instance/host-process';
import type { HostBundle } from '../integration/instance/host-process';
import { SLACK } from '../helpers/slack';

let bundle: HostBundle;
const yard = createHostYard(() => bundle);
const sleepers: ChildProcess[] = [];

function startSleep(): ChildProcess & { readonly pid: number } {
  const child = spawn('sleep', ['60'], { stdio: 'ignore' });
  if (child.pid === undefined) throw new Error('sleep did not start');
  sleepers.push(child);
  return child as ChildProcess & { readonly pid: number };
}
const isAlive = (child: ChildProcess) => child.exitCode === null && child.signalCode === null;

beforeAll(async () => {
  bundle = await buildHost();
});
afterEach(async () => {
  for (const sleeper of sleepers.splice(0)) sleeper.kill('SIGKILL');
  await yard.close();
});
afterAll(() => {
  bundle.remove();
});

async function factsOf(pid: number): Promise<Extract<ProcessFacts, { kind: 'alive' }>> {
  const facts = await linuxProcessSource.read(pid);
  if (facts.kind !== 'alive') throw new Error(`process ${pid} is ${facts.kind}`);
  return facts;
}

async function identityOf(pid: number, argvMarker: string): Promise<ProcessIdentity> {
  const { startTicks, uid, exe } = await factsOf(pid);
  return { pid, startTicks, uid, exe, argvMarker };
}

describe('L1 the kernel lock is the authority', () => {
  it('L1 with the lock free, a record that names a live Holdfast in every fact signals nobody', async () => {
    const dataDir = yard.tempDir();
    const first = yard.start({ dataDir, isManual: true });
    await first.next(['ready']);
    first.send('acquire');
    await first.next(['acquired']);
    const record = fs.readFileSync(path.join(dataDir, 'agent.lock'), 'utf8');
    first.send('release');
    await first.next(['released']);
    fs.writeFileSync(path.join(dataDir, 'agent.lock'), record);
    const second = yard.start({ dataDir });
    const acquired = await second.next(['acquired']);
    expect(acquired['tookMs']).toBeLessThan(1_000 * SLACK);
    expect(first.events.some((event) => event.event === 'stopping')).toBe(false);
    expect(isAlive(first.child)).toBe(true);
  });
});

describe('L2 L6 nobody else is ever signaled', () => {
  it('L6 a live sleep with the recorded pid survives and we start', async () => {
    const dataDir = yard.tempDir();
    const sleeper = startSleep();
    const facts = await factsOf(sleeper.pid);
    fs.mkdirSync(dataDir, { recursive: true, mode: 0o700 });
    // The worst record: every fact is that of the sleep.
    const record = {
      pid: sleeper.pid,
      startTicks: facts.startTicks,
      bootId: await linuxProcessSource.bootId(),
      instanceId: 'old',
      uid: facts.uid,
      argvMarker: 'sleep',
      phase: 'running',
    };
    for (const content of [String(sleeper.pid), JSON.stringify(record)]) {
      fs.writeFileSync(path.join(dataDir, 'agent.lock'), content);
      const host = yard.start({ dataDir });
      await host.next(['acquired']);
      expect(isAlive(sleeper)).toBe(true);
      host.child.kill('SIGKILL');
      await host.ended;
    }
  });

  it('L2 with the lock held, a record that was turned on a sleep refuses: sleep and holder survive', async () => {
    const dataDir = yard.tempDir();
    const first = yard.start({ dataDir });
    await first.next(['acquired']);
    const sleeper = startSleep();
    const facts = await factsOf(sleeper.pid);
    const forged = {
      ...readAgentLock(dataDir),
      pid: sleeper.pid,
      startTicks: facts.startTicks,
      exe: facts.exe,
      argvMarker: 'sleep',
    };
    fs.writeFileSync(path.join(dataDir, 'agent.lock'), JSON.stringify(forged));
    const second = yard.start({ dataDir, takeover: true });
    const refused = await second.next(['refused']);
    expect(refused).toMatchObject({ code: 'LOCK_HELD', facts: { kernelHolderPid: first.pid } });
    expect(String(refused['message'])).toContain(String(first.pid));
    expect((await second.ended).code).toBe(4);
    expect(isAlive(sleeper)).toBe(true);
    expect(isAlive(first.child)).toBe(true);
    expect(first.events.some((event) => event.event === 'stopping')).toBe(false);
  });

  it('L2 a process that changed between decision and signal gets none', async () => {
    const sleeper = startSleep();
    const identity = await identityOf(sleeper.pid, 'sleep');
    const killed: number[] = [];
    const table = createProcessTable({
      source: linuxProcessSource,
      kill: (pid) => killed.push(pid),
    });
    expect(await table.signal({ ...identity, startTicks: '1' }, 'SIGTERM')).toBe('mismatch');
    expect(await table.signal({ ...identity, uid: 4_242 }, 'SIGKILL')).toBe('mismatch');
    expect(await table.signal({ ...identity, argvMarker: 'holdfast' }, 'SIGKILL')).toBe('mismatch');
    expect(await table.signal({ ...identity, exe: '/bin/other' }, 'SIGKILL')).toBe('mismatch');
    for (const pid of [1, 0, -1, -sleeper.pid, process.pid, process.ppid]) {
      expect(await table.signal({ ...identity, pid }, 'SIGKILL')).toBe('mismatch');
    }
    expect(killed).toEqual([]);
    expect(await table.signal(identity, 'SIGKILL')).toBe('sent');
    expect(killed).toEqual([sleeper.pid]);
  });

  it('L2 start identity is read after the last bracket of the program’s name', () => {
    const tail = Array.from({ length: 30 }, (_unused, index) => String(index + 4)).join(' ');
    expect(parseProcStat(`4321 (a) b (c\n)) S ${tail}`)).toEqual({
      state: 'S',
      ppid: 4,
      startTicks: '22',
    });
    expect(parseProcStat('4321 nonsense')).toBeNull();
  });
});

describe('L3 order of a takeover', () => {
  it('L3 question, then SIGTERM, then SIGKILL, one of each, with the note written before', async () => {
    const dataDir = yard.tempDir();
    const first = yard.start({ dataDir, socket: 'hung', exitAfterTermMs: null });
    await first.next(['acquired']);
    const second = yard.start({ dataDir, timings: { termWaitMs: 600 } });
    await first.next(['asked']);
    const note = fs.readFileSync(path.join(dataDir, 'run', 'takeover.json'), 'utf8');
    expect(JSON.parse(note)).toMatchObject({ byPid: second.pid });
    expect((await first.ended).signal).toBe('SIGKILL');
    const said = first.events.map((event) => event.event);
    expect(said).toEqual(['acquired', 'asked', 'ignored']);
    await second.next(['acquired']);
  });
});

describe('L5 the record as a file', () => {
  it('L5 a pipe at agent.lock is not waited for', async () => {
    const dataDir = yard.tempDir();
    fs.mkdirSync(dataDir, { recursive: true, mode: 0o700 });
    const target = path.join(dataDir, 'agent.lock');
    spawn('mkfifo', ['-m', '600', target]).on('error', () => undefined);
    while (!fs.existsSync(target)) await delay(10);
    const host = yard.start({ dataDir });
    expect((await host.next(['acquired']))['tookMs']).toBeLessThan(1_000 * SLACK);
    expect(fs.lstatSync(target).isFile()).toBe(true);
    expect(fs.lstatSync(target).mode & 0o777).toBe(0o600);
  });

  it('L5 K5 a link at agent.lock is not followed: the data is refused, and what it leads to stays', async () => {
    const dataDir = yard.tempDir();
    fs.mkdirSync(dataDir, { recursive: true, mode: 0o700 });
    const target = path.join(dataDir, 'agent.lock');
    const precious = path.join(dataDir, 'precious.txt');
    fs.writeFileSync(precious, 'do not touch', { mode: 0o600 });
    fs.symlinkSync(precious, target);
    const host = yard.start({ dataDir });
    expect(JSON.stringify(await host.next(['refused']))).toContain('agent.lock');
    expect(fs.readFileSync(precious, 'utf8')).toBe('do not touch');
    expect(fs.readlinkSync(target)).toBe(precious);
  });

  it('L5 carries no token, only its hash', async () => {
    const dataDir = yard.tempDir();
    const host = yard.start({ dataDir });
    await host.next(['acquired']);
    expect(Object.keys(readAgentLock(dataDir) ?? {})).not.toContain('token');
    expect(readAgentLock(dataDir)).toHaveProperty('tokenHash');
  });
});

describe('L7 two starts at once', () => {
  it('L7 S2-40 100 rounds: exactly one wins each, the loser is told who, nobody is signaled', async () => {
    const dataDir = yard.tempDir();
    const config = { dataDir, isManual: true, phase: 'starting' } as const;
    const rivals = [yard.start(config), yard.start(config)];
    await Promise.all(rivals.map((rival) => rival.next(['ready'])));
    const wins = new Map<number, number>();
    for (let round = 0; round < 100; round += 1) {
      const order = round % 2 === 0 ? rivals : [...rivals].reverse();
      for (const rival of order) rival.send('acquire');
      const results = await Promise.all(rivals.map((rival) => rival.next(['acquired', 'refused'])));
      expect(results.map((result) => result.event).sort()).toEqual(['acquired', 'refused']);
      const winner = rivals.find((rival) =>
        results.some((r) => r.event === 'acquired' && r.pid === rival.pid),
      );
      const loser = results.find((result) => result.event === 'refused');
      expect(loser).toMatchObject({ code: 'LOCK_HELD' });
      expect(String(loser?.['message'])).toContain(String(winner?.pid));
      expect(loser?.['hint']).toBeTruthy();
      wins.set(winner?.pid ?? 0, (wins.get(winner?.pid ?? 0) ?? 0) + 1);
      winner?.send('release');
      await winner?.next(['released']);
    }
    expect([...wins.values()].reduce((sum, count) => sum + count, 0)).toBe(100);
    for (const rival of rivals) {
      expect(rival.events.some((event) => event.event === 'stopping')).toBe(false);
    }
  });

  it('L7 the loser ends with exit code 4 and a sentence, never silently with 0', async () => {
    const dataDir = yard.tempDir();
    const first = yard.start({ dataDir });
    await first.next(['acquired']);
    const second = yard.start({ dataDir, onConflict: 'refuse' });
    const refused = await second.next(['refused']);
    expect(String(refused['message'])).toContain(dataDir);
    expect((await second.ended).code).toBe(4);
  });
});

describe('L8 policy and file system', () => {
  it.each([
    ['gui', undefined, 'handed_over'],
    ['gui', 'refuse', 'refused'],
    ['gui', 'takeover', 'acquired'],
    ['headless', undefined, 'acquired'],
    ['headless', 'focus', 'handed_over'],
  ] as const)(
    'L8 a %s start with the setting %s against a healthy holder: %s',
    async (mode, setting, event) => {
      const dataDir = yard.tempDir();
      const first = yard.start({ dataDir, socket: 'healthy' });
      await first.next(['acquired']);
      const second = yard.start({
        dataDir,
        mode,
        ...(setting === undefined ? {} : { onConflict: setting }),
      });
      const result = await second.next(['acquired', 'refused', 'handed_over']);
      expect(result.event).toBe(event);
    },
  );

  const table = (type: string) =>
    [
      '20 1 254:0 / / rw - ext4 /dev/vda rw',
      `30 20 0:50 / /home/a\\040b rw - ${type} server:/export rw`,
      '31 20 0:51 / /home rw - ext4 /dev/vdb rw',
    ].join('\n');
  it.each(['nfs', 'nfs4', 'cifs', 'smb3', '9p', 'fuse.sshfs', 'fuse.rclone', 'somethingfs'])(
    'L8 %s is refused with its name and the reason',
    (type) => {
      const verdict = filesystemVerdict('/home/a b/.holdfast', table(type));
      expect(verdict).toMatchObject({ kind: 'unfit', type, mountPoint: '/home/a b' });
    },
  );
  it.each(['ext4', 'xfs', 'btrfs', 'overlay', 'tmpfs', 'zfs'])('L8 %s is fit', (type) => {
    expect(filesystemVerdict('/home/a b/.holdfast', table(type))).toEqual({ kind: 'fit' });
  });
  it('L8 a neighbour of the mount point and a system without a mount table are fit', () => {
    expect(filesystemVerdict('/home/a bc/.holdfast', table('nfs'))).toEqual({ kind: 'fit' });
    expect(filesystemVerdict('/home/a b/.holdfast', null)).toEqual({ kind: 'fit' });
  });
});

describe('L9 Electron’s own lock', () => {
  it('L9 is asked for nowhere', () => {
    const root = path.resolve(import.meta.dirname, '../../electron');
    const files = fs
      .readdirSync(root, { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts'));
    expect(files.length).toBeGreaterThan(10);
    for (const name of files) {
      const text = fs.readFileSync(path.join(root, name), 'utf8');
      expect(text, name).not.toMatch(/\.requestSingleInstanceLock\s*\(/);
    }
  });
});

describe('L10 systems without /proc', () => {
  it('L10 ps tells the same process by its start time, user and command', async () => {
    const sleeper = startSleep();
    const source = psProcessSource('/usr/bin/ps');
    const facts = await source.read(sleeper.pid);
    expect(facts).toMatchObject({
      kind: 'alive',
      uid: process.getuid?.(),
      commandLine: 'sleep 60',
    });
    expect(await source.read(sleeper.pid)).toEqual(facts);
    sleeper.kill('SIGKILL');
    await new Promise((resolve) => sleeper.once('exit', resolve));
    expect(await source.read(sleeper.pid)).toEqual({ kind: 'dead' });
  });

  it('L10 a line that ps does not write is no fact', () => {
    expect(
      parsePsLine('Ss 1 501 Thu Nov 21 22:50:01 2024 /Applications/Holdfast --hidden'),
    ).toEqual({
      kind: 'alive',
      startTicks: 'Thu Nov 21 22:50:01 2024',
      ppid: 1,
      uid: 501,
      exe: null,
      commandLine: '/Applications/Holdfast --hidden',
    });
    expect(parsePsLine('Z+ 1 501 Thu Nov 21 22:50:01 2024 (node)')).toEqual({ kind: 'zombie' });
    expect(parsePsLine('error: process ID list syntax error').kind).toBe('unavailable');
  });

  it('L10 without facts a silent holder is asked and refused, never signaled', async () => {
    const dataDir = yard.tempDir();
    const holder = yard.start({ dataDir, exitAfterTermMs: 0 });
    await holder.next(['acquired']);
    const blind = { ...linuxProcessSource, read: psProcessSource('/nonexistent/ps').read };
    const signals: string[] = [];
    const table = createProcessTable({ source: blind, kill: (_pid, name) => signals.push(name) });
    const asked: string[] = [];
    const lock = createInstanceLock({
      rules: { ...lockRules, timings: { ...lockRules.timings, settleMs: 300 } },
      processes: table,
      openKernelLock,
      clock: {
        nowMs: () => Date.now(),
        monotonicMs: () => performance.now(),
        sleep: async (delayMs) => delay(delayMs),
      },
      crashPoints: noCrashPoints,
      self: { pid: process.pid, ppid: process.ppid, uid: process.getuid?.() ?? null },
    });
    const attempt = lock.acquire({
      dataDir,
      mode: 'headless',
      takeover: true,
      onConflict: null,
      version: '0.1.0',
      socketPath: null,
      tokenPath: null,
      argvMarker: 'vitest',
      beganAtMs: Date.now(),
      askHolder: (_socket, _token, verb) => {
        asked.push(verb);
        return Promise.resolve('silent');
      },
    });
    await expect(attempt).rejects.toMatchObject({ code: 'LOCK_HELD' });
    expect(asked).toEqual(['takeover']);
    expect(signals).toEqual([]);
    expect(isAlive(holder.child)).toBe(true);
  });
});

describe('L11 nobody opens lock.db', () => {
  it('L11 after the owner listed, measured and read its own folder a second start is refused', async () => {
    const dataDir = yard.tempDir();
    const first = yard.start({ dataDir });
    await first.next(['acquired']);
    for (let round = 0; round < 3; round += 1) {
      first.send('list');
      expect(await first.next(['listed'])).toMatchObject({
        seen: expect.arrayContaining([expect.objectContaining({ name: 'lock.db' })]),
      });
      first.send('alive');
      expect(await first.next(['touched'])).toMatchObject({ ok: true });
    }
    const second = yard.start({ dataDir, onConflict: 'refuse' });
    expect(await second.next(['refused'])).toMatchObject({ code: 'LOCK_HELD' });
  });

  it('L11 the trap is real: one stray open and close lets a second start in, so the test above can fail', async () => {
    const dataDir = yard.tempDir();
    const first = yard.start({ dataDir });
    await first.next(['acquired']);
    first.send('drop');
    await first.next(['dropped']);
    const second = yard.start({ dataDir, onConflict: 'refuse' });
    expect(await second.next(['acquired', 'refused'])).toMatchObject({ event: 'acquired' });
    first.send('assert');
    expect(await first.next(['asserted'])).toMatchObject({ ok: false, code: 'LOCK_LOST' });
    first.send('release');
    await first.next(['released']);
    expect(readAgentLock(dataDir)?.['pid']).toBe(second.pid);
  });
});
