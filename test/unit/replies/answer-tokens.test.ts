import { createHmac } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { makeToken, readToken } from '../../../electron/engine/replies/answer-tokens';
import { tokenIn } from '../../../shared/questions/token-in';
import { pressData, readPress } from '../../../electron/engine/replies/question-text';
import type { AnswerSeal } from '../../../electron/ports/answer-seal';

const sealWith = (key: string): AnswerSeal => {
  const seal = (text: string): string => createHmac('sha256', key).update(text).digest('base64url');
  return { seal, isSealOf: (given, text) => given === seal(text) };
};
const seal = sealWith('a key');
const HASH = 'c0ffee00c0ffee00aa';
const NOW_MS = 1_800_000_000_000;
const made = {
  channel: 'ci',
  person: 'ann@example.org',
  data: pressData('allow', 12, HASH),
  untilMs: NOW_MS + 60_000,
};
const token = makeToken(made, seal);
const read = (text: string, more: Partial<Parameters<typeof readToken>[1]> = {}) =>
  readToken(text, { channel: 'ci', nowMs: NOW_MS, seal, ...more });

describe('the token of a signed answer', () => {
  it('PH-03 is read as the press that it stands for, by the person that it was made for', () => {
    expect(read(token)).toEqual({ kind: 'read', person: made.person, data: made.data });
    expect(readPress(made.data)).toEqual({
      code: 'allow',
      inboxId: 12,
      hashStart: HASH.slice(0, 16),
    });
  });

  const [head = '', until = '', who = '', code = '', id = '', hash = '', mac = ''] =
    token.split('.');
  const forged = (...parts: string[]): string => parts.join('.');
  it.each([
    ['nothing', ''],
    ['prose', 'yes, allow all of it'],
    ['the data of an unsigned button', made.data],
    ['another answer', forged(head, until, who, 'A', id, hash, mac)],
    ['another question', forged(head, until, who, code, 'd', hash, mac)],
    ['another input', forged(head, until, who, code, id, '0'.repeat(16), mac)],
    ['another person', forged(head, until, 'bob~40example~2Eorg', code, id, hash, mac)],
    ['a later end', forged(head, `z${until.slice(1)}`, who, code, id, hash, mac)],
    ['no seal', forged(head, until, who, code, id, hash)],
    ['an empty seal', forged(head, until, who, code, id, hash, '')],
    ['a seal of another key', makeToken(made, sealWith('another key'))],
    ['the seal of another channel', makeToken({ ...made, channel: 'other' }, seal)],
    ['a person that cannot be read', forged(head, until, '~FF~', code, id, hash, mac)],
    ['something behind it', `${token}A`],
    ['a line end behind it', `${token}\n`],
    ['a very long text', `${token.slice(0, -43)}${'A'.repeat(100_000)}`],
  ])('PH-03 refuses %s as forged', (_what, text) => {
    expect(read(text)).toMatchObject({ kind: 'refused', reason: 'FORGED' });
  });

  it('PH-03 counts until its end and not longer', () => {
    expect(read(token, { nowMs: made.untilMs }).kind).toBe('read');
    expect(read(token, { nowMs: made.untilMs + 1_000 })).toEqual({
      kind: 'refused',
      reason: 'EXPIRED',
      person: made.person,
    });
  });

  it('PH-03 is found in a subject, a quoted reply or a topic, and holds only what addresses can', () => {
    expect(token).toMatch(/^[\w.~*!'()-]+$/);
    for (const text of [`Re: ${token}`, `> ${token}\n> was written`, `${token} 2`])
      expect(tokenIn(text)).toBe(token);
    expect(tokenIn('Re: your question')).toBeUndefined();
  });

  it('PH-03 has the longest address that may decide, and refuses a name that could not be read again', () => {
    const person = `${'+'.repeat(64)}@${'.'.repeat(60)}`;
    expect(read(makeToken({ ...made, person }, seal))).toMatchObject({ kind: 'read', person });
    expect(() => makeToken({ ...made, person: '😀'.repeat(40) }, seal)).toThrow(/too long/);
    const text = makeToken({ ...made, person: 'Zoë 😀' }, seal);
    expect(read(text)).toMatchObject({ kind: 'read', person: 'Zoë 😀' });
  });

  it('PH-03 of any person and answer is read again, and any change of one character is refused', () => {
    fc.assert(
      fc.property(
        // As long as the settings allow, in characters that all have to be written as three.
        fc.string({ minLength: 1, maxLength: 125, unit: fc.constantFrom('.', '@', '+', 'a', '~') }),
        fc.integer({ min: 1, max: 1e9 }),
        fc.nat(),
        fc.constantFrom('a', 'b', 'Z', '0', '9', '.', '-', '_', '~'),
        (person, inboxId, at, sign) => {
          const data = pressData('deny', inboxId, HASH);
          const text = makeToken({ ...made, person, data }, seal);
          expect(read(text)).toEqual({ kind: 'read', person, data });
          const place = at % text.length;
          const changed = text.slice(0, place) + sign + text.slice(place + 1);
          if (changed !== text) expect(read(changed).kind).toBe('refused');
        },
      ),
      { numRuns: 300 },
    );
  });
});
