import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { version } from '../../../package.json';
import { controlSocketPath, controlTokenPath } from '../../../electron/control/address';
import { connectControl, readControlToken } from '../../../electron/control/client';
import { SLACK } from '../../helpers/slack';
import { startProgram, type ProgramProcess } from '../../helpers/start-program';

const TASK = 'Write notes from the source file.';

let dataDir: string;
let children: ProgramProcess[];
/** Where the program makes temporary files; undefined: where all programs do. */
let scratch: string | undefined;

beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'hf-head-'));
  children = [];
  scratch = undefined;
});

afterEach(async () => {
  for (const child of children) {
    if (child.exitCode === null && child.signalCode === null) {
      child.kill('SIGCONT');
      child.kill('SIGKILL');
      await new Promise((resolve) => child.once('exit', resolve));
    }
  }
  rmSync(dataDir, { recursive: true, force: true });
});

interface Ended {
  code: number | null;
  out: string;
  err: string;
}

function launch(
  args: string[],
  stdin = '',
): { child: ProgramProcess; ended: Promise<Ended>; out: () => string } {
  const child = startProgram([...args, '--data-dir', dataDir], {
    ...process.env,
    HOLDFAST_NO_RELAUNCH: '1',
    HOLDFAST_HOME: '',
    NO_COLOR: '1',
    // A folder that only this test writes in: other demos run on this computer, too.
    ...(scratch === undefined ? {} : { TMPDIR: scratch }),
  });
  children.push(child);
  let out = '';
  child.stdout.on('data', (chunk: Buffer) => (out += chunk.toString()));
  child.stdin.end(stdin);
  const ended = new Promise<Ended>((resolve) =>
    child.once('close', (code) => resolve({ code, out, err: child.errors() })),
  );
  return { child, ended, out: () => out };
}

const hf = (...args: string[]): Promise<Ended> => launch(args).ended;

async function json<T = Record<string, unknown>>(...args: string[]): Promise<T> {
  const ended = await hf(...args, '--json');
  if (ended.code !== 0)
    throw new Error(`${args.join(' ')}: ${String(ended.code)} ${ended.out} ${ended.err}`);
  return JSON.parse(ended.out) as T;
}

async function until(
  what: string,
  condition: () => boolean | Promise<boolean>,
  { ms = 60_000, everyMs = 50 } = {},
): Promise<void> {
  const end = Date.now() + ms;
  while (!(await condition())) {
    if (Date.now() > end) throw new Error(`not within ${String(ms)} ms: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, everyMs));
  }
}

async function start(...args: string[]): Promise<ReturnType<typeof launch>> {
  const one = launch(['start', '--headless', ...args]);
  await until('ready', () => one.out().includes('\n') || one.child.exitCode !== null);
  expect(one.out()).toMatch(/^Holdfast is running \(process \d+\) on .+\n$/);
  return one;
}

const exit = (child: ProgramProcess): Promise<void> =>
  child.exitCode !== null || child.signalCode !== null
    ? Promise.resolve()
    : new Promise((resolve) => child.once('exit', () => resolve()));

interface Shown {
  turn: { state: string; reused: number };
  answer?: string;
  steps: { tool: string; state: string; purity: string }[];
  decision?: object;
}

const show = (id: number): Promise<Shown> => json<Shown>('turns', 'show', String(id));

/**
 * Until write_file has finished. Asked over one connection: starting a command for each question
 * takes longer than the rest of the task on a busy machine.
 */
async function written(): Promise<void> {
  const result = await connectControl({
    socketPath: controlSocketPath(dataDir, process.env, process.platform),
    token: readControlToken(controlTokenPath(dataDir, process.platform)) ?? '',
    version,
    timeoutMs: 60_000,
  });
  if (result.kind !== 'connected') throw result.error;
  const { client } = result;
  await until(
    'the file is written',
    async () => {
      const { turns } = await client.call('turns.list', { limit: 1 });
      if (turns.length === 0) return false;
      const { steps } = await client.call('turns.show', { turnId: 1 });
      return steps.some(({ tool, state }) => tool.endsWith('write_file') && state === 'completed');
    },
    // A connection may ask about a hundred times a second.
    { everyMs: 40 },
  );
  client.close();
}

/** Kills the instance after write_file has finished. */
async function killAfterWrite(one: ReturnType<typeof launch>): Promise<void> {
  await written();
  one.child.kill('SIGKILL');
  await exit(one.child);
}

describe('headless on plain Node', () => {
  it('S2-39 starts, answers, works, stops in order; the lock is free when stop returns', async () => {
    const one = await start();
    const record = JSON.parse(readFileSync(join(dataDir, 'agent.lock'), 'utf8')) as {
      pid: number;
      phase: string;
    };
    expect(record).toMatchObject({ pid: one.child.pid, phase: 'running' });
    expect(await json('status')).toMatchObject({ phase: 'running', pid: one.child.pid });
    const sent = await hf('send', 'echo All is kept.', '--wait');
    expect([sent.code, sent.out]).toEqual([0, 'All is kept.\n']);
    expect(await json('stop')).toEqual({ ok: true, willResume: 0 });
    expect(existsSync(join(dataDir, 'agent.lock'))).toBe(false);
    expect((await one.ended).code).toBe(0);
    const stopped = await hf('status', '--json');
    expect([stopped.code, (JSON.parse(stopped.out) as { phase: string }).phase]).toEqual([
      0,
      'stopped',
    ]);
    expect(stopped.err).toBe('Holdfast is not running. Showing the last saved state.\n');
    expect(await json('turns', 'list')).toMatchObject({ turns: [{ id: 1, state: 'completed' }] });
    expect((await hf('send', 'x')).code).toBe(3);
    expect((await hf('stop')).code).toBe(3);
  });

  it('S2-48 SIGTERM ends in order with 0, a second one at once', async () => {
    const one = await start();
    one.child.kill('SIGTERM');
    expect((await one.ended).code).toBe(0);
    const two = await start();
    await hf('send', TASK);
    two.child.kill('SIGTERM');
    two.child.kill('SIGTERM');
    const began = Date.now();
    const { code } = await two.ended;
    expect([0, 1]).toContain(code);
    expect(Date.now() - began).toBeLessThan(3_000 * SLACK);
    await start();
    await until('the turn is finished', async () => (await show(1)).turn.state === 'completed');
  });

  it.each(['SIGTERM', 'SIGINT', 'SIGHUP'] as const)(
    'S2-48 one %s ends in order with 0 after a setting was changed in the running instance',
    async (signal) => {
      const one = await start();
      expect(await json('config', 'set', 'app.theme', 'dark')).toMatchObject({ value: 'dark' });
      one.child.kill(signal);
      const { code, err } = await one.ended;
      expect([code, err.includes('Ended immediately')]).toEqual([0, false]);
      expect(existsSync(join(dataDir, 'agent.lock'))).toBe(false);
    },
  );

  it('S2-48 40 signals without a pause, until the process is gone, end 3 stops with 0 or 1, never by the signal', async () => {
    for (const everyMs of [0, 5, 20]) {
      const one = await start();
      for (let n = 0; n < 40 && one.child.exitCode === null; n += 1) {
        one.child.kill((['SIGTERM', 'SIGINT', 'SIGHUP'] as const)[n % 3]);
        await new Promise((resolve) => setTimeout(resolve, everyMs));
      }
      const { code } = await one.ended;
      expect([0, 1], String(one.child.signalCode)).toContain(code);
    }
  });

  it('S0-33 takes a prompt of 4,000,000 characters from standard input', async () => {
    await start();
    const ended = await launch(['send', '-', '--json'], `echo ${'x'.repeat(3_999_990)}`).ended;
    expect([ended.code, ended.err]).toEqual([0, '']);
    expect((JSON.parse(ended.out) as { turnId: number }).turnId).toBe(1);
  });

  it('S0-06 send --wait goes on over SIGKILL and a new start, and prints the answer once', async () => {
    const one = await start();
    const waiting = launch(['send', TASK, '--wait']);
    await killAfterWrite(one);
    await start();
    const ended = await waiting.ended;
    expect(ended.code).toBe(0);
    expect(ended.out).toMatch(/^Done\. notes\.md has \d+ lines/);
    expect(ended.err).toContain('Turn 1 is saved');
    const shown = await show(1);
    expect(shown.turn.reused).toBeGreaterThanOrEqual(4);
    expect(shown.steps.filter((step) => step.tool.endsWith('write_file'))).toHaveLength(1);
  });

  it('S0-11 mode never holds the turn over two starts; the decision works while nothing runs', async () => {
    const one = await start();
    await json('config', 'set', 'resilience.recovery.mode', 'never');
    await hf('send', TASK);
    await killAfterWrite(one);
    const two = await start();
    expect((await show(1)).turn.state).toBe('held');
    await hf('stop');
    await two.ended;
    const listed = await json<{ decisions: { turnId: number }[] }>('recovery', 'list');
    expect(listed.decisions.map((decision) => decision.turnId)).toEqual([1]);
    const resumed = await hf('recovery', 'resume', '1');
    expect([resumed.code, resumed.out.includes('It continues at the next start')]).toEqual([
      0,
      true,
    ]);
    expect((await hf('recovery', 'resume', '1')).code).toBe(4);
    await start();
    await until('the turn is finished', async () => (await show(1)).turn.state === 'completed');
    expect((await show(1)).steps.filter((step) => step.tool.endsWith('write_file'))).toHaveLength(
      1,
    );
  });

  it('S4-29 --no-restore leaves the turn on disk; the next start goes on with it', async () => {
    const one = await start();
    await hf('send', TASK);
    await killAfterWrite(one);
    const before = await show(1);
    const two = await start('--no-restore');
    await new Promise((resolve) => setTimeout(resolve, 2_000));
    const after = await show(1);
    expect({ turn: after.turn, steps: after.steps }).toEqual({
      turn: before.turn,
      steps: before.steps,
    });
    expect(await json('status')).toMatchObject({ recovery: { restoreSkipped: true } });
    await hf('stop');
    await two.ended;
    await start();
    await until('the turn is finished', async () => (await show(1)).turn.state === 'completed');
  });

  it('S4-30 --reset needs yes: no, nothing and a running app change nothing; --yes wipes and keeps a backup', async () => {
    const one = await start();
    await hf('send', TASK);
    expect((await hf('start', '--reset', '--yes')).code).toBe(4);
    await killAfterWrite(one);
    for (const answer of ['no\n', '', 'yes please\n']) {
      const refused = await launch(['start', '--reset', '--json'], answer).ended;
      expect([
        refused.code,
        (JSON.parse(refused.out) as { error: { code: string } }).error.code,
      ]).toEqual([5, 'CONFIRMATION_NEEDED']);
    }
    expect((await show(1)).steps.length).toBeGreaterThan(3);
    const wiped = await launch(['start', '--reset', '--json'], 'yes\n').ended;
    expect(wiped.code).toBe(0);
    const { backupPath } = JSON.parse(wiped.out) as { backupPath: string };
    expect(existsSync(backupPath)).toBe(true);
    expect(await json('turns', 'list')).toEqual({ turns: [], hasMore: false });
    expect(readdirSync(join(dataDir, 'audit')).length).toBeGreaterThan(0);
    expect((await hf('start', '--reset', '--yes')).code).toBe(0);
  });

  it('S2-43 a suspended instance: reading comes from disk within 5 s and says who does not answer and what to do, the rest ends with 3, and it goes on after', async () => {
    const one = await start();
    await hf('send', TASK);
    await written();
    const pid = one.child.pid ?? 0;
    one.child.kill('SIGSTOP');
    const began = Date.now();
    const commands = [
      ['status'],
      ['status', '--json'],
      ['turns', 'list', '--json'],
      ['doctor', '--json'],
      ['send', 'x'],
      ['turns', 'cancel', '1'],
      ['stop'],
    ];
    const ends = await Promise.all(commands.map((args) => hf(...args)));
    expect(ends.map(({ code }) => code)).toEqual([0, 0, 0, 1, 3, 3, 3]);
    expect(Date.now() - began).toBeLessThan(8_000 * SLACK);
    const [text, status, turns, doctor] = ends;
    const what = new RegExp(`kill -CONT ${String(pid)}\\..*--takeover --data-dir ${dataDir}`);
    for (const { err } of [...ends.slice(0, 1), ...ends.slice(4)]) expect(err).toMatch(what);
    expect(text?.out).toMatch(/^Holdfast is running but not responding\./);
    expect(text?.out).toMatch(what);
    expect(text?.out).not.toContain('not running');
    expect(JSON.parse(status?.out ?? '')).toMatchObject({
      phase: 'silent',
      pid,
      counts: { running: 1 },
    });
    expect(JSON.parse(turns?.out ?? '')).toMatchObject({
      turns: [{ state: 'running', reason: expect.stringContaining('is not responding now') }],
    });
    const { checks } = JSON.parse(doctor?.out ?? '') as { checks: { name: string }[] };
    expect(checks.find(({ name }) => name === 'owner')).toMatchObject({
      level: 'fail',
      detail: expect.stringMatching(what),
    });
    expect(checks.find(({ name }) => name === 'open turns')).toMatchObject({
      detail: '1 running',
    });
    one.child.kill('SIGCONT');
    expect(await json('status')).toMatchObject({ phase: 'running' });
  });

  it('L11 after doctor has read the whole database, and status, logs and turns, a second start is still refused', async () => {
    const one = await start();
    expect((await hf('send', 'echo All is kept.', '--wait')).code).toBe(0);
    for (const args of [['doctor', '--full'], ['doctor'], ['status'], ['logs'], ['turns', 'list']])
      expect([args, (await hf(...args)).code]).toEqual([args, 0]);
    // The reset makes a backup of its own where nothing runs; here it has to leave everything alone.
    expect((await hf('start', '--reset', '--yes')).code).toBe(4);
    const refuse = ['start', '--headless', '--set', 'instance.on_conflict=refuse', '--json'];
    const second = await hf(...refuse);
    expect([second.code, JSON.parse(second.out)]).toMatchObject([
      4,
      { error: { code: 'LOCK_HELD' } },
    ]);
    expect(await json('status')).toMatchObject({ phase: 'running', pid: one.child.pid });
  });

  it('S2-42 a second headless start takes over; --set instance.on_conflict=refuse ends with 4 instead', async () => {
    const one = await start();
    const refused = await hf(
      'start',
      '--headless',
      '--set',
      'instance.on_conflict=refuse',
      '--json',
    );
    expect(refused.code).toBe(4);
    expect((JSON.parse(refused.out) as { error: { code: string } }).error.code).toBe('LOCK_HELD');
    expect(await json('status')).toMatchObject({ pid: one.child.pid });
    const two = await start();
    expect((await one.ended).code).toBe(0);
    expect(await json('status')).toMatchObject({ pid: two.child.pid });
  });

  it('S4-35 a start without a terminal asks nothing and reads nothing', async () => {
    const one = await start();
    expect(one.out().split('\n')).toHaveLength(2);
    expect((await hf('start')).code).toBe(2);
  });
});

describe('demo', () => {
  beforeEach(() => {
    scratch = join(dataDir, 'scratch');
    mkdirSync(scratch);
  });
  const left = (): readonly string[] => readdirSync(scratch ?? '');

  it('S0-01 tells the story in less than 30 s and ends with exactly "0 lost, 0 repeated"', async () => {
    const began = Date.now();
    const ended = await hf('demo');
    expect(Date.now() - began).toBeLessThan(30_000 * SLACK);
    expect([ended.code, ended.out.trimEnd().split('\n').at(-1)]).toEqual([0, '0 lost, 0 repeated']);
    expect(ended.out).toContain('reused, not run again');
    expect(left()).toEqual([]);
  });

  it('LM-06 PH-05 GT-01 CH-03 tells a night with real kills, and ends with the digest and the counts', async () => {
    const ended = await hf('demo', 'night', '--short');
    const lines = ended.out.trimEnd().split('\n');
    expect([ended.code, lines.at(-1)]).toEqual([0, '3 kills, 0 lost, 0 repeated, 1 digest']);
    expect(ended.out).toContain('waits, too: 1 request so far');
    expect(ended.out).toContain('two devices allow it at once: 1 answer counts, 1 is refused');
    expect(ended.out).toMatch(/s {2}4 turns completed\.\n.*s {2}3 restarts/);
    expect(ended.out).toContain('Nothing needs your decision.');
    expect(ended.out).toMatch(/task "mailbox": [1-9]\d* checks with nothing to do, 0 runs/);
    expect(ended.out).toContain('agents one and two: 3 requests in all, one of them at the limit');
    expect(left()).toEqual([]);
  });

  it('S0-11 tells it with mode never: held, decided, finished', async () => {
    const ended = await hf('demo', '--mode', 'never');
    expect(ended.out).toContain('you answer: holdfast turns resume 1');
    expect([ended.code, ended.out.trimEnd().split('\n').at(-1)]).toEqual([0, '0 lost, 0 repeated']);
  });
});
