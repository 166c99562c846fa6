import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { afterEach, describe, expect, it } from 'vitest';
import type { Composition } from '../../../electron/compose/options';
import type { Channel } from '../../../electron/ports/channel';
import { builtProgram } from '../../helpers/built-program';
import { composeIn, createWorld, QUIET, turnIn, type World } from '../../helpers/compose-world';
import { createFakeChannel, createFakeProvider } from '../../helpers/fake-world';

const entry = builtProgram();

let world: World;
let clients: Client[] = [];
let running: Composition | undefined;
afterEach(async () => {
  for (const client of clients) await client.close();
  clients = [];
  await running?.lifecycle.stop('stop');
  running = undefined;
  world.remove();
});

/** `holdfast mcp` in a process of its own, driven by the package's client. */
async function connect(
  dataDir: string,
  env: Record<string, string> = {},
): Promise<{ client: Client; errors: Error[] }> {
  const client = new Client({ name: 'test', version: '1' });
  const errors: Error[] = [];
  // Whatever on standard output is no message comes here.
  client.onerror = (error) => void errors.push(error);
  await client.connect(
    new StdioClientTransport({
      command: process.execPath,
      args: [entry, 'mcp', '--data-dir', dataDir],
      env: {
        PATH: process.env['PATH'] ?? '',
        HOME: world.outside,
        HOLDFAST_NO_RELAUNCH: '1',
        ...env,
      },
      stderr: 'ignore',
    }),
  );
  clients.push(client);
  return { client, errors };
}

async function start(channels: readonly Channel[] = []): Promise<Composition> {
  const provider = createFakeProvider({ dir: world.outside, script: () => ({ text: 'done' }) });
  running = composeIn(world, { providers: [provider], channels });
  await running.lifecycle.start();
  return running;
}

const status = async (
  client: Client,
  args: Record<string, unknown> = {},
): Promise<{ isError: boolean; text: string; value: Record<string, unknown> }> => {
  const answer = await client.callTool({ name: 'journal_status', arguments: args });
  const [part] = answer.content as { text: string }[];
  return {
    isError: answer.isError === true,
    text: part?.text ?? '',
    value: (answer.structuredContent ?? {}) as Record<string, unknown>,
  };
};

describe('holdfast mcp', () => {
  it('offers journal_status as a read, and answers it from the running Holdfast', async () => {
    world = createWorld();
    const { holdfast } = await start();
    const { turnId } = await holdfast.call(
      'send',
      { text: 'go', agent: 'fake', session: 'notes' },
      'test',
    );
    await turnIn(running as Composition, turnId, QUIET);
    const { client, errors } = await connect(world.dataDir);
    const { tools } = await client.listTools();
    expect(tools.map((tool) => tool.name)).toEqual([
      'journal_status',
      'recall',
      'schedule_task',
      'list_tasks',
      'update_task',
      'pause_task',
      'resume_task',
      'cancel_task',
      'timer',
      'heartbeat',
    ]);
    expect(tools[0]?.annotations).toMatchObject({ readOnlyHint: true, openWorldHint: false });
    const all = await status(client);
    expect(all.value).toMatchObject({ isRunning: true, phase: 'running', openTurns: [] });
    expect(JSON.parse(all.text)).toEqual(all.value);
    const one = await status(client, { session: 'notes' });
    expect(one.value).toMatchObject({ session: { key: 'notes', agent: 'fake', status: 'idle' } });
    expect(errors).toEqual([]);
  });

  it('S1-03 S1-+01 an agent outside of Holdfast schedules, lists and cancels a task', async () => {
    world = createWorld();
    const { holdfast } = await start();
    const { client } = await connect(world.dataDir);
    const made = await client.callTool({
      name: 'schedule_task',
      arguments: { prompt: 'look', schedule: 'every 1h', agent: 'fake' },
    });
    expect(made.structuredContent).toMatchObject({
      id: 1,
      state: 'active',
      agent: 'fake',
      madeBy: 'agent',
      author: 'test',
    });
    const listed = await client.callTool({ name: 'list_tasks', arguments: {} });
    expect(listed.structuredContent).toMatchObject({ tasks: [{ id: 1, schedule: 'every 1h' }] });
    const gone = await client.callTool({ name: 'cancel_task', arguments: { task_id: 1 } });
    expect(gone.structuredContent).toMatchObject({ state: 'cancelled' });
    expect((await holdfast.call('tasks.list', {}, 'test')).tasks).toEqual([]);
  });

  it('S1-13 S1-17 S1-20 an agent outside of Holdfast sets and replaces a timer and starts, sees and stops a heartbeat of a session; it wakes it', async () => {
    world = createWorld();
    const { holdfast } = await start();
    const notes = { text: 'go', agent: 'fake', session: 'notes' };
    const { turnId } = await holdfast.call('send', notes, 'test');
    await turnIn(running as Composition, turnId, QUIET);
    const { client } = await connect(world.dataDir);
    const call = async (name: string, args: Record<string, unknown>) => {
      const answer = await client.callTool({ name, arguments: args });
      return { isError: answer.isError === true, value: answer.structuredContent, told: answer };
    };
    const timer = { id: 't', seconds: 3_600, message: 'wake up', session: 'notes' };
    expect((await call('timer', timer)).value).toMatchObject({ id: 't', session: 'notes' });
    await call('timer', { ...timer, seconds: 1 });
    await expect
      .poll(
        async () => (await holdfast.call('turns.list', { session: 'notes' }, 'test')).turns.length,
      )
      .toBe(2);
    const beat = { session: 'notes', action: 'start', interval_seconds: 60, message: 'look' };
    expect((await call('heartbeat', beat)).value).toMatchObject({ message: 'look', ticks: 0 });
    const ask = { session: 'notes', action: 'status' };
    expect((await call('heartbeat', ask)).value).toMatchObject({ isOn: true });
    const { session } = await holdfast.call('session.status', { session: 'notes' }, 'test');
    const byNumber = { ...ask, session: String(session.id) };
    expect((await call('heartbeat', byNumber)).value).toMatchObject({ isOn: true });
    // That of the settings wakes main, and is not its own.
    await holdfast.call('send', { ...notes, session: 'main' }, 'test');
    await holdfast.call('config.set', { key: 'heartbeat.enabled', value: true }, 'test');
    await expect
      .poll(async () => (await holdfast.call('heartbeat.status', {}, 'test')).heartbeats.length)
      .toBe(2);
    expect((await call('heartbeat', { ...ask, session: 'main' })).value).toEqual({ isOn: false });
    await call('heartbeat', { session: 'notes', action: 'stop' });
    expect((await call('heartbeat', ask)).value).toEqual({ isOn: false });
    for (const [name, args] of [
      ['timer', { seconds: 0, message: 'x', session: 'notes' }],
      ['timer', { seconds: 5, message: 'x', session: 'nobody' }],
      ['timer', { seconds: 5, message: 'x' }],
      ['heartbeat', { ...beat, interval_seconds: 5 }],
      ['schedule_task', { prompt: 'x', schedule: 'every 5s', agent: 'fake' }],
    ] as const)
      expect((await call(name, args)).isError, name).toBe(true);
    expect((await holdfast.call('timers.list', {}, 'test')).timers).toEqual([]);
    expect((await holdfast.call('tasks.list', {}, 'test')).tasks).toEqual([]);
  });

  it('S1-12 S1-03 an agent in a turn of Holdfast makes a task and a timer that belong to its session: agent, channel and peer are those of it, unless it names others', async () => {
    world = createWorld();
    const chanA = createFakeChannel({ dir: world.outside, name: 'chanA' });
    const { holdfast } = await start([chanA]);
    const { turnId } = await chanA.intake().accept({ peer: 'anna', text: 'go', agent: 'fake' });
    await turnIn(running as Composition, turnId, QUIET);
    const { client } = await connect(world.dataDir, { HOLDFAST_TURN: String(turnId) });
    const call = async (name: string, args: Record<string, unknown>) =>
      (await client.callTool({ name, arguments: args })).structuredContent;
    const wish = { prompt: 'look', schedule: 'every 1h' };
    const own = { agent: 'fake', channel: 'chanA', peer: 'anna', madeBy: 'agent', author: 'test' };
    expect(await call('schedule_task', wish)).toMatchObject(own);
    const other = { origin_channel: 'window', origin_peer: '' };
    expect(await call('schedule_task', { ...wish, ...other })).toMatchObject({
      ...own,
      channel: 'window',
      peer: '',
    });
    const timer = await call('timer', { seconds: 3_600, message: 'look' });
    const { session } = await holdfast.call('turns.show', { turnId }, 'test').then(({ turn }) => ({
      session: turn.sessionKey,
    }));
    expect(timer).toMatchObject({ session });
  });

  it('S1-39 with extensions.core.scheduler_tool off only journal_status and recall are left, also for a call by an old list; on again all 10 are', async () => {
    world = createWorld();
    const { holdfast } = await start();
    const { client } = await connect(world.dataDir);
    const key = 'extensions.core.scheduler_tool';
    const names = async () => (await client.listTools()).tools.map((tool) => tool.name);
    const schedule = () =>
      client.callTool({
        name: 'schedule_task',
        arguments: { prompt: 'look', schedule: 'every 1h', agent: 'fake' },
      });
    await holdfast.call('config.set', { key, value: false }, 'test');
    expect(await names()).toEqual(['journal_status', 'recall']);
    expect(await schedule()).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining('no tool "schedule_task"') as string }],
    });
    expect((await holdfast.call('tasks.list', {}, 'test')).tasks).toEqual([]);
    await holdfast.call('config.set', { key, value: true }, 'test');
    expect(await names()).toHaveLength(10);
    expect((await schedule()).isError ?? false).toBe(false);
  });

  it('says what is wrong as an answer, and survives a stop of Holdfast', async () => {
    world = createWorld();
    const { client, errors } = await connect(join(world.root, 'nothing-here'));
    const nothing = await status(client);
    expect(nothing.isError).toBe(true);
    expect(nothing.text).toMatch(/^NOT_RUNNING: .*Start it with: holdfast start/);
    expect((await status(client, { sesion: 'x' })).text).toMatch(/^INPUT_INVALID: journal_status/);

    const { lifecycle } = await start();
    const second = await connect(world.dataDir);
    expect((await status(second.client, { session: 'nobody' })).text).toMatch(/^SESSION_UNKNOWN/);
    await lifecycle.stop('stop');
    running = undefined;
    expect((await status(second.client)).value).toMatchObject({ isRunning: false });
    await start();
    expect((await status(second.client)).value).toMatchObject({ isRunning: true });
    expect([...errors, ...second.errors]).toEqual([]);
  });

  it('answers all that was asked before its input ended', async () => {
    world = createWorld();
    await start();
    const child = spawn(process.execPath, [entry, 'mcp', '--data-dir', world.dataDir], {
      env: { PATH: process.env['PATH'], HOME: world.outside, HOLDFAST_NO_RELAUNCH: '1' },
      stdio: ['pipe', 'pipe', 'ignore'],
    });
    let out = '';
    child.stdout.on('data', (chunk: Buffer) => (out += chunk.toString()));
    const initialize = {
      protocolVersion: '2025-06-18',
      capabilities: {},
      clientInfo: { name: 'script', version: '1' },
    };
    const requests = [
      { id: 1, method: 'initialize', params: initialize },
      { method: 'notifications/initialized' },
      { id: 2, method: 'tools/list' },
      { id: 3, method: 'tools/call', params: { name: 'journal_status', arguments: {} } },
    ];
    child.stdin.end(
      requests.map((one) => `${JSON.stringify({ jsonrpc: '2.0', ...one })}\n`).join(''),
    );
    const [code] = (await once(child, 'close')) as [number];
    const ids = out
      .split('\n')
      .flatMap((line) => (line === '' ? [] : [(JSON.parse(line) as { id: number }).id]));
    expect([code, ids.toSorted()]).toEqual([0, [1, 2, 3]]);
  });

  it('ends when its input ends', async () => {
    world = createWorld();
    const dataDir = mkdtempSync(join(tmpdir(), 'hf-mcp-'));
    const { client } = await connect(dataDir);
    const transport = client.transport as StdioClientTransport;
    const server = Reflect.get(transport, '_process') as ChildProcess;
    const ended = once(server, 'exit');
    await client.close();
    // By itself: the client would send signals after 2 s.
    expect(await ended).toEqual([0, null]);
    rmSync(dataDir, { recursive: true, force: true });
  });
});
