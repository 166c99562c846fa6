/** `holdfast restart`, `reset`, `open` and `data` on a real data directory. */
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { LOCK_TIMINGS, lockRules } from '../../../electron/engine/instance/decide-lock';
import { createSite, until } from '../rows/site';
import type { Site } from '../rows/site';

let site: Site;
beforeEach(async () => {
  site = await createSite();
});
afterEach(() => site.remove());

describe('the life of an instance, by command', () => {
  it('X-06 restart stops it gracefully and another process runs on the same data', async () => {
    const host = await site.start();
    const ended = await site.launch(['restart', '--json']).ended;
    expect([ended.code, ended.err]).toEqual([0, '']);
    const { restarted, pid } = JSON.parse(ended.out) as { restarted: boolean; pid: number };
    try {
      expect(restarted).toBe(true);
      expect(pid).not.toBe(host.child.pid);
      expect((await host.ended).code).toBe(0);
      expect(await site.json('status')).toMatchObject({ phase: 'running', pid });
    } finally {
      expect((await site.hf('stop')).code).toBe(0);
    }
    expect((await site.hf('restart')).code).toBe(3);
  });

  it('X-06 data remove deletes nothing while it runs, nor without a yes, nor what is no data directory', async () => {
    const host = await site.start();
    const running = await site.hf('data', 'remove', '--yes');
    expect([running.code, running.err]).toEqual([
      4,
      'Holdfast is running on this data directory. Nothing was deleted. It keeps running.\nStop it first: holdfast stop\n',
    ]);
    await site.stop(host);
    expect((await site.hf('data', 'remove')).code).toBe(5);
    expect(fs.existsSync(path.join(site.dataDir, 'holdfast.db'))).toBe(true);
    const removed = await site.hf('data', 'remove', '--yes');
    expect([removed.code, fs.existsSync(site.dataDir)]).toEqual([0, false]);
    expect((await site.hf('data', 'remove', '--yes')).out).toContain('does not exist');
    fs.mkdirSync(site.dataDir, { mode: 0o700 });
    fs.writeFileSync(path.join(site.dataDir, 'letter.txt'), 'mine');
    const other = await site.hf('data', 'remove', '--yes');
    expect(other.err).toContain('is not a Holdfast data directory. Nothing was deleted.');
    expect(fs.existsSync(path.join(site.dataDir, 'letter.txt'))).toBe(true);
  });

  it('X-06 data remove moves the directory away under its lock: another command that holds it is waited for in words, and what a killed removal left goes with the next', async () => {
    await site.stop(await site.start());
    const { openForDecision } = await import('../../../electron/offline/open-data');
    const { removeData } = await import('../../../electron/offline/remove-data');
    const holder = await openForDecision(site.dataDir);
    // A person's command waits a minute for the other.
    const rules = { ...lockRules, timings: { ...LOCK_TIMINGS, transientSilenceMs: 200 } };
    await expect(removeData(site.dataDir, () => undefined, rules)).rejects.toMatchObject({
      code: 'LOCK_HELD',
    });
    expect(fs.existsSync(path.join(site.dataDir, 'holdfast.db'))).toBe(true);
    const left = `${site.dataDir}.removed-12345678`;
    fs.mkdirSync(left);
    fs.writeFileSync(path.join(left, 'holdfast.db'), 'old');
    const waiting = site.launch(['data', 'remove', '--yes']);
    await until('it says that it waits', () =>
      waiting.err().includes('Another command is using this data directory. Waiting up to 1 min'),
    );
    await holder.close();
    expect((await waiting.ended).code).toBe(0);
    expect([fs.existsSync(site.dataDir), fs.existsSync(left)]).toEqual([false, false]);
    expect(
      fs.readdirSync(path.dirname(site.dataDir)).filter((name) => /removed/.test(name)),
    ).toEqual([]);
  });

  it('X-06 reset asks, makes a backup, and open and version say what they can', async () => {
    await site.stop(await site.start());
    expect((await site.hf('reset')).code).toBe(5);
    const { backupPath } = await site.json<{ backupPath: string }>('reset', '--yes');
    expect(fs.existsSync(backupPath)).toBe(true);
    const opened = await site.hf('open', 'inbox');
    expect([opened.code, opened.err.startsWith('Holdfast is not running.')]).toEqual([3, true]);
    const [named, option] = [await site.hf('version'), await site.hf('--version')];
    expect([named.code, named.out]).toEqual([0, option.out]);
  });

  it('UP-04 data export and import: the work and the settings move in one file, keys do not, links never', async () => {
    const host = await site.start();
    const turn = await site.send('keep this');
    await site.turnIn(turn, 'completed');
    const file = path.join(site.dataDir, '..', 'moved.tar.gz');
    for (const [words, unchanged] of [
      [['data', 'export', file], 'Nothing was exported. It keeps running.'],
      [['data', 'import', file], 'Nothing was imported. It keeps running.'],
      [['data', 'remove', '--yes'], 'Nothing was deleted. It keeps running.'],
      [['reset', '--yes'], 'Nothing was reset. It keeps running.'],
    ] as const) {
      const refused = await site.hf(...words);
      expect([refused.code, refused.err]).toEqual([
        4,
        expect.stringContaining(`Holdfast is running on this data directory. ${unchanged}`),
      ]);
      expect(refused.err).toContain('holdfast stop');
    }
    await site.stop(host);
    fs.mkdirSync(path.join(site.dataDir, 'secrets'), { recursive: true, mode: 0o700 });
    fs.writeFileSync(path.join(site.dataDir, 'secrets', 'a'), 'stored-key', { mode: 0o600 });
    const exported = await site.hf('data', 'export', file);
    expect([exported.code, exported.err]).toEqual([0, '']);
    expect(exported.out).toContain('without its keys. It contains every prompt, answer and result');
    expect(fs.statSync(file).mode & 0o077).toBe(0);
    expect((await site.hf('data', 'export', file)).err).toContain('already exists');
    const copy = `${site.dataDir}-copy`;
    const { offline } = await import('../../../electron/offline/offline');
    await offline.importData(copy, file);
    const names = fs.readdirSync(copy);
    expect(names).toEqual(expect.arrayContaining(['holdfast.db', 'config.json', 'audit']));
    expect(names).not.toEqual(expect.arrayContaining(['secrets']));
    expect(names).not.toEqual(expect.arrayContaining(['lock.db']));
    const moved = await offline.openReadOnly(copy);
    const shown = await moved.holdfast.call('turns.show', { turnId: turn }, 'test');
    await moved.close();
    expect(shown.turn.state).toBe('completed');
    await expect(offline.importData(copy, file)).rejects.toThrow('is not empty');
    fs.rmSync(copy, { recursive: true });
    const evil = path.join(site.dataDir, '..', 'evil');
    fs.mkdirSync(evil);
    fs.writeFileSync(path.join(evil, 'holdfast.db'), '');
    fs.symlinkSync('/etc', path.join(evil, 'logs'));
    execFileSync('tar', ['-czf', `${evil}.tar.gz`, '-C', evil, '.']);
    await expect(offline.importData(copy, `${evil}.tar.gz`)).rejects.toThrow('which is no file');
    expect(fs.existsSync(copy)).toBe(false);
  });
});
