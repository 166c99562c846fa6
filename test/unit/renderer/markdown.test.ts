import { performance } from 'node:perf_hooks';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { codeColor } from '../../../renderer/parts/code-color';
import {
  MAX_MARKDOWN_CHARS,
  markdownBlocks,
  type MdBlock,
  type MdInline,
} from '../../../renderer/parts/markdown-view';
import { anyCharacter } from '../../helpers/any-text';
import { hostileTexts } from '../../helpers/hostile-text';
import { SLACK } from '../../helpers/slack';

/** Everything that a reader would see of it, in order. */
const seen = (value: unknown): string =>
  Array.isArray(value)
    ? value.map(seen).join('')
    : typeof value === 'object' && value !== null
      ? Object.entries(value)
          .filter(
            ([key]) =>
              !['kind', 'align', 'href', 'language', 'info', 'title', 'level', 'start'].includes(
                key,
              ),
          )
          .map(([, one]) => seen(one))
          .join('')
      : String(value);

const inline = (text: string): readonly MdInline[] => {
  const [block] = markdownBlocks(text) ?? [];
  if (block?.kind !== 'paragraph') throw new Error('not a paragraph');
  return block.children;
};

describe('Markdown of an answer', () => {
  it('reads headings, lists, tables, code with its language, quotes and rules', () => {
    const blocks = markdownBlocks(
      [
        '# Why',
        'One **bold** and *soft* and ~~gone~~ `code`.',
        '- a',
        '  1. b',
        '',
        '| file | lines |',
        '| --- | ---: |',
        '| a.ts | 12 |',
        '',
        '```ts title',
        'const a = 1;',
        '```',
        '> said',
        '',
        '---',
      ].join('\n'),
    );
    expect(blocks?.map(({ kind }) => kind)).toEqual([
      'heading',
      'paragraph',
      'list',
      'table',
      'code',
      'quote',
      'rule',
    ]);
    expect(blocks?.[4]).toEqual({
      kind: 'code',
      language: 'ts',
      info: 'ts title',
      text: 'const a = 1;',
    });
    expect(blocks?.[3]).toMatchObject({
      head: [{ align: 'left' }, { align: 'right' }],
      rows: [[{ align: 'left' }, { align: 'right' }]],
    });
    expect(blocks?.[2]).toMatchObject({
      start: undefined,
      items: [[{}, { kind: 'list', start: 1 }]],
    });
  });

  it('keeps the line feeds of a paragraph', () => {
    expect(inline('one\ntwo').map(({ kind }) => kind)).toEqual(['text', 'break', 'text']);
  });

  it('leaves out no level of headings, whatever the text says', () => {
    const levels = (text: string): readonly number[] =>
      (markdownBlocks(text) ?? []).flatMap((block) =>
        block.kind === 'heading' ? [block.level] : [],
      );
    expect(levels('### a\n# b\n###### c\n### d')).toEqual([2, 2, 3, 3]);
    expect(levels('###### only')).toEqual([2]);
  });

  it.each([
    '<img src=x onerror=alert(1)>',
    '<script>owned()</script>',
    'a <b>bold</b> &lt;script&gt;',
    '<a href="https://evil.example">x</a>',
    '<!-- hidden -->',
  ])('shows HTML as the text that it is: %s', (text) => {
    const blocks = markdownBlocks(text);
    expect(blocks?.map(({ kind }) => kind)).toEqual(['paragraph']);
    expect(seen(blocks)).toBe(text.replace('&lt;', '<').replace('&gt;', '>'));
  });

  it.each([
    ['[x](javascript:alert(1))', []],
    ['[x](data:text/html,y)', []],
    ['[x](vbscript:y)', []],
    ['[x](file:///etc/passwd)', []],
    ['[x](holdfast://open/turn/1)', ['place']],
    ['[x](../secret.md)', ['place']],
    ['[x](https://example.org/a)', ['link']],
    ['https://example.org/a', ['link']],
    ['evil.example/a and a@b.example', []],
    ['![alt](https://evil.example/pixel.png)', ['picture']],
    ['![alt](data:image/png;base64,AAAA)', ['picture']],
  ])('%s is %j', (text, kinds) => {
    expect(
      inline(text)
        .map(({ kind }) => kind)
        .filter((kind) => kind !== 'text'),
    ).toEqual(kinds);
  });

  it('shows a text as it is that is longer, deeper or in more pieces than can be read at once', () => {
    expect(markdownBlocks('a'.repeat(MAX_MARKDOWN_CHARS))).toBeDefined();
    expect(markdownBlocks('a'.repeat(MAX_MARKDOWN_CHARS + 1))).toBeUndefined();
    expect(markdownBlocks(`${'> '.repeat(10)}a`)).toBeDefined();
    expect(markdownBlocks(`${'> '.repeat(5_000)}a`)).toBeUndefined();
    expect(markdownBlocks(`${'- '.repeat(5_000)}a`)).toBeUndefined();
    expect(markdownBlocks('| a |\n| - |\n'.concat('| x |\n'.repeat(3_000)))).toBeUndefined();
  });

  it('loses no word, whatever the text is', () => {
    const word = fc.constantFrom(
      ...['# ', '> ', '- ', '1. ', '* ', '**', '_', '`', '```\n', '~~', '|', '\n', '\n\n', '    '],
      ...['[a](', ')', '![', '<div>', '&amp;', '\\', 'www', '---', '|-|', '\t', 'x', ' '],
    );
    fc.assert(
      fc.property(
        fc.array(fc.oneof(word, anyCharacter), { maxLength: 60 }),
        fc.integer({ min: 0, max: 60 }),
        (pieces, at) => {
          // A word of letters is part of no mark, so it must come out.
          const text = [...pieces.slice(0, at), 'holdfastword', ...pieces.slice(at)].join('');
          const blocks = markdownBlocks(text);
          const all = JSON.stringify(blocks ?? text);
          expect(all).toContain('holdfastword');
        },
      ),
      { numRuns: 2_000 },
    );
  });

  it.each(
    Object.entries({
      ...hostileTexts(20_000),
      stars: '*a '.repeat(6_600),
      lows: '_a_'.repeat(6_600),
      brackets: '['.repeat(20_000),
      pictures: '!['.repeat(10_000),
      links: '[a]('.repeat(5_000),
      quotes: '>'.repeat(20_000),
      lists: '- '.repeat(10_000),
      marks: '`'.repeat(20_000),
      pipes: '|'.repeat(20_000),
      wide: `|${'a|'.repeat(3_000)}\n|${'-|'.repeat(3_000)}\n|x`,
      cells: `${'a|'.repeat(3_000)}\n${'-|'.repeat(3_000)}\n${'a\n'.repeat(3_000)}`,
      signs: '<'.repeat(20_000),
      mails: `${'a'.repeat(19_999)}@`,
      addresses: 'http://'.repeat(2_850),
      spaces: `a${' '.repeat(19_998)}b`,
      backslashes: '\\'.repeat(20_000),
      paragraphs: 'a\n\n'.repeat(6_600),
    }),
  )('reads 20,000 hostile characters in under half a second: %s', (_name, text) => {
    markdownBlocks('warm **up**');
    const fromMs = performance.now();
    markdownBlocks(text);
    expect(performance.now() - fromMs).toBeLessThan(500 * SLACK);
  });
});

describe('colors of code', () => {
  it('is the code to the character, in lines, whatever the code is', () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.oneof(fc.constantFrom('\n', '/*', "'", '`', '${', '#', '<', 'const '), anyCharacter),
        ),
        fc.constantFrom('ts', 'bash', 'json', 'xml', 'python', 'no-such', undefined),
        (pieces, language) => {
          const code = pieces.join('');
          const lines = codeColor.linesOf(code, language);
          expect(lines.map((line) => line.map(({ text }) => text).join('')).join('\n')).toBe(code);
        },
      ),
      { numRuns: 400 },
    );
  });

  it('tells keywords, strings, comments, values and names apart', () => {
    const roles = codeColor
      .linesOf("const a = 'b'; // c\nreturn 12;", 'ts')
      .map((line) => line.flatMap(({ text, role }) => (role === undefined ? [] : [[text, role]])));
    expect(roles).toEqual([
      [
        ['const', 'keyword'],
        ["'b'", 'string'],
        ['// c', 'comment'],
      ],
      [
        ['return', 'keyword'],
        ['12', 'value'],
      ],
    ]);
  });

  it.each([
    ['src/app.ts', 'ts'],
    ['C:\\a\\B.PY', 'py'],
    ['a/.gitconfig', 'ini'],
    ['Cargo.toml', 'ini'],
    ['notes', undefined],
    ['x.constructor', undefined],
    ['.__proto__', undefined],
  ])('knows the language of %s', (path, language) => {
    expect(codeColor.languageOf(path)).toBe(language);
  });

  it('leaves a long text and a long line plain', () => {
    const isPlain = (code: string): boolean =>
      codeColor.linesOf(code, 'js').every((line) => line.every(({ role }) => role === undefined));
    expect(isPlain('let a;\n'.repeat(4_000))).toBe(true);
    expect(isPlain(`let a = '${'b'.repeat(3_000)}'`)).toBe(true);
    expect(isPlain('let a;')).toBe(false);
  });

  it.each(['ini', 'toml'])('leaves a long line plain earlier where it takes long: %s', (ending) => {
    const language = codeColor.languageOf(`a.${ending}`) ?? ending;
    const hasColor = (code: string): boolean =>
      codeColor
        .linesOf(code, language)
        .flat()
        .some(({ role }) => role !== undefined);
    expect(hasColor('a.b = 1')).toBe(true);
    expect(hasColor(`a = 1\n${'a.'.repeat(300)}`)).toBe(false);
  });
});

// The kinds are closed: a new one must be drawn and judged.
const KINDS: Record<MdBlock['kind'] | MdInline['kind'], true> = {
  paragraph: true,
  heading: true,
  code: true,
  quote: true,
  list: true,
  table: true,
  rule: true,
  text: true,
  break: true,
  check: true,
  strong: true,
  em: true,
  strike: true,
  link: true,
  place: true,
  picture: true,
};
it('has no kind of node for HTML', () => {
  expect(Object.keys(KINDS)).not.toContain('html');
});
