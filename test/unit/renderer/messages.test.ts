import { readFileSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import {
  CATALOGUE,
  VALUE_NAMES,
  formatMessage,
  namesInMessage,
  parseMessage,
  t,
} from '../../../shared/messages';

/** Pages, and the engine's words about the journal. */
const roots = ['renderer', 'electron', 'shared'].map((folder) =>
  fileURLToPath(new URL(`../../../${folder}`, import.meta.url)),
);
const sources = (dir: string): string[] =>
  readdirSync(dir).flatMap((name) => {
    const path = join(dir, name);
    if (statSync(path).isDirectory()) return sources(path);
    return /\.tsx?$/.test(name) ? [path] : [];
  });

it('no key stands in two parts of the catalogue, where the later would take the place of the first', () => {
  const folder = fileURLToPath(new URL('../../../shared/messages', import.meta.url));
  const keys = sources(folder)
    .filter((file) => /\/en-[a-z-]+\.ts$/.test(file))
    .flatMap((file) => [...readFileSync(file, 'utf8').matchAll(/^  '([\w.-]+)':/gm)])
    .map(([, key]) => key);
  expect(keys.length).toBe(Object.keys(CATALOGUE).length);
  expect(keys.filter((key, index) => keys.indexOf(key) !== index)).toEqual([]);
});

describe('formatMessage', () => {
  it.each([
    ['plain', {}, 'plain'],
    ['at {time}', { time: '14:02' }, 'at 14:02'],
    ['{count, plural, one {# turn} other {# turns}}', { count: 1 }, '1 turn'],
    ['{count, plural, one {# turn} other {# turns}}', { count: 0 }, '0 turns'],
    ['{count, plural, one {# turn} other {# turns}}', { count: 1200 }, '1,200 turns'],
    ['{count, plural, =0 {none at all} other {# of them}}', { count: 0 }, 'none at all'],
    ['{kind, select, a {first} other {else}}', { kind: 'a' }, 'first'],
    ['{kind, select, a {first} other {else}}', { kind: 'toString' }, 'else'],
    [
      '{count, plural, one {{name} has #} other {{name} have #}}',
      { count: 2, name: 'x' },
      'x have 2',
    ],
  ])('writes %j with %j as %j', (pattern, values, text) => {
    expect(formatMessage(pattern, values as never)).toBe(text);
  });

  it('never parses a value: a prompt with braces stays as it is', () => {
    expect(formatMessage('Task: {name}', { name: '{count, plural, other {x}} #' })).toBe(
      'Task: {count, plural, other {x}} #',
    );
  });

  it('shows a missing value by its name, not as undefined', () => {
    expect(formatMessage('at {time}', {})).toBe('at {time}');
  });

  it.each([
    '{count, plural, one {# turn}}',
    'closed } too early',
    '{count, many, other {x}}',
    '{open',
  ])('refuses the broken pattern %j', (pattern) => {
    expect(() => parseMessage(pattern)).toThrow();
  });
});

describe('the catalogue', () => {
  it('parses whole, without stray blanks at the ends', () => {
    for (const pattern of Object.values(CATALOGUE)) {
      expect(() => parseMessage(pattern)).not.toThrow();
      expect(pattern.trim()).toBe(pattern);
    }
  });

  it('uses only value names that its types know', () => {
    const used = new Set(Object.values(CATALOGUE).flatMap(namesInMessage));
    expect([...used].toSorted()).toEqual([...VALUE_NAMES].toSorted());
  });

  it('says neither oops, please, successfully nor an exclamation mark', () => {
    const banned = /\b(oops|please|successfully)\b|!/i;
    expect(Object.entries(CATALOGUE).filter(([, text]) => banned.test(text))).toEqual([]);
  });

  it('writes what is left open with one character, right after its word', () => {
    const other = /\.\.\.|\s…/;
    expect(Object.entries(CATALOGUE).filter(([, text]) => other.test(text))).toEqual([]);
  });

  it('counts in words up to nine and in digits above', () => {
    expect(t('number.word', { count: 3 })).toBe('Three');
    expect(t('number.word', { count: 12 })).toBe('12');
  });

  it('holds every literal key that the pages ask for, and the pages ask for every plain key', () => {
    const text = roots
      .flatMap(sources)
      .filter((path) => !/\/en-[a-z-]+\.ts$/.test(path))
      .map((path) => readFileSync(path, 'utf8'))
      .join('\n');
    const asked = new Set(
      [...text.matchAll(/'([a-z][A-Za-z]*\.[A-Za-z0-9_.]+)'/g)].map((m) => m[1]),
    );
    const prefixes = [...text.matchAll(/`([a-z][A-Za-z]*(?:\.[A-Za-z0-9_]+)*\.)\$\{/g)].map(
      (m) => m[1] ?? '',
    );
    const unused = Object.keys(CATALOGUE).filter(
      (key) => !asked.has(key) && !prefixes.some((prefix) => key.startsWith(prefix)),
    );
    expect(unused).toEqual([]);
  });
});
