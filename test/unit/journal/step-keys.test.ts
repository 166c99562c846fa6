import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createHasher } from '../../../electron/adapters/blobs/hasher';
import {
  frameHash,
  idempotencyKey,
  modelKey,
  toolKey,
} from '../../../electron/engine/journal/step-keys';
import { isListed } from '../../../electron/engine/journal/side-effect-list';
import { canonicalJson } from '../../../electron/engine/kernel/canonical';
import type { Frame } from '../../../electron/ports/journal/entries';
import type { JsonValue, ModelRequest } from '../../../electron/ports/provider';

const hasher = createHasher();

function shuffled(value: JsonValue): JsonValue {
  if (value === null || typeof value !== 'object') return value;
  if (Array.isArray(value)) return value.map(shuffled);
  return Object.fromEntries(
    Object.entries(value as Record<string, JsonValue>)
      .reverse()
      .map(([key, one]) => [key, shuffled(one)]),
  );
}

describe('S4-+01 step identity', () => {
  it('S4-+01 is the same whatever the order of the keys, for 500 random arguments', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const args = value as JsonValue;
        expect(toolKey(hasher, 'mail', shuffled(args))).toBe(toolKey(hasher, 'mail', args));
        expect(JSON.parse(canonicalJson(args))).toEqual(JSON.parse(JSON.stringify(args)));
      }),
      { numRuns: 500 },
    );
  });

  it('S4-+01 differs for another tool, another value, another type and another Unicode form', () => {
    const keys = [
      toolKey(hasher, 'mail', { to: 'a' }),
      toolKey(hasher, 'post', { to: 'a' }),
      toolKey(hasher, 'mail', { to: 'b' }),
      toolKey(hasher, 'mail', { to: 1 }),
      toolKey(hasher, 'mail', { to: '1' }),
      toolKey(hasher, 'mail', { to: '\u00e9' }),
      toolKey(hasher, 'mail', { to: 'e\u0301' }),
    ];
    expect(new Set(keys).size).toBe(keys.length);
    for (const key of keys) expect(key).toMatch(/^[0-9a-f]{64}$/);
  });

  it('S4-+01 prints numbers one way: 1, 1.0 and 1e0 are equal, -0 is 0', () => {
    const one = JSON.parse('[1, 1.0, 1e0]') as number[];
    expect(new Set(one.map((n) => toolKey(hasher, 't', { n }))).size).toBe(1);
    expect(canonicalJson({ n: -0 })).toBe('{"n":0}');
  });

  it('S4-10 a frame has the hash of its content, over one shared list of tools or over equal ones', () => {
    const tools = [{ name: 'mail', description: 'd', inputSchema: {} }];
    const base: Frame = {
      provider: 'p',
      model: 'm',
      system: 's',
      tools,
      workspace: '/w',
      env: ['A'],
    };
    const first = frameHash(hasher, base);
    expect(frameHash(hasher, { ...base, env: ['A'] })).toBe(first);
    expect(frameHash(hasher, { ...base, tools: structuredClone(tools) })).toBe(first);
    const others = [
      { ...base, system: 't' },
      { ...base, env: ['B'] },
      { ...base, env: ['A', 'B'] },
      { ...base, custom: ['mail'] },
      { ...base, drafts: true as const },
      { ...base, tools: [...tools, { name: 'pay', description: 'd', inputSchema: {} }] },
    ].map((frame) => frameHash(hasher, frame));
    expect(new Set([first, ...others]).size).toBe(7);
    expect(frameHash(hasher, base)).toBe(first);
  });

  it('S4-10 the key of a model call covers model, system text, messages and tools', () => {
    const base: ModelRequest = {
      provider: 'p',
      model: 'm',
      system: 's',
      messages: [{ role: 'user', text: 'hi' }],
      tools: [],
    };
    const others: ModelRequest[] = [
      { ...base, model: 'n' },
      { ...base, system: 't' },
      { ...base, messages: [{ role: 'user', text: 'ho' }] },
      { ...base, tools: [{ name: 'x', description: '', inputSchema: {} }] },
    ];
    const keys = [base, ...others].map((request) => modelKey(hasher, request));
    expect(new Set(keys).size).toBe(5);
    expect(modelKey(hasher, JSON.parse(JSON.stringify(base)) as ModelRequest)).toBe(keys[0]);
  });

  it('S4-23 the idempotency key names database, turn and first step only', () => {
    expect(idempotencyKey({ databaseId: 'db', turnId: 7 }, 3)).toBe('hf-db-7-3');
  });
});

describe('the side-effect list', () => {
  it.each([
    ['S0-12 a plain name', 'mail.send', true, ['send'], true],
    ['S0-13 the qualified name', 'mail.send', true, ['mail.send'], true],
    ['S0-13 another host with the same tool', 'mail.send', true, ['post.send'], false],
    ['S0-12 another tool', 'mail.send', true, ['sen', 'sender', 'SEND'], false],
    ['S0-12 an empty list', 'mail.send', true, [], false],
    ['design 4 shell:effects with an effect', 'shell.shell', true, ['shell:effects'], true],
    ['design 4 shell:effects without one', 'shell.shell', false, ['shell:effects'], false],
    ['design 4 the plain name counts every call', 'shell.shell', false, ['shell'], true],
  ] as const)(
    '%s: %s with effects %s against %j is %s',
    (_title, tool, hasEffects, list, expected) => {
      expect(isListed(tool, hasEffects, list)).toBe(expected);
    },
  );
});
