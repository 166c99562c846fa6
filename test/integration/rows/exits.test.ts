/** Ends of a turn and of its process that a stranger can cause, and what may be written then. */
import { execFile, execFileSync } from 'node:child_process';
import fs from 'node:fs';
import net from 'node:net';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { StatusSnapshot } from '../../../shared/types';
import { builtProgram } from '../../helpers/built-program';
import type { Launched, RecoveryList, Site } from './site';
import { createSite, effect, lastResultIn, promptIn, resultsIn, until } from './site';
import { waitUntil } from '../../helpers/bounded-wait';
import { isLeftOut } from '../../helpers/skips';
import { ACP_AGENT } from '../../helpers/acp-agent-program';

const entry = builtProgram();
let site: Site;

beforeEach(async () => {
  site = await createSite();
  site.configure();
});
afterEach(() => site.remove());

/** A host that dies of an error which nobody catches when it gets SIGUSR2. */
async function startFragile(): Promise<Launched> {
  const throws = path.join(path.dirname(site.workspace), 'throws.cjs');
  fs.writeFileSync(throws, "process.on('SIGUSR2', () => { throw new Error('nobody'); });");
  const env = { NODE_OPTIONS: `--require ${throws}` };
  const host = site.launch(['start', '--headless'], '', env);
  await until('the host is ready', () => host.out().includes('\n') || host.child.exitCode !== null);
  return host;
}

describe('four exits of a turn', () => {
  it.each([
    [undefined, 3],
    [2, 2],
  ])(
    'S4-+03 an error that comes back with every run ends with a question, not with a loop: max_attempts %s, %i runs',
    async (maxAttempts, runs) => {
      const recovery = maxAttempts === undefined ? {} : { max_attempts: maxAttempts };
      site.configure({ resilience: { recovery: { ...recovery, resume_delay: '0s' } } });
      let host: Launched | undefined;
      site.fp.setScript((request) => {
        if (resultsIn(request) === 0) return { toolCalls: [effect('once')] };
        host?.child.kill('SIGUSR2');
        return { fault: 'stall_first_byte' };
      });
      host = await startFragile();
      const turnId = await site.send('poison');
      for (let run = 1; run <= runs; run += 1) {
        expect((await host.ended).code).toBe(70);
        host = await startFragile();
      }
      await site.turnIn(turnId, 'parked');
      const { decisions } = await site.json<RecoveryList>('recovery', 'list');
      expect(decisions.map((one) => [one.turnId, one.kind])).toEqual([[turnId, 'parked']]);
      expect(decisions[0]?.reason).toContain(`ended Holdfast ${String(runs)} times`);
      // The first answer and its effect once; the call that ends the process once in each run.
      expect([site.effects().length, site.fp.calls().length]).toEqual([1, 1 + runs]);
      // Others go on, and so does this one when a person has mended the cause.
      site.fp.setScript(() => ({ text: 'ok' }));
      await site.turnIn(await site.send('other', '--session', 'o'), 'completed');
      expect((await site.hf('recovery', 'resume', String(turnId))).code).toBe(0);
      await site.turnIn(turnId, 'completed');
      expect(site.effects()).toHaveLength(1);
    },
  );

  it('S4-+03 a finished, a canceled and a discarded turn are closed: no start looks at them again', async () => {
    site.fp.setScript((request) =>
      promptIn(request) === 'short' ? { text: 'ok' } : { fault: 'stall_first_byte' },
    );
    const first = await site.start();
    const done = await site.send('short', '--session', 'a');
    await site.turnIn(done, 'completed');
    const stopped = await site.send('cancel me', '--session', 'b');
    const dropped = await site.send('discard me', '--session', 'c');
    await site.fp.waitForRequests(3);
    expect((await site.hf('turns', 'cancel', String(stopped))).code).toBe(0);
    await site.kill(first);
    await site.hf('config', 'set', 'resilience.recovery.mode', 'never');
    const second = await site.start();
    expect((await site.hf('recovery', 'discard', String(dropped))).code).toBe(0);
    await site.kill(second);
    await site.hf('config', 'set', 'resilience.recovery.mode', 'always');
    const third = await site.start();
    expect(await site.json('recovery', 'list')).toEqual({
      decisions: [],
      lastStart: [],
      processes: [],
    });
    expect(site.db('SELECT state FROM turns ORDER BY id')).toEqual([
      { state: 'completed' },
      { state: 'cancelled' },
      { state: 'discarded' },
    ]);
    await site.stop(third);
    expect(site.fp.calls()).toHaveLength(3);
  });
});

describe('an intent that cannot be written', () => {
  it('S4-19 while the disk takes nothing the effect does not happen; when it does again it happens once', async () => {
    let connections = 0;
    const server = net.createServer((socket) => {
      connections += 1;
      socket.on('error', () => undefined);
      socket.resume();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as net.AddressInfo;
    site.configure({ approvals: { tools: { shell: 'allow' } } });
    let limit = (_bytes: string): void => undefined;
    site.fp.setScript((request) => {
      if (resultsIn(request) > 0) return { text: 'done' };
      limit('1');
      // An effect that needs no disk: whoever is connected to has seen it.
      const command = `exec 3<>/dev/tcp/127.0.0.1/${String(port)}`;
      return { toolCalls: [{ name: 'shell', args: { command } }] };
    });
    try {
      const host = await site.start();
      limit = (bytes) => {
        const pid = String(host.child.pid);
        execFileSync('prlimit', ['--pid', pid, `--fsize=${bytes}:unlimited`]);
      };
      const turnId = await site.send('touch the world');
      await until('the disk refuses', async () => {
        const { journal } = await site.json<StatusSnapshot>('status');
        return journal.refusal !== undefined;
      });
      expect([connections, (await site.show(turnId)).turn.state]).toEqual([0, 'running']);
      limit('unlimited');
      await site.turnIn(turnId, 'completed');
      const { answer, steps } = await site.show(turnId);
      expect([connections, answer, site.fp.calls().length]).toEqual([1, 'done', 2]);
      expect(steps.map((step) => step.state)).toEqual(['completed', 'completed', 'completed']);
    } finally {
      server.close();
    }
  });
});

/** The disk of the host takes no byte more, or everything again. */
function failing(host: Launched, isFailing: boolean): void {
  const bytes = isFailing ? '1' : 'unlimited';
  execFileSync('prlimit', ['--pid', String(host.child.pid), `--fsize=${bytes}:unlimited`]);
}

describe('a disk that fails in the middle of a turn', () => {
  const refusal = async (): Promise<StatusSnapshot['journal']['refusal']> =>
    (await site.json<StatusSnapshot>('status')).journal.refusal;

  it('R17 S0-03 an accepted turn whose start cannot be written runs automatically when it can be; nothing of it happens before, and nobody is asked', async () => {
    site.fp.setScript(() => ({ text: 'done' }));
    const host = await site.start();
    // What a first turn looks up is there: the children of a host without a disk have none either.
    await site.turnIn(await site.send('first'), 'completed');
    await site.json('pause', '--for', '6s');
    const turnId = await site.send('accepted');
    failing(host, true);
    await until('the start of the turn is refused', async () => (await refusal()) !== undefined);
    const refused = await site.hf('send', 'x'.repeat(100_000), '--session', 'long', '--json');
    expect([
      refused.code,
      (JSON.parse(refused.out) as { error: { code: string } }).error.code,
    ]).toEqual([4, 'DISK_FAILED']);
    expect(site.fp.calls()).toHaveLength(1);
    expect(site.db('SELECT state, attempt FROM turns WHERE id = ?', turnId)).toEqual([
      { state: 'queued', attempt: 0 },
    ]);
    failing(host, false);
    await site.turnIn(turnId, 'completed');
    await until('the disk is said to work', async () => (await refusal()) === undefined);
    expect(site.fp.calls()).toHaveLength(2);
    expect(site.db('SELECT id, attempt FROM turns')).toEqual([
      { id: 1, attempt: 1 },
      { id: turnId, attempt: 1 },
    ]);
    expect(await site.json('recovery', 'list')).toMatchObject({ decisions: [] });
  });

  it.each(['goes on', 'is killed'])(
    'R17 S4-+05 a finished effect with a result of 60,000 characters that gets no file: what is refused is named DISK_FAILED with what to do; Holdfast %s, and the effect is there once or is said to be unknown',
    async (how) => {
      site.configure({ resilience: { recovery: { side_effect_tools: ['shell'] } } });
      const wait = waitUntil('[ -e go ] || [ ! -e effects.log ]');
      const command = `echo 1 >> effects.log; ${wait}; printf 'x%.0s' $(seq 60000)`;
      site.fp.setScript((request) =>
        resultsIn(request) === 0
          ? { toolCalls: [{ name: 'shell', args: { command } }] }
          : { text: 'done' },
      );
      const host = await site.start();
      const turnId = await site.send('work');
      await until('the effect has happened', () => site.effects().length === 1);
      failing(host, true);
      fs.writeFileSync(path.join(site.workspace, 'go'), '');
      await until('the disk refuses', async () => (await refusal()) !== undefined);
      expect(await refusal()).toMatchObject({ code: 'DISK_FAILED' });
      const refused = await site.hf('send', 'new', '--session', 'new');
      expect([refused.code, refused.err]).toEqual([
        4,
        expect.stringMatching(
          /disk reports an error[^]*accepted work is (still|saved)[^]*continues automatically/,
        ),
      ]);
      expect(site.fp.calls()).toHaveLength(1);
      if (how === 'goes on') {
        failing(host, false);
        await site.turnIn(turnId, 'completed');
        expect(lastResultIn(site.fp.calls()[1]!)).toContain('x'.repeat(20_000));
      } else {
        await site.kill(host);
        await site.start();
        await site.turnIn(turnId, 'held');
        expect((await site.show(turnId)).turn.reason).toContain('outcome unknown');
      }
      expect(site.effects()).toHaveLength(1);
      expect(site.db('PRAGMA integrity_check')).toEqual([{ integrity_check: 'ok' }]);
    },
  );
});

/** An agent of another program that is at work when the disk of its Holdfast begins to fail. */
async function atWork(
  agent: { readonly spec: Record<string, unknown>; readonly text: string },
  listed: readonly string[],
  isAtWork: () => boolean,
): Promise<{ readonly host: Launched; readonly turnId: number }> {
  site.configure({
    agents: { own: { ...agent.spec, workspace: site.workspace } },
    resilience: { recovery: { side_effect_tools: listed } },
  });
  const host = await site.start();
  const turnId = await site.send(agent.text, '--agent', 'own');
  await until('the agent is at work', isAtWork);
  failing(host, true);
  return { host, turnId };
}

describe('a disk that fails while an agent of another program works', () => {
  const read = (name: string): string => {
    const file = path.join(site.workspace, name);
    return fs.existsSync(file) ? fs.readFileSync(file, 'utf8') : '';
  };
  const refused = (): Promise<void> =>
    until('the disk refuses', async () => {
      const { journal } = await site.json<StatusSnapshot>('status');
      return journal.refusal !== undefined;
    });

  it.each([
    ['whose end it tells', [], 'sure 60', 'goes on', 'completed', 'completed'],
    ['whose end it does not tell', ['shell'], 'limit 60', 'is held', 'ambiguous', 'held'],
  ] as const)(
    'R17 S4-20 S0-09 an ACP agent makes a call whose intent is refused, %s, with %j listed (%s): it is on record all the same, the turn %s automatically when the disk is back, and the effect happened once',
    async (_what, listed, call, _how, stepState, state) => {
      const spec = {
        executor: 'acp',
        command: process.execPath,
        args: [ACP_AGENT, 'plain'],
      };
      const text = `do: muse 4000\ndo: ${call}\ndo: say done`;
      const { host, turnId } = await atWork({ spec, text }, listed, () =>
        read('../agent.log').includes('prompt '),
      );
      await until('the call is made', () => site.effects().length === 1);
      await refused();
      failing(host, false);
      await site.turnIn(turnId, state);
      const { steps } = await site.show(turnId);
      expect(steps.find(({ tool }) => tool === 'own.shell')?.state).toBe(stepState);
      const prompts = read('../agent.log').match(/^prompt .*$/gm) ?? [];
      expect([prompts.length, site.effects()]).toEqual([state === 'held' ? 1 : 2, ['60']]);
      if (state === 'completed') expect(prompts[1]).toContain('do these again:\\n- shell: 60');
    },
  );

  it('R17 S0-11 a command line without hooks is cut off: it says so, and asks its one question as soon as the disk is back', async () => {
    const program = path.join(site.workspace, 'claude');
    fs.copyFileSync('test/helpers/claude-agent.mjs', program);
    fs.chmodSync(program, 0o755);
    const own = path.join(site.workspace, 'settings.json');
    fs.writeFileSync(own, '{}');
    const plan = { calls: [], text: 'All done.', hooks: false };
    fs.writeFileSync(path.join(site.workspace, 'plan.json'), JSON.stringify(plan));
    fs.writeFileSync(path.join(site.workspace, 'hold-start'), '');
    const spec = { executor: 'command', command: program, args: ['--settings', own] };
    const { host, turnId } = await atWork({ spec, text: 'do it' }, [], () =>
      fs.existsSync(path.join(site.workspace, 'at-start')),
    );
    fs.rmSync(path.join(site.workspace, 'hold-start'));
    await refused();
    await until('it is said to be cut off', async () =>
      (await site.show(turnId)).turn.reason.includes('a write to the disk failed'),
    );
    failing(host, false);
    await site.turnIn(turnId, 'held');
    const { decision } = await site.show(turnId);
    expect(decision?.ambiguous.map(({ tool }) => tool)).toEqual(['command.claude']);
    await site.json('recovery', 'resume', String(turnId));
    await site.turnIn(turnId, 'completed');
    expect(read('told.jsonl').trim().split('\n')).toHaveLength(2);
  });
});

describe('two that would write', () => {
  it('S4-+10 four decisions and two starts at once over one held turn: one decision counts, one owner, no number of the journal twice', async () => {
    site.configure({ resilience: { recovery: { mode: 'never' } } });
    site.fp.setScript(() => ({ fault: 'stall_first_byte' }));
    const host = await site.start();
    const turnId = await site.send('work');
    await site.fp.waitForRequests(1);
    await site.kill(host);
    await site.kill(await site.start());
    site.fp.setScript(() => ({ text: 'done' }));
    const starts = [1, 2].map(() => site.launch(['start', '--headless']));
    const decided = await Promise.all(
      ['resume', 'discard', 'resume', 'discard'].map(
        (how) => site.launch(['recovery', how, String(turnId), '--json']).ended,
      ),
    );
    for (const one of decided) expect([0, 3, 4]).toContain(one.code);
    await until('one start owns it', () =>
      starts.some(({ out, child }) => out().includes('\n') && child.exitCode === null),
    );
    if (decided.every((one) => one.code !== 0))
      expect((await site.hf('recovery', 'resume', String(turnId))).code).toBe(0);
    await site.turnIn(turnId, 'completed', 'discarded');
    const answers = site.db('SELECT seq FROM journal WHERE kind = 11');
    expect([answers.length, decided.filter((one) => one.code === 0).length <= 1]).toEqual([
      1,
      true,
    ]);
    expect(site.db('SELECT count(*) - count(DISTINCT seq) AS twice FROM journal')).toEqual([
      { twice: 0 },
    ]);
    expect(site.db('PRAGMA integrity_check')).toEqual([{ integrity_check: 'ok' }]);
  });
});

/** A command that sees the data folder on a disk that is read-only; others go on writing to it. */
async function onReadOnlyDisk(
  ...args: string[]
): Promise<{ readonly code: number; readonly said: string }> {
  const mount = 'mount --bind "$0" "$0" && mount -o remount,ro,bind "$0" && exec "$@"';
  const program = [process.execPath, entry, ...args, '--data-dir', site.dataDir];
  const env = { PATH: process.env['PATH'], HOME: site.workspace, SHELL: '/bin/sh', NO_COLOR: '1' };
  return promisify(execFile)('unshare', ['-m', 'sh', '-c', mount, site.dataDir, ...program], {
    env,
  }).then(
    ({ stdout, stderr }) => ({ code: 0, said: stdout + stderr }),
    (error: unknown) => {
      const { code, stdout, stderr } = error as { code: number; stdout: string; stderr: string };
      return { code, said: stdout + stderr };
    },
  );
}

const mayMount = (): boolean => {
  try {
    execFileSync('unshare', ['-m', 'mount', '--bind', '/tmp', '/tmp'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
};

describe.skipIf(
  isLeftOut('a data folder on a read-only disk', !mayMount() && 'nothing may be mounted here'),
)('a data folder on a disk that is read-only', () => {
  it('S0-03 after a kill and after a stop: start, settings and decisions end with 4 and say so, reading works, no byte changes, the provider hears nothing; then the turn goes on', async () => {
    site.configure();
    site.fp.setScript(() => ({ fault: 'stall_first_byte' }));
    const host = await site.start();
    const turnId = await site.send('kept');
    await site.fp.waitForRequests(1);
    await site.kill(host);
    const database = path.join(site.dataDir, 'holdfast.db');
    const read = async (state: string): Promise<void> => {
      const bytes = fs.readFileSync(database);
      const { code, said } = await onReadOnlyDisk('turns', 'list');
      expect([code, said]).toEqual([0, expect.stringContaining(state)]);
      expect(fs.readFileSync(database).equals(bytes)).toBe(true);
    };
    for (const args of [
      ['start', '--headless'],
      ['config', 'set', 'work.requeue_max', '3'],
      ['turns', 'cancel', String(turnId)],
    ]) {
      const { code, said } = await onReadOnlyDisk(...args);
      expect([args[0], code]).toEqual([args[0], 4]);
      expect(said).toMatch(
        /is read-only\. Nothing was started, and nothing was changed\.\nMake the disk writable/,
      );
    }
    await read('Interrupted');
    expect((await onReadOnlyDisk('doctor')).said).toMatch(
      /fail +data directory .+cannot be written/,
    );
    expect(site.fp.calls()).toHaveLength(1);
    site.fp.setScript(() => ({ text: 'ok' }));
    const again = await site.start();
    await site.turnIn(turnId, 'completed');
    await site.stop(again);
    await read('completed');
  });
});
