import * as parser from '@typescript-eslint/parser';
import { ESLint } from 'eslint';
import { describe, expect, it } from 'vitest';
// @ts-expect-error plain JavaScript: it runs before anything is built
import { sizes } from '../../../build/lint-sizes.mjs';

const eslint = new ESLint({
  overrideConfigFile: true,
  overrideConfig: [
    { plugins: { sizes }, rules: { 'sizes/function-lines': ['warn', { own: 5, whole: 12 }] } },
  ] as never,
});

const complaints = async (code: readonly string[]): Promise<(string | null | undefined)[]> => {
  const [result] = await eslint.lintText(`${code.join('\n')}\n`, { filePath: 'a.js' });
  return (result?.messages ?? []).map(({ messageId, message }) => messageId ?? message);
};

const lines = (count: number): string[] => Array.from({ length: count }, () => 'step();');
const wrapped = (inner: readonly string[]): string[] => ['function outer() {', ...inner, '}'];

describe('set-up: the length of functions', () => {
  it.each([
    ['finds 6 lines where 5 are one screen', wrapped(lines(4)), ['own']],
    ['accepts 5', wrapped(lines(3)), []],
    [
      'counts no empty lines and no comments',
      wrapped([...lines(3), '', '// why', '/* a', 'b */']),
      [],
    ],
    [
      'does not count a function of 4 lines for the one around it',
      wrapped([...lines(2), 'const inner = () => {', ...lines(2), '};']),
      [],
    ],
    [
      'counts one of 3 lines, which is read where it stands',
      wrapped([...lines(2), 'const inner = () => {', ...lines(1), '};']),
      ['own'],
    ],
    [
      'finds a closure of 14 lines where 12 are the most',
      wrapped(Array.from({ length: 3 }, () => ['run(() => {', ...lines(2), '});']).flat()),
      ['whole'],
    ],
  ])('set-up %s', async (_title, code, found) => {
    expect(await complaints(code)).toEqual(found);
  });
});

describe('set-up: the width of dependencies', () => {
  const bags = new ESLint({
    overrideConfigFile: true,
    overrideConfig: [
      {
        files: ['*.ts'],
        languageOptions: { parser },
        plugins: { sizes },
        rules: { 'sizes/dependency-fields': ['error', { most: 3 }] },
      },
    ] as never,
  });

  it.each([
    ['finds 4 fields where 3 are the most', 'interface ADeps { a: 1; b: 1; c: 1; d: 1 }', '4'],
    ['accepts 3', 'interface ADeps { a: 1; b: 1; c: 1 }', undefined],
    [
      'accepts a group as one field',
      'interface ADeps { a: { b: 1; c: 1; d: 1; e: 1 } }',
      undefined,
    ],
    [
      'counts what an interface of the same file hands on',
      'interface B { a: 1; b: 1 } interface ADeps extends B { c: 1; d: 1 }',
      '4',
    ],
    [
      'counts what is picked from another file',
      "interface ADeps extends Pick<Core, 'a' | 'b' | 'c'> { d: 1 }",
      '4',
    ],
    ['counts joined types', 'type AOptions = { a: 1; b: 1 } & { c: 1; d: 1 }', '4'],
    ['leaves rows of a table alone', 'interface ARow { a: 1; b: 1; c: 1; d: 1 }', undefined],
  ])('set-up %s', async (_title, code, fields) => {
    const [result] = await bags.lintText(code, { filePath: 'a.ts' });
    const expected = fields === undefined ? [] : [expect.stringContaining(`has ${fields} fields`)];
    expect((result?.messages ?? []).map(({ message }) => message)).toEqual(expected);
  });
});

describe('set-up: the width of interfaces', () => {
  const interfaces = new ESLint({
    overrideConfigFile: true,
    overrideConfig: [
      {
        files: ['*.ts'],
        languageOptions: { parser },
        plugins: { sizes },
        rules: { 'sizes/interface-methods': ['error', { most: 2 }] },
      },
    ] as never,
  });

  it.each([
    ['finds 3 methods where 2 are the most', 'interface A { a(): 1; b: () => 1; c(): 1 }', '3'],
    [
      'accepts 2, and any number of values',
      'interface A { a(): 1; b(): 1; c: 1; d: 1 }',
      undefined,
    ],
    [
      'accepts an interface that joins others',
      'interface A { a(): 1; b(): 1 } interface B { c(): 1 } interface C extends A, B {}',
      undefined,
    ],
  ])('set-up %s', async (_title, code, methods) => {
    const [result] = await interfaces.lintText(code, { filePath: 'a.ts' });
    expect(result?.messages.map(({ message }) => /has (\d+) methods/.exec(message)?.[1])).toEqual(
      methods === undefined ? [] : [methods],
    );
  });
});
