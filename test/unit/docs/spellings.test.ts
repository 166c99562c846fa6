import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { resolveAliases } from '../../../electron/cli/aliases';
import { buildProgram, withDefaultCommand } from '../../../electron/cli/cli';
import type { Program } from '../../../electron/cli/command';
import { COMMANDS } from '../../../electron/cli/commands';
import { entriesOf } from '../../../electron/cli/manual';
import { commandWords } from '../../../shared/command-words';
import { at, blocks, documents, inlineCode, read } from './project-docs';
import { sourcesOf, textsOf } from './source-texts';

const root = await buildProgram({} as Program, undefined);
const entries = entriesOf(root);
const listed = new Set(entries.map(({ path }) => path));

/** Commands that commander does not know, and words that follow the name in a sentence. */
const NO_COMMANDS = /^(hook [a-z]+|help|command|control)\b/;

/** The words that a text writes after the name of the program. */
function commandsIn(text: string): readonly string[] {
  return [...text.matchAll(/(?<![\w/.@-])holdfast((?: [a-z][a-z-]*)+)/g)].map((found) =>
    (found[1] ?? '').trim(),
  );
}

/** Says why a person should not be told to write it so; undefined for a command that help lists. */
function problemOf(written: string): string | undefined {
  if (NO_COMMANDS.test(written)) return undefined;
  const words = written.split(' ');
  const meant = resolveAliases(words);
  if (meant.join(' ') !== words.join(' ')) return `${written}: is now ${meant.join(' ')}`;
  const isListed = [1, 2, 3].some((count) => listed.has(words.slice(0, count).join(' ')));
  if (isListed || (words.length === 1 && COMMANDS.includes(written))) return undefined;
  const whole = withDefaultCommand(root, words, () => true).join(' ');
  return [...listed].some((path) => whole.startsWith(path)) ? undefined : `${written}: not known`;
}

/** Options in a line of a document that help does not list. */
function optionProblems(line: string): readonly string[] {
  const written = commandWords(line.trim().replace(/ (#|&&|\|) .*$/, '')).slice(1);
  const words = withDefaultCommand(root, written, () => true);
  const entry = [3, 2, 1]
    .map((count) => words.slice(0, count).join(' '))
    .flatMap((path) => entries.filter((one) => one.path === path))[0];
  if (entry === undefined) return [];
  const known = [...entry.command.options, ...root.options]
    .filter(({ hidden }) => !hidden)
    .flatMap(({ long, short }) => [long, short]);
  return words
    .filter((word) => /^--?[a-z]/.test(word))
    .map((word) => word.replace(/=.*$/, ''))
    .filter((word) => !known.includes(word) && !['--help', '--output'].includes(word))
    .map((word) => `${entry.path}: ${word}`);
}

const problemsIn = (text: string): readonly string[] =>
  commandsIn(text)
    .map(problemOf)
    .filter((problem) => problem !== undefined);

describe('commands that a person is told to write', () => {
  it('have the names that help lists, in every text of the program', () => {
    const found = ['shared', 'electron', 'renderer']
      .flatMap((place) => sourcesOf(at(place)))
      .map((file) => [file, readFileSync(file, 'utf8')] as const)
      // Only those are parsed: parsing all of them takes seconds.
      .filter(([, source]) => source.includes('holdfast '))
      .flatMap(([file, source]) => textsOf(source, file).literals);
    expect(found.flatMap(commandsIn).length).toBeGreaterThan(150);
    expect([...new Set(found.flatMap(problemsIn))]).toEqual([]);
  });

  it.each(documents)('have the names that help lists, in %s', (path) => {
    expect(problemsIn(read(path))).toEqual([]);
  });

  it.each(documents)('have only options that help lists, in %s', (path) => {
    const text = read(path);
    const lines = [...blocks(text), ...inlineCode(text)].filter((line) =>
      /^\s*holdfast [a-z]/.test(line),
    );
    expect(lines.flatMap(optionProblems)).toEqual([]);
  });

  it.each([
    ['holdfast turns list --before 7', ['turns list: --before']],
    ['holdfast start --rest', ['start: --rest']],
    ['holdfast turns --state parked --json', []],
    ['holdfast send "use --force" --wait', []],
  ])('have options of which each is told from others: %s', (line, problems) => {
    expect(optionProblems(line)).toEqual(problems);
  });

  it.each([
    ['recovery list', 'recovery list: is now turns review'],
    ['ext restart', 'ext restart: is now mcp restart'],
    ['turns shwo', 'turns shwo: not known'],
    ['sessions confirm-tool', 'sessions confirm-tool: not known'],
    ['turns', undefined],
    ['gateway token', undefined],
    ['turns show', undefined],
  ])('are told from others: holdfast %s', (written, problem) => {
    expect(problemsIn(`Run "holdfast ${written}".`)).toEqual(
      problem === undefined ? [] : [problem],
    );
  });
});
