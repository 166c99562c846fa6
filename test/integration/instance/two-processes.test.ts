import { execFileSync, spawn } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { buildHost, createHostYard, readAgentLock } from './host-process';
import type { HostBundle } from './host-process';
import { SLACK } from '../../helpers/slack';
import { isLeftOut, NOT_ROOT } from '../../helpers/skips';

let bundle: HostBundle;
const yard = createHostYard(() => bundle);

beforeAll(async () => {
  bundle = await buildHost();
});
afterEach(() => yard.close());
afterAll(() => {
  bundle.remove();
});

const effectsOf = (dataDir: string): string[] => {
  const file = path.join(dataDir, 'effects.log');
  return fs.existsSync(file)
    ? fs.readFileSync(file, 'utf8').trim().split('\n').filter(Boolean)
    : [];
};

describe('one owner of a data directory, real processes', () => {
  it('S2-39 agent.lock is readable while it runs: pid, start identity, boot, host, since when', async () => {
    const dataDir = yard.tempDir();
    const host = yard.start({ dataDir });
    await host.next(['acquired']);
    const record = readAgentLock(dataDir);
    expect(record).toMatchObject({
      pid: host.pid,
      host: os.hostname(),
      phase: 'running',
      version: '0.1.0',
      dataDir,
    });
    const stat = fs.readFileSync(`/proc/${host.pid}/stat`, 'utf8');
    const ticks = stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19];
    expect(record?.['startTicks']).toBe(ticks);
    const bootId = fs.readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    expect(record?.['bootId']).toBe(bootId);
    expect(Math.abs(Date.now() - Number(record?.['startedAtMs']))).toBeLessThan(10_000 * SLACK);
    expect(fs.statSync(path.join(dataDir, 'agent.lock')).mode & 0o777).toBe(0o600);
    expect(fs.statSync(path.join(dataDir, 'lock.db')).mode & 0o777).toBe(0o600);
    expect(fs.statSync(dataDir).mode & 0o777).toBe(0o700);
    expect(fs.existsSync(path.join(dataDir, 'lock.db-journal'))).toBe(false);
  });

  it.each([
    ['empty', ''],
    ['garbage', 'abc'],
    ['truncated', '{"pid":43'],
    ['NUL bytes', '\0\0\0'],
    ['pid 0', '0'],
    ['negative pid', '-4321'],
    ['pid 1', '1'],
    ['a dead pid', '{"pid":4194000,"startedAtMs":1,"phase":"running"}'],
    ['200 kB of text', 'x'.repeat(200_000)],
  ])('S2-41 starts within 1 s on %s in agent.lock', async (_name, content) => {
    const dataDir = yard.tempDir();
    fs.mkdirSync(dataDir, { recursive: true, mode: 0o700 });
    fs.writeFileSync(path.join(dataDir, 'agent.lock'), content);
    const host = yard.start({ dataDir });
    const acquired = await host.next(['acquired']);
    expect(acquired['tookMs']).toBeLessThan(1_000 * SLACK);
    expect(readAgentLock(dataDir)?.['pid']).toBe(host.pid);
  });

  it('S2-41 its own number in the record, bare or whole, as a restarted container has it: it starts, and signals neither itself nor its parent', async () => {
    const dataDir = yard.tempDir();
    const host = yard.start({ dataDir, isManual: true });
    await host.next(['ready']);
    host.send('acquire');
    await host.next(['acquired']);
    const own = readAgentLock(dataDir) ?? {};
    host.send('release');
    await host.next(['released']);
    for (const content of [
      String(host.pid),
      JSON.stringify(own),
      JSON.stringify({ ...own, bootId: 'before', startTicks: '1' }),
    ]) {
      fs.writeFileSync(path.join(dataDir, 'agent.lock'), content);
      host.send('acquire');
      const acquired = await host.next(['acquired', 'refused']);
      expect([acquired.event, acquired['replaced']]).toEqual(['acquired', null]);
      host.send('release');
      await host.next(['released']);
    }
    expect(host.events.some(({ event }) => event === 'stopping' || event === 'ignored')).toBe(
      false,
    );
  });

  it('S2-41 a killed owner frees the directory: the next start takes it within 1 s and signals nobody', async () => {
    const dataDir = yard.tempDir();
    const first = yard.start({ dataDir });
    await first.next(['acquired']);
    first.child.kill('SIGKILL');
    await first.ended;
    expect(readAgentLock(dataDir)?.['pid']).toBe(first.pid);
    const second = yard.start({ dataDir });
    const acquired = await second.next(['acquired']);
    expect(acquired['tookMs']).toBeLessThan(1_000 * SLACK);
    expect(acquired).toMatchObject({
      replaced: null,
      leftBehind: { content: { kind: 'record', record: { pid: first.pid } } },
    });
  });

  it('S2-41 a start killed between writing and naming its record blocks nobody', async () => {
    const dataDir = yard.tempDir();
    const first = yard.start({ dataDir, crashAt: 'lock.file.beforeRename' });
    expect((await first.ended).signal).toBe('SIGKILL');
    expect(readAgentLock(dataDir)).toBeNull();
    expect(fs.readdirSync(dataDir).filter((name) => name.endsWith('.tmp'))).toHaveLength(1);
    const second = yard.start({ dataDir });
    expect((await second.next(['acquired']))['tookMs']).toBeLessThan(1_000 * SLACK);
    expect(fs.readdirSync(dataDir).filter((name) => name.endsWith('.tmp'))).toEqual([]);
  });

  it('S2-42 S2-43 SIGTERM lets the holder leave in order; the note names the newcomer; taken over in 0.2..1 s', async () => {
    const dataDir = yard.tempDir();
    const first = yard.start({ dataDir, exitAfterTermMs: 300 });
    const { instanceId } = await first.next(['acquired']);
    const second = yard.start({ dataDir });
    const stopping = await first.next(['stopping']);
    expect(stopping).toMatchObject({
      by: 'SIGTERM',
      reason: 'takeover',
      note: { byPid: second.pid, targetInstanceId: instanceId },
    });
    const acquired = await second.next(['acquired']);
    expect(acquired['tookMs']).toBeGreaterThan(200);
    expect(acquired['tookMs']).toBeLessThan(1_000 * SLACK);
    expect(acquired['replaced']).toMatchObject({ pid: first.pid, how: 'left' });
    expect((await first.ended).code).toBe(0);
    expect(readAgentLock(dataDir)?.['pid']).toBe(second.pid);
  });

  it('S2-42 a holder that answers over its socket leaves without a signal', async () => {
    const dataDir = yard.tempDir();
    const first = yard.start({ dataDir, socket: 'healthy', exitAfterTermMs: 50 });
    await first.next(['acquired']);
    const second = yard.start({ dataDir });
    expect(await first.next(['stopping'])).toMatchObject({ by: 'socket', reason: 'takeover' });
    await second.next(['acquired']);
    expect(await first.ended).toMatchObject({ code: 0, signal: null });
  });

  it.skipIf(isLeftOut('a holder of another user', NOT_ROOT))(
    'S2-42 a holder of another user is refused with a clear error and signaled by nobody, whether the folder is still theirs or ours by now',
    async () => {
      const dataDir = yard.tempDir();
      const nobody = 65_534;
      fs.chmodSync(path.dirname(dataDir), 0o755);
      fs.mkdirSync(dataDir, { mode: 0o700 });
      fs.chownSync(dataDir, nobody, nobody);
      const first = yard.start({ dataDir }, { uid: nobody, gid: nobody });
      await first.next(['acquired']);
      const theirs = yard.start({ dataDir, takeover: true });
      expect(await theirs.next(['refused', 'acquired'])).toMatchObject({
        code: 'DATA_DIR_UNSAFE',
        message: expect.stringContaining('belongs to another account') as string,
      });
      for (const name of ['.', ...fs.readdirSync(dataDir, { recursive: true, encoding: 'utf8' })])
        fs.chownSync(path.join(dataDir, name), 0, 0);
      const ours = yard.start({ dataDir, takeover: true });
      expect(await ours.next(['refused', 'acquired'])).toMatchObject({
        code: 'LOCK_OTHER_USER',
        message: expect.stringContaining(`process ${String(first.pid)}`) as string,
        hint: expect.stringContaining('--data-dir') as string,
      });
      expect((await ours.ended).code).toBe(4);
      expect(first.child.signalCode ?? first.child.exitCode).toBeNull();
      expect(first.events.map(({ event }) => event)).toEqual(['acquired']);
    },
  );

  it('S2-44 a holder that ignores SIGTERM is killed 4.9..5.6 s after the start, real waits', async () => {
    const dataDir = yard.tempDir();
    const first = yard.start({ dataDir, exitAfterTermMs: null, socket: 'hung' });
    await first.next(['acquired']);
    const second = yard.start({ dataDir });
    const ignored = await first.next(['ignored']);
    const end = await first.ended;
    expect(end.signal).toBe('SIGKILL');
    const acquired = await second.next(['acquired']);
    expect(acquired['tookMs']).toBeGreaterThan(4_900);
    expect(acquired['tookMs']).toBeLessThan(5_900 * SLACK);
    expect(end.atMs - ignored.atMs).toBeGreaterThan(4_900);
    expect(acquired['replaced']).toMatchObject({ pid: first.pid, how: 'killed' });
    expect(first.events.filter((event) => event.event === 'ignored')).toHaveLength(1);
  });

  it('S2-43 S2-46 S2-47 a suspended holder is robbed by one of two newcomers; continued, it writes nothing', async () => {
    const dataDir = yard.tempDir();
    const timings = { termWaitMs: 500, askTakeoverTimeoutMs: 50 };
    const first = yard.start({ dataDir, timings, writeEveryMs: 5 });
    await first.next(['acquired']);
    await expect.poll(() => effectsOf(dataDir).length).toBeGreaterThan(0);
    first.child.kill('SIGSTOP');
    await delay(50);
    const before = effectsOf(dataDir).length;
    const rivals = [yard.start({ dataDir, timings }), yard.start({ dataDir, timings })];
    const results = await Promise.all(rivals.map((rival) => rival.next(['acquired', 'refused'])));
    expect(results.map((result) => result.event).sort()).toEqual(['acquired', 'refused']);
    expect(results.find((result) => result.event === 'refused')).toMatchObject({
      code: 'LOCK_HELD',
    });
    first.child.kill('SIGCONT');
    expect((await first.ended).signal).toBe('SIGKILL');
    await delay(100);
    expect(effectsOf(dataDir)).toHaveLength(before);
    const winner = results.find((result) => result.event === 'acquired');
    expect(readAgentLock(dataDir)?.['pid']).toBe(winner?.pid);
  });

  it('S2-47 an owner whose lock.db was removed notices it: it writes nothing more and leaves the new file alone', async () => {
    const dataDir = yard.tempDir();
    const first = yard.start({ dataDir, writeEveryMs: 5 });
    await first.next(['acquired']);
    await delay(50);
    first.send('freeze');
    await first.next(['freezing']);
    await delay(50);
    fs.rmSync(path.join(dataDir, 'lock.db'));
    const second = yard.start({ dataDir });
    await second.next(['acquired']);
    const before = effectsOf(dataDir).length;
    first.child.kill('SIGCONT');
    expect(await first.next(['lost'])).toMatchObject({ code: 'LOCK_LOST' });
    expect((await first.ended).code).toBe(5);
    expect(effectsOf(dataDir)).toHaveLength(before);
    expect(readAgentLock(dataDir)?.['pid']).toBe(second.pid);
  });

  it.each([true, false])(
    'S2-46 a late release leaves the new owner its file, a second release does nothing (loss noticed before: %s)',
    async (isNoticed) => {
      const dataDir = yard.tempDir();
      const first = yard.start({ dataDir });
      await first.next(['acquired']);
      const foreign = { ...readAgentLock(dataDir), pid: 6000, instanceId: 'another' };
      fs.writeFileSync(path.join(dataDir, 'agent.lock'), JSON.stringify(foreign));
      if (isNoticed) {
        first.send('assert');
        expect(await first.next(['asserted'])).toMatchObject({ ok: false, code: 'LOCK_LOST' });
      }
      for (let count = 0; count < 2; count += 1) {
        first.send('release');
        expect(await first.next(['released'])).toMatchObject({ ok: true });
      }
      expect(readAgentLock(dataDir)).toMatchObject({ pid: 6000 });
    },
  );

  it.each(['removed', 'replaced'])(
    'S2-47 an owner whose lock.db was %s stops before anybody else has written a record',
    async (harm) => {
      const dataDir = yard.tempDir();
      const first = yard.start({ dataDir });
      await first.next(['acquired']);
      fs.rmSync(path.join(dataDir, 'lock.db'));
      if (harm === 'replaced') fs.writeFileSync(path.join(dataDir, 'lock.db'), '');
      first.send('assert');
      expect(await first.next(['asserted'])).toMatchObject({ ok: false, code: 'LOCK_LOST' });
      first.send('alive');
      expect(await first.next(['touched'])).toMatchObject({ ok: false, code: 'LOCK_LOST' });
    },
  );

  it('S2-46 a removed or garbled agent.lock is written again while the kernel lock is held', async () => {
    const dataDir = yard.tempDir();
    const first = yard.start({ dataDir });
    await first.next(['acquired']);
    for (const harm of ['remove', 'garble'] as const) {
      const file = path.join(dataDir, 'agent.lock');
      if (harm === 'remove') fs.rmSync(file);
      else fs.writeFileSync(file, 'abc');
      first.send('assert');
      expect(await first.next(['asserted'])).toMatchObject({ ok: true });
      expect(readAgentLock(dataDir)?.['pid']).toBe(first.pid);
    }
  });

  it('S2-47 an owner whose kernel lock was dropped by a stray close notices it at the next sign of life', async () => {
    const dataDir = yard.tempDir();
    const first = yard.start({ dataDir });
    await first.next(['acquired']);
    first.send('alive');
    expect(await first.next(['touched'])).toMatchObject({ ok: true });
    first.send('drop');
    await first.next(['dropped']);
    first.send('alive');
    expect(await first.next(['touched'])).toMatchObject({ ok: false, code: 'LOCK_LOST' });
  });

  it('R14 a window start focuses a healthy holder within 1.5 s and leaves everything as it was', async () => {
    const dataDir = yard.tempDir();
    const first = yard.start({ dataDir, socket: 'healthy' });
    await first.next(['acquired']);
    const before = fs.readFileSync(path.join(dataDir, 'agent.lock'), 'utf8');
    const second = yard.start({ dataDir, mode: 'gui' });
    const handed = await second.next(['handed_over']);
    expect(handed['tookMs']).toBeLessThan(1_500 * SLACK);
    expect(handed['holderPid']).toBe(first.pid);
    expect(await first.next(['asked'])).toMatchObject({ verb: 'focus' });
    expect(fs.readFileSync(path.join(dataDir, 'agent.lock'), 'utf8')).toBe(before);
    expect(fs.existsSync(path.join(dataDir, 'run', 'takeover.json'))).toBe(false);
  });

  it('R14 a window start takes over a holder that is silent for 2 s', async () => {
    const dataDir = yard.tempDir();
    const first = yard.start({ dataDir, socket: 'hung', exitAfterTermMs: 10 });
    await first.next(['acquired']);
    const second = yard.start({ dataDir, mode: 'gui' });
    const acquired = await second.next(['acquired']);
    expect(acquired['tookMs']).toBeGreaterThan(1_900);
    expect(acquired['tookMs']).toBeLessThan(3_500 * SLACK);
    expect(acquired['replaced']).toMatchObject({ pid: first.pid, how: 'left' });
  });

  it('R14 a window start waits for a holder that still migrates and does not signal it', async () => {
    const dataDir = yard.tempDir();
    const first = yard.start({ dataDir, socket: 'hung', phase: 'migrating', exitAfterTermMs: 0 });
    await first.next(['acquired']);
    const timings = { focusTimeoutMs: 200, askAgainMs: 100, transientSilenceMs: 600 * SLACK };
    const second = yard.start({ dataDir, mode: 'gui', timings });
    const acquired = await second.next(['acquired']);
    expect(acquired['tookMs']).toBeGreaterThan(1_700);
    const at = first.events.findIndex((event) => event.event === 'stopping');
    const [stopping, before] = [first.events[at], first.events.slice(0, at)];
    expect(stopping).toMatchObject({ reason: 'takeover' });
    const asked = before.filter((event) => event.event === 'asked');
    expect(asked.length).toBeGreaterThan(1);
    expect((stopping?.atMs ?? 0) - (asked[0]?.atMs ?? Infinity)).toBeGreaterThan(1_500);
  });

  it.each([
    ['a start without windows', {}],
    ['a window', { mode: 'gui' }],
    ['one with --takeover', { takeover: true }],
    ['one that is to refuse', { onConflict: 'refuse' }],
    ['another command', { mode: 'command' }],
  ] as const)(
    'S2-40 S4-+10 %s that meets a command at its record waits for its end, signals and asks nobody, and owns it then',
    async (_who, config) => {
      const dataDir = yard.tempDir();
      const later = yard.start({ dataDir, isManual: true, ...config });
      await later.next(['ready']);
      // Within a second of each other: of two starts, the later one would have lost.
      const command = yard.start({ dataDir, mode: 'command', socket: 'healthy' });
      await command.next(['acquired']);
      expect(readAgentLock(dataDir)).toMatchObject({ pid: command.pid, phase: 'deciding' });
      later.send('acquire');
      await delay(500);
      expect(later.events.map(({ event }) => event)).toEqual(['ready']);
      command.send('release');
      expect(await later.next(['acquired', 'refused'])).toMatchObject({
        event: 'acquired',
        replaced: null,
      });
      expect(command.events.map(({ event }) => event)).toEqual(['acquired', 'released']);
    },
  );

  it('S2-40 a start that meets a command which has hung takes its place after the wait of a holder in transition', async () => {
    const dataDir = yard.tempDir();
    const command = yard.start({ dataDir, mode: 'command' });
    await command.next(['acquired']);
    const second = yard.start({ dataDir, timings: { transientSilenceMs: 600 } });
    const acquired = await second.next(['acquired']);
    expect(acquired['replaced']).toMatchObject({ pid: command.pid, how: 'left' });
    expect(acquired['tookMs']).toBeGreaterThan(550);
  });

  it('S2-40 S2-04 eight starts at once, on no file and on a stale one: one owner, seven told so, 4 rounds', async () => {
    for (let round = 0; round < 4; round += 1) {
      const dataDir = yard.tempDir();
      fs.mkdirSync(dataDir, { recursive: true, mode: 0o700 });
      if (round % 2 === 0) fs.writeFileSync(path.join(dataDir, 'agent.lock'), '4321');
      const starters = Array.from({ length: 8 }, () => yard.start({ dataDir, phase: 'starting' }));
      const results = await Promise.all(
        starters.map((starter) => starter.next(['acquired', 'refused'])),
      );
      const winners = results.filter((result) => result.event === 'acquired');
      expect(winners).toHaveLength(1);
      expect(readAgentLock(dataDir)?.['pid']).toBe(winners[0]?.pid);
      for (const result of results.filter((one) => one.event === 'refused')) {
        expect(result).toMatchObject({ code: 'LOCK_HELD' });
        expect(String(result['message'])).toContain(String(winners[0]?.pid));
      }
      await yard.close();
    }
  });

  it('S2-04 the same directory through a symbolic link is the same lock', async () => {
    const dataDir = yard.tempDir();
    const first = yard.start({ dataDir });
    await first.next(['acquired']);
    const link = `${dataDir}-link`;
    fs.symlinkSync(dataDir, link);
    const second = yard.start({ dataDir: link, onConflict: 'refuse' });
    expect(await second.next(['refused'])).toMatchObject({ code: 'LOCK_HELD' });
  });

  it('S2-04 the same directory through another mount is the same lock', async (context) => {
    const dataDir = yard.tempDir();
    const first = yard.start({ dataDir });
    await first.next(['acquired']);
    const other = yard.tempDir();
    fs.mkdirSync(other, { recursive: true, mode: 0o700 });
    try {
      execFileSync('mount', ['--bind', dataDir, other], { stdio: 'pipe' });
    } catch (error) {
      context.skip(`no mounts here: ${String(error)}`);
    }
    try {
      const second = yard.start({ dataDir: other, onConflict: 'refuse' });
      expect(await second.next(['refused'])).toMatchObject({ code: 'LOCK_HELD' });
    } finally {
      execFileSync('umount', ['-l', other]);
    }
  });

  it('S2-42 a zombie with the recorded pid is waited for by nobody', async () => {
    const dataDir = yard.tempDir();
    fs.mkdirSync(dataDir, { recursive: true, mode: 0o700 });
    // The shell turns into a sleep that never collects its ended child.
    const parent = spawn('sh', ['-c', 'sleep 0.3 & echo $!; exec sleep 60'], {
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    try {
      const zombie = await new Promise<number>((resolve) => {
        parent.stdout.once('data', (data: Buffer) => {
          resolve(Number(data.toString().trim()));
        });
      });
      await vi.waitFor(() => {
        const state = execFileSync('ps', ['-o', 'state=', '-p', String(zombie)]);
        expect(state.toString().trim()).toBe('Z');
      }, 45_000);
      fs.writeFileSync(path.join(dataDir, 'agent.lock'), String(zombie));
      const host = yard.start({ dataDir });
      expect((await host.next(['acquired']))['tookMs']).toBeLessThan(200 * SLACK);
    } finally {
      parent.kill('SIGKILL');
    }
  });
});
