import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { specsOf } from '../../../electron/adapters/mcp/tool-specs';
import { claimsOf, refusedNames } from '../../../electron/adapters/config/clashing-names';
import { mayBeTools, toolOf, riskOfCall } from '../../../electron/engine/executors/acp/facts';
import { claudeCall } from '../../../electron/engine/executors/command/call';
import { createToolRegistry } from '../../../electron/engine/turns/tool-registry';
import { isListed } from '../../../electron/engine/journal/side-effect-list';
import {
  grantOf,
  judgeCall,
  type CallFacts,
} from '../../../electron/engine/permissions/judge-call';
import type { ToolHost } from '../../../electron/ports/tools';
import { policyOf, withPolicy } from '../../../renderer/agents/policy-select';
import type { ToolView } from '../../../shared/types';
import { SETTINGS } from '../../../shared/settings';
import { mcpServers } from '../../../shared/settings/mcp';
import { effectQuestion } from '../../../shared/tool-words';
import { plainName, qualifiedName } from '../../../shared/tool-id';

const risk = { isRisky: true, reason: 'Its server says so.', covers: '' };
const facts = (tool: string, over: Partial<CallFacts> = {}): CallFacts => ({
  tool,
  purity: 'external',
  hasEffects: true,
  risk,
  ...over,
});
const verdict = (
  call: CallFacts,
  tools: Readonly<Record<string, 'allow' | 'ask' | 'deny'>>,
  grants: readonly string[] = [],
): string => judgeCall(call, { mode: 'risky', tools }, (what) => grants.includes(what)).kind;

/** As the registry names the tools of a real list. */
const served = (server: string, ...names: readonly string[]): readonly string[] => {
  const tools = names.map((name) => ({ name, inputSchema: { type: 'object' } }));
  const host: ToolHost = {
    name: server,
    isExtension: true,
    tools: () => list,
    call: () => Promise.reject(new Error('never')),
  };
  const list = specsOf(server, tools, {}, 1);
  const registry = createToolRegistry([host]);
  return list.map((spec) => registry.find(spec.offeredAs ?? '')?.qualified ?? '');
};

const anyServer = fc.stringMatching(/^[a-z][a-z0-9-]{0,6}$/);
/** Names made of what rules are made of, of look-alikes, and of anything. */
const anyName = fc.oneof(
  fc
    .array(
      fc.constantFrom(
        ...['mail', 'send', 'shell', 'a', '.', ':', ':effects', '*', ' ', ' git push', '/', '_'],
        ...['ѕhell', 'ｓend', '\u200b', '\u202e', 'SEND', 'é', 'e\u0301', 'u{', '}', '455'],
      ),
      { minLength: 1, maxLength: 5 },
    )
    .map((parts) => parts.join('')),
  fc.string({ minLength: 1, maxLength: 12, unit: 'grapheme' }),
);

describe('S3-06 S0-13 security F2 a rule is for one tool', () => {
  it('two tools of any names never have the same identity, and none is what a rule is made of', () => {
    fc.assert(
      fc.property(anyServer, anyName, anyServer, anyName, (one, first, other, second) => {
        fc.pre(one !== other || first !== second);
        const ids = [qualifiedName(one, first), qualifiedName(other, second)];
        expect(ids[0]).not.toBe(ids[1]);
        for (const id of ids) expect(id).toMatch(/^[a-z0-9-]+\.[\w./{}-]+$/);
      }),
      { numRuns: 1_000 },
    );
  });

  it('a rule or leave for one tool never changes what happens to another, whatever their names', () => {
    const rule = fc.constantFrom('allow', 'ask', 'deny' as const);
    fc.assert(
      fc.property(
        anyServer,
        anyName,
        anyServer,
        anyName,
        rule,
        (one, first, other, second, does) => {
          fc.pre(one !== other || first !== second);
          const [a, b] = [facts(qualifiedName(one, first)), facts(qualifiedName(other, second))];
          expect(verdict(b, { [a.tool]: does })).toBe('ask');
          expect(verdict(b, { [`${a.tool}:effects`]: does })).toBe('ask');
          expect(verdict(b, { [grantOf(a)]: does })).toBe('ask');
          expect(verdict(b, {}, [grantOf(a)])).toBe('ask');
          const push = { ...a, risk: { ...risk, covers: 'git push' } };
          expect(verdict(b, { [grantOf(push)]: does }, [grantOf(push)])).toBe('ask');
          if (one !== other) expect(verdict(b, { [`${one}.*`]: does })).toBe('ask');
          expect(isListed(b.tool, true, [a.tool, `${a.tool}:effects`])).toBe(false);
          // And each is for its own.
          expect(verdict(a, { [a.tool]: does })).toBe(does);
          expect(verdict(a, {}, [grantOf(a)])).toBe('allow');
          expect(isListed(a.tool, true, [a.tool])).toBe(true);
        },
      ),
      { numRuns: 1_000 },
    );
  });

  it.each([
    ['mail.send', 'mail.send'],
    ['shell.shell', 'shell.shell'],
    ['files.write_file', 'files.write_file'],
    ['mail.send:effects', 'mail.send'],
    ['*', 'evil.*'],
    ['send:effects', 'evil.send'],
    ['shell git push', 'evil.shell'],
    ['ѕhell', 'shell'],
    ['she\u200bll', 'shell'],
    ['ｓｈｅｌｌ', 'shell'],
    ['SHELL', 'shell'],
    ['shell', 'shell'],
    ['write_file', 'write_file'],
    ['web_fetch', 'web_fetch:effects'],
    ['mail.send', 'mail.*'],
  ])('a server with a tool "%s" does not get what a rule for "%s" allows', (tool, rule) => {
    const [id] = served('evil', tool);
    expect(id).toBeDefined();
    // The rule of `evil.*` is that of the server itself: a tool named so is not meant by its own.
    const rules = rule === 'evil.*' ? {} : ({ [rule]: 'allow' } as const);
    expect(verdict(facts(id ?? ''), rules, [rule])).toBe('ask');
  });

  it('leave for a tool that is called "*" is no leave for its server', () => {
    const [star = '', other = ''] = served('evil', '*', 'wipe');
    const always = grantOf(facts(star));
    expect(verdict(facts(star), { [always]: 'allow' })).toBe('allow');
    expect(verdict(facts(other), { [always]: 'allow' })).toBe('ask');
  });

  it.each([
    ['send', 'mail.send', 'allow'],
    ['mail.send', 'mail.send', 'allow'],
    ['mail.*', 'mail.a.b', 'allow'],
    ['mail.a.b', 'mail.a.b', 'allow'],
    ['shell', 'shell.shell', 'allow'],
    ['shell', 'claude.shell', 'allow'],
    ['write_file', 'files.write_file', 'allow'],
  ] as const)('an ordinary rule for %s still is one for %s', (rule, tool, expected) => {
    expect(verdict(facts(tool), { [rule]: 'allow' })).toBe(expected);
  });

  it('a plain name that forbids or asks counts for every tool that has it', () => {
    for (const tool of ['shell.shell', 'claude.shell', 'evil.shell'])
      expect(verdict(facts(tool), { shell: 'deny' })).toBe('deny');
  });

  it('is called by its full name where its own would be the full name of another', () => {
    for (const tool of ['evil.mail.send', 'evil.shell.shell', 'evil.files.write_file']) {
      expect(plainName(tool)).toBe(tool);
    }
    expect(effectQuestion('evil.mail.frobnicate')).toBe('Did evil.mail.frobnicate happen?');
    expect([plainName('mail.send'), plainName('model')]).toEqual(['send', 'model']);
  });

  it('a rule in other letters than those of the identity still is one for its tool', () => {
    const [id = ''] = served('mail', '发送');
    expect(id).toBe('mail.u{53d1}u{9001}');
    expect(verdict(facts(id), { 'mail.发送': 'deny' })).toBe('deny');
    expect(isListed(id, true, ['发送'])).toBe(true);
  });
});

describe('S3-06 security F2 tools that agents of other programs report', () => {
  it.each([
    ['evil__shell', 'gemini.tool/shell'],
    ['evil/edit', 'gemini.tool/edit'],
    ['evil__prompt', 'gemini.tool/prompt'],
    ['evil__send', 'gemini.send'],
  ])('a tool "%s" is not what the agent does by itself', (title, expected) => {
    const tool = toolOf('gemini', { kind: 'other', name: undefined, title });
    expect(tool).toBe(expected);
    const call = facts(tool, { isOfAgent: true });
    for (const rule of ['shell', 'gemini.shell', 'gemini.edit', 'write_file', 'mail.send'])
      expect(verdict(call, { [rule]: 'allow' })).toBe('ask');
  });

  it('leave for the tool of one of its servers is none for that of another', () => {
    const grant = (title: string): string => {
      const call = { kind: 'other', name: undefined, title, input: undefined } as const;
      const harmless = { isRisky: false, reason: '', covers: '' };
      return grantOf({
        tool: toolOf('x', call),
        risk: riskOfCall({ ...call, files: [] }, () => harmless, '/w'),
      });
    };
    expect(grant('mcp__a__send')).toBe('x.send of mcp/a');
    expect(grant('mcp__b__send')).toBe('x.send of mcp/b');
    const rules = { 'x.send of mcp/a': 'allow', 'x.send': 'ask' } as const;
    const called = (title: string) =>
      facts(grant(title).split(' ')[0] ?? '', {
        risk: { ...risk, covers: grant(title).replace(/^\S+ /, '') },
      });
    expect(verdict(called('mcp__a__send'), rules)).toBe('allow');
    expect(verdict(called('mcp__b__send'), rules)).toBe('ask');
    expect(verdict(called('mcp__b__send'), { 'x.send': 'allow' })).toBe('allow');
  });

  it.each(['shell', 'files', 'work', 'custom', 'command', 'Holdfast'])(
    'an agent called "%s" has its tools under another name than those of Holdfast',
    (agent) => {
      const tool = toolOf(agent, { kind: 'execute', name: undefined, title: 'ls' });
      expect(tool).toBe(`${agent}_agent.shell`);
    },
  );

  it.each([
    ['mcp__shell__shell', 'claude.mcp__shell__shell'],
    ['mcp__Files__write_file', 'claude.mcp__Files__write_file'],
    ['mcp__custom__x', 'claude.mcp__custom__x'],
    ['mcp__claude__shell', 'claude.mcp__claude__shell'],
    ['mcp__a.b__c', 'claude.mcp__a.b__c'],
    ['shell', 'claude.tool/shell'],
    ['Bash', 'claude.shell'],
    ['mcp__mail__send', 'mail.send'],
    ['mcp__evil__mail.send', 'evil.mail.send'],
    ['mcp__mail__evil__wipe', 'claude.mcp__mail__evil__wipe'],
    ['mcp__mail___wipe', 'claude.mcp__mail___wipe'],
    ['mcp__kimi__shell', 'claude.mcp__kimi__shell'],
    ['mcp__Kimi__shell', 'claude.mcp__Kimi__shell'],
    ['mcp__mail__send_it', 'mail.send_it'],
  ])('a tool "%s" of Claude Code is %s', (tool, expected) => {
    const harmless = { isRisky: false, reason: '', covers: '' };
    const shell = { hasEffects: () => true, riskOf: () => harmless, refusedIn: () => undefined };
    expect(claudeCall(tool, {}, { workspace: '/w', shell, agentHosts: ['kimi'] })?.tool).toBe(
      expected,
    );
  });
});

describe('S3-06 security F2 a name that may be the tool of either of two servers', () => {
  const shell = { hasEffects: () => true, riskOf: () => risk, refusedIn: () => undefined };
  const called = (name: string) =>
    claudeCall(name, {}, { workspace: '/w', shell, agentHosts: [] }) ?? facts('');
  const reported = (name: string): CallFacts => {
    const call = { kind: 'other', name, title: '' } as const;
    const mayBe = mayBeTools('gemini', call);
    return facts(toolOf('gemini', call), { isOfAgent: true, mayBe });
  };
  it.each([
    ['mail.*', called('mcp__mail__evil__wipe')],
    ['mail.evil__wipe', called('mcp__mail__evil__wipe')],
    ['mail__evil.*', called('mcp__mail__evil__wipe')],
    ['wipe', called('mcp__mail__evil__wipe')],
    ['gemini.wipe', reported('mcp__mail__evil__wipe')],
    ['wipe', reported('mail/evil__wipe')],
    ['wipe', reported('mail/evil/wipe')],
  ])('gets nothing that "%s" allows, and everything that it forbids (%#)', (rule, call) => {
    expect(verdict(call, { [rule]: 'allow' })).toBe('ask');
    expect(verdict(call, { [rule]: 'deny' })).toBe('deny');
    expect(verdict(call, { [call.tool]: 'allow' })).toBe('allow');
  });
});

describe('S3-06 security F2 names of servers', () => {
  const server = { command: 'x' };
  const problem = (...names: readonly string[]): string | undefined =>
    mcpServers()
      .safeParse(Object.fromEntries(names.map((one) => [one, server])))
      .error?.issues.map((issue) =>
        issue.code === 'invalid_key' ? (issue.issues[0]?.message ?? '') : issue.message,
      )
      .join();

  it.each([
    ...['shell', 'Shell', 'SHELL', 'shell ', ' shell', 'she\u200bll', 'ѕhell', 'ｓhell', 'sheIl'],
    ...['she11', 'shell-', 'files', 'fiIes', 'fetch', 'browser', 'br0wser', 'schedule', 'work'],
    ...['holdfast', 'Holdfast', 'hold-fast', 'drafts', 'custom', 'command', 'claude', 'skill'],
    ...['ꜱhell', 'shéll', 'ſhell', '\u202eshell', 'ѕһеӏӏ'],
  ])('"%s" is refused, with what is safe and what to do', (name) => {
    const said = problem(name) ?? '';
    if (/^[\x20-\x7e]+$/.test(name)) {
      expect(said).toMatch(/^it would be mistaken for "\w+"/);
      expect(said).toMatch(/none of its tools can run\. Rename the server/);
    } else expect(said).not.toBe('');
  });

  it.each([
    ['mail', 'Mail'],
    ['db0', 'dbO'],
  ])('"%s" and "%s" would be mistaken for each other', (one, other) => {
    expect(problem(one, other)).toMatch(/mistaken for each other.*Rename one of them/);
  });

  it('ordinary names are taken', () => {
    const names = ['mail', 'fs', 'github', 'filesystem', 'web-fetch', 'shell-tools', 'a_b', 'a-b'];
    expect(problem(...names)).toBeUndefined();
  });

  it('a server and an agent of another program may not share the names of their tools', () => {
    const refused = (agents: object, servers: object) =>
      refusedNames(
        claimsOf((key) => (key === 'agents' ? agents : servers)),
        [],
      );
    const acp = { executor: 'acp', command: 'x', workspace: '/w' };
    const own = { provider: 'p', model: 'm', workspace: '/w' };
    const both = refused({ gemini: acp }, { Gemini: server });
    expect(both.map(({ key, name }) => [key, name])).toEqual([
      ['mcp.servers', 'Gemini'],
      ['agents', 'gemini'],
    ]);
    expect(both[0]?.sentence).toMatch(/the MCP server "Gemini".*the agent "gemini".*Rename/);
    expect(refused({ mail: own }, { mail: server })).toEqual([]);
    expect(SETTINGS.agents.schema.safeParse({ 'a.b': acp, a_b: acp }).success).toBe(false);
    expect(SETTINGS.agents.schema.safeParse({ 'a.b': acp, ab: acp }).success).toBe(true);
  });
});

describe('S3-06 security F2 rules that are made in the window', () => {
  const view = (tool: string, host: string) =>
    ({
      name: tool,
      host,
      purity: 'external',
      about: '',
      isListed: false,
      listedAs: [],
      afterCrash: 'run_again',
      isProposed: false,
    }) satisfies ToolView;
  const entries = (rules: object) => [{ key: 'approvals.tools', value: rules }] as never;

  it('show and change what the engine goes by', () => {
    const evil = view('evil.mail.send', 'evil');
    expect(policyOf(evil, entries({ 'mail.send': 'allow', send: 'allow' })).rule).toBeUndefined();
    expect(policyOf(view('evil.shell', 'evil'), entries({ shell: 'allow' })).rule).toBeUndefined();
    expect(policyOf(view('shell', 'shell'), entries({ shell: 'allow' })).rule).toBe('allow');
    expect(withPolicy(evil, entries({}), 'allow')).toEqual({ 'evil.mail.send': 'allow' });
    // A rule for all that have this name is not widened by a choice for one of them.
    expect(withPolicy(view('evil.send', 'evil'), entries({ send: 'ask' }), 'allow')).toEqual({
      send: 'ask',
      'evil.send': 'allow',
    });
  });
});
