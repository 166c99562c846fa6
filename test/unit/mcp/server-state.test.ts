import { describe, expect, it } from 'vitest';
import { planStart, waitsOf } from '../../../electron/adapters/mcp/server-state';
import type { McpServerSettings } from '../../../shared/settings/mcp';

const world = (variables: Record<string, string>, programs: readonly string[]) => ({
  variable: (name: string) => variables[name],
  hasProgram: (name: string) => programs.includes(name),
});

describe('whether a server can be started', () => {
  it.each<[string, McpServerSettings, Record<string, string>, string]>([
    ['an unset variable', { command: 'node', requires: { env: ['FOO'] } }, {}, 'FOO is not set.'],
    [
      'an empty one',
      { command: 'node', requires: { env: ['FOO'] } },
      { FOO: '' },
      'FOO is not set.',
    ],
    [
      'an unset header',
      { url: 'https://a.example', headers_env: { Auth: 'FOO' } },
      {},
      'FOO is not set.',
    ],
    [
      'a missing program',
      { command: 'node', requires: { bins: ['git'] } },
      {},
      'The program git was not found.',
    ],
    ['its own program', { command: 'nope' }, {}, 'The program nope was not found.'],
    [
      'all at once',
      { command: 'nope', requires: { env: ['FOO', 'BAR'] } },
      {},
      'FOO is not set. BAR is not set. The program nope was not found.',
    ],
  ])('S2-52 skips a server for %s and says so', (_what, spec, variables, reason) => {
    expect(planStart(spec, world(variables, ['node']))).toEqual({ kind: 'skipped', reason });
  });

  it('S2-52 starts it where all is there, also where the settings give the value', () => {
    const requires = { env: ['FOO'], bins: ['git'] };
    const here = world({ FOO: 'x' }, ['node', 'git']);
    expect(planStart({ command: 'node', requires }, here)).toEqual({ kind: 'starting' });
    const own = { command: 'node', env: { FOO: 'y' }, requires: { env: ['FOO'] } };
    expect(planStart(own, world({}, ['node']))).toEqual({ kind: 'starting' });
  });

  it('a server that is switched off is not looked at any further', () => {
    expect(planStart({ command: 'nope', enabled: false }, world({}, []))).toEqual({
      kind: 'disabled',
    });
  });
});

describe('how long a server is waited for', () => {
  it('S2-19 10 s for its handshake, 30 s for a call, 1 h where it reports progress, and 3 s for its end at default; as set where it is set', () => {
    expect(waitsOf({ command: 'node' })).toEqual({
      handshakeMs: 10_000,
      callMs: 30_000,
      totalMs: 3_600_000,
      stopMs: 3_000,
    });
    const set = { command: 'node', handshake_timeout: '2s', call_timeout: '5m' };
    expect(waitsOf(set)).toEqual({
      handshakeMs: 2_000,
      callMs: 300_000,
      totalMs: 36_000_000,
      stopMs: 3_000,
    });
  });
});
