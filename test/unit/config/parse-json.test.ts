import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseJson } from '../../../electron/adapters/config/parse-json';
import { SLACK } from '../../helpers/slack';
import { anyCharacter } from '../../helpers/any-text';

const FORBIDDEN = new Set(['__proto__', 'constructor', 'prototype']);

describe('parseJson', () => {
  it('S1-33 reads every JSON text as JSON.parse reads it (300 random values, 3 spacings)', () => {
    const names = fc.string().filter((name) => !FORBIDDEN.has(name));
    const { json } = fc.letrec((tie) => ({
      json: fc.oneof(
        { maxDepth: 4 },
        fc.string({ unit: anyCharacter }),
        fc.double({ noNaN: true, noDefaultInfinity: true }),
        fc.boolean(),
        fc.constant(null),
        fc.array(tie('json'), { maxLength: 5 }),
        fc.dictionary(names, tie('json'), { maxKeys: 5, noNullPrototype: true }),
      ),
    }));
    fc.assert(
      fc.property(json, fc.constantFrom(undefined, 2, '\t'), (value, space) => {
        const text = JSON.stringify(value, null, space).replaceAll('\n', '\r\n');
        const parsed = parseJson(text);
        expect(parsed.ok && parsed.value).toEqual(JSON.parse(text));
      }),
      { numRuns: 300 },
    );
  });

  it('S1-33 never throws and never accepts what JSON.parse refuses (2000 damaged texts)', () => {
    const base = JSON.stringify(
      { a: [1, 'two', { b: true, c: null }], 'd e': -1.5e3, f: '\\u00e9' },
      null,
      2,
    );
    fc.assert(
      fc.property(
        fc.nat(base.length),
        fc.nat(3),
        fc.constantFrom(
          '',
          '{',
          '}',
          ']',
          ',',
          '"',
          ':',
          '\\',
          '/',
          "'",
          'x',
          '1',
          '.',
          '\n',
          '\0',
        ),
        (start, cut, insert) => {
          const text = base.slice(0, start) + insert + base.slice(start + cut);
          const parsed = parseJson(text);
          if (!parsed.ok) {
            expect(parsed.line).toBeGreaterThanOrEqual(1);
            expect(parsed.line).toBeLessThanOrEqual(text.split('\n').length);
            return;
          }
          expect(parsed.value).toEqual(JSON.parse(text));
        },
      ),
      { numRuns: 2000 },
    );
  });

  it.each([
    ['a line comment', '{\n  // why\n  "a": 1\n}', 2, 'comments are not allowed in JSON'],
    ['a block comment', '{"a": 1 /* why */}', 1, 'comments are not allowed in JSON'],
    ['a trailing comma in an object', '{\n"a": 1,\n}', 2, 'remove the comma before "}"'],
    ['a trailing comma in a list', '{"a": [1,\n2,\n]}', 2, 'remove the comma before "]"'],
    ['single quotes', "{'a': 1}", 1, 'double quotes'],
    ['a missing comma', '{\n"a": 1\n"b": 2}', 3, '""" found, but a comma or "}" is expected'],
    ['the end in the middle', '{\n"a": {\n"b": 1', 3, 'the file ends in the middle'],
    ['a text that never ends', '{\n"a": "soon\n}', 2, 'a string has no closing double quote'],
    ['a bare word', '{"a": soon}', 1, '"s" found, but a value is expected'],
    ['a Windows path', '{"a": "C:\\Users"}', 1, 'a string contains an invalid backslash'],
    ['an empty file', '', 1, 'the file is empty'],
    ['a file of spaces', ' \n\n', 1, 'the file is empty'],
    ['a file of zero bytes', '\0\0\0', 1, 'an invisible character found, but a value is expected'],
    ['something after the end', '{}\n{}', 2, '"{" found, but the end of the file is expected'],
    ['a name that stands twice', '{"a": 1,\n"a": 2}', 2, 'the same name is used twice'],
    [
      'T5 __proto__',
      '{"a": {\n"__proto__": {"mode": "always"}}}',
      2,
      '"__proto__" cannot be a name here',
    ],
    ['T5 constructor', '{"constructor": {}}', 1, '"constructor" cannot be a name here'],
    ['T5 an escaped __proto__', '{"\\u005f_proto__": {}}', 1, '"__proto__" cannot be a name here'],
    ['T5 40 levels', '['.repeat(40) + ']'.repeat(40), 1, 'it is nested too deeply'],
    ['01', '{"a": 01}', 1, 'this is not a number'],
    ['NaN', '{"a": NaN}', 1, '"N" found, but a value is expected'],
  ])('S1-33 names the line and the reason: %s', (_what, text, line, reason) => {
    const parsed = parseJson(text);
    expect(parsed).toMatchObject({ ok: false, line });
    expect(!parsed.ok && parsed.reason).toContain(reason);
  });

  it('S1-33 knows the line of every member, with CRLF as with LF', () => {
    for (const end of ['\n', '\r\n']) {
      const parsed = parseJson(['{', '"a": {', '"b": [', '1,', '2]', '},', '"c": 3}'].join(end));
      if (!parsed.ok) throw new Error(parsed.reason);
      expect(parsed.lineOf(['a'])).toBe(2);
      expect(parsed.lineOf(['a', 'b'])).toBe(3);
      expect(parsed.lineOf(['c'])).toBe(7);
      expect(parsed.lineOf(['d'])).toBeUndefined();
    }
  });

  it('T5 reads 1 MB of lists and long texts in under 1 s', () => {
    const text = `{"a": "${'x'.repeat(500_000)}", "b": [${'1,'.repeat(249_999)}1]}`;
    const startMs = performance.now();
    expect(parseJson(text).ok).toBe(true);
    expect(performance.now() - startMs).toBeLessThan(1000 * SLACK);
  });
});
