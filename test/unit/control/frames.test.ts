import { describe, expect, it } from 'vitest';
import type { FrameFault } from '../../../electron/control/frames';
import {
  createFrameReader,
  encodeMessage,
  MAX_FRAME_BYTES,
} from '../../../electron/control/frames';

function reader(limits: { maxFrameBytes?: number; maxMessageBytes?: number } = {}) {
  const messages: unknown[] = [];
  const faults: FrameFault[] = [];
  const made = createFrameReader({
    maxFrameBytes: limits.maxFrameBytes ?? MAX_FRAME_BYTES,
    maxMessageBytes: limits.maxMessageBytes ?? 26_000_000,
    onMessage: (message) => messages.push(message),
    onFault: (fault) => faults.push(fault),
  });
  return { made, messages, faults };
}

describe('frames of the control socket', () => {
  it('S2-39 a small message is one line', () => {
    expect(encodeMessage({ kind: 'x', n: 1 })).toEqual(['{"kind":"x","n":1}\n']);
  });

  it.each([
    ['ascii', 'a'.repeat(4_000_000)],
    ['emoji cut at every place', '😀'.repeat(100_001)],
    ['quotes and backslashes', '"\\'.repeat(60_000)],
    ['control characters', '\u0000\u001b'.repeat(60_000)],
    ['a lone surrogate', `${'b'.repeat(70_000)}\ud83d`],
  ])(
    'S2-39 a long message (%s) crosses in lines of at most 64 KB and arrives unchanged',
    (_name, text) => {
      const lines = encodeMessage({ kind: 'call', text });
      expect(lines.length).toBeGreaterThan(1);
      expect(Math.max(...lines.map((line) => Buffer.byteLength(line)))).toBeLessThanOrEqual(
        MAX_FRAME_BYTES,
      );
      const { made, messages, faults } = reader();
      const bytes = Buffer.from(lines.join(''));
      for (let from = 0; from < bytes.length; from += 60_001)
        made.push(bytes.subarray(from, from + 60_001));
      expect(faults).toEqual([]);
      expect(messages).toEqual([{ kind: 'call', text }]);
      expect(made.heldBytes()).toBe(0);
    },
  );

  it('S2-39 one byte at a time gives the same messages', () => {
    const { made, messages } = reader();
    for (const byte of Buffer.from('{"a":"ü"}\n\n{"b":2}\n')) made.push(Buffer.from([byte]));
    expect(messages).toEqual([{ a: 'ü' }, { b: 2 }]);
  });

  it('S2-39 a line of 65,536 bytes passes and one of 65,537 is refused, complete or not', () => {
    const line = (bytes: number) => Buffer.from(`"${'x'.repeat(bytes - 3)}"\n`);
    const fits = reader();
    fits.made.push(line(65_536));
    expect([fits.messages.length, fits.faults]).toEqual([1, []]);
    const tooLong = reader();
    tooLong.made.push(line(65_537));
    expect([tooLong.messages.length, tooLong.faults]).toEqual([0, ['frame_too_large']]);
    const endless = reader();
    endless.made.push(Buffer.alloc(65_536, 0x61));
    expect(endless.faults).toEqual(['frame_too_large']);
    endless.made.push(Buffer.from('\n{"kind":"late"}\n'));
    expect(endless.messages).toEqual([]);
  });

  it('S2-39 parts are refused above the message limit, without holding more than it', () => {
    const { made, faults } = reader({ maxMessageBytes: 100_000 });
    for (const line of encodeMessage({ text: 'y'.repeat(200_000) })) {
      made.push(Buffer.from(line));
      expect(made.heldBytes()).toBeLessThanOrEqual(100_000);
    }
    expect(faults).toEqual(['message_too_large']);
  });

  it.each([
    ['not JSON', '{"a":\n'],
    ['a part without text', '{"kind":"part","isLast":true}\n'],
    ['parts that are no JSON', '{"kind":"part","text":"{","isLast":true}\n'],
    ['a message between parts', '{"kind":"part","text":"{","isLast":false}\n{"a":1}\n'],
    [
      'parts that make a part',
      '{"kind":"part","text":"{\\"kind\\":\\"part\\",\\"text\\":\\"1\\",\\"isLast\\":true}","isLast":true}\n',
    ],
  ])('S2-39 %s is malformed', (_name, bytes) => {
    const { made, messages, faults } = reader();
    made.push(Buffer.from(bytes));
    expect([messages, faults]).toEqual([[], ['malformed']]);
  });
});
