/** Agents are changed and removed while the engine runs: real child, real database. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Composition } from '../../../electron/compose/options';
import type { AgentSettings } from '../../../shared/settings';
import {
  composeIn,
  createWorld,
  turnIn,
  writeConfig,
  type World,
} from '../../helpers/compose-world';
import { ACP_AGENT } from '../../helpers/acp-agent-program';

const OWN: AgentSettings = {
  executor: 'acp',
  command: process.execPath,
  args: [ACP_AGENT, 'plain'],
  workspace: '',
};

let world: World;
let composition: Composition;

beforeEach(async () => {
  world = createWorld();
  writeConfig(world, {
    agents: { own: own(), other: own() },
    approvals: { tools: { shell: 'ask' } },
  });
  composition = composeIn(world);
  await composition.lifecycle.start();
});
afterEach(async () => {
  await composition.lifecycle.stop('stop');
  world.remove();
});

const own = (more: Partial<AgentSettings> = {}): AgentSettings =>
  ({ ...OWN, workspace: world.workspace, ...more }) as AgentSettings;
const call: Composition['holdfast']['call'] = (verb, input) =>
  composition.holdfast.call(verb, input, 'test');
const send = async (text: string): Promise<number> =>
  (await call('send', { text, session: 'work', agent: 'own' }, 'test')).turnId;
const names = async (): Promise<readonly string[]> =>
  (await call('agents.list', {}, 'test')).agents.map(({ name }) => name);
const remove = () => call('agents.remove', { name: 'own' }, 'test');

describe('agents that change', () => {
  it('S3-30 the next turn takes a changed folder, the one before has run where it was', async () => {
    const next = path.join(world.root, 'next');
    fs.mkdirSync(next);
    await turnIn(composition, await send('do: say one'), ['completed']);
    const view = await call(
      'agents.edit',
      { name: 'own', agent: own({ workspace: next }) },
      'test',
    );
    expect(view.workspace).toBe(next);
    await call('config.set', { key: 'approvals.tools', value: { shell: 'allow' } }, 'test');
    await turnIn(composition, await send('do: run two'), ['completed']);
    expect(fs.readFileSync(path.join(next, 'effects.log'), 'utf8')).toBe('two\n');
    expect(fs.existsSync(path.join(world.workspace, 'effects.log'))).toBe(false);
    const file = JSON.parse(
      fs.readFileSync(path.join(world.dataDir, 'config.json'), 'utf8'),
    ) as Record<string, Record<string, { workspace: string }>>;
    expect(file['agents']?.['own']?.workspace).toBe(next);
    expect(file['agents']?.['other']?.workspace).toBe(world.workspace);
  });

  it('S3-30 refuses what is not right as at the beginning, an unknown name and the practice agent', async () => {
    const bad = own({ command: '' });
    await expect(call('agents.edit', { name: 'own', agent: bad }, 'test')).rejects.toMatchObject({
      code: 'INPUT_INVALID',
    });
    for (const [name, code] of [
      ['nobody', 'AGENT_UNKNOWN'],
      ['practice', 'AGENT_EXISTS'],
    ]) {
      await expect(
        call('agents.edit', { name: name!, agent: own() }, 'test'),
      ).rejects.toMatchObject({ code });
      await expect(call('agents.remove', { name: name! }, 'test')).rejects.toMatchObject({ code });
    }
    expect(await names()).toEqual(['own', 'other', 'practice']);
  });

  it('S3-30 is not removed while a question is open or a task is to come, and goes when both are over', async () => {
    const turnId = await send('do: run one');
    await turnIn(composition, turnId, ['requires_action']);
    const { id: taskId } = await call(
      'tasks.add',
      { prompt: 'look', schedule: 'every 1h', agent: 'own' },
      'test',
    );
    await expect(remove()).rejects.toMatchObject({
      code: 'AGENT_BUSY',
      message: `The agent "own" still has 1 unfinished turn (${String(turnId)}) and 1 task (${String(taskId)}).`,
    });
    await call('turns.cancel', { turnId }, 'test');
    await turnIn(composition, turnId, ['cancelled']);
    await expect(remove()).rejects.toMatchObject({
      message: `The agent "own" still has 1 task (${String(taskId)}).`,
    });
    await call('tasks.cancel', { taskId }, 'test');
    expect(await remove()).toEqual({ name: 'own', defaultAgent: 'other' });
    expect(await names()).toEqual(['other', 'practice']);
    // What it did stays, can be read, and is not gone on with by anybody.
    const { turns } = await call('turns.list', { limit: 10 }, 'test');
    expect(turns.map(({ id, agent }) => [id, agent])).toEqual([[turnId, 'own']]);
    expect((await call('session.events', { session: 'work' }, 'test')).events).not.toEqual([]);
    await expect(call('send', { text: 'more', session: 'work' }, 'test')).rejects.toMatchObject({
      code: 'AGENT_UNKNOWN',
      message: 'Session "work" belongs to the agent "own", which no longer exists.',
    });
    // Under the same name again it is the same agent to its sessions.
    await call('agents.add', { name: 'own', agent: own() }, 'test');
    await turnIn(
      composition,
      (await call('send', { text: 'do: say hi', session: 'work' }, 'test')).turnId,
      ['completed'],
    );
  });

  it('S3-30 adding under a name that is taken changes nothing, unless it says to replace', async () => {
    const other = own({ command: '/bin/true' });
    await expect(call('agents.add', { name: 'own', agent: other }, 'test')).rejects.toMatchObject({
      code: 'AGENT_EXISTS',
      message: 'An agent with the name "own" already exists.',
    });
    const stored = async () => (await call('config.get', { key: 'agents' }, 'test')).value;
    expect(await stored()).toMatchObject({ own: { command: process.execPath } });
    // The same once more is no conflict: the first answer may have been lost.
    expect(await call('agents.add', { name: 'own', agent: own() }, 'test')).toMatchObject({
      name: 'own',
    });
    await call('agents.add', { name: 'own', agent: other, replace: true }, 'test');
    expect(await stored()).toMatchObject({ own: { command: '/bin/true' } });
  });

  it('S3-30 stores a whole path: ~ is the home, a relative folder is refused', async () => {
    const add = (name: string, workspace: string) =>
      call('agents.add', { name, agent: own({ workspace }) }, 'test');
    expect(await add('athome', '~/project')).toMatchObject({
      workspace: path.join(os.homedir(), 'project'),
    });
    expect(await add('tidy', `${world.workspace}/../x`)).toMatchObject({
      workspace: path.join(world.workspace, '..', 'x'),
    });
    for (const relative of ['.', 'project', '../x', '~somebody/x'])
      await expect(add('lost', relative), relative).rejects.toMatchObject({
        code: 'INPUT_INVALID',
        message: `The folder "${relative}" is relative.`,
      });
    expect(await names()).not.toContain('lost');
  });

  it('S3-30 another executor waits until no turn is open', async () => {
    const turnId = await send('do: run one');
    await turnIn(composition, turnId, ['requires_action']);
    const agent: AgentSettings = {
      executor: 'command',
      command: 'true',
      workspace: world.workspace,
    };
    await expect(call('agents.edit', { name: 'own', agent }, 'test')).rejects.toMatchObject({
      code: 'AGENT_BUSY',
    });
    await call('turns.cancel', { turnId }, 'test');
    await turnIn(composition, turnId, ['cancelled']);
    const view = await call('agents.edit', { name: 'own', agent }, 'test');
    expect(view.executor).toBe('command');
  });
});
