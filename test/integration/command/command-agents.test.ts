/**
 * The `command` executor over the built program: a headless Holdfast that is killed with SIGKILL,
 * real child processes, real hooks over the real control socket.
 */
import fs from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Site } from '../rows/site';
import { createSite, until } from '../rows/site';
import { waitUntil } from '../../helpers/bounded-wait';

const AGENT = path.resolve('test/helpers/claude-agent.mjs');

let site: Site;

beforeEach(async () => {
  site = await createSite();
  const bin = path.join(site.workspace, '..', 'bin');
  fs.mkdirSync(bin);
  fs.copyFileSync(AGENT, path.join(bin, 'claude'));
  fs.chmodSync(path.join(bin, 'claude'), 0o755);
  configure();
});
afterEach(() => site.remove());

const claude = (): string => path.join(site.workspace, '..', 'bin', 'claude');

function configure(agent: Record<string, unknown> = {}, extra: Record<string, unknown> = {}): void {
  site.configure({
    agents: { c: { executor: 'command', command: claude(), workspace: site.workspace, ...agent } },
    ...extra,
  });
}

interface Plan {
  readonly calls: readonly { readonly tool: string; readonly input: Record<string, string> }[];
  readonly text: string;
  readonly isStubborn?: boolean;
  readonly hooks?: false;
  readonly allow?: true;
  readonly retries?: number;
  readonly exit?: string;
  readonly counts?: boolean;
  readonly reportsEnd?: true;
}

const plan = (value: Partial<Plan>): void => {
  fs.writeFileSync(
    path.join(site.workspace, 'plan.json'),
    JSON.stringify({ calls: [], text: 'All done.', ...value }),
  );
};
const mark = (tag: string): Plan['calls'][number] => ({
  tool: 'Bash',
  input: { command: `echo ${tag} >> effects.log` },
});
const slowMark = (tag: string): Plan['calls'][number] => ({
  tool: 'Bash',
  input: {
    command: `echo ${tag} >> effects.log; ${waitUntil('[ -e go ] || [ ! -e plan.json ]')}`,
  },
});
const hold = (where: string): void =>
  fs.writeFileSync(path.join(site.workspace, `hold-${where}`), '');
const release = (where: string): void =>
  fs.rmSync(path.join(site.workspace, `hold-${where}`), { force: true });
const has = (name: string): boolean => fs.existsSync(path.join(site.workspace, name));

interface AgentStart {
  readonly resumed: string | null;
  readonly prompt: string;
  readonly args: readonly string[];
  readonly marker: string | null;
  readonly secret: string | null;
}
const told = (): readonly AgentStart[] =>
  fs
    .readFileSync(path.join(site.workspace, 'told.jsonl'), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as AgentStart);

const steps = (turnId: number): readonly { tool: string; state: string }[] =>
  site.db('SELECT tool, state FROM turn_steps WHERE turn_id = ? ORDER BY step', turnId);

describe('a turn of a command line', () => {
  it('S4-19 each call is a step with its result, the answer and its cost are those of the stream', async () => {
    plan({
      calls: [mark('one'), { tool: 'Read', input: { file_path: 'plan.json' } }],
      allow: true,
    });
    const host = await site.start();
    const turnId = await site.send('do it', '--agent', 'c');
    await site.turnIn(turnId, 'completed');
    const shown = await site.show(turnId);
    expect(shown.answer).toBe('All done.');
    expect(shown.turn.usage).toMatchObject({ inputTokens: 15, outputTokens: 7, costUsd: 0.01 });
    expect(steps(turnId)).toEqual([
      { tool: 'command.claude', state: 'completed' },
      { tool: 'model', state: 'completed' },
      { tool: 'claude.shell', state: 'completed' },
      { tool: 'claude.Read', state: 'completed' },
    ]);
    expect(site.effects()).toEqual(['one']);
    expect(told()[0]).toMatchObject({ prompt: 'do it', marker: String(turnId), resumed: null });
    await site.stop(host);
  });

  it.each([
    ['counts each process alone', false],
    ['goes on with the count of its record', true],
  ])(
    'S4-+09 each of 3 turns of a conversation has cost its own $0.01 where the program %s',
    async (_how, counts) => {
      plan({ calls: [], counts });
      const host = await site.start();
      for (const text of ['one', 'two', 'three']) {
        const turnId = await site.send(text, '--agent', 'c', '--session', 'costs');
        await site.turnIn(turnId, 'completed');
        expect((await site.show(turnId)).turn.usage.costUsd).toBeCloseTo(0.01);
      }
      expect(told()[2]?.resumed).not.toBeNull();
      await site.stop(host);
    },
  );

  it('S1-29 S1-26 a command that ends in a wait is refused by its hook: nothing of it runs, the next call does', async () => {
    const wait = { tool: 'Bash', input: { command: 'echo made >> effects.log && sleep 60' } };
    plan({ calls: [wait, mark('two')] });
    const host = await site.start();
    const turnId = await site.send('do it', '--agent', 'c');
    await site.turnIn(turnId, 'completed');
    expect(site.effects()).toEqual(['two']);
    expect(steps(turnId).filter((step) => step.tool === 'claude.shell')).toHaveLength(1);
    await site.stop(host);
  });

  it('S4-19 the intent of a call is on disk before the program may make it', async () => {
    plan({ calls: [mark('one')] });
    hold('allowed-0');
    await site.start();
    const turnId = await site.send('do it', '--agent', 'c');
    await until('the call has leave', () => has('at-allowed-0'));
    expect(steps(turnId).at(-1)).toEqual({ tool: 'claude.shell', state: 'started' });
    expect(site.effects()).toEqual([]);
    release('allowed-0');
    await site.turnIn(turnId, 'completed');
  });

  it('a later turn of the session goes on in the same conversation of the program', async () => {
    plan({});
    await site.start();
    const first = await site.send('one', '--agent', 'c');
    await site.turnIn(first, 'completed');
    const second = await site.send('two', '--agent', 'c');
    await site.turnIn(second, 'completed');
    const [before, after] = told();
    expect(before?.resumed).toBeNull();
    expect(after?.resumed).toMatch(/^[0-9a-f-]{36}$/);
    expect(after?.prompt).toBe('two');
  });

  it.each([
    [[], null],
    [['SOME_TOKEN'], 'only-where-declared'],
  ])('S2-+05 with %o declared its environment has a secret as %o', async (env, secret) => {
    configure({ env });
    plan({});
    const host = site.launch(['start', '--headless'], '', { SOME_TOKEN: 'only-where-declared' });
    await until('the host is ready', () => host.out().includes('\n'));
    await site.turnIn(await site.send('x', '--agent', 'c'), 'completed');
    expect(told()[0]?.secret).toBe(secret);
  });
});

it('S4-20 words about a session that was not found, after an effect, make no run of their own', async () => {
  plan({});
  await site.start();
  const first = await site.send('hello', '--agent', 'c');
  await site.turnIn(first, 'completed');
  plan({ calls: [mark('one')], exit: 'the session of the shop was not found' });
  const turnId = await site.send('do it', '--agent', 'c');
  await site.turnIn(turnId, 'parked');
  expect(told()).toHaveLength(2);
  expect(site.effects()).toEqual(['one']);
});

describe('killed with SIGKILL', () => {
  it('S4-20 in its second call: only that one is unknown; the resumed run goes on in the conversation and repeats nothing that is done', async () => {
    plan({ calls: [mark('one'), slowMark('two'), mark('three')] });
    const host = await site.start();
    const turnId = await site.send('do it', '--agent', 'c');
    await until('the second call is at work', () => site.effects().length === 2);
    await site.kill(host);
    await site.start();
    await until('it runs again', () => told().length === 2);
    fs.writeFileSync(path.join(site.workspace, 'go'), '');
    await site.turnIn(turnId, 'completed');
    expect(steps(turnId).filter((step) => step.state === 'ambiguous')).toEqual([
      { tool: 'claude.shell', state: 'ambiguous' },
    ]);
    const again = told()[1];
    expect(again?.resumed).toMatch(/^[0-9a-f-]{36}$/);
    expect(again?.prompt).toContain(
      'Already done. Do not do these again:\n- shell: echo one >> effects.log',
    );
    expect(again?.prompt).toMatch(/Outcome unknown[^\n]*\n- shell: echo two/);
    expect(site.effects().filter((line) => line === 'one')).toHaveLength(1);
    expect(site.effects().at(-1)).toBe('three');
  });

  it('S4-20 a call that the program reports as over because Holdfast ends it has no known outcome: it is unknown, and the agent is told so', async () => {
    plan({ calls: [mark('one'), slowMark('two'), mark('three')], reportsEnd: true });
    const host = await site.start();
    const turnId = await site.send('do it', '--agent', 'c');
    await until('the second call is at work', () => site.effects().length === 2);
    await site.kill(host);
    await site.start();
    await until('the program has reported its end', () => has('reported-end'));
    await until('it runs again', () => told().length === 2);
    fs.writeFileSync(path.join(site.workspace, 'go'), '');
    await site.turnIn(turnId, 'completed');
    expect(steps(turnId).filter((step) => step.state === 'ambiguous')).toEqual([
      { tool: 'claude.shell', state: 'ambiguous' },
    ]);
    expect(told()[1]?.prompt).toMatch(/Outcome unknown[^\n]*\n- shell: echo two/);
  });

  it('S4-20 the same of a turn that a person cancels: what its program reports then is no result', async () => {
    plan({ calls: [mark('one'), slowMark('two')], reportsEnd: true });
    await site.start();
    const turnId = await site.send('do it', '--agent', 'c');
    await until('the second call is at work', () => site.effects().length === 2);
    await site.hf('turns', 'cancel', String(turnId));
    await site.turnIn(turnId, 'cancelled');
    expect(steps(turnId).filter((step) => step.tool === 'claude.shell')).toEqual([
      { tool: 'claude.shell', state: 'completed' },
      { tool: 'claude.shell', state: 'ambiguous' },
    ]);
  });

  it.each(['shell', 'shell:effects', 'claude.shell'])(
    'S0-09 S0-13 listed as %s, a command that had started holds the turn, with a question about exactly that call',
    async (entry) => {
      configure({}, { resilience: { recovery: { side_effect_tools: [entry] } } });
      plan({ calls: [mark('one'), slowMark('two')] });
      const host = await site.start();
      const turnId = await site.send('do it', '--agent', 'c');
      await until('the second call is at work', () => site.effects().length === 2);
      await site.kill(host);
      await site.start();
      await site.turnIn(turnId, 'held');
      const { decision } = await site.show(turnId);
      expect(decision?.ambiguous.map((one) => one.tool)).toEqual(['claude.shell']);
      expect(told()).toHaveLength(1);
      expect(site.effects()).toEqual(['one', 'two']);
    },
  );

  it('S4-20 a call that ended while nobody was there is settled by what its hook wrote', async () => {
    plan({ calls: [slowMark('one'), mark('two')] });
    const host = await site.start();
    const turnId = await site.send('do it', '--agent', 'c');
    await until('the call is at work', () => site.effects().length === 1);
    await site.kill(host);
    fs.writeFileSync(path.join(site.workspace, 'go'), '');
    const records = path.join(site.dataDir, 'run', 'hooks', `turn-${String(turnId)}.jsonl`);
    await until('its hook has written', () => fs.readFileSync(records, 'utf8').includes('"after"'));
    // The orphan goes on to its second call: without Holdfast it is refused.
    expect(site.effects()).toEqual(['one']);
    await site.start();
    await site.turnIn(turnId, 'completed');
    expect(steps(turnId).some((step) => step.state === 'ambiguous')).toBe(false);
    expect(site.effects()).toEqual(['one', 'two']);
  });

  it('S0-10 a finished effect that the agent wants to repeat is put to the person, not fired', async () => {
    plan({ calls: [mark('one'), mark('two')], isStubborn: true });
    hold('before-1');
    const host = await site.start();
    const turnId = await site.send('do it', '--agent', 'c');
    await until('it is before its second call', () => has('at-before-1'));
    await site.kill(host);
    release('before-1');
    await site.start();
    await site.turnIn(turnId, 'requires_action');
    expect(site.effects()).toEqual(['one']);
    const { requests } = await site.json<{ requests: { requestId: number; reason: string }[] }>(
      'approvals',
      'list',
    );
    expect(requests[0]?.reason).toContain('with the same input');
    await site.hf('approvals', 'deny', String(requests[0]?.requestId));
    await site.turnIn(turnId, 'completed');
    expect(site.effects()).toEqual(['one', 'two']);
  });

  it('S0-11 without hooks the whole run is one question, and nothing runs again before the answer', async () => {
    configure({ args: ['--settings', '/dev/null'] });
    plan({ calls: [slowMark('one')], allow: true, hooks: false });
    fs.writeFileSync(path.join(site.workspace, 'settings.json'), '{}');
    configure({ args: ['--settings', path.join(site.workspace, 'settings.json')] });
    const host = await site.start();
    const turnId = await site.send('do it', '--agent', 'c');
    await until('the call is at work', () => site.effects().length === 1);
    await site.kill(host);
    await site.start();
    await site.turnIn(turnId, 'held');
    expect(told()).toHaveLength(1);
    const { decision } = await site.show(turnId);
    expect(decision?.ambiguous.map((one) => one.tool)).toContain('command.claude');
    fs.writeFileSync(path.join(site.workspace, 'go'), '');
    await site.hf('recovery', 'resume', String(turnId));
    await site.turnIn(turnId, 'completed');
    expect(told()).toHaveLength(2);
    expect(told()[1]?.prompt).toContain('is not recorded');
  });
});

describe('a start without restoring', () => {
  it('S4-29 begins a conversation of its own with the program, for 2 messages and over SIGKILL; the next start goes on in the earlier one, the kept turn too, and its effect happens once', async () => {
    plan({ text: 'known' });
    const first = await site.start();
    await site.turnIn(await site.send('before', '--agent', 'c'), 'completed');
    plan({ calls: [mark('one'), slowMark('two')] });
    const kept = await site.send('kept', '--agent', 'c');
    await until('the second call is at work', () => site.effects().length === 2);
    await site.kill(first);
    fs.writeFileSync(path.join(site.workspace, 'go'), '');
    const rows = (): unknown[] => [
      site.db('SELECT * FROM turns WHERE id = ?', kept),
      site.db('SELECT * FROM steps WHERE turn_id = ?', kept),
      site.db('SELECT * FROM outside_sessions'),
    ];
    const before = rows();
    plan({ text: 'apart' });
    const apart = await site.start('--no-restore');
    for (const text of ['two', 'three'])
      await site.turnIn(await site.send(text, '--agent', 'c'), 'completed');
    expect(rows()).toEqual(before);
    await site.kill(apart);
    plan({ calls: [mark('three')] });
    await site.start();
    await site.turnIn(kept, 'completed');
    await site.turnIn(await site.send('after', '--agent', 'c'), 'completed');
    const conversations = told().map(({ resumed }) => resumed);
    const [earlier, own] = [conversations[1], conversations[3]];
    expect(earlier).toMatch(/^[0-9a-f-]{36}$/);
    expect(own).toMatch(/^[0-9a-f-]{36}$/);
    expect(own).not.toBe(earlier);
    expect(conversations).toEqual([null, earlier, null, own, earlier, earlier]);
    expect(told()[4]?.prompt).toContain('- shell: echo one >> effects.log');
    expect(site.effects().filter((line) => line === 'one')).toHaveLength(1);
  });
});

describe('trouble', () => {
  it('S0-14 a provider that refuses the key is not waited for: the turn is parked with the reason', async () => {
    plan({ retries: 401 });
    await site.start();
    const turnId = await site.send('do it', '--agent', 'c');
    await site.turnIn(turnId, 'parked');
    const { turn } = await site.show(turnId);
    expect(turn.reason).toContain('401');
  });

  it('S0-15 an answer that says of itself that it failed is no answer; a busy provider is tried again', async () => {
    plan({});
    fs.writeFileSync(path.join(site.workspace, 'refuse'), '529');
    configure({}, { work: { requeue_delay: '100ms' } });
    await site.start();
    const turnId = await site.send('do it', '--agent', 'c');
    await until('it has tried', () => fs.existsSync(path.join(site.workspace, 'told.jsonl')));
    fs.rmSync(path.join(site.workspace, 'refuse'));
    await site.turnIn(turnId, 'completed');
    expect(told().length).toBeGreaterThanOrEqual(1);
  });

  it('S3-18 a call that says nothing for longer than the lease is good keeps it', async () => {
    configure({}, { work: { lease_renew: '100ms', lease_stale: '1500ms' } });
    plan({ calls: [{ tool: 'Bash', input: { command: 'sleep 4; echo x >> effects.log' } }] });
    await site.start();
    const turnId = await site.send('do it', '--agent', 'c');
    await site.turnIn(turnId, 'completed');
    expect((await site.show(turnId)).turn.attempt).toBe(1);
    expect(site.effects()).toEqual(['x']);
  });

  it('its own deadline ends it with everything it has started', async () => {
    // Long enough for the call to begin on a computer that is busy: only then is it what was cut off.
    configure({ deadline: '10s' });
    plan({ calls: [slowMark('one')] });
    await site.start();
    const turnId = await site.send('do it', '--agent', 'c');
    await site.turnIn(turnId, 'parked');
    const { turn } = await site.show(turnId);
    expect(turn.reason).toContain('did not finish within 10 s');
    await until('its shell is gone', () => !marked(turnId));
  });

  it('a stop ends it, and its calls are said to be unknown', async () => {
    plan({ calls: [slowMark('one')] });
    await site.start();
    const turnId = await site.send('do it', '--agent', 'c');
    await until('the call is at work', () => site.effects().length === 1);
    await site.hf('turns', 'cancel', String(turnId));
    await site.turnIn(turnId, 'cancelled');
    await until('its shell is gone', () => !marked(turnId));
  });
});

describe('a program without a stream', () => {
  const script = (text: string): string => {
    const file = path.join(site.workspace, '..', 'bin', 'worker');
    fs.writeFileSync(file, `#!/bin/sh\n${text}\n`, { mode: 0o755 });
    return file;
  };

  it('S4-19 exit 0 is the answer, any other code a failed turn with what it printed', async () => {
    const said = 'read line; printf "did $line \\\\377"; [ "$line" != bad ]';
    configure({ command: script(said) });
    await site.start();
    const good = await site.send('good', '--agent', 'c');
    await site.turnIn(good, 'completed');
    // Half a line, and a byte that is no text: both are told as far as they can be.
    expect((await site.show(good)).answer).toBe('did good \ufffd');
    const bad = await site.send('bad', '--agent', 'c');
    await site.turnIn(bad, 'failed');
    expect((await site.show(bad)).turn.reason).toContain('exit code 1');
  });

  it('S4-20 one that the system kills is one question, and is not started again by itself', async () => {
    configure({ command: script('echo x >> effects.log; kill -9 $$') });
    await site.start();
    const turnId = await site.send('do it', '--agent', 'c');
    await site.turnIn(turnId, 'held');
    expect((await site.show(turnId)).turn.reason).toContain('worker was ended by SIGKILL.');
    expect(site.effects()).toEqual(['x']);
  });

  it('an argument is one argument: nothing of it reaches a shell or becomes an option', async () => {
    configure({ command: script('printf "%s|" "$#" "$1"'), prompt_mode: 'argument' });
    await site.start();
    const turnId = await site.send('$(touch evil) ; `id` "x"', '--agent', 'c');
    await site.turnIn(turnId, 'completed');
    expect((await site.show(turnId)).answer).toBe('1|$(touch evil) ; `id` "x"|');
    expect(has('evil')).toBe(false);
  });

  it('S4-25 a person says that it happened: the turn ends with that, the program is not started again', async () => {
    const command = script(
      `echo x >> effects.log; ${waitUntil('[ -e go ] || [ ! -e effects.log ]')}`,
    );
    // Arguments for going on help nothing where no conversation was ever named.
    configure({ command, resume_args: ['--resume', '{session}'] });
    const host = await site.start();
    const turnId = await site.send('do it', '--agent', 'c');
    await until('it is at work', () => site.effects().length === 1);
    await site.kill(host);
    await site.start();
    await site.turnIn(turnId, 'held');
    fs.writeFileSync(path.join(site.workspace, 'go'), '');
    const step = (await site.show(turnId)).decision?.ambiguous[0]?.index ?? 0;
    await site.hf('recovery', 'confirm-step', String(turnId), String(step));
    await site.turnIn(turnId, 'completed');
    expect((await site.show(turnId)).answer).toContain('confirmed by the user');
    expect(site.effects()).toEqual(['x']);
  });
});

/** True while a process of the turn lives. */
function marked(turnId: number): boolean {
  return fs.readdirSync('/proc').some((pid) => {
    if (!/^\d+$/.test(pid)) return false;
    try {
      const environment = fs.readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0');
      return (
        environment.includes(`HOLDFAST_TURN=${String(turnId)}`) &&
        environment.some((entry) => entry === `PWD=${site.workspace}`)
      );
    } catch {
      return false;
    }
  });
}
