import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { documents, read } from './project-docs';
import { literalsOf, sourcesOf } from './source-texts';

const ROOT = path.resolve(import.meta.dirname, '../../..');

/** Wordings that read as translated, and what to write instead. */
const BANNED: readonly (readonly [RegExp, string])[] = [
  [/\bany more\b/i, 'no longer'],
  [/\bby (itself|themselves)\b/i, 'automatically'],
  [/\bput to you\b/i, 'needs your review'],
  [/\bfired again\b/i, 'run again'],
  [/\basked (again|anew)\b/i, 're-read, retried'],
  [/\b(go|goes|going) on (by|with|where|from|at|when|in)\b/i, 'resume, continue'],
  [/\bcut[ -]off\b/i, 'interrupted'],
  [/\b(nobody|somebody|whoever)\b/i, 'no one, you, the passive'],
  [/\b(anew|afresh)\b/i, 'again'],
  [/\bmend(ed|s)?\b/i, 'fix'],
  [/\bso (many|long) as\b|\bafter so many\b/i, 'a number, a duration'],
  [/\bwhere (absent|nothing is named|it is taken)\b/i, 'default, if'],
  [/\bits number\b/i, 'turn ID, task ID'],
  [/\breplay decision\b/i, 'interrupted turn'],
  [/\bmaker's own\b/i, "the provider's default"],
  [/\bresult unknown\b/i, 'outcome unknown'],
  [/\bat the (latest|least)\b/i, 'no later than, at least'],
  [/\bsign of life\b/i, 'heartbeat, responding'],
  [/\basks for (leave|quiet)\b/i, 'requests permission, is rate limited'],
  [/\bwaits? for you\b/i, 'needs your decision'],
  [/\b(stop|stopped) in order\b/i, 'stop gracefully'],
  [/\bdata folder\b/i, 'data directory'],
  [/\bmade up for\b/i, 'caught up'],
];

/** All sources of the program. */
const PLACES = ['shared', 'electron', 'renderer'];

/** Literals that stay, each with its reason; one that no longer occurs fails. */
const ALLOWED: ReadonlyMap<string, string> = new Map([
  ['asked again: its command has ended', 'stored in the inbox and compared, so it never changes'],
  ['data folder', 'name of a check of doctor in JSON, shown in the words of today'],
]);

const problemsOf = (text: string): readonly string[] =>
  BANNED.filter(([words]) => words.test(text)).map(([, instead]) => `"${text}": write ${instead}`);

const literals = PLACES.flatMap((place) => sourcesOf(path.join(ROOT, place)))

  .flatMap((file) => literalsOf(readFileSync(file, 'utf8'), file));

describe('the words of texts', () => {
  it('are those of the field in every string literal of the program', () => {
    expect(literals.length).toBeGreaterThan(20_000);
    const left = literals.filter((text) => !ALLOWED.has(text)).flatMap(problemsOf);
    expect([...new Set(left)]).toEqual([]);
  });

  it.each(documents)('are those of the field in %s', (document) => {
    // A wording may be broken over two lines; a sentence is enough to find it.
    const sentences = read(document)
      .replaceAll(/\s+/g, ' ')
      .split(/(?<=[.:|]) /);
    expect(sentences.flatMap(problemsOf)).toEqual([]);
  });

  it('are found in strings, templates and JSX, and not in imports or comments', () => {
    const planted =
      "import 'any more'; // any more\nconst a = 'No any more.'; const b = `x ${a} goes on by itself`;\n<p>nobody</p>";
    expect(literalsOf(planted).flatMap(problemsOf)).toEqual([
      '"No any more.": write no longer',
      '" goes on by itself": write automatically',
      '" goes on by itself": write resume, continue',
      '"nobody": write no one, you, the passive',
    ]);
  });

  it.each([...ALLOWED])('allow "%s" only while it occurs: %s', (text) => {
    expect(literals).toContain(text);
    expect(problemsOf(text)).not.toEqual([]);
  });
});
