import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonValue, Message, ModelRequest } from '../../../electron/ports/provider';
import { startFakeProvider } from '../../helpers/fake-provider';
import type { FakeProvider } from '../../helpers/fake-provider';
import { answerOf, ask, DIALECTS, READ_FILE, rigFor } from './provider-harness';

let fake: FakeProvider;
beforeAll(async () => {
  fake = await startFakeProvider({ script: () => ({}) });
});
afterAll(() => fake.stop());

const messages: readonly Message[] = [
  { role: 'user', text: 'Read 👩‍🚀 a.txt \u0000 and b.txt' },
  {
    role: 'assistant',
    parts: [
      { kind: 'text', text: 'I read both.' },
      {
        kind: 'tool_call',
        callId: 'c1',
        tool: 'read_file',
        args: { path: 'a.txt', b: { z: 1, a: [2, { y: 1, x: 2 }] } },
      },
      { kind: 'tool_call', callId: 'c2', tool: 'read_file', args: { path: 'b.txt' } },
    ],
  },
  { role: 'tool', callId: 'c1', tool: 'read_file', content: 'A', isError: false },
  { role: 'tool', callId: 'c2', tool: 'read_file', content: 'no such file', isError: true },
  { role: 'user', text: 'And?' },
];
const request: ModelRequest = ask('', { messages, tools: [READ_FILE], maxOutputTokens: 1000 });

/** The same value with every object's keys the other way round. */
function turned(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return (value as readonly JsonValue[]).map(turned);
  if (value === null || typeof value !== 'object') return value;
  const entries = Object.entries(value as Record<string, JsonValue>).reverse();
  return Object.fromEntries(entries.map(([key, inner]) => [key, turned(inner)]));
}

describe.each(DIALECTS)('S4-10 S0-33 the body over %s', (dialect) => {
  it('is the same to the byte twice, after JSON, and with keys in another order', async () => {
    const rig = rigFor(fake, dialect);
    const variants = [
      request,
      request,
      JSON.parse(JSON.stringify(request)) as ModelRequest,
      turned(request as unknown as JsonValue) as unknown as ModelRequest,
    ];
    const before = fake.calls().length;
    for (const variant of variants) answerOf(await rig.call(variant));
    // A second set of providers stands for the process after a crash.
    answerOf(await rigFor(fake, dialect).call(request));
    const hashes = fake
      .calls()
      .slice(before)
      .map((call) => call.bodySha256);
    expect(hashes).toHaveLength(5);
    expect(new Set(hashes).size).toBe(1);
  });

  it('differs when one character of the prompt differs', async () => {
    const rig = rigFor(fake, dialect);
    const before = fake.calls().length;
    answerOf(await rig.call(ask('hello')));
    answerOf(await rig.call(ask('hellp')));
    const [first, second] = fake.calls().slice(before);
    expect(first?.bodySha256).not.toBe(second?.bodySha256);
  });
});
