import { describe, expect, it } from 'vitest';
import { SETTINGS } from '../../../shared/settings';
import { modelFallbacksOf } from '../../../shared/settings/agents';

const own = (fallback: unknown) => ({ provider: 'main', model: 'big', workspace: '/w', fallback });
const acp = (fallback?: unknown) => ({
  executor: 'acp',
  command: 'a',
  workspace: '/w',
  ...(fallback === undefined ? {} : { fallback }),
});
const refusal = (agents: unknown): string =>
  SETTINGS.agents.schema
    .safeParse(agents)
    .error?.issues.map(({ message }) => message)
    .join(' ') ?? '';

describe('FB-01 agents.NAME.fallback', () => {
  it('takes provider/model in one text, with slashes in the model, or in two fields', () => {
    expect(
      modelFallbacksOf({
        ...own(undefined),
        fallback: ['second/big', 'router/vendor/model:free', { provider: 'third', model: 'x y' }],
      }),
    ).toEqual([
      { provider: 'second', model: 'big' },
      { provider: 'router', model: 'vendor/model:free' },
      { provider: 'third', model: 'x y' },
    ]);
    expect(refusal({ a: own(['second/big']), b: acp(['c']), c: acp() })).toBe('');
  });

  it.each<[string, unknown, string]>([
    ['no slash', { a: own(['second']) }, 'name a provider and a model'],
    ['its own provider', { a: own(['main/small']) }, 'use the provider "main" twice'],
    ['one provider twice', { a: own(['b/x', 'b/y']) }, 'use the provider "b" twice'],
    ['itself', { a: acp(['a']) }, '"a" cannot fall back to itself'],
    ['no agent', { a: acp(['b']) }, '"b", which is not one of your agents'],
    ['twice', { a: acp(['b', 'b']), b: acp() }, 'name "b" twice'],
    ['a built-in agent', { a: acp(['b']), b: own(undefined) }, 'is not an ACP agent'],
    ['a list of a command line', { a: { ...acp(['b']), executor: 'command' } }, ''],
  ])('refuses %s', (_name, agents, sentence) => {
    const said = refusal(agents);
    expect(said).not.toBe('');
    expect(said).toContain(sentence);
  });
});
