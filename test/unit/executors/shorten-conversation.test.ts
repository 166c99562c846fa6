import { describe, expect, it } from 'vitest';
import {
  cutWords,
  planShorter,
  shorten,
} from '../../../electron/engine/executors/llm/shorten-conversation';
import type { Message } from '../../../electron/ports/provider';

const user = (chars: number): Message => ({ role: 'user', text: 'u'.repeat(chars) });
const said = (chars: number): Message => ({
  role: 'assistant',
  parts: [{ kind: 'text', text: 'a'.repeat(chars) }],
});
const result = (chars: number): Message => ({
  role: 'tool',
  callId: 'c',
  tool: 'read_file',
  content: 'r'.repeat(chars),
  isError: false,
});
const shape = (messages: readonly Message[]): readonly string[] =>
  messages.map((one) =>
    one.role === 'assistant'
      ? 'said'
      : `${one.role} ${String((one.role === 'user' ? one.text : one.content).length)}`,
  );

describe('S2-29 a conversation that is too long', () => {
  it.each<[string, readonly Message[], ReturnType<typeof planShorter>]>([
    ['one question alone stays whole: there is nothing to leave out', [user(9_000)], undefined],
    [
      'the oldest questions go with their answers until half is gone',
      [user(2_000), said(2_000), user(2_000), said(2_000), user(100)],
      { dropped: 4 },
    ],
    [
      'the newest of the earlier questions stay where the older ones are enough',
      [user(5_000), said(5_000), user(1_000), said(1_000), user(100)],
      { dropped: 2 },
    ],
    [
      'results that the model has seen are cut before those that are new to it',
      [user(100), said(10), result(20_000), said(10), result(5_000)],
      { dropped: 0, keepSeen: 400 },
    ],
    [
      'a new result is cut only where nothing else is enough',
      [user(100), said(10), result(90_000)],
      { dropped: 0, keepSeen: 400, keepNew: 4_000 },
    ],
    [
      'a few words of before stay: they are not what is too long',
      [user(20), said(20), user(100), said(10), result(90_000)],
      { dropped: 0, keepSeen: 400, keepNew: 4_000 },
    ],
    [
      'what would stay nearly as long is not sent again',
      [user(9_000), said(10), result(500)],
      undefined,
    ],
  ])('%s', (_title, messages, plan) => {
    expect(planShorter(messages)).toEqual(plan);
  });

  it('says to the model what is missing, and to people what was done', () => {
    const messages = [user(5_000), said(5_000), user(100), said(10), result(30_000), said(10)];
    const cut = planShorter(messages);
    expect(cut).toEqual({ dropped: 2, keepSeen: 400 });
    if (cut === undefined) return;
    const after = shorten(messages, cut);
    expect(shape(after)).toEqual(['user 195', 'said', 'tool 508', 'said']);
    expect(after[0]).toMatchObject({
      text: expect.stringContaining('left out the first 2') as string,
    });
    expect(cutWords(messages, cut)).toBe(
      'Holdfast left out its first 2 messages and cut 1 result of tools and sent the request once more.',
    );
  });

  it('gives the same bytes for the same cut, and none of it is changed by a second look', () => {
    const messages = [user(500), said(5_000), user(100), said(10), result(30_000)];
    const cut = planShorter(messages) ?? { dropped: 0 };
    expect(JSON.stringify(shorten(messages, cut))).toBe(JSON.stringify(shorten(messages, cut)));
    expect(shape(messages)).toEqual(['user 500', 'said', 'user 100', 'said', 'tool 30000']);
  });

  it('never cuts between the two halves of a character', () => {
    const content = `${'r'.repeat(399)}😀${'r'.repeat(3_000)}`;
    const messages: Message[] = [
      user(10),
      said(1),
      { role: 'tool', callId: 'c', tool: 't', content, isError: false },
      said(1),
    ];
    const after = shorten(messages, { dropped: 0, keepSeen: 400 })[2];
    const kept = after?.role === 'tool' ? after.content : '';
    expect(() => encodeURIComponent(kept)).not.toThrow();
  });
});
