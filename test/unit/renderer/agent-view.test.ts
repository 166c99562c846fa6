import { describe, expect, it } from 'vitest';
import {
  environmentNames,
  limitsText,
  ownTools,
  runningOf,
} from '../../../renderer/agents/agent-view';
import { hrefOf, parseRoute } from '../../../renderer/route';
import { afterCrashText } from '../../../renderer/parts/tools-table';
import { firstSentence } from '../../../renderer/parts/tool-name';
import type { ConfigEntry } from '../../../shared/types';
import { createSeed } from '../../helpers/fake-seed';

const seed = createSeed(Date.UTC(2026, 2, 24, 14, 31));
const withValue = (key: string, value: ConfigEntry['value']): ConfigEntry[] =>
  seed.config.entries.map((entry) => (entry.key === key ? { ...entry, value } : entry));

describe('what a crash does to a call of a tool', () => {
  it('S0-02 is said in the words of the plan, for reads apart where they fare otherwise', () => {
    expect(afterCrashText({ afterCrash: 'held' })).toBe('needs your review');
    expect(afterCrashText({ afterCrash: 'held', afterCrashOfReads: 'run_again' })).toBe(
      'needs your review; read-only: re-run',
    );
  });
});

describe('an agent', () => {
  it.each([
    [{ Researcher: { env: ['FORGE_TOKEN', 'EDITOR'] } }, ['FORGE_TOKEN', 'EDITOR']],
    [{ Researcher: {} }, []],
    [{ other: { env: ['A'] } }, []],
    [{ Researcher: { env: [1, 'B'] } }, ['B']],
    [null, []],
    ['text', []],
  ])('of %j passes %j', (agents, names) => {
    expect(environmentNames(withValue('agents', agents as never), 'Researcher')).toEqual(names);
  });

  it('says its limits from the settings in force, and nothing before they are known', () => {
    expect(limitsText(seed.config.entries, false)).toBe(
      '$2.00, 30 min, 100 steps per turn, then it pauses and asks you',
    );
    expect(limitsText(seed.config.entries, true)).toContain(
      'then it pauses and asks you. $2.00 only if the agent reports its cost',
    );
    expect(limitsText(withValue('limits.turn_time', 'soon'), false)).toBeUndefined();
    expect(limitsText([], false)).toBeUndefined();
  });

  it('keeps a tool that nobody knows, by its name alone', () => {
    const [agent] = seed.agents;
    if (!agent) throw new Error('no agent');
    expect(ownTools({ ...agent, tools: ['shell', 'gone'] }, seed.tools)).toEqual([
      expect.objectContaining({ name: 'shell', purity: 'side_effect' }),
      { name: 'gone' },
    ]);
  });

  it('has only its own running turns, the oldest first', () => {
    const [turn] = seed.turns;
    if (!turn) throw new Error('no turn');
    const turns = [
      { ...turn, id: 9, agent: 'a', state: 'running' as const },
      { ...turn, id: 8, agent: 'a', state: 'running' as const },
      { ...turn, id: 7, agent: 'b', state: 'running' as const },
      { ...turn, id: 6, agent: 'a', state: 'held' as const },
    ];
    expect(runningOf(turns, 'a').map((one) => one.id)).toEqual([8, 9]);
  });
});

describe('what a tool says about itself', () => {
  it.each([
    [
      'Reads a text file of the workspace. Returns its text.',
      'Reads a text file of the workspace.',
    ],
    ['Reads notes.md and more', 'Reads notes.md and more'],
    ['Runs a command', 'Runs a command'],
    ['', ''],
  ])('of %j shows %j', (about, sentence) => {
    expect(firstSentence(about)).toBe(sentence);
  });
});

describe('the address of an agent', () => {
  it.each([
    ['#/agents', { kind: 'agents' }],
    ['#/agents/repo-mender', { kind: 'agents', agent: 'repo-mender' }],
    ['#/agents/Mail%20helper', { kind: 'agents', agent: 'Mail helper' }],
  ] as const)('%s is read and written the same', (hash, route) => {
    expect(parseRoute(hash)).toEqual(route);
    expect(hrefOf(route)).toBe(hash);
  });
});
