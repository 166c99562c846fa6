import { describe, expect, it } from 'vitest';
import {
  grantOf,
  judgeCall,
  type ApprovalRules,
  type CallFacts,
} from '../../../electron/engine/permissions/judge-call';

const risky = { isRisky: true, reason: 'It publishes.', covers: 'git push' };
const call = (over: Partial<CallFacts> = {}): CallFacts => ({
  tool: 'shell.shell',
  purity: 'side_effect',
  hasEffects: true,
  risk: undefined,
  ...over,
});
const rules = (over: Partial<ApprovalRules> = {}): ApprovalRules => ({
  mode: 'risky',
  tools: {},
  ...over,
});
const none = new Set<string>();

describe('leave to make a call', () => {
  it.each([
    ['an effect that is not risky', call(), rules(), none, 'allow default'],
    ['a risky call', call({ risk: risky }), rules(), none, 'ask'],
    [
      'a risky call where nobody is asked',
      call({ risk: risky }),
      rules({ mode: 'off' }),
      none,
      'allow default',
    ],
    ['any effect where all effects are asked', call(), rules({ mode: 'all_effects' }), none, 'ask'],
    [
      'a read where all effects are asked',
      call({ purity: 'world' }),
      rules({ mode: 'all_effects' }),
      none,
      'allow default',
    ],
    [
      'a call known to change nothing',
      call({ hasEffects: false }),
      rules({ mode: 'all_effects' }),
      none,
      'allow default',
    ],
    [
      'a tool that is marked',
      call({ tool: 'mail.send' }),
      rules({ tools: { send: 'ask' } }),
      none,
      'ask',
    ],
    [
      'a marked tool by its full name',
      call({ tool: 'mail.send' }),
      rules({ tools: { 'mail.send': 'ask' } }),
      none,
      'ask',
    ],
    [
      'a marked host',
      call({ tool: 'mail.send' }),
      rules({ tools: { 'mail.*': 'ask' } }),
      none,
      'ask',
    ],
    [
      'the narrower of two rules',
      call({ tool: 'mail.send' }),
      rules({ tools: { 'mail.*': 'deny', send: 'allow' } }),
      none,
      'allow rule',
    ],
    [
      'a rule for effects only, with effects',
      call(),
      rules({ tools: { 'shell:effects': 'ask', shell: 'allow' } }),
      none,
      'ask',
    ],
    [
      'a rule for effects only, without',
      call({ hasEffects: false }),
      rules({ tools: { 'shell:effects': 'ask' } }),
      none,
      'allow default',
    ],
    [
      'a rule that allows what is risky',
      call({ risk: risky }),
      rules({ tools: { shell: 'allow' } }),
      none,
      'allow rule',
    ],
    [
      'leave for the session',
      call({ risk: risky }),
      rules({ tools: { shell: 'ask' } }),
      new Set(['shell.shell git push']),
      'allow session',
    ],
    [
      'leave for another command',
      call({ risk: risky }),
      rules(),
      new Set(['shell.shell git fetch']),
      'ask',
    ],
    [
      'a rule for one kind of command',
      call({ risk: risky }),
      rules({ tools: { 'shell.shell git push': 'allow', shell: 'ask' } }),
      none,
      'allow rule',
    ],
    [
      'another kind of command than the rule says',
      call({ risk: { ...risky, covers: 'rm' } }),
      rules({ tools: { 'shell.shell git push': 'allow' } }),
      none,
      'ask',
    ],
    [
      'a rule that denies, against leave for the session',
      call(),
      rules({ tools: { shell: 'deny' } }),
      new Set(['shell.shell']),
      'deny',
    ],
    [
      'a tool named like a built-in property',
      call({ tool: 'x.constructor' }),
      rules(),
      none,
      'allow default',
    ],
  ] as const)('S3-06 %s', (_what, facts, given, grants, expected) => {
    const verdict = judgeCall(facts, given, (what) => (grants as ReadonlySet<string>).has(what));
    expect('by' in verdict ? `${verdict.kind} ${verdict.by}` : verdict.kind).toBe(expected);
    if (verdict.kind !== 'allow') expect(verdict.reason).toMatch(/^[A-Z].*\.$/);
  });

  it('S3-06 leave for a session covers what the risk names, else the whole tool', () => {
    expect(grantOf(call({ risk: risky }))).toBe('shell.shell git push');
    expect(grantOf(call({ tool: 'mail.send' }))).toBe('mail.send');
  });

  it('S3-06 F3 leave for a push is for the address that it goes to, where that is known', () => {
    const to = (goesTo: string | undefined) => call({ risk: risky, goesTo });
    const verdict = (goesTo: string | undefined, ...grants: readonly string[]) =>
      judgeCall(to(goesTo), rules(), (what) => grants.includes(what));
    expect(grantOf(to('good.git'))).toBe('shell.shell git push to good.git');
    expect(grantOf(to(undefined))).toBe('shell.shell git push');
    const good = grantOf(to('good.git'));
    expect(verdict('good.git', good)).toEqual({ kind: 'allow', by: 'session', isBound: true });
    expect(verdict('evil.git', good).kind).toBe('ask');
    expect(verdict(undefined, good).kind).toBe('ask');
    // Leave that was given for wherever it leads is not bound to one place.
    expect(verdict('good.git', grantOf(to(undefined)))).toEqual({ kind: 'allow', by: 'session' });
    const ruled = (tools: ApprovalRules['tools'], goesTo: string) =>
      judgeCall(to(goesTo), rules({ tools }), () => false);
    expect(ruled({ [good]: 'allow' }, 'good.git')).toEqual({
      kind: 'allow',
      by: 'rule',
      isBound: true,
    });
    expect(ruled({ [good]: 'allow' }, 'evil.git').kind).toBe('ask');
    expect(ruled({ [good]: 'deny', 'shell.shell git push': 'allow' }, 'good.git').kind).toBe(
      'deny',
    );
    // An address that is named with a tool that has no part is no part of it.
    expect(grantOf(call({ goesTo: 'good.git' }))).toBe('shell.shell');
  });
});
