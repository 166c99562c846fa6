import { describe, expect, it } from 'vitest';
import { boundedBody } from '../../../electron/adapters/fetch/bounded-body';

const bodyOf = (chunks: readonly string[]): ReadableStream<Uint8Array> =>
  new ReadableStream({
    start(controller) {
      for (const chunk of chunks) controller.enqueue(Buffer.from(chunk));
      controller.close();
    },
  });

async function read(chunks: readonly string[], isEvents = true) {
  const seen = { pieces: 0, largest: 0, text: '', events: 0, refused: '' };
  const body = boundedBody(bodyOf(chunks), {
    isEvents,
    messageBytes: 1024 * 1024,
    took(_bytes, _open, events) {
      seen.events += events;
      return undefined;
    },
  });
  try {
    for await (const piece of body) {
      seen.pieces += 1;
      seen.largest = Math.max(seen.largest, piece.length);
      seen.text += Buffer.from(piece).toString('utf8');
    }
  } catch (thrown) {
    seen.refused = (thrown as Error).message;
  }
  return seen;
}

describe('a body from outside', () => {
  it.each([
    ['line feeds', 'data: {"a":1}\n\n'],
    ['carriage returns', 'data: {"é":1}\r\n\r\n'],
    ['comments between', ': ping\n\ndata: {}\n\n'],
  ])('T6 arrives unchanged, cut anywhere (%s)', async (_name, event) => {
    const text = `${event.repeat(50)}data: [DONE]`;
    for (const size of [1, 3, 7, 64, 5_000]) {
      const chunks = text.match(new RegExp(`[^]{1,${String(size)}}`, 'gu')) ?? [];
      expect((await read(chunks)).text).toBe(text);
    }
  });

  it('T6 of 20,000 tiny events comes in pieces of whole lines of about 2 KB', async () => {
    const event = 'data: {}\n\n';
    const seen = await read([event.repeat(20_000)]);
    expect([seen.text.length, seen.events]).toEqual([event.length * 20_000, 20_000]);
    expect(seen.largest).toBeLessThan(2 * 1024 + event.length);
    expect(seen.pieces).toBeGreaterThan(90);
  });

  it.each([
    ['one line', [`data: ${'x'.repeat(600_000)}`, 'x'.repeat(600_000)]],
    ['many lines', [`data: ${'x'.repeat(100)}\n`.repeat(12_000)]],
  ])('T6 is broken off at an event of more than 1 MB (%s)', async (_name, chunks) => {
    const seen = await read(chunks);
    expect(seen.refused).toBe('It sent a message of more than 1 MB.');
    expect((await read(['data: 1\n\n'.repeat(300_000)])).refused).toBe('');
  });

  it('T6 is broken off at an event of more than 100,000 values, and at a document of them', async () => {
    const event = `data: [${'0,'.repeat(60_000)}0]\n`;
    expect((await read([event, event])).refused).toMatch(/100000 values/);
    expect((await read([event, '\n', event])).refused).toBe('');
    expect((await read([event, '\n', event], false)).refused).toMatch(/100000 values/);
  });
});
