import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import {
  callIn,
  endIn,
  endWire,
  frameIn,
  readTurnBody,
  readWire,
  promptIn,
  turnBodyOf,
  wireOf,
  writeWire,
  type WireEntry,
  type WireTexts,
} from '../../../electron/engine/sharing/wire';
import { decodeAnswer, encodeAnswer } from '../../../electron/engine/journal/answer-codec';
import { modelKey, toolKey } from '../../../electron/engine/journal/step-keys';
import { portableArgs, portableRequest } from '../../../electron/engine/journal/portable-keys';
import { createPortableTexts } from '../../../electron/engine/journal/portable-text';
import { HoldfastError } from '../../../electron/engine/kernel/errors';
import { shorten } from '../../../electron/engine/executors/llm/shorten-conversation';
import type { AnswerPart, Message, ModelRequest } from '../../../electron/ports/provider';
import type { Frame, StepEnd } from '../../../electron/ports/journal/entries';
import { because } from '../../../shared/reason';
import type { StoredText } from '../../../electron/ports/journal/stored';
import type { Purity } from '../../../shared/states';

const ada = createPortableTexts({
  workspace: ['/home/ada/work'],
  data: ['/home/ada/.local/share/holdfast'],
  home: ['/home/ada'],
});
const bo = createPortableTexts({
  workspace: ['C:\\Users\\bo\\src'],
  data: ['C:\\Users\\bo\\AppData\\holdfast'],
  home: ['C:\\Users\\bo'],
});

const there = 'x'.repeat(40_000);
const gone: StoredText = { kind: 'blob', address: 't9/gone', chars: 40_000, start: 'The first' };
const kept: StoredText = { kind: 'blob', address: 't9/kept', chars: 40_000, start: 'xx' };
const usage = { inputTokens: 7, outputTokens: 3, costUsd: 0.5 };

/** A computer that has one of two large texts, and its step 4 of this purity. */
function computer(purity: Purity | undefined, get?: (address: string) => string | undefined) {
  const sent: string[] = [];
  const texts: WireTexts = {
    blobs: {
      get: async (address) =>
        get === undefined ? (address === 't9/kept' ? there : undefined) : get(address),
      put: () => Promise.reject(new Error('nothing is written here')),
      release: () => Promise.resolve(),
      sweep: () => Promise.resolve(0),
    },
    hasher: { sha256Hex: () => 'a'.repeat(64) },
    store: {
      putText: async (_hash, body) => void sent.push(body),
      getText: () => Promise.resolve(undefined),
    },
    frame: () => undefined,
    purityOf: () => purity,
    portableIn: () => ada,
    portableOf: () => ada,
  };
  return { texts, sent };
}

const endOf = async (texts: WireTexts, end: StepEnd) => {
  const wire = (await endWire(texts, { turnId: 9, step: 4 }, end)) as Extract<
    WireEntry,
    { k: 'end' }
  >;
  return wire.end;
};
const done = (content: StoredText): StepEnd => ({
  state: 'completed',
  content,
  isError: false,
  usage,
});

const LOST = { t: expect.stringMatching(/result is missing.*not repeated/) as string };

describe('the end of a step that travels', () => {
  it('DW-09 takes its result of 40,000 characters along by its content', async () => {
    const { texts, sent } = computer('side_effect');
    expect(await endOf(texts, done(kept))).toEqual({
      ...done(kept),
      content: { h: 'a'.repeat(64), n: 40_000 },
    });
    expect(sent).toEqual([JSON.stringify(there)]);
  });

  it.each(['llm', 'world', 'pure'] as const)(
    'DW-09 whose result is missing here counts as not recorded for a step of purity %s: it is made again, and its cost stays counted',
    async (purity) => {
      const { texts, sent } = computer(purity);
      expect(await endOf(texts, { ...done(gone), workedMs: 20 })).toEqual({
        state: 'failed',
        error: expect.stringContaining('stored result is missing') as string,
        isCutOff: true,
        usage,
        workedMs: 20,
      });
      expect(sent).toEqual([]);
    },
  );

  it.each(['side_effect', 'external', undefined] as const)(
    'DW-09 whose result is missing here says so for a finished effect (purity %s), which never runs again',
    async (purity) => {
      const { texts } = computer(purity);
      expect(await endOf(texts, done(gone))).toEqual({
        ...done(gone),
        content: LOST,
        isError: true,
      });
    },
  );

  it('DW-09 that a person settled stays settled where the text of it is missing', async () => {
    const { texts } = computer('side_effect');
    for (const state of ['skipped', 'confirmed'] as const)
      expect(await endOf(texts, { state, content: gone, by: 'person' })).toEqual({
        state,
        by: 'person',
        content: { t: expect.stringContaining('stored text is missing') as string },
      });
  });

  it('DW-09 that is unknown becomes an open question where what the agent was told is missing', async () => {
    const { texts } = computer('side_effect');
    const end = { state: 'ambiguous', error: 'cut', content: gone } as const;
    expect(await endOf(texts, end)).toEqual({ state: 'ambiguous', error: 'cut' });
  });

  it('DW-09 travels in the same way right after its commit as with the next claim', async () => {
    for (const purity of ['llm', 'side_effect'] as const) {
      const { texts } = computer(purity);
      const entry = { kind: 'step.ended', turnId: 9, step: 4, end: done(gone) } as const;
      expect(await wireOf(texts, entry)).toEqual({
        k: 'end',
        step: 4,
        end: await endOf(texts, done(gone)),
      });
    }
  });

  it('DW-09 waits where its result is there and cannot be read now', async () => {
    const { texts } = computer('llm', () => {
      throw new HoldfastError('RESULT_UNREADABLE', 'The disk does not answer.');
    });
    await expect(endOf(texts, done(kept))).rejects.toMatchObject({ code: 'RESULT_UNREADABLE' });
  });
});

describe('a call of an agent of another program that travels', () => {
  it('DW-18 DW-19 names the folders of its computer as those of the computer it comes to, and nothing else of it', async () => {
    const { texts } = computer('side_effect');
    const identity = 'b'.repeat(64);
    const [call, asking] = await Promise.all([
      wireOf(texts, {
        kind: 'outside.call',
        turnId: 9,
        step: 4,
        callId: 'toolu_1',
        tool: 'edit',
        title: 'Edit /home/ada/work/a.ts (not /home/ada/workshop)',
        input: JSON.stringify({ filePath: '/home/ada/work/a.ts', in: '/home/ada/work' }),
        identity,
      }),
      wireOf(texts, {
        kind: 'outside.asking',
        turnId: 9,
        step: 4,
        state: 'allowed',
        by: 'person',
        requestId: 7,
      }),
    ]);
    const body = writeWire(ada, call);
    expect(body).not.toContain('/home');
    expect(asking).toEqual({ k: 'asking', step: 4, state: 'allowed', by: 'person' });
    expect(readWire(bo, writeWire(ada, asking))).toEqual(asking);
    const read = readWire(bo, body) as Extract<WireEntry, { k: 'call' }>;
    const folder = 'C:\\Users\\bo\\src';
    expect(await callIn(texts, read, { turnId: 2, portable: bo })).toEqual({
      kind: 'outside.call',
      turnId: 2,
      step: 4,
      callId: 'toolu_1',
      tool: 'edit',
      title: `Edit ${folder}/a.ts (not C:\\Users\\bo/workshop)`,
      input: JSON.stringify({ filePath: `${folder}/a.ts`, in: folder }),
      identity,
    });
  });
});

describe('what travels of a turn of our own agents', () => {
  const frame: Frame = {
    provider: 'p',
    model: 'm',
    system: 'You work in /home/ada/work. Notes are in /home/ada/notes.',
    tools: [{ name: 'read', description: 'Below /home/ada/work', inputSchema: {} }],
    workspace: '/home/ada/work',
    env: [],
  };
  const answer = encodeAnswer({
    finish: 'tool_calls',
    parts: [
      { kind: 'reasoning', text: 'Look in /home/ada.', opaque: { signed: 'abc' } },
      {
        kind: 'tool_call',
        callId: 'c1',
        tool: 'read',
        args: { '/home/ada/x': '/home/ada/work/b' },
      },
    ],
  });
  const result = `{"found": "/home/ada/.local/share/holdfast/log"}${' '.repeat(40_000)}`;

  /** One store, two computers. */
  function stores() {
    const stored = new Map<string, string>();
    const sha = (text: string) => createHash('sha256').update(text).digest('hex');
    const blobs = new Map<string, string>();
    const base = {
      blobs: {
        get: async (address: string) => blobs.get(address),
        put: async (text: string) => {
          blobs.set(`t/${sha(text)}`, text);
          return `t/${sha(text)}`;
        },
      } as unknown as WireTexts['blobs'],
      hasher: { sha256Hex: sha } as unknown as WireTexts['hasher'],
      store: {
        putText: async (hash: string, body: string) => void stored.set(hash, body),
        getText: async (hash: string) => stored.get(hash),
      },
      frame: () => frame,
      purityOf: () => 'llm' as const,
    };
    const of = (portable: typeof ada): WireTexts => ({
      ...base,
      portableIn: () => portable,
      portableOf: () => portable,
    });
    return { stored, hasher: base.hasher, blobs, a: of(ada), b: of(bo) };
  }

  it('DW-09 DW-18 names no folder of its computer, reads on another one with those of that one, and its finished steps are found there again', async () => {
    const { stored, hasher, blobs, a, b } = stores();
    const entries: Parameters<typeof wireOf>[1][] = [
      { kind: 'turn.started', turnId: 9, attempt: 1, frameId: 1, framedAtMs: 1 },
      {
        ...{ kind: 'step.started', turnId: 9, step: 1, attempt: 1, tool: 'model', purity: 'llm' },
        ...{ key: 'ab', hint: 'in /home/ada/work', hasEffects: false },
        ...{ isWorkspaceRead: false, isIdempotent: true },
      },
      { kind: 'step.ended', turnId: 9, step: 1, end: done({ kind: 'inline', text: answer }) },
      { kind: 'step.ended', turnId: 9, step: 2, end: done({ kind: 'inline', text: result }) },
      {
        ...{ kind: 'step.ended', turnId: 9, step: 3 },
        end: { state: 'failed', error: 'ENOENT /home/ada/work/b', isCutOff: false },
      },
      {
        ...{ kind: 'turn.closed', turnId: 9, sessionId: 1, state: 'failed', hasReply: false },
        reason: because('reason.quoted', { text: 'no /home/ada/work' }),
      },
    ];
    const prompt = 'Mend /home/ada/work/b';
    const origin = { databaseId: 'd', turnId: 9 };
    const sentBody = await turnBodyOf(
      a,
      { turnId: 9, prompt },
      { agent: 'x', origin, sender: 's' },
    );
    const bodies: string[] = [];
    for (const entry of entries) bodies.push(writeWire(ada, await wireOf(a, entry)));
    for (const text of [sentBody, ...bodies, ...stored.values()])
      expect(text).not.toMatch(/\/home/);

    const [attempt, , said, found, failed] = bodies.map((body) => readWire(bo, body)) as [
      Extract<WireEntry, { k: 'attempt' }>,
      WireEntry,
      ...Extract<WireEntry, { k: 'end' }>[],
    ];
    const arrived = await frameIn(b, attempt.frame, 'C:\\Users\\bo\\src');
    expect(arrived.system).toBe(
      'You work in C:\\Users\\bo\\src. Notes are in C:\\Users\\bo/notes.',
    );
    expect(failed?.end).toMatchObject({ error: 'ENOENT C:\\Users\\bo\\src/b' });
    const to = { turnId: 2, portable: bo };
    const plain = async (wire: Extract<WireEntry, { k: 'end' }> | undefined): Promise<string> => {
      const end = await endIn(b, wire!.end, to);
      if (end.state !== 'completed') throw new Error(end.state);
      return end.content.kind === 'inline'
        ? end.content.text
        : (blobs.get(end.content.address) ?? '');
    };
    const parts = decodeAnswer(await plain(said))?.parts ?? [];
    // Its provider takes it back unchanged or not at all; the calls behind it keep their places.
    expect(parts).toEqual([
      { kind: 'reasoning', text: '' },
      {
        ...{ kind: 'tool_call', callId: 'c1', tool: 'read' },
        args: { 'C:\\Users\\bo/x': 'C:\\Users\\bo\\src/b' },
      },
    ]);
    expect(JSON.parse(await plain(found))).toEqual({
      found: 'C:\\Users\\bo\\AppData\\holdfast/log',
    });

    const requestOn = (
      { system, tools }: Frame,
      text: string,
      own: readonly AnswerPart[],
      content: string,
    ): ModelRequest => ({
      ...{ provider: 'p', model: 'm', system, tools },
      messages: [
        { role: 'user', text },
        { role: 'assistant', parts: own },
        { role: 'tool', callId: 'c1', tool: 'read', content, isError: false },
      ],
    });
    const ownParts = decodeAnswer(answer)?.parts ?? [];
    const here = requestOn(frame, prompt, ownParts, result);
    const text = await promptIn(b, readTurnBody(sentBody), 'C:\\Users\\bo\\src');
    const over = requestOn(arrived, text, parts, await plain(found));
    expect(modelKey(hasher, portableRequest(over, bo))).toBe(
      modelKey(hasher, portableRequest(here, ada)),
    );
    const argsOf = (all: readonly AnswerPart[]) =>
      all.flatMap((part) => (part.kind === 'tool_call' ? [part.args] : []))[0] ?? null;
    const keys = [
      toolKey(hasher, 'read', portableArgs(argsOf(parts), bo)),
      toolKey(hasher, 'read', portableArgs(argsOf(ownParts), ada)),
      toolKey(hasher, 'read', portableArgs({ '/home/ada/x': '/home/ada/b' }, ada)),
    ];
    expect(keys[0]).toBe(keys[1]);
    expect(keys[2]).not.toBe(keys[1]);
  });

  it('DW-09 DW-18 a conversation that is cut is cut at the same place on each computer', () => {
    const content = '/home/ada/work/a '.repeat(500);
    const messages = (text: string): Message[] => [
      { role: 'user', text: 'u' },
      { role: 'tool', callId: 'c', tool: 'read', content: text, isError: false },
    ];
    const cut = { dropped: 0, keepNew: 1_000 };
    const keyOf = (text: string, portable: typeof ada) =>
      shorten(messages(text), cut, portable).map((one) =>
        one.role === 'tool' ? portable.key(one.content) : '',
      );
    const arrived = bo.in(ada.out(content));
    expect(keyOf(arrived, bo)).toEqual(keyOf(content, ada));
    expect(keyOf(content, ada)[1]!.length).toBeLessThan(1_200);
  });

  it('DW-18 keys of a turn that is of one computer alone stay those of the exact request', () => {
    const request: ModelRequest = { ...frame, messages: [] };
    expect(portableRequest(request, undefined)).toBe(request);
    expect(portableArgs('/home/ada', undefined)).toBe('/home/ada');
  });
});

it('DW-18 DW-20 words of 500 characters are read, cut, where the folders have longer names', () => {
  const why = `${'/home/ada/a '.repeat(41)}12345678`;
  expect(why).toHaveLength(500);
  const far = createPortableTexts({
    workspace: ['/home/a-much-longer-name-than-ada/work'],
    data: ['/home/a-much-longer-name-than-ada/.local/share/holdfast'],
    home: ['/home/a-much-longer-name-than-ada'],
  });
  for (const entry of [
    { k: 'refused', why },
    { k: 'files', why },
  ] as const) {
    const read = readWire(far, writeWire(ada, entry)) as { why?: string };
    expect(read.why).toHaveLength(500);
    expect(read.why).toContain('/home/a-much-longer-name-than-ada/a ');
    expect(readWire(ada, writeWire(ada, entry))).toEqual(entry);
  }
});
