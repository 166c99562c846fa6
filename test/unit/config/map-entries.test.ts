import { describe, expect, it } from 'vitest';
import type { Claim } from '../../../electron/adapters/config/clashing-names';
import { refusedNames } from '../../../electron/adapters/config/clashing-names';
import { isMap, siftValue } from '../../../electron/adapters/config/map-entries';
import { SETTING_KEYS } from '../../../electron/adapters/config/settings-rules';
import type { SettingKey } from '../../../shared/settings';

const server = { command: 'node' };
const acp = { executor: 'acp', command: 'x', workspace: '/w' };
const own = { provider: 'p', model: 'm', workspace: '/w' };

/** For each setting with entries by name: good ones, and one that cannot be used. */
const MAPS: Partial<Record<SettingKey, { good: object; bad: object }>> = {
  'mcp.servers': { good: { mail: server, fs: server }, bad: { fetch: server } },
  agents: { good: { a: own, b: acp }, bad: { c: { provider: 'p' } } },
  providers: { good: { p: { kind: 'google' } }, bad: { q: { kind: 'other' } } },
  'channels.own': {
    good: { hook: { kind: 'webhook', url: 'https://example.com/in' } },
    bad: { other: { kind: 'pigeon' } },
  },
  'tasks.own': {
    good: { tidy: { schedule: 'every 1h', prompt: 'Tidy up' } },
    bad: { other: { schedule: 'soon', prompt: 'Tidy up' } },
  },
  'approvals.tools': { good: { mail: 'deny', shell: 'ask' }, bad: { other: 'never' } },
  'budgets.caps': {
    good: { daily: { scope: 'all', per: 'day', usd: 5 } },
    bad: { other: { scope: 'all', per: 'year', usd: 5 } },
  },
  'skill_resume.per_skill': { good: { report: 'skip' }, bad: { other: 'no' } },
  'gateway.fallback': { good: { main: ['spare/m'] }, bad: { other: ['no model'] } },
  'hosts.addresses': { good: { box: 'ssh://me@box' }, bad: { other: 'box' } },
  'breakers.per_dependency': {
    good: { 'mcp:mail': { failure_threshold: 2 } },
    bad: { other: 'no' },
  },
};

describe('S0-02 a map of the settings with one entry that cannot be used', () => {
  it('has a case here for every map that there is', () => {
    expect(Object.keys(MAPS).sort()).toEqual(SETTING_KEYS.filter(isMap).sort());
  });

  it.each(Object.entries(MAPS))('%s keeps the others, in every order', (key, { good, bad }) => {
    const [name = ''] = Object.keys(bad);
    for (const value of [
      { ...good, ...bad },
      { ...bad, ...good },
    ]) {
      const sifted = siftValue(key as SettingKey, value);
      expect(sifted).toMatchObject({ kind: 'usable', value: good });
      if (sifted.kind !== 'usable') throw new Error(sifted.sentence);
      expect(Object.keys(sifted.value as object).sort()).toEqual(Object.keys(good).sort());
      expect(sifted.bad.map((one) => one.name)).toEqual([name]);
      expect(sifted.bad[0]?.sentence).toContain(name);
    }
  });

  it.each(Object.keys(MAPS))('%s is wrong as a whole where it is no map', (key) => {
    for (const value of [[], 'a', 3, null])
      expect(siftValue(key as SettingKey, value).kind).toBe('unusable');
  });
});

const claim = (text: string): Claim => {
  const [kind, name = ''] = text.split(' ');
  return { key: kind === 'agent' ? 'agents' : 'mcp.servers', name, host: name };
};

describe('S3-06 security F2 names that would be taken for one another', () => {
  it.each<[string, string[], string[], string[]]>([
    [
      'neither gets the name that neither has',
      ['server mail', 'server Mail'],
      [],
      ['mail', 'Mail'],
    ],
    ['in whichever order', ['server Mail', 'server mail'], [], ['Mail', 'mail']],
    ['the one that has it keeps it', ['server Mail', 'server mail'], ['server mail'], ['Mail']],
    ['also against a server', ['server mail', 'agent mail'], ['agent mail'], ['mail']],
    ['also against an agent', ['server m1', 'agent ml'], ['server m1'], ['ml']],
    [
      'of three, those that came later',
      ['server a0', 'server ao', 'server aO'],
      ['server ao'],
      ['a0', 'aO'],
    ],
    [
      'both where both had it',
      ['server mail', 'agent mail'],
      ['server mail', 'agent mail'],
      ['mail', 'mail'],
    ],
    [
      'nobody keeps by another sort of name',
      ['server mail', 'server Mail'],
      ['agent mail'],
      ['mail', 'Mail'],
    ],
    [
      'the others are left alone',
      ['server mail', 'server Mail', 'server fs', 'agent x'],
      [],
      ['mail', 'Mail'],
    ],
    ['nothing where nothing is alike', ['server mail', 'agent mails'], [], []],
  ])('%s', (_title, claims, established, refused) => {
    const names = refusedNames(claims.map(claim), established.map(claim));
    expect(names.map(({ name }) => name)).toEqual(refused);
    for (const { sentence } of names)
      expect(sentence).toMatch(/mistaken for .*Rename (it|one of them)$/);
  });
});
