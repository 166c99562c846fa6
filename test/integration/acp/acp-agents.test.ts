/** The adapter over real child processes that speak the protocol, well or badly. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createAcpAgents, type AcpAgentsDeps } from '../../../electron/adapters/acp';
import type {
  ExternalAgent,
  ExternalEvent,
  ExternalListener,
  ExternalPermission,
} from '../../../electron/ports/external-agent';
import { ACP_AGENT } from '../../helpers/acp-agent-program';
import { wholeLines } from '../../helpers/whole-lines';

const quiet = { debug() {}, info() {}, warn() {}, error() {} };

let root: string;
let workspace: string;
const running: ExternalAgent[] = [];

beforeEach(() => {
  root = fs.mkdtempSync(path.join(os.tmpdir(), 'holdfast-acp-'));
  workspace = path.join(root, 'workspace');
  fs.mkdirSync(workspace);
});
afterEach(async () => {
  await Promise.all(running.splice(0).map((agent) => agent.stop()));
  fs.rmSync(root, { recursive: true, force: true, maxRetries: 3 });
});

const agents = (extra: Partial<AcpAgentsDeps> = {}) =>
  createAcpAgents({
    instanceId: 'test-instance',
    runId: 'run-2',
    version: '0.0.0',
    loginEnvironment: () => Promise.resolve({ kind: 'own', reason: 'test' }),
    ownEnvironment: {
      PATH: process.env['PATH'],
      HOME: root,
      DEMO_TOKEN: 'do-not-pass',
      ACP_HOME: root,
    },
    recordsDir: path.join(root, 'records'),
    orphanWaitMs: () => 5_000,
    log: quiet,
    timeouts: { leaveMs: 300 },
    ...extra,
  });

async function start(
  mode: string,
  extra: Partial<AcpAgentsDeps> = {},
  env: string[] = [],
  program = ACP_AGENT,
) {
  const started = await agents(extra).start({
    agent: 'own',
    command: process.execPath,
    args: [program, mode],
    workspace,
    env,
    turnId: 7,
    signal: new AbortController().signal,
  });
  if (started.kind === 'ok') running.push(started.value);
  return started;
}

async function ready(mode: string): Promise<ExternalAgent> {
  const started = await start(mode);
  if (started.kind === 'failure') throw new Error(started.failure.message);
  return started.value;
}

function listener(answer: 'allow_once' | 'reject_once' | 'cancelled' = 'allow_once') {
  const events: ExternalEvent[] = [];
  const asked: ExternalPermission[] = [];
  const heard: ExternalListener = {
    onEvent: (event) => events.push(event),
    onPermission: (permission) => {
      asked.push(permission);
      const option = permission.options.find((one) => one.kind === answer);
      return Promise.resolve(
        option === undefined ? { kind: 'cancelled' } : { kind: 'selected', optionId: option.id },
      );
    },
  };
  return { events, asked, heard };
}

const effects = (): string[] => {
  const file = path.join(workspace, 'effects.log');
  return wholeLines(file);
};
const alive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
};

describe('agents that speak the protocol', () => {
  it('reports text, calls with and without a question, and the end of a prompt', async () => {
    const agent = await ready('plain');
    const session = await agent.newSession();
    if (session.kind === 'failure') throw new Error(session.failure.message);
    const { events, asked, heard } = listener();
    const end = await agent.prompt(
      session.value,
      'do: say hello\ndo: run one\ndo: sure two\ndo: read file.txt',
      heard,
    );
    expect(end).toEqual({
      kind: 'ok',
      value: { stop: 'end_turn', inputTokens: 10, outputTokens: 5 },
    });
    expect(effects()).toEqual(['one', 'two']);
    expect(asked.map((one) => one.report)).toEqual([
      expect.objectContaining({ kind: 'execute', input: { command: 'one' } }),
    ]);
    expect(events[0]).toEqual({ kind: 'text', text: 'hello' });
    const outputs = events.flatMap((event) =>
      event.kind === 'tool' && event.report.status === 'completed' ? [event.report.output] : [],
    );
    expect(outputs).toEqual(['ran one', 'ran two', 'read file.txt']);
  });

  it('hands over what a loaded session says about the past', async () => {
    const first = await ready('plain');
    const session = await first.newSession();
    if (session.kind === 'failure') throw new Error(session.failure.message);
    await first.prompt(session.value, 'do: run one', listener().heard);
    await first.stop();
    const second = await ready('plain');
    const past: ExternalEvent[] = [];
    const loaded = await second.loadSession(session.value, (event) => past.push(event));
    expect(loaded.kind).toBe('ok');
    expect(past).toEqual([
      {
        kind: 'tool',
        report: expect.objectContaining({ status: 'completed', output: 'ran one' }) as unknown,
      },
    ]);
  });

  it('S4-19 one that opens sessions in a mode in which it judges its calls itself is put into its asking mode, in a new session and in a loaded one', async () => {
    // Known by the name of its program, as it is known to a person.
    const program = path.join(root, 'claude-agent-acp.mjs');
    fs.symlinkSync(ACP_AGENT, program);
    const opened = async (agent: string): Promise<ExternalAgent> => {
      const started = await start('auto', {}, [], agent);
      if (started.kind === 'failure') throw new Error(started.failure.message);
      return started.value;
    };
    const first = await opened(program);
    const made = await first.newSession();
    const ref = made.kind === 'ok' ? made.value : '';
    const fresh = listener('reject_once');
    await first.prompt(ref, 'do: run one', fresh.heard);
    expect(fresh.asked).toHaveLength(1);
    const second = await opened(program);
    expect((await second.loadSession(ref, () => undefined)).kind).toBe('ok');
    const loaded = listener('reject_once');
    await second.prompt(ref, 'do: run two', loaded.heard);
    expect(loaded.asked).toHaveLength(1);
    expect(effects()).toEqual([]);
  });

  it('says that an agent does not know a session any more', async () => {
    const agent = await ready('lost');
    const loaded = await agent.loadSession('gone', () => undefined);
    expect(loaded).toMatchObject({ kind: 'failure', failure: { kind: 'session_unknown' } });
  });

  it('ends a prompt as canceled when every question is answered so', async () => {
    const agent = await ready('plain');
    const session = await agent.newSession();
    if (session.kind === 'failure') throw new Error(session.failure.message);
    const end = await agent.prompt(session.value, 'do: run one', listener('cancelled').heard);
    expect(end).toMatchObject({ kind: 'ok', value: { stop: 'cancelled' } });
    expect(effects()).toEqual([]);
  });

  it('classes an error by what the agent says privately', async () => {
    const agent = await ready('plain');
    const session = await agent.newSession();
    if (session.kind === 'failure') throw new Error(session.failure.message);
    const end = await agent.prompt(
      session.value,
      'do: fail oth 429 Too Many Requests',
      listener().heard,
    );
    expect(end).toMatchObject({ kind: 'failure', failure: { kind: 'provider' } });
  });
});

describe('agents that do not', () => {
  it('a program that is not there', async () => {
    const started = await agents().start({
      agent: 'own',
      command: 'no-such-agent-here',
      args: [],
      workspace,
      env: [],
      turnId: 1,
      signal: new AbortController().signal,
    });
    expect(started).toMatchObject({
      kind: 'failure',
      failure: {
        kind: 'start',
        message: expect.stringContaining('not found on your PATH') as unknown,
      },
    });
  });

  it('one that ends at once, with its last words', async () => {
    expect(await start('exit')).toMatchObject({
      kind: 'failure',
      failure: {
        kind: 'died',
        message: expect.stringContaining('no configuration found') as unknown,
      },
    });
  });

  it('one that never says hello is ended after the time', async () => {
    const started = await start('silent', { timeouts: { initializeMs: 600, leaveMs: 200 } });
    expect(started).toMatchObject({ kind: 'failure', failure: { kind: 'timeout' } });
  });

  it('one that talks nonsense, and one that never stops talking', async () => {
    const limits = { messageBytes: 4 * 1024 * 1024, totalBytes: 1024 ** 3, strayLines: 50 };
    expect(await start('nonsense', { limits })).toMatchObject({
      kind: 'failure',
      failure: { kind: 'protocol', message: expect.stringContaining('not messages') as unknown },
    });
    expect(await start('flood', { limits })).toMatchObject({
      kind: 'failure',
      failure: { kind: 'protocol', message: expect.stringContaining('4 MB') as unknown },
    });
  });

  it('a banner before the first message is no harm', async () => {
    expect((await start('banner')).kind).toBe('ok');
  });

  it('one that dies in a prompt', async () => {
    const agent = await ready('plain');
    const session = await agent.newSession();
    if (session.kind === 'failure') throw new Error(session.failure.message);
    const end = await agent.prompt(session.value, 'do: run one\ndo: crash', listener().heard);
    expect(end).toMatchObject({
      kind: 'failure',
      failure: { kind: 'died', message: expect.stringContaining('exit code 7') as unknown },
    });
    expect(effects()).toEqual(['one']);
  });
});

describe('its process', () => {
  it('S2-+05 receives the marker of its turn and no secret that was not declared', async () => {
    await start('plain');
    await start('plain', {}, ['DEMO_TOKEN']);
    const log = fs.readFileSync(path.join(root, 'agent.log'), 'utf8').trim().split('\n');
    const starts = log.filter((line) => line.startsWith('start '));
    expect(starts).toEqual(['start plain turn=7 secret=', 'start plain turn=7 secret=do-not-pass']);
  });

  it('is gone after a stop', async () => {
    const agent = await ready('plain');
    await agent.stop();
    expect(alive(agent.pid)).toBe(false);
  });

  it('what an earlier run left at work is waited for, and told apart by its turn', async () => {
    const agent = await agents({ runId: 'run-1' }).start({
      agent: 'own',
      command: process.execPath,
      args: [ACP_AGENT, 'plain'],
      workspace,
      env: [],
      turnId: 7,
      signal: new AbortController().signal,
    });
    if (agent.kind === 'failure') throw new Error(agent.failure.message);
    const session = await agent.value.newSession();
    if (session.kind === 'failure') throw new Error(session.failure.message);
    const prompt = agent.value.prompt(session.value, 'do: slow job', listener().heard);
    await expect.poll(effects).toEqual(['begin job']);
    process.kill(-agent.value.pid, 'SIGKILL');
    await prompt;
    expect(await agents().settleOrphans(8, 'end')).toMatchObject({ found: 0 });
    const settled = await agents().settleOrphans(7, 'wait');
    expect(settled).toMatchObject({ found: 1, waited: 1, ended: 0, left: 0 });
    expect(effects()).toEqual(['begin job', 'job']);
  });

  it('and ended where a person wants that', async () => {
    const agent = await agents({ runId: 'run-1' }).start({
      agent: 'own',
      command: process.execPath,
      args: [ACP_AGENT, 'plain'],
      workspace,
      env: [],
      turnId: 9,
      signal: new AbortController().signal,
    });
    if (agent.kind === 'failure') throw new Error(agent.failure.message);
    const session = await agent.value.newSession();
    if (session.kind === 'failure') throw new Error(session.failure.message);
    const prompt = agent.value.prompt(session.value, 'do: long job', listener().heard);
    await expect.poll(effects).toEqual(['begin job']);
    process.kill(-agent.value.pid, 'SIGKILL');
    await prompt;
    expect(await agents().settleOrphans(9, 'end')).toMatchObject({ found: 1, ended: 1, left: 0 });
  });
});

describe('the record that an agent keeps of a session', () => {
  const REF = '5d0c3d1e-8a57-4a2e-9f0e-3f3c9a1b2c4d';
  const put = (place: string, text: string): void => {
    const file = path.join(root, place);
    fs.mkdirSync(path.dirname(file), { recursive: true });
    fs.writeFileSync(file, text);
  };
  const copies = (turnId: number): Readonly<Record<string, string>> => {
    const folder = path.join(root, 'records', String(turnId));
    const names = fs.existsSync(folder) ? fs.readdirSync(folder) : [];
    return Object.fromEntries(
      names.map((name) => [
        name.replace(/^\d+-/, ''),
        fs.readFileSync(path.join(folder, name), 'utf8'),
      ]),
    );
  };

  it.each([
    ['claude', `.claude/projects/-work/${REF}.jsonl`],
    ['codex', `.codex/sessions/2026/03/24/rollout-2026-03-24T14-02-11-${REF}.jsonl`],
    ['gemini', '.gemini/tmp/ab12/chats/session-2026-03-24T14-02-5d0c3d1e.json'],
    ['opencode', '.local/share/opencode/opencode.db'],
    ['goose', '.local/share/goose/sessions/sessions.db'],
    ['copilot', `.copilot/session-state/${REF}/events.jsonl`],
    ['qwen', `.qwen/projects/-w/chats/${REF}.jsonl`],
  ] as const)('S4-20 of %s is copied from %s, and nothing of other sessions', async (id, place) => {
    put(place, 'said so far');
    const folder = path.dirname(place);
    const others = folder.endsWith(REF) ? path.join(path.dirname(folder), 'another') : folder;
    put(path.join(others, 'another.jsonl'), 'of another');
    expect(await agents().backUp(id, REF, 7)).toBe(path.join(root, 'records', '7'));
    expect(copies(7)).toEqual({ [path.basename(place)]: 'said so far' });
    expect(await agents().backUp('other', REF, 8)).toBeUndefined();
    expect(copies(8)).toEqual({});
  });

  it('S4-20 is copied again when the turn is cut off again; what the agent has lost meanwhile stays in the copy', async () => {
    const place = `.claude/projects/-work/${REF}.jsonl`;
    for (const [text, kept] of [
      ['one', 'one'],
      ['one two', 'one two'],
      ['', 'one two'],
    ] as const) {
      put(place, text);
      await agents().backUp('claude', REF, 7);
      expect(copies(7)).toEqual({ [`${REF}.jsonl`]: kept });
    }
  });

  it('copies of the newest 20 turns are kept', async () => {
    put(`.claude/projects/-work/${REF}.jsonl`, 'x');
    for (let turnId = 1; turnId <= 22; turnId += 1) await agents().backUp('claude', REF, turnId);
    const kept = fs.readdirSync(path.join(root, 'records')).map(Number);
    expect(kept.sort((one, other) => one - other)).toEqual(
      Array.from({ length: 20 }, (_one, at) => at + 3),
    );
  });
});
