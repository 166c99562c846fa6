import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createMessageBudget } from '../../../electron/adapters/mcp/message-budget';
import { offeredName, serverOfOffered } from '../../../electron/adapters/mcp/tool-names';
import { contentText, outcomeOf } from '../../../electron/adapters/mcp/tool-outcome';
import {
  classOf,
  hintOfArguments,
  leftOutText,
  readTool,
  specsOf,
} from '../../../electron/adapters/mcp/tool-specs';
import { policyOf } from '../recovery/step-rows';
import { createToolRegistry } from '../../../electron/engine/turns/tool-registry';
import type { ToolHost, ToolSpec } from '../../../electron/ports/tools';
import { mcpServers } from '../../../shared/settings/mcp';
import { anyCharacter } from '../../helpers/any-text';

const deep = JSON.parse(`${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`) as unknown;

describe('what hints of a server mean', () => {
  it.each([
    [undefined, undefined, undefined, false, false],
    [{}, undefined, undefined, false, false],
    [{ readOnlyHint: true }, undefined, 'world', false, false],
    [{ readOnlyHint: true, openWorldHint: false }, undefined, 'world', false, false],
    [{ readOnlyHint: true, openWorldHint: true }, undefined, 'world', false, false],
    [{ readOnlyHint: false }, undefined, 'external', false, false],
    [{ idempotentHint: true }, undefined, 'external', true, false],
    [{ destructiveHint: true }, undefined, 'external', false, true],
    [{ openWorldHint: true }, undefined, 'external', false, true],
    [{ idempotentHint: true, destructiveHint: true }, undefined, 'external', true, true],
    [{ readOnlyHint: true }, 'side_effect', 'side_effect', false, false],
    [{ idempotentHint: true, destructiveHint: true }, 'external', 'external', false, true],
    [{ destructiveHint: true }, 'world', 'world', false, false],
    [undefined, 'pure', 'pure', false, false],
  ] as const)(
    'S4-32 %j with the own word %s is %s (idempotent %s, proposed %s)',
    (hints, own, purity, isIdempotent, isProposedForGate) => {
      const classed = classOf(hints, own);
      expect(classed.purity).toBe(purity);
      expect(classed.isIdempotent).toBe(isIdempotent);
      expect(classed.isProposedForGate).toBe(isProposedForGate);
    },
  );

  it('S4-32 a tool without hints counts as a side effect in the registry', () => {
    const specs = specsOf('mail', [{ name: 'send', inputSchema: { type: 'object' } }], {}, 30_000);
    const registry = createToolRegistry([hostOf('mail', specs)]);
    expect(registry.find('mail__send')?.purity).toBe('side_effect');
  });

  it('leaves out a tool that comes twice, has no name, or a schema that nobody can send', () => {
    const inputSchema = { type: 'object' };
    const huge = { type: 'object', description: 'x'.repeat(300_000) };
    const tools = [
      { name: 'a', inputSchema },
      { name: 'a', inputSchema },
      { name: '', inputSchema },
      { name: 'b', inputSchema: huge },
    ];
    expect(specsOf('s', tools, {}, 1).map((spec) => spec.name)).toEqual(['a']);
  });

  it.each([
    ['no name', { inputSchema: {} }],
    ['a number as its name', { name: 7, inputSchema: {} }],
    ['arguments that are a list', { name: 'a', inputSchema: { type: 'array' } }],
    ['a text as the schema', { name: 'a', inputSchema: 'none' }],
    ['a schema of 100,000 levels', { name: 'a', inputSchema: deep }],
    ['nothing at all', null],
  ])('S2-19 a tool with %s cannot be used, and is left out', (_what, raw) => {
    expect(readTool(raw)).toBeUndefined();
  });

  it.each([
    ['no schema', {}],
    ['a schema without a type', { inputSchema: { properties: {} } }],
    ['an odd description and odd hints', { description: 7, annotations: { readOnlyHint: 'yes' } }],
  ])('S2-19 a tool with %s is used, as a side effect', (_what, raw) => {
    const tool = readTool({ name: 'a', ...raw })!;
    expect(tool).toMatchObject({ name: 'a', inputSchema: { type: 'object' } });
    expect(specsOf('s', [tool], {}, 1)).toHaveLength(1);
    expect(specsOf('s', [tool], {}, 1)[0]).not.toHaveProperty('purity');
  });

  it('S2-19 says how many are left out, and nothing where none is', () => {
    expect(leftOutText(['a'], 1)).toBeUndefined();
    expect(leftOutText(['a', 'b'], 1)).toMatch(
      /^1 of its 2 tools is left out: .*at most 300 count/,
    );
  });

  it('asks about a tool that says it destroys, and about no other', () => {
    const inputSchema = { type: 'object' };
    const [wipe, look] = specsOf(
      's',
      [
        { name: 'wipe', inputSchema, annotations: { destructiveHint: true } },
        { name: 'look', inputSchema, annotations: { readOnlyHint: true, openWorldHint: true } },
      ],
      {},
      1,
    );
    expect(wipe?.risk?.({})).toMatchObject({ isRisky: true });
    expect(look?.risk).toBeUndefined();
  });
});

describe('names of tools', () => {
  it('S0-13 a tool matches the list plainly and with its server', () => {
    const specs = specsOf('mail', [{ name: 'send', inputSchema: { type: 'object' } }], {}, 1);
    const registry = createToolRegistry([hostOf('mail', specs)]);
    expect(registry.find('mail__send')?.qualified).toBe('mail.send');
    for (const entry of ['send', 'mail.send'])
      expect(registry.views(policyOf({ sideEffectTools: [entry] }))).toMatchObject([
        { name: 'mail.send', isListed: true },
      ]);
    expect(registry.views(policyOf({ sideEffectTools: ['other.send'] }))).toMatchObject([
      { isListed: false },
    ]);
  });

  it('S0-13 names that a provider does not take are changed the same way every time, never to the same', () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.tuple(
            fc.constantFrom('mail', 'a', 'a-b', 'files', 'x'.repeat(32)),
            fc.string({ minLength: 1, maxLength: 128, unit: anyCharacter }),
          ),
          { maxLength: 10 },
        ),
        (pairs) => {
          const names = new Map<string, string>();
          for (const [server, tool] of pairs) {
            const name = offeredName(server, tool);
            expect(name).toMatch(/^[A-Za-z_][A-Za-z0-9_-]{0,63}$/);
            expect(serverOfOffered(name)).toBe(server);
            expect(offeredName(server, tool)).toBe(name);
            const other = names.get(name);
            if (other !== undefined) expect(other).toBe(`${server}.${tool}`);
            names.set(name, `${server}.${tool}`);
          }
        },
      ),
    );
    expect(offeredName('repo', 'issue.list')).not.toBe(offeredName('repo', 'issue_list'));
  });

  it('refuses names of servers that would make names of tools ambiguous', () => {
    const server = { command: 'node' };
    for (const name of ['a__b', 'a_', '_a', 'a.b', '9a', 'a b', ''])
      expect(mcpServers().safeParse({ [name]: server }).success, name).toBe(false);
    for (const name of ['a', 'a_b', 'a-b', 'A9'])
      expect(mcpServers().safeParse({ [name]: server }).success, name).toBe(true);
  });
});

describe('which tools an agent has', () => {
  const inputSchema = { type: 'object' };
  const registry = createToolRegistry([
    { ...hostOf('files', [{ name: 'read_file', description: '', inputSchema }]) },
    {
      ...hostOf('mail', specsOf('mail', [{ name: 'send', inputSchema }], {}, 1)),
      isExtension: true,
    },
    {
      ...hostOf('fs', specsOf('fs', [{ name: 'read_file', inputSchema }], {}, 1)),
      isExtension: true,
    },
  ]);
  it.each([
    [undefined, undefined, ['read_file', 'mail__send', 'fs__read_file']],
    [undefined, [], ['read_file']],
    [undefined, ['mail'], ['read_file', 'mail__send']],
    [['read_file'], undefined, ['read_file']],
    [['read_file', 'mail.send'], undefined, ['read_file', 'mail__send']],
    [['read_file'], ['fs'], ['read_file', 'fs__read_file']],
    [[], ['mail'], ['mail__send']],
  ] as const)('with tools %j and servers %j it has %j', (tools, servers, names) => {
    expect(registry.offers(tools, servers).map((offer) => offer.name)).toEqual(names);
  });

  it('takes over hosts that come and go', () => {
    let hosts: ToolHost[] = [];
    const moving = createToolRegistry(() => hosts);
    expect(moving.find('mail__send')).toBeUndefined();
    hosts = [hostOf('mail', specsOf('mail', [{ name: 'send', inputSchema }], {}, 1))];
    expect(moving.find('mail__send')).toBeDefined();
    expect(moving.findQualified('mail.send')).toBeDefined();
    hosts = [];
    expect(moving.find('mail__send')).toBeUndefined();
  });
});

describe('how a call ended', () => {
  const noAnswer = { kind: 'no_answer', message: 'The connection closed.' } as const;
  it.each([
    [noAnswer, 'world', { kind: 'failed', isRetryable: true }],
    [noAnswer, 'pure', { kind: 'failed', isRetryable: true }],
    [noAnswer, 'external', { kind: 'unknown' }],
    [noAnswer, 'side_effect', { kind: 'unknown' }],
    [noAnswer, undefined, { kind: 'unknown' }],
    [{ kind: 'not_sent', message: 'x' }, 'external', { kind: 'failed', isRetryable: true }],
    [
      { kind: 'answered', content: 'no', isError: true },
      'external',
      { kind: 'result', isError: true },
    ],
  ] as const)('S2-19 %j of a %s tool', (end, purity, outcome) => {
    expect(outcomeOf(end, purity)).toMatchObject(outcome);
  });

  it('tells texts, names what cannot be shown, and falls back to structured content', () => {
    expect(
      contentText(
        [
          { type: 'text', text: 'one' },
          { type: 'image', mimeType: 'image/png', data: 'AAAA' },
          { type: 'resource', resource: { uri: 'a:b', text: 'two' } },
          { type: 'resource_link', name: 'doc', uri: 'a:c' },
          { type: 'hologram' },
        ],
        { x: 1 },
      ),
    ).toBe(
      'one\n[image image/png, 3 bytes, not shown]\ntwo\n[link doc a:c]\n[hologram, not shown]',
    );
    expect(contentText([], { x: 1 })).toBe('{"x":1}');
  });

  it('shows what a call is about in one line that cannot lie', () => {
    expect(hintOfArguments({ id: '1', path: 'a\u202eb' })).toBe('a\\u{202e}b');
    expect(hintOfArguments({ n: 1 })).toBe('{"n":1}');
    expect(hintOfArguments({})).toBe('');
    expect(hintOfArguments('text')).toBe('');
  });
});

describe('how much a server may say', () => {
  const limits = {
    messageBytes: 100,
    messageValues: 50,
    windowMs: 1_000,
    windowBytes: 250,
    windowMessages: 3,
  };
  it('S2-19 ends a server for one message without an end', () => {
    const budget = createMessageBudget(limits);
    expect(budget.took(0, 60, 60)).toBeUndefined();
    expect(budget.took(1, 60, 120)).toMatch(/message of more than/);
  });
  it('S2-19 ends a server for too much in a short time, and forgets after it', () => {
    const budget = createMessageBudget(limits);
    for (const atMs of [0, 500, 1_000, 1_500]) expect(budget.took(atMs, 120, 0)).toBeUndefined();
    expect(budget.took(1_600, 120, 0)).toMatch(/in 1 s/);
    const talker = createMessageBudget(limits);
    expect([0, 1, 2].map((atMs) => talker.message(atMs))).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
    expect(talker.message(3)).toMatch(/more than 3 messages/);
  });
});

describe('settings of servers', () => {
  const problem = (server: unknown): string | undefined => {
    const parsed = mcpServers().safeParse({ mail: server });
    return parsed.success ? undefined : parsed.error.issues[0]?.message;
  };
  it('S2-+05 a secret cannot stand in the settings; its variable can be passed on', () => {
    expect(problem({ command: 'x', env: { MAIL_TOKEN: 'abc' } })).toMatch(
      /do not put a secret in the settings/,
    );
    expect(problem({ command: 'x', env: { DB: 'postgres://u:pw@h/d' } })).toMatch(
      /do not put a secret/,
    );
    expect(problem({ command: 'x', env: { MAIL_TOKEN: true, LEVEL: 'debug' } })).toBeUndefined();
  });
  it.each([
    [{}, /either a command/],
    [{ command: 'x', url: 'https://a.example' }, /either a command/],
    [{ url: 'https://a.example', args: [] }, /use args, env and cwd with a command/],
    [{ command: 'x', headers_env: { A: 'B' } }, /use headers_env with a url/],
    [{ url: 'http://a.example' }, /use https/],
    [{ url: 'https://u:p@a.example' }, /no user name or password/],
    [{ command: 'x', call_timeout: 'soon' }, /duration/],
  ])('refuses %j', (server, message) => {
    expect(problem(server)).toMatch(message);
  });
});

function hostOf(name: string, specs: readonly ToolSpec[]): ToolHost {
  return {
    name,
    tools: () => specs,
    call: () => Promise.resolve({ kind: 'result', content: '', isError: false }),
  };
}
