/** Every promise of this release is carried by the title of at least one test. */
import { createRequire } from 'node:module';
import type ts from 'typescript';
import { describe, expect, it } from 'vitest';
import { filesIn, read } from './project-docs';

// Loaded by Node itself: the test runner would look for a source map that is not shipped.
const {
  ScriptTarget,
  createSourceFile,
  forEachChild,
  isCallExpression,
  isFunctionLike,
  isIdentifier,
  isPropertyAccessExpression,
  isStringLiteralLike,
  isTemplateLiteralToken,
} = createRequire(import.meta.url)('typescript') as typeof ts;

/** `S0-01..13` and single ids, as they stand in titles. */
function range(prefix: string, from: number, to: number, digits: number): string[] {
  return Array.from(
    { length: to - from + 1 },
    (_, index) => `${prefix}${String(from + index).padStart(digits, '0')}`,
  );
}

const ROWS: readonly string[] = [
  ...range('S0-', 1, 40, 2),
  ...range('S0-+', 1, 7, 2),
  ...range('S1-', 1, 40, 2),
  ...range('S1-+', 1, 5, 2),
  ...range('S2-', 1, 56, 2),
  ...range('S2-+', 1, 6, 2),
  ...range('S3-', 1, 36, 2),
  ...range('S3-+', 1, 4, 2),
  ...range('S4-', 1, 35, 2),
  ...range('S4-+', 1, 10, 2),
  ...range('X-', 1, 6, 2),
];

/** What a person sees of a promise is shown by a test of the windows or the tray, not by one behind them. */
const SEEN: readonly string[] = [
  'S0-02',
  'S0-30',
  'S0-34',
  'S0-37',
  'S1-33',
  'S3-36',
  'S4-07',
  'S4-23',
  'S4-24',
  'S4-25',
  'S4-32',
  'S4-+02',
  'S4-+07',
];
const SEEN_IN = /^test\/(?:component|e2e|unit\/renderer|unit\/shell)\//;

const SECURITY: readonly string[] = [
  ...range('W', 1, 10, 1),
  ...range('I', 1, 7, 1),
  ...range('D', 1, 4, 1),
  ...range('H', 1, 7, 1),
  ...range('K', 1, 5, 1),
  ...range('L', 1, 11, 1),
  ...range('R', 1, 4, 1),
  ...range('T', 1, 5, 1),
];

const ID = /(?<![\w+-])(?:S\d-\+?\d{2}|X-\d{2}|[WIDHKLRT]\d{1,2})(?![\w+-]*\d)/g;
const TITLED = new Set(['it', 'test', 'describe', 'suite']);

/** The function that is really called: `it` in `it.skipIf(x).each(y)('title')`. */
function rootName(expression: ts.Expression): string {
  let inner = expression;
  while (isCallExpression(inner) || isPropertyAccessExpression(inner)) inner = inner.expression;
  return isIdentifier(inner) ? inner.text : '';
}

/** Every string inside of a title, tables of `each` included. */
function texts(node: ts.Node): string[] {
  const found: string[] = [];
  const walk = (child: ts.Node): void => {
    if (isStringLiteralLike(child) || isTemplateLiteralToken(child)) found.push(child.text);
    if (!isFunctionLike(child)) forEachChild(child, walk);
  };
  walk(node);
  return found;
}

/** Titles of one file, by its syntax tree: an id in a comment or in a body carries nothing. */
function titlesOf(file: string): string[] {
  const source = createSourceFile(file, read(file), ScriptTarget.Latest, true);
  const titles: string[] = [];
  const walk = (node: ts.Node): void => {
    if (isCallExpression(node) && TITLED.has(rootName(node.expression))) {
      const [title] = node.arguments;
      const called = node.expression.getText(source);
      const isSkipped = /\.(skip|todo)\b(?!If)/.test(called);
      // `it.each([...])` is a call of its own; a row of its table counts where it begins with an id.
      const isTable = /\.each$/.test(called);
      if (title !== undefined && !isSkipped) {
        titles.push(...texts(title).filter((text) => !isTable || text.search(ID) === 0));
      }
    }
    forEachChild(node, walk);
  };
  walk(source);
  return titles;
}

const idsOf = (file: string): string[] => titlesOf(file).flatMap((title) => title.match(ID) ?? []);
const byFile = new Map(
  filesIn('test')
    .filter((file) => /\.test\.tsx?$/.test(file))
    .map((file) => [file, idsOf(file)]),
);
const carried = new Set([...byFile.values()].flat());
const seen = new Set([...byFile].filter(([file]) => SEEN_IN.test(file)).flatMap(([, ids]) => ids));

describe('promises and tests', () => {
  it('knows an id in a title from one in a comment', () => {
    expect('S2-41 starts within 1 s; S0-+04 and L11'.match(ID)).toEqual(['S2-41', 'S0-+04', 'L11']);
    expect('S12-41 XS2-41 S2-411 WW1'.match(ID)).toBeNull();
  });

  it.each(ROWS)('%s is carried by a title', (id) => {
    expect(carried.has(id)).toBe(true);
  });

  it.each(SEEN)('%s is shown by a test of what people see', (id) => {
    expect(seen.has(id)).toBe(true);
  });

  it.each(SECURITY)('assertion %s is carried by a title', (id) => {
    expect(carried.has(id)).toBe(true);
  });
});
