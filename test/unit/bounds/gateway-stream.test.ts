import { describe, expect, it } from 'vitest';
import { createEventReader } from '../../../electron/adapters/gateway/event-stream';
import { forwardAnswer, type AnswerSink } from '../../../electron/adapters/gateway/forward';
import type { Endpoint } from '../../../electron/adapters/gateway/routes';
import { SLACK } from '../../helpers/slack';

const ENDPOINT: Endpoint = {
  dialect: 'openai-compatible',
  upstreamPath: 'chat/completions',
  method: 'POST',
  kind: 'chat',
};
const MB = 1024 * 1024;

/** An answer of a provider in these pieces, as the gateway passes it on. */
async function passOn(pieces: Iterable<string>, isStream = true) {
  const told = { bytes: 0, turns: 0, mostInATurn: 0, taken: 0, refused: '' };
  let inThisTurn = 0;
  let isOver = false;
  const turn = (): void => {
    inThisTurn = 0;
    told.turns += 1;
    if (!isOver) setImmediate(turn);
  };
  setImmediate(turn);
  const sink: AnswerSink = {
    head: () => undefined,
    piece(bytes) {
      told.bytes += bytes.length;
      told.mostInATurn = Math.max(told.mostInATurn, (inThisTurn += 1));
      return Promise.resolve();
    },
  };
  const all = pieces[Symbol.iterator]();
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      const { value, done } = all.next();
      if (done === true) controller.close();
      else {
        told.taken += value.length;
        controller.enqueue(Buffer.from(value));
      }
    },
  });
  const headers = { 'content-type': isStream ? 'text/event-stream' : 'application/json' };
  const watch = { touch: () => undefined, heard: {}, onBegun: () => Promise.resolve() };
  await forwardAnswer(
    { endpoint: ENDPOINT, isStream, hidesCounts: false },
    new Response(body, { headers }),
    sink,
    watch,
  ).catch((thrown: unknown) => {
    told.refused = (thrown as Error).message;
  });
  isOver = true;
  return told;
}

function* times(count: number, piece: string): Iterable<string> {
  for (let at = 0; at < count; at += 1) yield piece;
}
const part = (content: string): string =>
  `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content } }] })}\n\n`;

describe('a stream that a provider floods the gateway with', () => {
  it.each([
    ['128 KB of line ends', ['\r\n'.repeat(64 * 1024)]],
    ['128 KB of the smallest comments', [':\n\n'.repeat(43_690)]],
    ['one event of 8 MB in pieces of 1 KB', times(8 * 1024, 'x'.repeat(1024))],
    ['one event of 1 MB in pieces of 1 byte', times(MB, 'x')],
    ['one event of 4 MB in lines of 2 bytes', times(1024, 'x\n'.repeat(2 * 1024))],
  ])('T6 S0-15 is cut into its events at once: %s', (_what, pieces) => {
    const reader = createEventReader();
    const startMs = performance.now();
    for (const piece of pieces) for (const _event of reader.add(Buffer.from(piece)));
    expect(performance.now() - startMs).toBeLessThan(1_000 * SLACK);
  });

  it.each([1, 2, 3, 7, 5_000])('T6 loses no byte, cut each %d bytes', (size) => {
    const text = `: ping\r\n\r\n${part('é')}data: 1\ndata: 2\n\n\n\nevent: x\r\ndata: {}\r\n\r\ndata: [DONE]`;
    const bytes = Buffer.from(text);
    const reader = createEventReader();
    const raws: Buffer[] = [];
    const said: string[] = [];
    for (let at = 0; at < bytes.length; at += size)
      for (const { raw, json } of reader.add(bytes.subarray(at, at + size))) {
        raws.push(raw);
        if (json !== undefined) said.push(JSON.stringify(json));
      }
    expect(Buffer.concat([...raws, reader.rest()]).toString()).toBe(text);
    expect(said).toEqual([
      JSON.stringify({ choices: [{ index: 0, delta: { content: 'é' } }] }),
      '{}',
    ]);
  });

  it('T6 leaves everything else its turn: 60,000 parts that come at once', async () => {
    const flood = part('x').repeat(60_000);
    const told = await passOn([flood]);
    expect(told.bytes).toBe(flood.length);
    expect(told.mostInATurn).toBeLessThan(30_000);
    expect(told.turns).toBeGreaterThan(3);
  });

  it('T6 S0-15 is given up where more than 16 MB come before its first word', async () => {
    const told = await passOn(times(300, `: ${'x'.repeat(MB)}\n\n`));
    expect(told.refused).toBe('malformed');
    expect(told.bytes).toBe(0);
    expect(told.taken).toBeLessThan(20 * MB);
  });

  it('T6 S0-15 is given up at an event of more than 100,000 values, and a document of more than 1,000,000', async () => {
    expect((await passOn([`data: {"x":[${'[],'.repeat(100_001)}0]}\n\n`])).refused).toMatch(
      /too many values/,
    );
    const many = (values: number): string =>
      `{"choices":[{"index":0,"message":{"content":"x"}}],"x":[${'0,'.repeat(values)}0]}`;
    expect((await passOn([many(1_000_001)], false)).refused).toBe('malformed');
    expect((await passOn([many(900_000)], false)).refused).toBe('');
  });
});
