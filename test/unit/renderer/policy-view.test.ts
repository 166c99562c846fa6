import { describe, expect, it } from 'vitest';
import { policyOf, withPolicy } from '../../../renderer/agents/policy-select';
import type { ConfigEntry, ToolView } from '../../../shared/types';

const tool = (name: string, host: string, purity: ToolView['purity']): ToolView => ({
  name,
  host,
  purity,
  about: '',
  isListed: false,
  listedAs: [],
  afterCrash: 'run_again',
  isProposed: false,
});
const entries = (rules: Record<string, string>, mode = 'risky'): readonly ConfigEntry[] =>
  [
    { key: 'approvals.mode', value: mode },
    { key: 'approvals.tools', value: rules },
  ] as never;
const send = tool('send', 'mail', 'external');

describe('what a tool may do', () => {
  it.each([
    ['a read runs', tool('read_file', 'files', 'world'), {}, 'risky', undefined, 'runs'],
    ['an effect asks where it is risky', send, {}, 'risky', undefined, 'risky'],
    ['an effect asks always', send, {}, 'all_effects', undefined, 'changes'],
    ['with approvals off it runs', send, {}, 'off', undefined, 'runs'],
    ['a rule for the host', send, { 'mail.*': 'deny' }, 'risky', 'deny', 'risky'],
    ['the narrower rule wins', send, { 'mail.*': 'deny', send: 'ask' }, 'risky', 'ask', 'risky'],
    ['a rule that is none', send, { send: 'perhaps' }, 'risky', undefined, 'risky'],
  ] as const)('S3-06 %s', (_title, one, rules, mode, rule, byMode) => {
    expect(policyOf(one, entries(rules, mode))).toMatchObject({ rule, byMode });
  });

  it('S3-06 changes the rule that holds, beside the one of its host, and takes its own back', () => {
    expect(withPolicy(send, entries({ send: 'ask', a: 'deny' }), 'allow')).toEqual({
      send: 'allow',
      a: 'deny',
    });
    expect(withPolicy(send, entries({ 'mail.*': 'deny' }), 'ask')).toEqual({
      'mail.*': 'deny',
      'mail.send': 'ask',
    });
    expect(withPolicy(send, entries({ 'mail.send': 'ask', x: 'ask' }), undefined)).toEqual({
      x: 'ask',
    });
  });
});
