/** Pages load with their own styles: none may be dressed by what another page has brought before. */
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const RENDERER = fileURLToPath(new URL('../../../renderer/', import.meta.url));
const FILES = readdirSync(RENDERER, { recursive: true, encoding: 'utf8' });
const read = (file: string): string => readFileSync(join(RENDERER, file), 'utf8');
const found = (from: string, path: string): string[] =>
  ['', '.ts', '.tsx']
    .map((end) => normalize(join(dirname(from), path)) + end)
    .filter((file) => /\.(css|tsx?)$/.test(file) && existsSync(join(RENDERER, file)));
const importsOf = (file: string, pattern: RegExp): string[] =>
  file.endsWith('.css')
    ? []
    : [...read(file).matchAll(pattern)].flatMap(([, path = '']) => found(file, path));

const STATIC = /^(?:import(?! type)|export)\s(?:[^;]*?from )?'(\.[^']+)';/gm;
const LAZY = /import\('(\.[^']+)'\)/g;

function loadedWith(file: string, seen = new Set<string>()): Set<string> {
  if (seen.has(file)) return seen;
  seen.add(file);
  for (const next of importsOf(file, STATIC)) loadedWith(next, seen);
  return seen;
}

/** Classes that style sheets know, each with the sheets. */
const SHEETS = new Map<string, Set<string>>();
for (const file of FILES.filter((one) => one.endsWith('.css'))) {
  for (const [, name = ''] of read(file)
    .replace(/\/\*[\s\S]*?\*\//g, '')
    .matchAll(/\.([a-zA-Z][\w-]*)/g))
    SHEETS.set(name, (SHEETS.get(name) ?? new Set()).add(file));
}

/** Names in the plain texts of `className`. */
const classesOf = (file: string): string[] =>
  [...read(file).matchAll(/className=(?:"([^"]*)"|\{([^}]*)\})/g)]
    .map(([, plain, code = '']) => plain ?? (code.match(/['`][^'`]*['`]/g) ?? []).join(' '))
    .flatMap((names) => names.replace(/\$\{[^}`]*/g, ' ').match(/[a-zA-Z][\w-]*/g) ?? []);

const WINDOWS = ['main.tsx', 'settings.tsx', 'quick.tsx'] as const;
const PAGES = WINDOWS.flatMap((window) => {
  const start = loadedWith(window);
  return [...start]
    .flatMap((file) => importsOf(file, LAZY))
    .map((page) => [window, page, start] as const);
});

describe('a page that is opened first', () => {
  it.each(PAGES)(
    'of %s, %s, brings the rules of every class that it uses',
    (_window, page, start) => {
      const own = loadedWith(page);
      const sheets = new Set([...start, ...own].filter((file) => file.endsWith('.css')));
      const bare = [...own]
        .filter((file) => file.endsWith('.tsx') && !start.has(file))
        .flatMap((file) => classesOf(file).map((name) => [name, file] as const))
        .filter(([name]) => SHEETS.has(name))
        .filter(([name]) => [...(SHEETS.get(name) ?? [])].every((sheet) => !sheets.has(sheet)))
        .map(([name, file]) => `${name} in ${file}`);
      expect([...new Set(bare)]).toEqual([]);
    },
  );
});
