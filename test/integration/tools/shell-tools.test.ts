import { execFileSync, spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import {
  endOrphan,
  findOrphans,
  systemLeftProcesses,
} from '../../../electron/adapters/shell/orphans';
import { createShellTools } from '../../../electron/adapters/shell/shell-tools';
import type { ShellToolsDeps } from '../../../electron/adapters/shell/shell-tools';
import { hasShellEffects } from '../../../electron/engine/shell-policy/shell-effects';
import type { JsonValue } from '../../../electron/ports/provider';
import { questionAbout } from '../../../electron/engine/turns/tool-registry';
import { namedRemote } from '../../../electron/engine/shell-policy/git-remote';
import { shellRisk } from '../../../electron/engine/shell-policy/shell-risk';
import { bundleProgram } from './bundle-program';
import { resultOf, toolCall, useTempFolders } from './call-tool';
import { waitUntil } from '../../helpers/bounded-wait';
import { SLACK } from '../../helpers/slack';

const folder = useTempFolders();

function shellHost(over: Partial<ShellToolsDeps> = {}) {
  return createShellTools({
    onOutput: () => undefined,
    instanceId: 'test-instance',
    runId: 'test-run',
    limits: () => ({ timeoutMs: 20_000, maxOutputBytes: 65_536 }),
    loginEnvironment: () => Promise.resolve({ kind: 'own', reason: 'test' }),
    ownEnvironment: { PATH: process.env['PATH'], HOME: '/tmp' },
    commandHasEffects: hasShellEffects,
    commandRisk: shellRisk,
    namedRemote,
    ...over,
  });
}

const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    // A zombie that nobody reaps is dead as well.
    return !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'latin1'));
  } catch {
    return false;
  }
};

async function until(isTrue: () => boolean, withinMs = 60_000): Promise<void> {
  const deadline = performance.now() + withinMs;
  while (!isTrue()) {
    if (performance.now() > deadline) throw new Error(`not within ${withinMs} ms`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

const pidIn = async (path: string): Promise<number> => {
  await until(() => existsSync(path) && readFileSync(path, 'utf8').endsWith('\n'));
  return Number(readFileSync(path, 'utf8'));
};

describe('shell', () => {
  it('S4-20 counts as a side effect, is proposed for the gate and knows a read-only command', () => {
    const [spec] = shellHost().tools();
    expect(spec).toMatchObject({ name: 'shell', purity: 'side_effect', isProposedForGate: true });
    expect(spec?.hasEffects?.({ command: 'ls -l src' })).toBe(false);
    expect(spec?.hasEffects?.({ command: 'git status' })).toBe(true);
    expect(spec?.hasEffects?.({ command: 'git push' })).toBe(true);
    expect(spec?.hasEffects?.({ wrong: 1 })).toBe(true);
  });

  it('S3-06 says where a remote leads as git does, with its rewriting rules and without a password', async () => {
    const workspace = folder();
    const git = (...args: readonly string[]) => execFileSync('git', args, { cwd: workspace });
    const [spec] = shellHost().tools();
    const goesTo = (command: string) => spec?.goesTo?.({ command }, workspace);
    expect(await goesTo('git push origin')).toBeUndefined();
    git('init', '-q');
    git('remote', 'add', 'origin', 'https://me:secret@git.example/x.git');
    expect(await goesTo('git push')).toEqual({
      address: 'https://git.example/x.git',
      name: 'origin',
    });
    git('config', 'url.git@push.example:.pushInsteadOf', 'https://me:secret@git.example/');
    expect((await goesTo('git push origin main'))?.address).toBe('git@push.example:x.git');
    expect((await goesTo('git fetch origin'))?.address).toBe('https://git.example/x.git');
    expect(await goesTo('git push nobody')).toBeUndefined();
    expect(await spec?.goesTo?.({ wrong: 1 }, workspace)).toBeUndefined();
  });

  it('S0-09 asks after a cut-off call in its own words, on one line, inert and bounded', () => {
    const [spec] = shellHost().tools();
    const ask = (args: JsonValue): string => questionAbout(spec, args);
    expect(ask({ command: 'git push origin main' })).toBe(
      'Did this command run: "git push origin main"?',
    );
    expect(ask({ command: 'a\nb\u202ec' })).toBe('Did this command run: "a ⏎ b\\u{202e}c"?');
    const long = ask({ command: 'x'.repeat(50_000) });
    expect([long.length < 120, long.endsWith('x…"?')]).toEqual([true, true]);
    // Arguments that the tool cannot read: the generic question is asked.
    expect(ask({ cmd: 'ls' })).toBe('');
    expect(questionAbout(undefined, {})).toBe('');
  });

  it('runs bash in the workspace and returns both outputs with exit code 0', async () => {
    const workspace = folder();
    const call = toolCall(
      'shell',
      { command: 'pwd; echo out; echo err >&2; [[ x == x ]]' },
      workspace,
    );
    const result = await resultOf(shellHost(), call);
    expect(result.isError).toBe(false);
    expect(result.content).toMatch(/\[exit code 0\]$/);
    for (const text of [workspace, 'out', 'err']) expect(result.content).toContain(`${text}\n`);
  });

  it('hands on the last 20 lines of what a command prints while it runs, and its end', async () => {
    const workspace = folder();
    const seen: (string | undefined)[] = [];
    const host = shellHost({
      onOutput: (command, tail) => {
        expect(command).toMatchObject({ turnId: expect.any(Number), step: expect.any(Number) });
        seen.push(tail);
        // The command goes on only after its first lines were handed on: nothing is polled here.
        if (tail?.endsWith('line 30') === true) writeFileSync(join(workspace, 'go'), '');
      },
    });
    const command = `seq -f 'line %g' 30; ${waitUntil('test -e go')}; printf 'a\\rb\\n'; printf 'half'; sleep 0.5`;
    const result = await resultOf(host, toolCall('shell', { command }, workspace));
    expect(result.content).toMatch(/half\n\[exit code 0\]$/);
    const first = seen.find((tail) => tail?.endsWith('line 30') === true);
    expect(first?.split('\n')).toEqual(
      Array.from({ length: 20 }, (_, at) => `line ${String(at + 11)}`),
    );
    expect(seen.at(-1)).toBeUndefined();
    // A progress line that was written over itself shows its newest state.
    expect(seen.at(-2)?.split('\n').slice(-2)).toEqual(['b', 'half']);
  });

  it('S4-09 a command that exits with 3 has finished: an error result, not a failure', async () => {
    const call = toolCall('shell', { command: 'echo no; exit 3' }, folder());
    expect(await resultOf(shellHost(), call)).toEqual({
      kind: 'result',
      content: 'no\n[exit code 3]',
      isError: true,
    });
  });

  it('S4-20 a shell that dies by a signal has an unknown outcome', async () => {
    const call = toolCall('shell', { command: 'touch started; kill -9 $$' }, folder());
    expect(await shellHost().call(call)).toMatchObject({
      kind: 'unknown',
      message: expect.stringContaining('SIGKILL'),
    });
  });

  it('a workspace that is gone and a command with a NUL fail without a run', async () => {
    const gone = toolCall('shell', { command: 'true' }, join(folder(), 'gone'));
    expect(await shellHost().call(gone)).toMatchObject({ kind: 'failed', isRetryable: false });
    const nul = toolCall('shell', { command: 'echo a\0b' }, folder());
    expect(await shellHost().call(nul)).toMatchObject({ kind: 'failed', isRetryable: false });
  });

  it('has no input: cat ends at once', async () => {
    const result = await resultOf(shellHost(), toolCall('shell', { command: 'cat' }, folder()));
    expect(result.content).toBe('[exit code 0]');
  });

  it('returns while a background program runs on, says so, and that program can go on printing', async () => {
    const workspace = folder();
    const command =
      '(sleep 1; for i in 1 2 3; do echo tick; done; echo end > done.txt) & echo started';
    const started = performance.now();
    const result = await resultOf(shellHost(), toolCall('shell', { command }, workspace));
    expect(performance.now() - started).toBeLessThan(900 * SLACK);
    expect(result.content).toBe(
      'started\n[exit code 0; a process it started is still running in the background]',
    );
    await until(() => existsSync(join(workspace, 'done.txt')));
  });

  it('S2-+05 keeps secrets from a child unless they are declared, and marks it', async () => {
    const host = shellHost({
      ownEnvironment: {
        PATH: process.env['PATH'],
        PLAIN: 'plain',
        MY_TOKEN: 's1',
        OPENAI_API_KEY: 's2',
        DB_PASSWORD: 's3',
        DATABASE_URL: 'postgres://u:s4@h/d',
        DECLARED_SECRET: 'given',
        BASH_ENV: '/tmp/evil',
        'BASH_FUNC_ls%%': '() { echo evil; }',
        HOLDFAST_TURN: '999',
      },
    });
    const call = toolCall('shell', { command: 'env -0 | tr "\\0" "\\n"' }, folder(), {
      env: ['DECLARED_SECRET', 'NOT_SET'],
    });
    const env = new Map(
      (await resultOf(host, call)).content
        .split('\n')
        .map((line) => line.split(/=(.*)/s, 2) as [string, string]),
    );
    expect(env.get('PLAIN')).toBe('plain');
    expect(env.get('DECLARED_SECRET')).toBe('given');
    for (const name of [
      'MY_TOKEN',
      'OPENAI_API_KEY',
      'DB_PASSWORD',
      'DATABASE_URL',
      'BASH_ENV',
      'BASH_FUNC_ls%%',
      'NOT_SET',
    ]) {
      expect(env.has(name), name).toBe(false);
    }
    expect(Object.fromEntries([...env].filter(([name]) => name.startsWith('HOLDFAST_')))).toEqual({
      HOLDFAST_TURN: '7',
      HOLDFAST_STEP: '3',
      HOLDFAST_IDEMPOTENCY_KEY: 'turn-7-step-3',
      HOLDFAST_INSTANCE: 'test-instance',
      HOLDFAST_RUN: 'test-run',
    });
  });

  it('of a shared turn it gets the epoch, by which a service tells an old owner from the present one', async () => {
    const command = 'echo "epoch ${HOLDFAST_EPOCH-none}"';
    const { content } = await resultOf(
      shellHost(),
      toolCall('shell', { command }, folder(), { epoch: 4 }),
    );
    expect(content).toContain('epoch 4');
  });
});

describe('orphans', () => {
  let out = '';
  let program = '';
  const children: ChildProcess[] = [];
  const orphanPids: number[] = [];
  beforeAll(async () => {
    out = mkdtempSync(join(tmpdir(), 'holdfast-program-'));
    program = await bundleProgram('tool-program.ts', out);
  });
  afterAll(() => rmSync(out, { recursive: true, force: true }));
  afterEach(() => {
    for (const child of children.splice(0)) child.kill('SIGKILL');
    for (const pid of orphanPids.splice(0)) if (isAlive(pid)) process.kill(pid, 'SIGKILL');
  });

  /** Starts a Holdfast whose shell writes its pid, then kills that Holdfast. */
  async function orphan(instanceId: string, runId: string, command: string): Promise<number> {
    const workspace = folder();
    const parent = spawn(process.execPath, [program], { stdio: ['pipe', 'ignore', 'inherit'] });
    children.push(parent);
    const call = { tool: 'shell', args: { command }, workspace, idempotencyKey: 'k' };
    parent.stdin.end(JSON.stringify({ call, instanceId, runId }));
    const pid = await pidIn(join(workspace, 'pid'));
    orphanPids.push(pid);
    const exited = once(parent, 'exit');
    parent.kill('SIGKILL');
    await exited;
    return pid;
  }

  function innocent(env: Record<string, string>): number {
    const child = spawn('sleep', ['60'], {
      detached: true,
      stdio: 'ignore',
      env: { ...process.env, ...env },
    });
    children.push(child);
    return child.pid ?? 0;
  }

  it('S4-20 finds what a SIGKILLed run left, with turn, step and start, and ends that group only', async () => {
    const instanceId = `instance-${process.pid}-a`;
    const startedMs = Date.now();
    const pid = await orphan(instanceId, 'run-1', 'echo $$ > pid; sleep 60 & sleep 61; echo never');
    expect(isAlive(pid)).toBe(true);
    const other = await orphan(`${instanceId}-other`, 'run-1', 'echo $$ > pid; sleep 60; true');
    const bystander = innocent({ HOLDFAST_TURN: '41' });

    const find = () => findOrphans({ instanceId, runId: 'run-2' });
    // It says its number before it starts the other two.
    await expect.poll(async () => (await find()).orphans[0]?.processes).toBe(3);
    const scan = await find();
    expect(scan.kind).toBe('scanned');
    expect(scan.orphans).toHaveLength(1);
    const [found] = scan.orphans;
    expect(found).toMatchObject({
      pid,
      processGroup: pid,
      turnId: 41,
      step: 5,
      processes: 3,
      runId: 'run-1',
    });
    expect(found?.command).toContain('sleep 61');
    expect(Math.abs((found?.startedAtMs ?? 0) - startedMs)).toBeLessThan(10_000 * SLACK);

    expect(await endOrphan(found!)).toBe('ended');
    expect(isAlive(pid)).toBe(false);
    expect((await findOrphans({ instanceId, runId: 'run-2' })).orphans).toEqual([]);
    expect(isAlive(other)).toBe(true);
    expect(isAlive(bystander)).toBe(true);
    expect(await endOrphan(found!)).toBe('gone');
  });

  it('ends one that ignores SIGTERM with SIGKILL after 2 s', async () => {
    const instanceId = `instance-${process.pid}-b`;
    const pid = await orphan(
      instanceId,
      'run-1',
      "trap '' TERM; echo $$ > pid; for n in $(seq 240); do sleep 1; done",
    );
    const { orphans } = await findOrphans({ instanceId, runId: 'run-2' });
    const started = performance.now();
    expect(await endOrphan(orphans[0]!)).toBe('ended');
    expect(performance.now() - started).toBeGreaterThan(1_900);
    expect(isAlive(pid)).toBe(false);
  });

  it('signals nobody when the pid has another start time', async () => {
    const instanceId = `instance-${process.pid}-c`;
    const pid = await orphan(instanceId, 'run-1', 'echo $$ > pid; sleep 60; true');
    const { orphans } = await findOrphans({ instanceId, runId: 'run-2' });
    expect(await endOrphan({ ...orphans[0]!, startTicks: '1' })).toBe('not_ours');
    expect(isAlive(pid)).toBe(true);
  });

  it('signals nobody of another run, boot, turn or step, whatever its number', async () => {
    const instanceId = `instance-${process.pid}-f`;
    const pid = await orphan(instanceId, 'run-1', 'echo $$ > pid; sleep 60; true');
    const { orphans } = await findOrphans({ instanceId, runId: 'run-2' });
    const found = orphans[0]!;
    const processes = systemLeftProcesses(
      () => ({ instanceId, runId: 'run-2' }),
      () => undefined,
    );
    expect(await processes.find()).toEqual(orphans);
    for (const other of [
      { runId: 'run-3' },
      { turnId: 42 },
      { step: 6 },
      { bootId: 'another boot' },
    ]) {
      expect(await processes.isAlive({ ...found, ...other })).toBe(false);
      expect(await endOrphan({ ...found, ...other })).not.toBe('ended');
    }
    expect(isAlive(pid)).toBe(true);
    expect(await processes.isAlive(found)).toBe(true);
  });

  it('does not count what this run started itself', async () => {
    const instanceId = `instance-${process.pid}-d`;
    await orphan(instanceId, 'run-2', 'echo $$ > pid; sleep 60; true');
    innocent({ HOLDFAST_INSTANCE: instanceId, HOLDFAST_RUN: 'run-1' });
    expect((await findOrphans({ instanceId, runId: 'run-2' })).orphans).toEqual([]);
  });

  it('leaves a process without the marker alone although it is in the same group', async () => {
    const instanceId = `instance-${process.pid}-e`;
    const workspaceLink = join(folder(), 'unmarked');
    const pid = await orphan(
      instanceId,
      'run-1',
      `env -i /bin/sleep 60 & echo $! > ${workspaceLink}; echo $$ > pid; sleep 61; true`,
    );
    const unmarked = await pidIn(workspaceLink);
    orphanPids.push(unmarked);
    await until(() => !readFileSync(`/proc/${unmarked}/environ`, 'utf8').includes('HOLDFAST'));
    const find = () => findOrphans({ instanceId, runId: 'run-2' });
    await expect.poll(async () => (await find()).orphans[0]?.processes).toBe(2);
    const { orphans } = await find();
    expect(await endOrphan(orphans[0]!)).toBe('ended');
    expect(isAlive(pid)).toBe(false);
    expect(isAlive(unmarked)).toBe(true);
  });
});

describe('workspace of the shell', () => {
  it('T3 works in the real folder behind a link', async () => {
    const real = folder();
    const link = join(folder(), 'link');
    symlinkSync(real, link);
    const result = await resultOf(
      shellHost(),
      toolCall('shell', { command: 'pwd; echo $PWD' }, link),
    );
    expect(result.content).toBe(`${real}\n${real}\n[exit code 0]`);
  });
});
