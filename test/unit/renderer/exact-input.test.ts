import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { showText } from '../../../electron/engine/journal/show-text';
import { inertPieces } from '../../../renderer/parts/inert-view';
import { blankPieces, inputShape, plainJson } from '../../../renderer/parts/exact-input-view';

/** What the engine sends of an input. */
const sent = (value: unknown) => {
  const { text, isTruncated } = showText(JSON.stringify(value, null, 1), 4000);
  return { args: text, isTruncated };
};
const fieldsOf = (value: unknown) => {
  const shape = inputShape(sent(value));
  return shape.kind === 'fields'
    ? shape.fields.map((field) => [field.label, field.value.kind, field.value.text])
    : shape.kind;
};

describe('the exact input of a call', () => {
  it.each<[string, unknown, unknown]>([
    [
      'a mail',
      { to: 't.okafor@example.com', subject: 'Offer', body: 'Dear T.,\n\nyes.' },
      [
        ['To', 'text', 't.okafor@example.com'],
        ['Subject', 'text', 'Offer'],
        ['Text', 'text', 'Dear T.,\n\nyes.'],
      ],
    ],
    ['a command', { command: 'git push' }, [['Command', 'command', 'git push']]],
    ['a name nobody knows, as it stands', { To: 'x', n: 3 }, [['To', 'text', 'x'], ['n', 'json', '3']]], // prettier-ignore
    [
      'texts that could be taken for something else keep their quotes',
      { a: '3', b: 'null', c: '', d: ' ', e: '"x"', f: '[1]', g: true, h: null },
      [
        ['a', 'json', '"3"'],
        ['b', 'json', '"null"'],
        ['c', 'json', '""'],
        ['d', 'json', '" "'],
        ['e', 'json', '"\\"x\\""'],
        ['f', 'json', '"[1]"'],
        ['g', 'json', 'true'],
        ['h', 'json', 'null'],
      ],
    ],
    ['a nested value as JSON', { to: ['a', 'b'] }, [['To', 'json', '[\n "a",\n "b"\n]']]],
    ['no object', ['a'], 'json'],
    ['nothing in it', {}, []],
    ['too much for fields', Object.fromEntries([...Array(41).keys()].map((n) => [`k${String(n)}`, n])), 'json'], // prettier-ignore
    ['a hidden character', { to: 'a\u202eb\u001b' }, [['To', 'text', 'a\u202eb\u001b']]],
  ])('shows %s', (_name, value, expected) => {
    expect(fieldsOf(value)).toEqual(expected);
  });

  it('leaves a cut input as the JSON that it is, and says when none is known', () => {
    expect(inputShape(sent({ body: 'x'.repeat(5000) })).kind).toBe('json');
    expect(inputShape({ args: '', isTruncated: false })).toEqual({ kind: 'missing' });
    expect(inputShape({ args: 'no JSON {', isTruncated: false }).kind).toBe('json');
  });

  it('W8 keeps every text to the character, and its JSON without a hidden one', () => {
    const nasty = fc.string({
      unit: fc.constantFrom('\\', 'u', '{', '}', '2', '0', 'e', '"', '\u202e', '\u200b', '\u{e0041}', '\u0085', ' ', '\n', 'x'), // prettier-ignore
      maxLength: 60,
    });
    fc.assert(
      fc.property(fc.dictionary(nasty, nasty, { noNullPrototype: true }), (value) => {
        const { args } = sent(value);
        const json = plainJson(args);
        expect(JSON.parse(json)).toEqual(value);
        expect(inertPieces(json).every((piece) => piece.kind === 'text')).toBe(true);
      }),
    );
  });

  it('marks the blanks that a reader could miss and no others', () => {
    const marked = (text: string): string =>
      blankPieces(text)
        .map((piece) => (piece.kind === 'text' ? piece.text : piece.marks))
        .join('');
    expect(marked('one two')).toBe('one two');
    expect(marked(' a  b\tc \nd\u00a0e')).toBe('·a··b→c·\nd°e');
    const blank = fc.string({ unit: fc.constantFrom(' ', '\t', '\n', 'a', '\u00a0') });
    fc.assert(
      fc.property(blank, (text) => {
        expect(blankPieces(text).map((piece) => piece.text).join('')).toBe(text); // prettier-ignore
      }),
    );
  });
});
