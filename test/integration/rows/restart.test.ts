import fs from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { RestartNotice, StatusSnapshot } from '../../../shared/types';
import type { Site } from './site';
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

interface StartFacts {
  readonly reason: string;
  readonly stopped_at: number | null;
  readonly stop_reason: string | null;
  readonly boot_id: string;
  readonly version: string;
}

const starts = (): StartFacts[] =>
  site.db('SELECT reason, stopped_at, stop_reason, boot_id, version FROM starts ORDER BY id');

describe('a pause of new turns', () => {
  const paused = async (): Promise<unknown> => (await site.json<StatusSnapshot>('status')).paused;

  it('S3-02 survives SIGKILL and a stop, and so does its end', async () => {
    let host = await site.start();
    expect(await paused()).toBeUndefined();
    await site.json('pause');
    await site.kill(host);
    host = await site.start();
    expect(await paused()).toEqual({});
    const sent = await site.json<{ turnId: number }>('send', 'list the files');
    await site.stop(host);
    host = await site.start();
    const turn = await site.json<{ turn: { state: string } }>('turns', 'show', String(sent.turnId));
    expect(turn.turn.state).toBe('queued');
    await site.json('resume');
    await site.kill(host);
    await site.start();
    expect(await paused()).toBeUndefined();
  });
});

describe('why it starts again', () => {
  it('S0-30 S0-31 S0-32 first start, clean stop, kill, takeover, update, power loss and a copied folder are 7 different reasons', async () => {
    expect(fs.existsSync(path.join(site.dataDir, 'holdfast.db'))).toBe(false);
    let host = await site.start();
    expect(await notice()).toBeUndefined();
    expect((await site.json<{ items: unknown[] }>('inbox', 'list')).items).toEqual([]);
    const marker = new Map(
      site
        .db<{ key: string; value: string | null }>('SELECT key, value FROM reeboot_state')
        .map((row) => [row.key, row.value]),
    );
    expect([...marker.keys()].sort()).toEqual([
      'boot_id',
      'last_clean_stop_at',
      'last_started_at',
      'version',
    ]);
    expect(Number(marker.get('last_started_at'))).toBeGreaterThan(Date.now() - 60_000);
    expect(marker.get('last_clean_stop_at')).toBeNull();
    expect(marker.get('boot_id')).not.toBe('');

    await site.stop(host);
    expect(starts().at(-1)).toMatchObject({ reason: 'first_start', stop_reason: 'stop' });
    host = await site.start();
    expect(await notice()).toMatchObject({ reason: 'clean', resumedTurns: [], heldTurns: [] });

    await site.kill(host);
    expect(starts().at(-1)?.stopped_at).toBeNull();
    host = await site.start();
    expect(await notice()).toMatchObject({ reason: 'kill' });

    const taken = host;
    host = await site.start();
    expect((await taken.ended).code).toBe(0);
    expect(await notice()).toMatchObject({ reason: 'takeover' });
    expect(
      site
        .audit()
        .filter((line) => line.event === 'stopped')
        .at(-1)?.facts['reason'],
    ).toBe('takeover');

    await site.stop(host);
    site.edit("UPDATE starts SET version = '0.0.9' WHERE id = (SELECT max(id) FROM starts)");
    host = await site.start();
    expect(await notice()).toMatchObject({ reason: 'update' });

    await site.kill(host);
    site.edit("UPDATE starts SET boot_id = 'another boot' WHERE id = (SELECT max(id) FROM starts)");
    host = await site.start();
    expect(await notice()).toMatchObject({ reason: 'power_loss' });

    await site.stop(host);
    site.edit(
      "UPDATE starts SET boot_id = 'x', machine_id = 'other' WHERE id = (SELECT max(id) FROM starts)",
    );
    await site.start();
    expect(await notice()).toMatchObject({ reason: 'data_copied' });
    expect(starts().map((start) => start.reason)).toEqual([
      'first_start',
      'clean',
      'kill',
      'takeover',
      'update',
      'power_loss',
      'data_copied',
    ]);
    // Unexpected ends are one item of the inbox, with the reason of each; a clean one is none.
    const { items } = await site.json<{ items: { title: string; detail: string }[] }>(
      'inbox',
      'list',
    );
    expect(
      items.map(({ title, detail }) => [
        title.replace(/ \(down .*?\)/, '').replace(/\d\d:\d\d/, 'T'),
        detail.replaceAll(/\d\d:\d\d/g, 'T'),
      ]),
    ).toEqual([
      [
        'Restarted 2 times since T. The last one: Restarted after the computer crashed or lost power. No turns were interrupted.',
        'Restarted after an unexpected shutdown: T. Restarted after the computer crashed or lost power: T.',
      ],
    ]);
  });

  it.each([
    ['Ctrl+C', 'SIGINT', { code: 0, reason: 'clean' }],
    ['an error that nobody caught', 'SIGUSR2', { code: 70, reason: 'crash' }],
  ] as const)(
    'S0-04 S4-01 S0-30 %s in the middle of a turn: its row stays open with 2 finished steps, the next start knows why, and the turn goes on without a question',
    async (_end, signal, { code, reason }) => {
      const throws = path.join(site.workspace, 'throws.cjs');
      fs.writeFileSync(throws, "process.on('SIGUSR2', () => { throw new Error('nobody'); });");
      site.fp.setScript((request) =>
        resultsIn(request) === 0 ? { toolCalls: [effect('1')] } : { fault: 'stall_first_byte' },
      );
      const host = site.launch(['start', '--headless'], '', {
        NODE_OPTIONS: `--require ${throws}`,
      });
      await until('the host is ready', () => host.out().includes('\n'));
      const turnId = await site.send('work');
      await site.fp.waitForRequests(2);
      host.child.kill(signal);
      expect((await host.ended).code).toBe(code);
      expect(site.db('SELECT turn_id, status FROM turn_journal')).toEqual([
        { turn_id: turnId, status: 'open' },
      ]);
      expect(
        site.db("SELECT step, tool FROM turn_steps WHERE state = 'completed' ORDER BY step"),
      ).toEqual([
        { step: 1, tool: 'model' },
        { step: 2, tool: 'shell.shell' },
      ]);
      site.fp.setScript(() => ({ text: 'done' }));
      await site.start();
      await site.turnIn(turnId, 'completed');
      expect(await notice()).toMatchObject({ reason, resumedTurns: [turnId], heldTurns: [] });
      expect(site.effects()).toHaveLength(1);
    },
  );

  it('S0-30 S0-34 12 killed turns: the notice counts 11 resumed and 1 held, downtime is that of the kill, each turn has its entry', async () => {
    site.configure({
      resilience: { recovery: { side_effect_tools: ['shell'] } },
      limits: { max_running_turns: 12 },
    });
    site.fp.setScript((request) =>
      request.body.includes('the effect')
        ? callsThenDone(stalledEffect('x'))(request)
        : { fault: 'stall_first_byte' },
    );
    const host = await site.start();
    const client = await site.client();
    for (let n = 1; n <= 11; n += 1)
      await client.call('send', { text: `turn ${String(n)}`, session: `s${String(n)}` });
    await client.call('send', { text: 'the effect', session: 's12' });
    await until(
      'all 12 are at work',
      () => site.fp.calls().length === 12 && site.effects().length === 1,
    );
    await site.kill(host);
    const killedMs = Date.now();
    site.fp.setScript(() => ({ text: 'done' }));
    await site.start();
    const told = await notice();
    expect(told).toMatchObject({ reason: 'kill', heldTurns: [12] });
    expect(told?.resumedTurns).toHaveLength(11);
    expect(told?.downMs).toBeGreaterThanOrEqual(0);
    expect(told?.downMs).toBeLessThan(Date.now() - killedMs + 31_000);
    const { lastStart } = await site.json<{ lastStart: { turnId: number }[] }>('recovery', 'list');
    expect(lastStart.map((one) => one.turnId)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]);
    const { items } = await site.json<{ items: { kind: string; title: string }[] }>(
      'inbox',
      'list',
    );
    // Grouped: one line for the restart, one for the turn that needs a person, and one because
    // the command of that turn goes on running on its own.
    expect(items.map((item) => item.kind).sort()).toEqual([
      'problem',
      'replay_decision',
      'restart_notice',
    ]);
    expect(items.find((item) => item.kind === 'problem')?.title).toBe(
      'A command of turn 12 is still running after the restart',
    );
    fs.writeFileSync(path.join(site.workspace, 'go'), '');
    expect(items.find((item) => item.kind === 'restart_notice')?.title).toContain(
      '11 turns resumed, 1 needs a decision',
    );
    for (let n = 1; n <= 11; n += 1) await site.turnIn(n, 'completed');
  });
});

describe('the order of start and stop', () => {
  const stages = (event: 'start_stage' | 'stop_stage', from = 0): unknown[] =>
    site
      .audit()
      .filter((line) => line.n > from && line.event === event)
      .map((line) => line.facts['stage']);
  const START = [
    'data directory and instance lock',
    'crash note',
    'control socket',
    'health and metrics',
    'database: version check, backup, migration',
    'rooms',
    'light integrity check',
    'adapters',
    'notices: restart marker',
    'recovery decisions',
    'catching up',
    'owner heartbeat',
    'upkeep',
    'search index, traces',
    'event delivery',
    'MCP servers, browsers',
    'turn runners',
    'drain of accepted answers',
    'gateway',
    'intake',
  ];

  it('S0-+06 S2-48 the audit shows the start in its order, intake last, and the stop with intake first and the lock last', async () => {
    const host = await site.start();
    await until('the audit has it', () => stages('start_stage').length === START.length);
    expect(stages('start_stage')).toEqual(START);
    const numbers = site.audit().map((line) => line.n);
    expect(numbers).toEqual(numbers.map((_, index) => index + 1));
    host.child.kill('SIGTERM');
    expect((await host.ended).code).toBe(0);
    const stopped = stages('stop_stage');
    expect([stopped[0], stopped.at(-1)]).toEqual(['intake', 'data directory and instance lock']);
    expect(stopped).toEqual([...START].reverse().filter((stage) => stopped.includes(stage)));
    expect(stopped.indexOf('turn runners')).toBeGreaterThan(stopped.indexOf('intake'));
    expect(stopped.indexOf('rooms')).toBeGreaterThan(stopped.indexOf('turn runners'));
    expect(site.audit().at(-1)).toMatchObject({ event: 'stopped', facts: { reason: 'stop' } });
  });

  it('S2-+06 S2-49 SIGTERM in the middle of a turn: bounded by the grace, reported as interrupted by shutdown, resumed at the next start once', async () => {
    site.configure({ shutdown: { grace: '1s' } });
    site.fp.setScript(() => ({ fault: 'stall_first_byte' }));
    const host = await site.start();
    const turnId = await site.send('work', '--session', 'long');
    await site.fp.waitForRequests(1);
    const began = Date.now();
    host.child.kill('SIGTERM');
    expect((await host.ended).code).toBe(0);
    expect(Date.now() - began).toBeLessThan(4_500 * SLACK);
    const between = await site.show(turnId);
    expect(between.turn).toMatchObject({
      state: 'running',
      reason: 'Interrupted by shutdown; resumes at the next start.',
    });
    site.fp.setScript(() => ({ text: 'done' }));
    await site.start();
    await site.turnIn(turnId, 'completed');
    expect(await notice()).toMatchObject({ reason: 'clean', resumedTurns: [turnId] });
    expect(site.fp.calls()).toHaveLength(2);
    // A stop in order is not a crash: it does not count toward parking.
    expect(site.db('SELECT crashes FROM turns')).toEqual([{ crashes: 0 }]);
    const { items } = await site.json<{ items: { title: string }[] }>('inbox', 'list');
    expect(items.map((item) => item.title)).toEqual([expect.stringContaining('1 turn resumed')]);
  });

  it('S2-50 messages sent during a shutdown are either refused or processed exactly once after the next start', async () => {
    site.configure({ shutdown: { grace: '2s' } });
    site.fp.setScript(() => ({ text: 'ok', delayMs: 300 }));
    const host = await site.start();
    await site.send('keeps it busy');
    await site.fp.waitForRequests(1);
    const sends: Promise<{ text: string; code: number | null; out: string }>[] = [];
    for (let n = 0; n < 12; n += 1) {
      const text = `during ${String(n)}`;
      sends.push(
        site.hf('send', text, '--session', `d${String(n)}`, '--json').then((ended) => ({
          text,
          ...ended,
        })),
      );
      if (n === 3) host.child.kill('SIGTERM');
    }
    const results = await Promise.all(sends);
    expect((await host.ended).code).toBe(0);
    const accepted = results.filter((result) => result.code === 0);
    const refused = results.filter((result) => result.code !== 0);
    for (const one of refused) {
      expect([one.code, ['NOT_RUNNING', 'STOPPING']]).toEqual([
        3,
        expect.arrayContaining([(JSON.parse(one.out) as { error: { code: string } }).error.code]),
      ]);
    }
    site.fp.setScript(() => ({ text: 'ok' }));
    await site.start();
    await until(
      'all are finished',
      () => site.db('SELECT 1 FROM turns WHERE is_closed = 0').length === 0,
    );
    const turns = site.db<{ prompt_start: string }>('SELECT prompt_start FROM turns ORDER BY id');
    expect(turns.map((turn) => turn.prompt_start).sort()).toEqual(
      ['keeps it busy', ...accepted.map((one) => one.text)].sort(),
    );
  });

  it('S2-46 S2-47 suspended in the middle of a turn while its lock.db was taken away and another one owned the folder: continued, it writes no row, leaves the file of the other, ends with 1 and says so', async () => {
    site.fp.setScript((request) =>
      resultsIn(request) === 0 ? { toolCalls: [effect('1')], delayMs: 500 } : { text: 'done' },
    );
    const first = await site.start();
    await site.send('work');
    await site.fp.waitForRequests(1);
    first.child.kill('SIGSTOP');
    fs.rmSync(path.join(site.dataDir, 'lock.db'));
    // Nobody answers for the suspended one: its address goes, too, as it does with its folder.
    fs.rmSync(path.join(site.dataDir, 'run', 'control.sock'));
    const second = await site.start('--no-restore');
    const rows = (): unknown => site.db('SELECT count(*) AS rows, max(seq) AS last FROM journal');
    const before = rows();
    first.child.kill('SIGCONT');
    const ended = await first.ended;
    expect([ended.code, ended.err]).toEqual([1, expect.stringContaining('no longer owned')]);
    expect(rows()).toEqual(before);
    expect(site.effects()).toEqual([]);
    const record = JSON.parse(fs.readFileSync(path.join(site.dataDir, 'agent.lock'), 'utf8')) as {
      pid: number;
    };
    expect(record.pid).toBe(second.child.pid);
    await site.stop(second);
    await site.start();
    await site.turnIn(1, 'completed');
    expect(site.effects()).toHaveLength(1);
  });
});
