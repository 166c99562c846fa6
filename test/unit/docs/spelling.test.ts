/** Words of the documents are American English, or names that test/unit/docs/words.txt lists. */
import { createRequire } from 'node:module';
import dictionary from 'dictionary-en';
import { describe, expect, it } from 'vitest';
import { documents, read } from './project-docs';

interface Speller {
  correct(word: string): boolean;
}
const nspell = createRequire(import.meta.url)('nspell') as (dictionary: {
  readonly aff: Uint8Array;
  readonly dic: Uint8Array;
}) => Speller;

const speller = nspell(dictionary);
const listed = read('test/unit/docs/words.txt')
  .split('\n')
  .filter((line) => line !== '' && !line.startsWith('#'));
const names = new Set(listed.map((word) => word.toLowerCase()));

/** Prose without code, links and addresses. */
const proseOf = (markdown: string): string =>
  markdown
    .replace(/^ *```[^]*?^ *```/gm, ' ')
    .replace(/<!--[^]*?-->/g, ' ')
    .replace(/`[^`\n]*`/g, ' ')
    .replace(/\]\([^)]*\)/g, ']')
    .replace(/\b[a-z]+:\/\/\S+/g, ' ')
    .replace(/[~\w.-]*[/_][\w./_-]*/g, ' ')
    .replace(/\b\w+\.(?:md|json|ts|txt)\b/gi, ' ');

const wordsOf = (text: string): string[] =>
  [...text.matchAll(/[\p{L}][\p{L}'’]*/gu)]
    .map(([word]) => word.replaceAll('’', "'").replace(/'s?$/, ''))
    .filter((word) => word.length > 2);

const isKnown = (word: string): boolean =>
  names.has(word.toLowerCase()) || speller.correct(word) || speller.correct(word.toLowerCase());

const checked = documents.filter(
  (path) => path === 'README.md' || (path.startsWith('docs/') && path.endsWith('.md')),
);

describe('spelling of the documents', () => {
  it('finds a misspelling, and British spelling', () => {
    expect(['recover', 'recieve', 'colour', 'color'].filter((word) => !isKnown(word))).toEqual([
      'recieve',
      'colour',
    ]);
  });

  it.each(checked)('%s has no misspelled word', (path) => {
    expect([...new Set(wordsOf(proseOf(read(path))).filter((word) => !isKnown(word)))]).toEqual([]);
  });

  it('test/unit/docs/words.txt is sorted and lists only words that are used', () => {
    expect(listed).toEqual(listed.toSorted((one, other) => (one < other ? -1 : 1)));
    const used = new Set(checked.flatMap((path) => wordsOf(proseOf(read(path)))));
    expect(listed.filter((word) => !used.has(word))).toEqual([]);
  });
});
