/** A second start on a folder that somebody has, had, or seems to have. */
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { RestartNotice, StatusSnapshot } from '../../../shared/types';
import type { Launched, Site } from './site';
import { callsThenDone, createSite, effect, resultsIn, stalledEffect, until } from './site';
import { SLACK } from '../../helpers/slack';

let site: Site;

beforeEach(async () => {
  site = await createSite();
  site.configure();
});
afterEach(() => site.remove());

const notice = async (): Promise<RestartNotice | undefined> =>
  (await site.json<StatusSnapshot>('status')).restart;

/** What the log says of locks: stale or taken over, what lay there or how it went, whose it was. */
const locksLogged = (): unknown[] => {
  const logs = path.join(site.dataDir, 'logs');
  return fs
    .readdirSync(logs)
    .flatMap((name) => fs.readFileSync(path.join(logs, name), 'utf8').split('\n'))
    .filter((line) => line.includes('"event":"lock.'))
    .map((line) => JSON.parse(line) as { event: string; facts: Record<string, unknown> })
    .map(({ event, facts }) => [event, facts['content'] ?? facts['how'], facts['pid']]);
};

describe('whose lock it is', () => {
  it('S2-41 S2-42 the log says whose lock was stale after SIGKILL, that garbage was, and who was replaced how; after a stop it says nothing', async () => {
    const first = await site.start();
    await site.kill(first);
    const second = await site.start();
    await site.stop(second);
    fs.writeFileSync(path.join(site.dataDir, 'agent.lock'), 'garbage');
    const third = await site.start();
    const fourth = await site.start();
    await site.stop(fourth);
    await site.start();
    expect(locksLogged()).toEqual([
      ['lock.stale', 'record', first.child.pid],
      ['lock.stale', 'unreadable', undefined],
      ['lock.taken_over', 'left', third.child.pid],
    ]);
  });

  it('S2-41 the number of the killed holder belongs to another program by now, as 3 records say it: each start takes the folder, names the stale lock and leaves that program alone', async () => {
    const first = await site.start();
    const file = path.join(site.dataDir, 'agent.lock');
    const record = JSON.parse(fs.readFileSync(file, 'utf8')) as Record<string, unknown>;
    await site.kill(first);
    const stranger = spawn('sleep', ['600'], { stdio: 'ignore' });
    try {
      const stat = fs.readFileSync(`/proc/${String(stranger.pid)}/stat`, 'utf8');
      const startTicks = stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19];
      const reused = { ...record, pid: stranger.pid };
      // The last one agrees in every fact: it is the kernel lock that says nobody is there.
      const exact = {
        ...reused,
        startTicks,
        exe: fs.readlinkSync(`/proc/${String(stranger.pid)}/exe`),
        argvMarker: 'sleep',
      };
      for (const content of [String(stranger.pid), JSON.stringify(reused), JSON.stringify(exact)]) {
        fs.writeFileSync(file, content);
        const host = await site.start();
        expect((JSON.parse(fs.readFileSync(file, 'utf8')) as { pid: number }).pid).toBe(
          host.child.pid,
        );
        await site.stop(host);
      }
      expect([stranger.exitCode, stranger.signalCode]).toEqual([null, null]);
      expect(locksLogged()).toEqual([
        ['lock.stale', 'bare_pid', stranger.pid],
        ['lock.stale', 'record', stranger.pid],
        ['lock.stale', 'record', stranger.pid],
      ]);
    } finally {
      stranger.kill('SIGKILL');
    }
  });
});

describe('a holder that has to go', () => {
  it.each(['over its socket', 'by SIGTERM, its socket gone'])(
    'S2-42 R15 asked to go %s in the middle of a call: the note names the newcomer, the first stops in order within its 4.5 s, is not killed, and calls it a takeover in audit and database',
    async (how) => {
      site.fp.setScript(() => ({ fault: 'stall_first_byte' }));
      const first = await site.start();
      const turnId = await site.send('work');
      await site.fp.waitForRequests(1);
      if (how !== 'over its socket') fs.rmSync(path.join(site.dataDir, 'run', 'control.sock'));
      const second = site.launch(['start', '--headless']);
      const ended = await first.ended;
      expect([ended.code, first.child.signalCode]).toEqual([0, null]);
      const note = JSON.parse(
        fs.readFileSync(path.join(site.dataDir, 'run', 'takeover.json'), 'utf8'),
      ) as { byPid: number };
      expect(note.byPid).toBe(second.child.pid);
      await until('the second is ready', () => second.out().includes('\n'));
      const stopped = site.audit().filter((line) => line.event === 'stop_stage');
      expect(stopped.map((line) => line.facts['reason'])).toEqual(stopped.map(() => 'takeover'));
      expect([stopped[0]?.facts['stage'], stopped.at(-1)?.facts['stage']]).toEqual([
        'intake',
        'data directory and instance lock',
      ]);
      const reasons = site.audit().filter((line) => line.event === 'stopped');
      expect(reasons.map((line) => line.facts)).toEqual([{ reason: 'takeover' }]);
      expect(site.db('SELECT stop_reason FROM starts WHERE id = 1')).toEqual([
        { stop_reason: 'takeover' },
      ]);
      expect(locksLogged()).toEqual([['lock.taken_over', 'left', first.child.pid]]);
      await until('it goes on', () => site.fp.calls().length === 2);
      expect(await notice()).toMatchObject({ reason: 'takeover', resumedTurns: [turnId] });
    },
  );

  it('S2-45 a holder that is suspended in the middle of a turn is killed by the second start, which owns the folder for its life: a finished effect stays one, the cut call is made once more', async () => {
    site.fp.setScript((request) =>
      resultsIn(request) === 0 ? { toolCalls: [effect('1')] } : { fault: 'stall_first_byte' },
    );
    const first = await site.start();
    const turnId = await site.send('work');
    await site.fp.waitForRequests(2);
    first.child.kill('SIGSTOP');
    site.fp.setScript(() => ({ text: 'done' }));
    const second = await site.start();
    await first.ended;
    expect(first.child.signalCode).toBe('SIGKILL');
    await site.turnIn(turnId, 'completed');
    expect(locksLogged()).toEqual([['lock.taken_over', 'killed', first.child.pid]]);
    expect([site.effects().length, site.fp.calls().length]).toEqual([1, 3]);
    expect((await site.show(turnId)).steps.map(({ tool, state }) => [tool, state])).toEqual([
      ['model', 'completed'],
      ['shell.shell', 'completed'],
      ['model', 'failed'],
      ['model', 'completed'],
    ]);
    expect(await notice()).toMatchObject({ reason: 'takeover', resumedTurns: [turnId] });
    // Its own for its life: another start that may not take it is refused, and the file is its.
    const refused = await site.hf('start', '--headless', '--set', 'instance.on_conflict=refuse');
    expect(refused.code).toBe(4);
    const owner = (): number =>
      (
        JSON.parse(fs.readFileSync(path.join(site.dataDir, 'agent.lock'), 'utf8')) as {
          pid: number;
        }
      ).pid;
    expect(owner()).toBe(second.child.pid);
    await site.stop(second);
    expect(fs.existsSync(path.join(site.dataDir, 'agent.lock'))).toBe(false);
  });

  it.each([
    ['SIGTERM', 1],
    ['SIGINT', 1],
    ['SIGHUP', 1],
    ['SIGKILL', null],
  ] as const)(
    'S2-48 a %s in the middle of a stop that waits 60 s for its turn ends it at once with %s; nothing is lost, the next start says that the stop was cut off and the turn goes on',
    async (signal, code) => {
      site.configure({ shutdown: { grace: '60s' } });
      site.fp.setScript((request) =>
        resultsIn(request) === 0 ? { toolCalls: [effect('1')] } : { fault: 'stall_first_byte' },
      );
      const host = await site.start();
      const turnId = await site.send('work');
      await site.fp.waitForRequests(2);
      host.child.kill('SIGTERM');
      const stages = (): unknown[] =>
        site
          .audit()
          .filter((line) => line.event === 'stop_stage')
          .map((line) => line.facts['stage']);
      await until('it waits for its turn', () => stages().includes('turn runners'));
      host.child.kill(signal);
      const ended = await host.ended;
      expect(ended.code).toBe(code);
      expect(ended.err.includes('before the shutdown was finished')).toBe(code === 1);
      expect(
        JSON.parse(fs.readFileSync(path.join(site.dataDir, 'agent.lock'), 'utf8')),
      ).toMatchObject({ phase: 'stopping', stopReason: 'stop' });
      expect(stages()).not.toContain('data directory and instance lock');
      expect(site.db('SELECT state FROM turns')).toEqual([{ state: 'running' }]);
      site.fp.setScript(() => ({ text: 'done' }));
      await site.start();
      await site.turnIn(turnId, 'completed');
      expect([site.effects().length, site.fp.calls().length]).toEqual([1, 3]);
      expect(await notice()).toMatchObject({ reason: 'stop_cut_off', resumedTurns: [turnId] });
    },
  );

  it('S2-45 a second headless start in the middle of a tool call takes over; the work goes on once, as decided', async () => {
    site.configure({ resilience: { recovery: { side_effect_tools: [] } } });
    site.fp.setScript((request) =>
      callsThenDone(
        { name: 'write_file', args: { path: 'a.txt', content: 'a' } },
        stalledEffect('x'),
      )(request),
    );
    const first = await site.start();
    const turnId = await site.send('work');
    await until('the effect happened', () => site.effects().length === 1);
    fs.writeFileSync(path.join(site.workspace, 'go.soon'), '');
    const began = Date.now();
    const second: Launched = site.launch(['start', '--headless']);
    await first.ended;
    fs.renameSync(path.join(site.workspace, 'go.soon'), path.join(site.workspace, 'go'));
    await until('the second is ready', () => second.out().includes('\n'));
    expect(Date.now() - began).toBeLessThan(8_000 * SLACK);
    const record = JSON.parse(fs.readFileSync(path.join(site.dataDir, 'agent.lock'), 'utf8')) as {
      pid: number;
    };
    expect(record.pid).toBe(second.child.pid);
    await site.turnIn(turnId, 'completed');
    // Policy retry: the effect with an unknown result ran again under the same key, once.
    expect(new Set(site.effects()).size).toBe(1);
    expect(site.effects().length).toBeLessThanOrEqual(2);
    const writes = (await site.show(turnId)).steps.filter((step) =>
      step.tool.endsWith('write_file'),
    );
    expect(writes).toHaveLength(1);
    expect(await notice()).toMatchObject({ reason: 'takeover', resumedTurns: [turnId] });
    const owners = site.audit().filter((line) => line.event === 'start');
    expect(owners).toHaveLength(2);
  });
});

describe('the database of a running Holdfast', () => {
  it.each(['moved away', 'replaced by an earlier copy'])(
    'S2-47 S0-03 is %s: the next message is refused with the reason, Holdfast ends, and the file that it had has all that was accepted',
    async (what) => {
      site.fp.setScript(() => ({ text: 'done' }));
      const file = path.join(site.dataDir, 'holdfast.db');
      const [copy, moved] = [`${file}.copy`, `${file}.moved`];
      const first = await site.start();
      await site.turnIn(await site.send('one'), 'completed');
      await site.stop(first);
      fs.copyFileSync(file, copy);
      const host = await site.start();
      await site.turnIn(await site.send('two'), 'completed');
      fs.renameSync(file, moved);
      if (what !== 'moved away') fs.renameSync(copy, file);
      // Commits that follow each other within 50 ms rely on one look at the owner.
      await new Promise((resolve) => setTimeout(resolve, 500));

      const refused = await site.hf('send', 'three', '--agent', 'a');
      expect(refused.err).toContain('was moved away or replaced');
      expect([refused.code, (await host.ended).code]).toEqual([4, 1]);
      const had = new Database(moved, { readonly: true });
      const turns = 'SELECT state FROM turns';
      const done = { state: 'completed' };
      expect([had.prepare(turns).all(), had.pragma('integrity_check', { simple: true })]).toEqual([
        [done, done],
        'ok',
      ]);
      had.close();
      expect(fs.statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0).toBe(0);
      await site.start();
      expect(site.db(turns)).toEqual(what === 'moved away' ? [] : [done]);
    },
  );
});
