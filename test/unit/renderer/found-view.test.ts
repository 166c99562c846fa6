import { describe, expect, it } from 'vitest';
import {
  agentOfFound,
  folderProblem,
  foundHere,
  freeName,
  installHint,
  nameProblem,
  planFirstAgents,
  usedAs,
  isWatchable,
} from '../../../renderer/agents/found-view';
import type { FoundAnswer } from '../../../renderer/agents/found-view';
import { serverLine, serverNote, shownServer } from '../../../renderer/agents/server-view';
import type { ExtView } from '../../../shared/types';
import { createSeed } from '../../helpers/fake-seed';

const seed = createSeed(Date.UTC(2026, 2, 24, 14, 31));
const foundOf = (id: string): (typeof seed.detected)[number] => {
  const found = seed.detected.find((one) => one.id === id);
  if (!found) throw new Error(`no ${id}`);
  return found;
};

describe('agents on this computer', () => {
  it('are those of which something is here; the others keep only their names', () => {
    const { here, gone } = foundHere(seed.detected);
    expect(here.map(({ id }) => id)).toEqual(['claude', 'codex', 'gemini']);
    expect(gone).toEqual(['opencode', 'Goose']);
  });

  it.each([
    [
      'Install its adapter: npm install --global @agentclientprotocol/codex-acp',
      {
        sentence: 'Install its adapter.',
        command: 'npm install --global @agentclientprotocol/codex-acp',
      },
    ],
    ['goose is not on your PATH.', { sentence: 'goose is not on your PATH.' }],
    ['Do this: npm install x; rm -rf ~', { sentence: 'Do this: npm install x; rm -rf ~' }],
  ])('say of %j what to do', (missing, hint) => {
    expect(installHint(missing)).toEqual(hint);
  });

  it('become agents with their command and the folder that was written', () => {
    expect(agentOfFound(foundOf('gemini'), ' /srv ')).toEqual({
      executor: 'acp',
      command: 'gemini',
      args: ['--acp'],
      workspace: '/srv',
    });
    expect(agentOfFound(foundOf('claude'), '/srv')).not.toHaveProperty('args');
    expect(agentOfFound(foundOf('codex'), '/srv')).toBeUndefined();
  });

  it('are known as used by their command, never by that of another executor', () => {
    expect(usedAs(foundOf('claude'), seed.agents)).toEqual(['Site mender']);
    const command = seed.agents.map((agent) => ({ ...agent, executor: 'command' as const }));
    expect(usedAs(foundOf('claude'), command)).toEqual([]);
  });

  it('get a name that nobody has, and can be watched only where there are hooks', () => {
    expect(freeName('claude', ['claude', 'claude-2'])).toBe('claude-3');
    expect(freeName('gemini', ['claude'])).toBe('gemini');
    expect(seed.detected.filter(isWatchable).map(({ id }) => id)).toEqual(['claude']);
  });

  it.each([
    ['', 'found.nameWrong'],
    ['-a', 'found.nameWrong'],
    ['a b', 'found.nameWrong'],
    ['x'.repeat(65), 'found.nameWrong'],
    ['taken', 'found.nameTaken'],
    ['a.b_c-1', undefined],
  ])('checks the name %j', (name, problem) => {
    expect(nameProblem(name, ['taken'])).toBe(problem);
  });

  it.each([
    ['  ', 'found.folderMissing'],
    ['code', 'found.folderWrong'],
    ['~/code', undefined],
    ['/srv/code', undefined],
    ['C:\\code', undefined],
    ['\\\\host\\share', undefined],
  ])('checks the folder %j', (folder, problem) => {
    expect(folderProblem(folder)).toBe(problem);
  });

  it.each<[string, Record<string, Partial<FoundAnswer>>, boolean, readonly string[]]>([
    ['nothing is chosen', {}, true, []],
    ['one is skipped', { claude: { choice: 'skip' } }, true, []],
    ['one is used', { claude: { choice: 'use', folder: '/a' } }, true, ['claude']],
    ['a folder is missing', { claude: { choice: 'use' } }, false, ['claude']],
    [
      'two have one name',
      {
        claude: { choice: 'use', folder: '/a', name: 'x' },
        gemini: { choice: 'use', folder: '/b', name: 'x' },
      },
      false,
      ['x', 'x'],
    ],
    ['one is saved already', { claude: { choice: 'use', isSaved: true } }, true, []],
    [
      'one is saved with a folder that is not there',
      { claude: { choice: 'use', isSaved: true, folder: '/gone', savedFolder: '/gone' } },
      true,
      [],
    ],
    [
      'its folder is corrected',
      { claude: { choice: 'use', isSaved: true, folder: '/a', savedFolder: '/gone' } },
      true,
      ['claude'],
    ],
    [
      'its folder is no path any more',
      { claude: { choice: 'use', isSaved: true, folder: 'a', savedFolder: '/gone' } },
      false,
      ['claude'],
    ],
    ['one cannot be started', { codex: { choice: 'use', folder: '/a' } }, true, []],
  ])('plans what Continue adds where %s', (_what, answers, isComplete, names) => {
    const answerOf = (id: string): FoundAnswer => ({ name: id, folder: '', ...answers[id] });
    const plan = planFirstAgents(seed.detected, answerOf, []);
    expect(plan.isComplete).toBe(isComplete);
    expect(plan.toSave.map(({ name }) => name)).toEqual(names);
  });
});

describe('an MCP server', () => {
  const [server] = seed.servers;
  if (!server) throw new Error('no server');
  it.each<[ExtView['state'], string, boolean]>([
    ['running', 'ok', false],
    ['skipped', 'muted', true],
    ['disabled', 'muted', true],
    ['restarting', 'waiting', false],
    ['failed', 'outage', true],
    ['starting', 'working', false],
    ['stopped', 'muted', false],
    ['stopping', 'waiting', false],
  ])('S2-19 S2-52 that is %s has the tone %s', (state, tone, hasNote) => {
    expect(shownServer(state).tone).toBe(tone);
    expect(serverNote({ ...server, state }) !== undefined).toBe(hasNote);
  });

  it('S2-52 says why it does not run before what it brings', () => {
    expect(serverLine(server)).toBe('1 tool');
    expect(serverLine({ ...server, reason: 'FOO is not set.' })).toBe('FOO is not set.');
    expect(serverLine({ ...server, state: 'disabled' })).toBe('calendar-server');
  });
});
