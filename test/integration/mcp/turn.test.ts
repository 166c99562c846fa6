import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import type { Composition } from '../../../electron/compose/options';
import type { ExtView } from '../../../shared/types';
import {
  composeIn,
  createWorld,
  QUIET,
  turnIn,
  writeConfig,
  type World,
} from '../../helpers/compose-world';
import { createFakeProvider, promptOf, resultsSoFar } from '../../helpers/fake-world';
import type { ModelRequest } from '../../../electron/ports/provider';
import { isAlive, nodeServer, ODD_SERVER, realServer, waitFor } from './servers-world';

let world: World;
let running: Composition[] = [];
afterEach(async () => {
  for (const composition of running) await composition.lifecycle.stop('stop');
  running = [];
  world.remove();
});

interface Step {
  readonly tool: string;
  readonly args: unknown;
}

/** A composed Holdfast whose model makes these calls, one an answer, and what it was told. */
function holdfastWith(
  servers: Record<string, unknown>,
  steps: readonly Step[],
  more: { readonly agent?: object; readonly config?: object } = {},
): { readonly composition: Composition; readonly asked: ModelRequest[] } {
  const agents = {
    fake: { provider: 'fake', model: 'm', workspace: world.workspace, ...more.agent },
  };
  writeConfig(world, {
    agents,
    mcp: { servers },
    approvals: { mode: 'off' },
    ...more.config,
  });
  const asked: ModelRequest[] = [];
  const provider = createFakeProvider({
    dir: world.outside,
    script(request) {
      asked.push(request);
      const step = steps[resultsSoFar(request)];
      return step === undefined ? { text: `done: ${promptOf(request)}` } : { calls: [step] };
    },
  });
  const composition = composeIn(world, { providers: [provider] });
  running.push(composition);
  return { composition, asked };
}

async function send(composition: Composition): Promise<number> {
  const { turnId } = await composition.holdfast.call('send', { text: 'go', agent: 'fake' }, 'test');
  await turnIn(composition, turnId, QUIET);
  return turnId;
}

async function extIn(
  composition: Composition,
  name: string,
  state: ExtView['state'],
): Promise<ExtView> {
  const deadline = performance.now() + 60_000;
  for (;;) {
    const { servers } = await composition.holdfast.call('ext.list', {}, 'test');
    const found = servers.find((server) => server.name === name);
    if (found?.state === state) return found;
    if (performance.now() > deadline) throw new Error(`${name} is ${JSON.stringify(found)}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

describe('a turn with tools of MCP servers', () => {
  it('S4-32 S0-13 waits for its server, writes through it, and records it under its names', async () => {
    world = createWorld();
    const path = join(world.workspace, 'note.txt');
    const { composition, asked } = holdfastWith(
      { fs: nodeServer(realServer('filesystem'), [world.workspace]) },
      [
        { tool: 'fs__write_file', args: { path, content: 'through the server' } },
        { tool: 'fs__read_text_file', args: { path } },
      ],
    );
    await composition.lifecycle.start();
    const turnId = await send(composition);
    const shown = await composition.holdfast.call('turns.show', { turnId }, 'test');
    expect(shown.turn.state).toBe('completed');
    expect(readFileSync(path, 'utf8')).toBe('through the server');
    expect(shown.steps.filter((step) => step.purity !== 'llm')).toMatchObject([
      { tool: 'fs.write_file', purity: 'external', state: 'completed', hint: path },
      { tool: 'fs.read_text_file', purity: 'world', state: 'completed' },
    ]);
    expect(asked[0]?.tools.map((tool) => tool.name)).toContain('fs__write_file');
    const { tools } = await composition.holdfast.call('tools.list', {}, 'test');
    expect(tools.find((tool) => tool.name === 'fs.write_file')).toMatchObject({
      host: 'fs',
      purity: 'external',
    });
    const view = await extIn(composition, 'fs', 'running');
    expect(view.tools).toContain('fs.write_file');
    expect(view.pid).toBeGreaterThan(1);
  });

  it('an agent without a server cannot call its tools, whatever name the model says', async () => {
    world = createWorld();
    const notes = join(world.outside, 'notes');
    const { composition, asked } = holdfastWith(
      { odd: nodeServer(ODD_SERVER, ['normal', notes]) },
      [{ tool: 'odd__work', args: {} }],
      { agent: { mcp_servers: [] } },
    );
    await composition.lifecycle.start();
    await extIn(composition, 'odd', 'running');
    await send(composition);
    expect(asked[0]?.tools.map((tool) => tool.name)).not.toContain('odd__work');
    const told = asked[1]?.messages.findLast((message) => message.role === 'tool');
    expect(told).toMatchObject({ isError: true, content: 'There is no tool named "odd__work".' });
    expect(readFileSync(notes, 'utf8')).not.toContain('call work');
  });

  it('S1-29 S1-30 a tool that was declared as a shell passes the guard, one that was not does not', async () => {
    world = createWorld();
    const notes = join(world.outside, 'notes');
    const wait = { command: 'npm build && sleep 60', ms: 1 };
    const { composition, asked } = holdfastWith(
      { odd: nodeServer(ODD_SERVER, ['normal', notes]) },
      [
        { tool: 'odd__work', args: wait },
        { tool: 'odd__look', args: wait },
      ],
      { config: { shell: { guarded_tools: ['odd.work'] } } },
    );
    await composition.lifecycle.start();
    await extIn(composition, 'odd', 'running');
    await send(composition);
    const told = asked.at(-1)?.messages.filter((message) => message.role === 'tool');
    expect(told?.[0]).toMatchObject({
      isError: true,
      content: expect.stringContaining('timer(60, "') as string,
    });
    expect(told?.[1]).toMatchObject({ isError: false });
    expect(readFileSync(notes, 'utf8')).not.toContain('call work');
  });

  it('keeps a result of 5 MB out of the database', async () => {
    world = createWorld();
    const { composition, asked } = holdfastWith({ odd: nodeServer(ODD_SERVER) }, [
      { tool: 'odd__big', args: { bytes: 5_000_000 } },
    ]);
    await composition.lifecycle.start();
    const turnId = await send(composition);
    const shown = await composition.holdfast.call('turns.show', { turnId }, 'test');
    expect(shown.turn.state).toBe('completed');
    const told = asked[1]?.messages.findLast((message) => message.role === 'tool');
    expect(told?.content.length).toBe(5_000_000);
    expect(readFileSync(join(world.dataDir, 'holdfast.db')).length).toBeLessThan(2_000_000);
  });

  it('S2-19 a listed effect whose server is killed holds the turn; nothing is sent again', async () => {
    world = createWorld();
    const notes = join(world.outside, 'notes');
    const { composition } = holdfastWith(
      { odd: nodeServer(ODD_SERVER, ['normal', notes]) },
      [{ tool: 'odd__work', args: { ms: 20_000 } }],
      { config: { resilience: { recovery: { side_effect_tools: ['work'] } } } },
    );
    await composition.lifecycle.start();
    const { pid } = await extIn(composition, 'odd', 'running');
    const sent = send(composition);
    await waitFor(() => readFileSync(notes, 'utf8').includes('call work'));
    process.kill(pid ?? 0, 'SIGKILL');
    const turnId = await sent;
    const shown = await composition.holdfast.call('turns.show', { turnId }, 'test');
    expect(shown.turn.state).toBe('held');
    expect(shown.decision?.ambiguous).toMatchObject([{ tool: 'odd.work', isListed: true }]);
    await extIn(composition, 'odd', 'running');
    expect(readFileSync(notes, 'utf8').match(/call work/g)).toHaveLength(1);
  });

  it('S2-52 ext list names the variable that is missing; the turn goes on without its tools', async () => {
    world = createWorld();
    const { composition, asked } = holdfastWith(
      { odd: nodeServer(ODD_SERVER, [], { requires: { env: ['FOO'] } }) },
      [],
    );
    await composition.lifecycle.start();
    const turnId = await send(composition);
    const view = await extIn(composition, 'odd', 'skipped');
    expect(view).toMatchObject({
      reason: 'FOO is not set.',
      tools: [],
      env: [{ name: 'FOO', isSet: false }],
    });
    expect(asked[0]?.tools.some((tool) => tool.name.startsWith('odd__'))).toBe(false);
    const { turn } = await composition.holdfast.call('turns.show', { turnId }, 'test');
    expect(turn.state).toBe('completed');
    const { items } = await composition.holdfast.call('inbox.list', {}, 'test');
    expect(items).toEqual([]);
  });

  it('S2-19 ext restart brings a server back, and says which it does not know', async () => {
    world = createWorld();
    const { composition } = holdfastWith({ odd: nodeServer(ODD_SERVER) }, []);
    await composition.lifecycle.start();
    const before = await extIn(composition, 'odd', 'running');
    const after = await composition.holdfast.call('ext.restart', { name: 'odd' }, 'test');
    expect(after.state).toBe('running');
    expect(after.pid).not.toBe(before.pid);
    expect(isAlive(before.pid ?? 0)).toBe(false);
    await expect(
      composition.holdfast.call('ext.restart', { name: 'nobody' }, 'test'),
    ).rejects.toMatchObject({ code: 'EXT_UNKNOWN' });
  });

  it('S2-49 a call of 3 s in hand at the stop comes to its end, and its result is kept', async () => {
    world = createWorld();
    const notes = join(world.outside, 'notes');
    const servers = { odd: nodeServer(ODD_SERVER, ['normal', notes]) };
    const steps = [{ tool: 'odd__work', args: { ms: 3_000 } }];
    const first = holdfastWith(servers, steps);
    await first.composition.lifecycle.start();
    const { turnId } = await first.composition.holdfast.call(
      'send',
      { text: 'go', agent: 'fake' },
      'test',
    );
    await waitFor(() => existsSync(notes) && readFileSync(notes, 'utf8').includes('call work'));
    await first.composition.lifecycle.stop('stop');
    expect(readFileSync(notes, 'utf8')).toContain('worked');
    const second = holdfastWith(servers, steps);
    await second.composition.lifecycle.start();
    await turnIn(second.composition, turnId, ['completed']);
    expect(readFileSync(notes, 'utf8').match(/call work/g)).toHaveLength(1);
  });

  it('S2-49 with a shutdown.grace of 300ms a call of 60 s is cut off: its server is gone, its result is unknown, and listed it is held for a person', async () => {
    world = createWorld();
    const notes = join(world.outside, 'notes');
    const servers = { odd: nodeServer(ODD_SERVER, ['normal', notes]) };
    const config = {
      shutdown: { grace: '300ms' },
      resilience: { recovery: { side_effect_tools: ['work'] } },
    };
    const steps = [{ tool: 'odd__work', args: { ms: 60_000 } }];
    const first = holdfastWith(servers, steps, { config });
    await first.composition.lifecycle.start();
    const { pid = 0 } = await extIn(first.composition, 'odd', 'running');
    const input = { text: 'go', agent: 'fake' };
    const { turnId } = await first.composition.holdfast.call('send', input, 'test');
    await waitFor(() => existsSync(notes) && readFileSync(notes, 'utf8').includes('call work'));
    await first.composition.lifecycle.stop('stop');
    expect(isAlive(pid)).toBe(false);
    expect(readFileSync(notes, 'utf8')).not.toContain('worked');
    const second = holdfastWith(servers, steps, { config });
    await second.composition.lifecycle.start();
    await turnIn(second.composition, turnId, ['held']);
    const { decision } = await second.composition.holdfast.call('turns.show', { turnId }, 'test');
    expect(decision?.ambiguous).toMatchObject([{ tool: 'odd.work', isListed: true }]);
    expect(readFileSync(notes, 'utf8').match(/call work/g)).toHaveLength(1);
  });

  it('nothing of a server is left when Holdfast stops', async () => {
    world = createWorld();
    const notes = join(world.outside, 'notes');
    writeFileSync(notes, '');
    const { composition } = holdfastWith({ odd: nodeServer(ODD_SERVER, ['normal', notes]) }, []);
    await composition.lifecycle.start();
    const { pid } = await extIn(composition, 'odd', 'running');
    await composition.lifecycle.stop('stop');
    expect(isAlive(pid ?? 0)).toBe(false);
    expect(readFileSync(notes, 'utf8')).toContain('left');
  });
});
