/** Every verb of a window against hostile input, made from the contract itself (I1, I2). */
import fs from 'node:fs';
import { describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { VERBS } from '../../shared/contract';
import type { WindowVerb } from '../../shared/contract';
import { EVENTS } from '../../shared/contract';
import { EVENT_NAMES, WINDOW_VERBS, verbChannel } from '../../shared/verbs';
import { registerIpc } from '../../electron/ipc/register';
import { checkedFacade } from '../integration/control/fake-holdfast';

type Json = Record<string, unknown>;

const HASH = 'a'.repeat(64);
const GOOD: Readonly<Partial<Record<WindowVerb, Json>>> = {
  'turns.text': { turnId: 7, part: 'answer' },
  'agents.add': { name: 'mine', agent: { provider: 'p', model: 'm', workspace: '/w' } },
  'agents.edit': { name: 'mine', agent: { provider: 'p', model: 'm', workspace: '/w' } },
  'channels.add': { name: 'mine', channel: { kind: 'webhook', inbound: true } },
  'channels.edit': { name: 'mine', channel: { kind: 'webhook', inbound: true } },
  'channels.setKey': { name: 'mine', key: 'x' },
  'provider.set': { name: 'p', provider: { kind: 'anthropic' } },
  'provider.remove': { name: 'p' },
  'provider.setKey': { name: 'p', key: 'sk-1' },
  'config.set': { key: 'app.theme', value: 'dark' },
  'session.create': { agent: 'a' },
  send: { text: 'hello' },
  'app.openFolder': { which: 'logs' },
  'app.choosePath': { what: 'folder' },
  'app.openWorkspace': { agent: 'a', with: 'files' },
  'app.saveText': { name: 'session.md', text: '# Session' },
  'app.openLink': { url: 'https://example.org/' },
  'app.answerQuit': { answer: 'keep_running' },
  'app.landing': { asked: '/' },
  'app.place': { route: '/sessions/3' },
  'unsent.read': { field: 'ask' },
  'unsent.keep': { field: 'session/3', text: 'Hello', rev: 1 },
  'practice.providerDown': { seconds: 30 },
  'outage.plot': { provider: 'p', range: '30m' },
  'updates.install': { when: 'idle', version: '0.2.0' },
  'hosts.transcript': { host: 'box', sessionId: 4, beforeSeq: 40 },
  'hosts.step': { host: 'box', turnId: 9, step: 2 },
  'hosts.answer': {
    host: 'box',
    requestHash: HASH,
    answer: { kind: 'allow', requestId: 12, scope: 'once' },
  },
  'app.openPage': { route: '/computers' },
  'share.host': { listen: 'desk.local' },
  'share.files': { turnId: 7, act: 'apply' },
  'share.release': { id: '5f0c3c52-0000-4000-8000-000000000000' },
  'schedule.lines': { fromMs: 0, toMs: 1, taskIds: [1] },
};

/** A value that the schema of a field accepts; enough for the simple fields of most verbs. */
function sample(name: string): unknown {
  if (/^(turnId|step|inboxId|requestId|runId|draftId|taskId)$/.test(name)) return 1;
  if (/Hash$/.test(name)) return HASH;
  if (name === 'draftIds') return [1];
  return 'x';
}

function goodInput(verb: WindowVerb): Json {
  const given = GOOD[verb];
  if (given !== undefined) return given;
  const schema = z.toJSONSchema(VERBS[verb].input(), { io: 'input' }) as { required?: string[] };
  return Object.fromEntries((schema.required ?? []).map((name) => [name, sample(name)]));
}

function setUp() {
  const handlers = new Map<
    string,
    (event: unknown, input: unknown) => Promise<{ ok: boolean; code?: string }>
  >();
  const call = vi.fn(async () => ({}));
  let nowMs = 0;
  registerIpc({
    ipc: {
      handle: (channel, handler) => void handlers.set(channel, handler as never),
      removeHandler: () => undefined,
    },
    holdfast: checkedFacade(call),
    isOurs: (id) => id === 1,
    log: { debug: vi.fn(), info: vi.fn(), warn: vi.fn(), error: vi.fn() },
    nowMs: () => (nowMs += 1000),
  });
  const ours = {
    senderFrame: { parent: null, origin: 'holdfast://app' },
    sender: { id: 1, isDestroyed: () => false },
  };
  return {
    call,
    ask: (verb: WindowVerb, input: unknown, event: unknown = ours) =>
      handlers.get(verbChannel(verb))!(event, input),
    ours,
  };
}

const BIG = 'x'.repeat(1024 * 1024);
const MANY = Array.from({ length: 100_000 }, () => 1);

const hostile: Readonly<Record<string, (good: Json) => unknown>> = {
  'an unknown key': (good) => ({ ...good, unknownKey: 1 }),
  'a prototype key': (good) =>
    JSON.parse(
      `${JSON.stringify(good).slice(0, -1)}${Object.keys(good).length > 0 ? ',' : ''}"__proto__":{"admin":true}}`,
    ) as Json,
  'a constructor key': (good) => ({ ...good, constructor: { prototype: {} } }),
  'a number instead of an object': () => 5,
  null: () => null,
  nothing: () => undefined,
  'an array': (good) => [good],
  NaN: (good) => ({ ...good, [Object.keys(good)[0] ?? 'x']: Number.NaN }),
  Infinity: (good) => ({ ...good, [Object.keys(good)[0] ?? 'x']: Infinity }),
  'an array of 100,000': (good) => ({ ...good, [Object.keys(good)[0] ?? 'x']: MANY }),
  'a date': () => new Date(0),
  'a map': () => new Map([['turnId', 1]]),
  'a function': () => () => 1,
  'a value nested 1000 deep': (good) => {
    let deep: unknown = 1;
    for (let level = 0; level < 1000; level += 1) deep = { deep };
    return { ...good, [Object.keys(good)[0] ?? 'x']: deep };
  },
};

describe.each(WINDOW_VERBS)('%s', (verb) => {
  it(`I1 ${verb} takes what the contract allows`, async () => {
    const { ask, call } = setUp();
    await ask(verb, goodInput(verb));
    expect(call).toHaveBeenCalledTimes(1);
    expect(call.mock.calls[0]).toEqual([verb, goodInput(verb), 'window']);
  });

  for (const [name, make] of Object.entries(hostile)) {
    it(`I1 ${verb} refuses ${name} and does nothing`, async () => {
      const { ask, call } = setUp();
      expect(await ask(verb, make(goodInput(verb)))).toMatchObject({
        ok: false,
        code: 'INPUT_INVALID',
      });
      expect(call).not.toHaveBeenCalled();
    });
  }

  it(`I1 ${verb} refuses 1 MB of text in any of its fields, except a prompt`, async () => {
    for (const field of Object.keys(goodInput(verb))) {
      if (verb === 'send' && field === 'text') continue;
      // The result of a tool may be as large as a prompt.
      if (verb === 'session.customToolResult' && field === 'output') continue;
      // A whole session: the user chooses where it goes.
      if (verb === 'app.saveText' && field === 'text') continue;
      // The value of a setting is checked by the settings, which have their own bound.
      if (verb === 'config.set' && field === 'value') continue;
      const { ask, call } = setUp();
      expect(await ask(verb, { ...goodInput(verb), [field]: BIG })).toMatchObject({
        ok: false,
        code: 'INPUT_INVALID',
      });
      expect(call).not.toHaveBeenCalled();
    }
  });

  it(`I1 ${verb} refuses a wrong type in each of its fields`, async () => {
    for (const field of Object.keys(goodInput(verb))) {
      if (verb === 'config.set' && field === 'value') continue;
      const { ask, call } = setUp();
      expect(await ask(verb, { ...goodInput(verb), [field]: { wrong: true } })).toMatchObject({
        ok: false,
        code: 'INPUT_INVALID',
      });
      expect(call).not.toHaveBeenCalled();
    }
  });

  it(`I2 ${verb} refuses a frame inside the page`, async () => {
    const { ask, call, ours } = setUp();
    const event = { ...ours, senderFrame: { ...ours.senderFrame, parent: {} } };
    expect(await ask(verb, goodInput(verb), event)).toMatchObject({
      ok: false,
      code: 'SENDER_REFUSED',
    });
    expect(call).not.toHaveBeenCalled();
  });
});

describe('names', () => {
  it('I1 the bridge lists every verb that a window may call, once', () => {
    const expected = Object.entries(VERBS)
      .filter(([, spec]) => spec.surface !== 'control')
      .map(([verb]) => verb);
    expect([...WINDOW_VERBS].sort()).toEqual(expected.sort());
  });

  it('I1 the bridge lists every event, once', () => {
    expect([...EVENT_NAMES].sort()).toEqual(Object.keys(EVENTS).sort());
  });

  it('I1 no two families name the same verb: joined, the later would hide the other', async () => {
    const folder = new URL('../../shared/contract/', import.meta.url);
    const named: string[] = [];
    for (const file of fs.readdirSync(folder)) {
      const family = (await import(new URL(file, folder).href)) as Record<string, object>;
      for (const [name, verbs] of Object.entries(family)) {
        if (name.endsWith('_VERBS')) named.push(...Object.keys(verbs));
      }
    }
    expect(named.sort()).toEqual(Object.keys(VERBS).sort());
  });

  it('I1 every verb has a strict input, an output and a sentence', () => {
    for (const [verb, spec] of Object.entries(VERBS)) {
      const schema = z.toJSONSchema(spec.input(), { io: 'input' }) as {
        additionalProperties?: unknown;
      };
      expect([verb, schema.additionalProperties]).toEqual([verb, false]);
      expect(spec.about.length).toBeGreaterThan(5);
    }
  });
});

interface JsonSchema {
  readonly type?: string;
  readonly maxLength?: number;
  readonly maxItems?: number;
  readonly pattern?: string;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly items?: JsonSchema;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly additionalProperties?: JsonSchema | boolean;
  readonly anyOf?: readonly JsonSchema[];
  readonly oneOf?: readonly JsonSchema[];
}

/** A pattern that lets only so many characters through: from end to end, and every repetition counted. */
const hasEnd = (pattern: string): boolean =>
  /^\^.*\$$/.test(pattern) && !/[*+]|\{\d+,\}/.test(pattern.replace(/\[[^\]]*\]/g, ''));

function isBoundedText(schema: JsonSchema): boolean {
  const { maxLength, pattern } = schema;
  if (schema.enum !== undefined || schema.const !== undefined) return true;
  return maxLength !== undefined || (pattern !== undefined && hasEnd(pattern));
}

/** Every place of a schema where something of any size, or of any name, would pass. */
function openPlaces(schema: JsonSchema, at: string): string[] {
  const { type, items, properties, additionalProperties: more } = schema;
  const inner = [...(schema.anyOf ?? []), ...(schema.oneOf ?? [])];
  return [
    ...inner.flatMap((one) => openPlaces(one, at)),
    ...(type === 'string' && !isBoundedText(schema) ? [`${at}: text`] : []),
    ...(type === 'array' && schema.maxItems === undefined ? [`${at}: list`] : []),
    ...(items === undefined ? [] : openPlaces(items, `${at}[]`)),
    ...(type === 'object' && more !== false ? [`${at}: keys`] : []),
    ...Object.entries(properties ?? {}).flatMap(([name, one]) => openPlaces(one, `${at}.${name}`)),
  ];
}

describe('hosts.transcript', () => {
  it.each([
    ['no session', { host: 'box' }],
    ['a name for a session', { host: 'box', sessionId: 'night' }],
    ['session 0', { host: 'box', sessionId: 0 }],
    ['a place that is none', { host: 'box', sessionId: 4, beforeSeq: -1 }],
    ['a key too many', { host: 'box', sessionId: 4, limit: 1_000 }],
  ])('HO-02 refuses %s and asks nobody', async (_, input) => {
    const { ask, call } = setUp();
    expect(await ask('hosts.transcript', input)).toMatchObject({
      ok: false,
      code: 'INPUT_INVALID',
    });
    expect(call).not.toHaveBeenCalled();
  });
});

describe('hosts.step', () => {
  it.each([
    ['no turn', { host: 'box', step: 2 }],
    ['step 0', { host: 'box', turnId: 9, step: 0 }],
    ['an option for a turn', { host: 'box', turnId: '--host', step: 2 }],
    ['a key too many', { host: 'box', turnId: 9, step: 2, full: true }],
  ])('HO-02 refuses %s and asks nobody', async (_, input) => {
    const { ask, call } = setUp();
    expect(await ask('hosts.step', input)).toMatchObject({ ok: false, code: 'INPUT_INVALID' });
    expect(call).not.toHaveBeenCalled();
  });
});

describe('hosts.answer', () => {
  it.each([
    ['an answer of no kind', { requestId: 12, scope: 'once' }],
    ['an unknown kind', { kind: 'dream', requestId: 12 }],
    ['an unknown scope', { kind: 'allow', requestId: 12, scope: 'for ever' }],
    ['no scope', { kind: 'allow', requestId: 12 }],
    ['a request that is none', { kind: 'deny', requestId: '12' }],
    ['a turn for a call', { kind: 'deny', turnId: 12 }],
    ['an empty note', { kind: 'deny', requestId: 12, note: '' }],
    ['a note above 4,000 characters', { kind: 'deny', requestId: 12, note: 'x'.repeat(4_001) }],
    ['no step', { kind: 'skip', turnId: 8 }],
    ['step 0', { kind: 'confirm', turnId: 8, step: 0 }],
    ['a key too many', { kind: 'resume', turnId: 8, step: 1 }],
  ])('HO-02 refuses %s and sends nothing', async (_, answer) => {
    const { ask, call } = setUp();
    const input = { host: 'box', requestHash: HASH, answer };
    expect(await ask('hosts.answer', input)).toMatchObject({ ok: false, code: 'INPUT_INVALID' });
    expect(call).not.toHaveBeenCalled();
  });

  it.each([
    [{ kind: 'deny', requestId: 12, note: 'Not on a Friday.' }],
    [{ kind: 'resume', turnId: 8 }],
    [{ kind: 'discard', turnId: 8 }],
    [{ kind: 'confirm', turnId: 8, step: 3 }],
    [{ kind: 'skip', turnId: 8, step: 3 }],
  ])('HO-02 takes %j', async (answer) => {
    const { ask, call } = setUp();
    await ask('hosts.answer', { host: 'box', requestHash: HASH, answer });
    expect(call).toHaveBeenCalledTimes(1);
  });
});

describe('share.files', () => {
  it.each([
    ['no turn', { act: 'apply' }],
    ['turn 0', { turnId: 0 }],
    ['an unknown act', { turnId: 7, act: 'commit' }],
    ['an empty file', { turnId: 7, act: 'patch', patchFile: '' }],
    ['a folder of its own', { turnId: 7, act: 'apply', folder: '/etc' }],
    ['no to a replacement', { turnId: 7, act: 'patch', patchFile: '/a', mayReplace: false }],
  ])('DW-20 refuses %s and writes nothing', async (_, input) => {
    const { ask, call } = setUp();
    expect(await ask('share.files', input)).toMatchObject({ ok: false, code: 'INPUT_INVALID' });
    expect(call).not.toHaveBeenCalled();
  });

  it('DW-20 a patch of a window has no path: a dialog asks for it', async () => {
    const { ask, call } = setUp();
    const input = { turnId: 7, path: '/home/ada/.bashrc' };
    expect(await ask('app.savePatch', input)).toMatchObject({ ok: false, code: 'INPUT_INVALID' });
    expect(call).not.toHaveBeenCalled();
  });
});

describe('sizes', () => {
  it('I1 every text and every list of every input has a most, every object named keys; optional and nested ones too', () => {
    const open = Object.entries(VERBS).flatMap(([verb, { input }]) =>
      openPlaces(
        z.toJSONSchema(input(), { io: 'input', unrepresentable: 'any' }) as JsonSchema,
        verb,
      ),
    );
    // A schema of JSON has any keys; its whole text is bounded, which the next test shows.
    expect(open.filter((place) => !place.includes('input_schema'))).toEqual([]);
    expect(open.length).toBeGreaterThan(0);
    expect(hasEnd('^[a-f0-9]{64}$')).toBe(true);
    expect(['^a+$', '^[a]{3}', '^a{3,}$', '^.*$'].map(hasEnd)).toEqual([
      false,
      false,
      false,
      false,
    ]);
  });

  it('I1 the schema of an own tool is refused above 100,000 characters', async () => {
    const { ask, call } = setUp();
    const add = (schema: unknown): Promise<{ ok: boolean; code?: string }> =>
      ask('agents.add', {
        name: 'mine',
        agent: {
          provider: 'p',
          model: 'm',
          workspace: '/w',
          custom_tools: [{ name: 'own', description: 'd', input_schema: schema }],
        },
      });
    expect(await add({ about: 'x'.repeat(100_000) })).toMatchObject({ code: 'INPUT_INVALID' });
    expect(call).not.toHaveBeenCalled();
    await add({ about: 'x'.repeat(99_000) });
    expect(call).toHaveBeenCalledTimes(1);
  });
});
