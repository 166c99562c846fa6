/** Quit when this step is done, and agents of other programs: real children, the built program. */
import fs from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { StatusSnapshot } from '../../../shared/types';
import type { Launched, Site } from './site';
import { createSite, promptIn, resultsIn, until } from './site';
import { waitUntil } from '../../helpers/bounded-wait';
import { ACP_AGENT } from '../../helpers/acp-agent-program';

let site: Site;
beforeEach(async () => {
  site = await createSite();
  const bin = path.join(site.workspace, '..', 'bin');
  fs.mkdirSync(bin);
  fs.copyFileSync(path.resolve('test/helpers/claude-agent.mjs'), path.join(bin, 'claude'));
  fs.chmodSync(path.join(bin, 'claude'), 0o755);
  const agent = ACP_AGENT;
  const { workspace } = site;
  site.configure({
    approvals: { tools: { shell: 'allow' } },
    resilience: { recovery: { side_effect_tools: [] } },
    agents: {
      a: { provider: 'fp', model: 'm', workspace },
      acp: {
        executor: 'acp',
        command: process.execPath,
        args: [agent, 'plain'],
        workspace,
        ask: 'policy',
      },
      claude: { executor: 'command', command: path.join(bin, 'claude'), workspace },
    },
  });
  site.fp.setScript((request) =>
    promptIn(request) !== 'work' || resultsIn(request) > 0
      ? { text: 'done' }
      : {
          toolCalls: [
            {
              name: 'shell',
              args: { command: `echo x >> begun; ${waitUntil('test -e go')}` },
            },
          ],
        },
  );
});
afterEach(() => site.remove());

const there = (name: string): boolean => fs.existsSync(path.join(site.workspace, name));
const make = (name: string): void => fs.writeFileSync(path.join(site.workspace, name), '');
const status = (): Promise<StatusSnapshot> => site.json<StatusSnapshot>('status');
const agentLog = (): string => {
  const found = [site.workspace, path.join(site.workspace, '..')]
    .map((folder) => path.join(folder, 'agent.log'))
    .find((file) => fs.existsSync(file));
  return found === undefined ? '' : fs.readFileSync(found, 'utf8');
};

/** An agent that stands before its call `two`, and what lets it ask for it. */
const OUTSIDE = {
  acp: {
    text: 'do: until next\ndo: run two\ndo: say all done',
    isBefore: () => agentLog().includes('until next'),
    letAsk: () => make('next'),
    asks: () => agentLog().includes('asks two'),
  },
  claude: {
    text: 'do it',
    isBefore: () => there('at-before-0'),
    letAsk: () => fs.rmSync(path.join(site.workspace, 'hold-before-0')),
    asks: () => there('asks-0'),
  },
} as const;

describe.each(['acp', 'claude'] as const)('F4 a call of the agent %s', (name) => {
  const { text, isBefore, letAsk, asks } = OUTSIDE[name];

  /** A command of our own is at work, Holdfast waits for it, and the agent wants to begin a call. */
  async function asked(): Promise<{ host: Launched; stop: Launched; turnId: number }> {
    fs.writeFileSync(
      path.join(site.workspace, 'plan.json'),
      JSON.stringify({
        calls: [{ tool: 'Bash', input: { command: 'echo two >> effects.log' } }],
        text: 'all done',
      }),
    );
    make('hold-before-0');
    const host = await site.start();
    const turnId = await site.send(text, '--agent', name, '--session', name);
    await until('the agent stands before its call', isBefore);
    await site.send('work', '--agent', 'a', '--session', 'work');
    await until('the command is at work', () => there('begun'));
    const stop = site.launch(['stop', '--when-done']);
    await until('it is said', async () => (await status()).quitsBehind !== undefined);
    letAsk();
    await until('it asks', asks);
    return { host, stop, turnId };
  }
  /** Its states; an agent may announce a call before it asks for it. */
  const ends = async (turnId: number): Promise<readonly string[]> =>
    (await site.show(turnId)).steps
      .filter(({ hint }) => hint.includes('two'))
      .map(({ state }) => state);

  it('begins only when the quit is taken back', async () => {
    const { stop, turnId } = await asked();
    expect(site.effects()).toEqual([]);
    await site.hf('stop', '--take-back');
    expect((await stop.ended).code).toBe(1);
    await site.turnIn(turnId, 'completed');
    expect(site.effects()).toEqual(['two']);
    expect(await ends(turnId)).toEqual(['completed']);
    expect(site.db('SELECT attempt FROM turns WHERE id = ?', turnId)).toEqual([{ attempt: 1 }]);
    make('go');
  });

  it('never begins where it quits, and is made once after the next start', async () => {
    const { host, stop, turnId } = await asked();
    make('go');
    expect([(await stop.ended).code, (await host.ended).code]).toEqual([0, 0]);
    expect(site.effects()).toEqual([]);
    expect(await ends(turnId)).not.toContain('completed');
    await site.start();
    await site.turnIn(turnId, 'completed');
    expect(site.effects()).toEqual(['two']);
  });
});
