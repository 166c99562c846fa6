import { describe, expect, it } from 'vitest';
import { createIsUsable } from '../../../electron/engine/fallback/is-usable';
import type { ProviderView } from '../../../shared/types';

const view = (kind: ProviderView['kind'], key: Partial<ProviderView['key']>): ProviderView =>
  ({ kind, key: { present: false, ...key } }) as ProviderView;

const PROVIDERS: Readonly<Record<string, ProviderView>> = {
  keyed: view('anthropic', { present: true }),
  keyless: view('anthropic', {}),
  local: view('openai-compatible', {}),
  unreadable: view('openai-compatible', { present: true, problem: 'It cannot be read.' }),
};

const isUsable = createIsUsable({
  acpOf: (name) => (name === 'nobody' ? undefined : { workspace: `/work/${name}` }),
  folders: { usable: (folder) => (folder.endsWith('homeless') ? undefined : folder) },
  describe: (name) => Promise.resolve(PROVIDERS[name]),
  extraProviders: ['practice'],
});

describe('whether a fallback can answer', () => {
  it.each([
    ['a provider with its key', { provider: 'keyed' }, true],
    ['a provider without its key', { provider: 'keyless' }, false],
    ['a server that may need no key', { provider: 'local' }, true],
    ['a provider whose key cannot be read', { provider: 'unreadable' }, false],
    ['a provider that the settings no longer name', { provider: 'gone' }, false],
    ['the practice provider', { provider: 'practice' }, true],
    ['an external agent with its folder', { provider: 'acp', agent: 'codex' }, true],
    ['an external agent whose folder is missing', { provider: 'acp', agent: 'homeless' }, false],
    ['an external agent that is gone', { provider: 'acp', agent: 'nobody' }, false],
  ])('FB-01 %s: %#', async (_what, candidate, expected) => {
    expect(await isUsable(candidate)).toBe(expected);
  });
});
