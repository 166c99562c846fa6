import { diffWordsWithSpace } from 'diff';
import { describe, expect, it } from 'vitest';
import { linePieces, longestLine } from '../../../renderer/drafts/line-pieces';
import { codeColor } from '../../../renderer/parts/code-color';
import type { DiffHunk, DiffRow } from '../../../shared/types/drafts';

const row = (kind: DiffRow['kind'], text: string): DiffRow => ({ kind, text });
const hunk = (...rows: DiffRow[]): DiffHunk => ({ fileStart: 1, draftStart: 1, rows });
/** Words that differ in brackets. */
const drawn = (rows: DiffRow[], path = 'a.txt', colour = false): string[] => {
  const pieces = linePieces([hunk(...rows)], path, {
    colour: colour ? codeColor : undefined,
    words: diffWordsWithSpace,
  });
  return rows.map((one) =>
    (pieces.get(one) ?? [{ text: one.text }])
      .map((piece) => (piece.isWord === true ? `[${piece.text}]` : piece.text))
      .join(''),
  );
};

describe('the words that differ in a pair of lines', () => {
  it.each([
    [
      'one word of each',
      [row('removed', 'the old name here'), row('added', 'the new name here')],
      ['the [old] name here', 'the [new] name here'],
    ],
    [
      'a word that is only in one',
      [row('removed', 'run the tests'), row('added', 'run all the tests')],
      ['run the tests', 'run [all ]the tests'],
    ],
    [
      'the first removed with the first added, the second with the second',
      [
        row('removed', 'say one of these'),
        row('removed', 'and two of those'),
        row('added', 'say 1 of these'),
        row('added', 'and 2 of those'),
      ],
      ['say [one] of these', 'and [two] of those', 'say [1] of these', 'and [2] of those'],
    ],
    [
      'nothing where the lines have too little in common',
      [row('removed', 'entirely of one kind'), row('added', 'something else')],
      ['entirely of one kind', 'something else'],
    ],
    [
      'nothing across a line that stays',
      [row('removed', 'say one of these'), row('same', 'x'), row('added', 'say 1 of these')],
      ['say one of these', 'x', 'say 1 of these'],
    ],
    [
      'newer and revived lines as well',
      [row('newer', 'the old name'), row('revived', 'the new name')],
      ['the [old] name', 'the [new] name'],
    ],
  ])('marks %s', (_name, rows, expected) => {
    expect(drawn(rows)).toEqual(expected);
  });

  it('leaves lines of more than 1,000 characters as they are', () => {
    const long = 'word '.repeat(300);
    expect(drawn([row('removed', `${long}a`), row('added', `${long}b`)]).join('')).not.toContain(
      '[',
    );
  });
});

describe('the colors of a comparison', () => {
  it('are those of the language, cut where words differ, and the text stays the same to the character', () => {
    const rows = [
      row('same', 'const a = "x";'),
      row('removed', 'return a + 1; // old'),
      row('added', 'return a + 2; // old'),
    ];
    const pieces = linePieces([hunk(...rows)], 'a.ts', {
      colour: codeColor,
      words: diffWordsWithSpace,
    });
    for (const one of rows)
      expect(
        pieces
          .get(one)
          ?.map(({ text }) => text)
          .join(''),
      ).toBe(one.text);
    const added = pieces.get(rows[2] as DiffRow) ?? [];
    expect(added.find(({ text }) => text === '2')).toMatchObject({ role: 'value', isWord: true });
    expect(added.find(({ text }) => text === 'return')).toEqual({
      text: 'return',
      role: 'keyword',
    });
  });

  it('read each side on its own: a comment that only the old file opens does not reach the new lines', () => {
    const rows = [row('removed', '/* open'), row('added', 'const a = 1;')];
    const pieces = linePieces([hunk(...rows)], 'a.ts', { colour: codeColor, words: undefined });
    expect(pieces.get(rows[0] as DiffRow)?.[0]?.role).toBe('comment');
    expect(pieces.get(rows[1] as DiffRow)?.[0]?.role).toBe('keyword');
  });

  it('leave a file without a grammar plain', () => {
    expect(
      linePieces([hunk(row('same', 'x'))], 'notes.unknown', {
        colour: codeColor,
        words: undefined,
      }).size,
    ).toBe(0);
  });

  it('know the longest line, so that two columns can scroll together', () => {
    expect(longestLine([hunk(row('same', 'abc'), row('added', 'abcde'))])).toBe(5);
    expect(longestLine([])).toBe(0);
  });
});
