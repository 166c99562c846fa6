import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { documents, read } from './project-docs';
import { sourcesOf, textsOf } from './source-texts';

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
  [/\bfor good\b/i, 'permanently'],
  [/\ball the same\b/i, 'anyway, still'],
  [/\bof before\b/i, 'earlier, previous'],
  [/\bany longer\b/i, 'no longer'],
  [/\b(gives?|given) leave\b|\bleave (for|of) (the|a) (tool|call)\b/i, 'approval'],
  [
    /\b(?:afterwards|behaviour|colours?|labelled|signalled|travelled|judgement)\b/i,
    'American spelling',
  ],
  [/(?<=[a-z] )cancelled\b|^Cancelled\b/, 'canceled'],
];

/** The same in comments, which say what a contributor must know. */
const BANNED_IN_COMMENTS: readonly (readonly [RegExp, string])[] = [
  ...BANNED,
  [/\b(stands|stood)\b/i, 'is, was'],
  [/(?<!there )\bis none\b/i, 'is not a ...'],
  [/\b(of then|thereof|wherefrom|whence)\b/i, 'of that time, from which'],
  [/\ball the same\b/i, 'anyway, still'],
  [/\bfor good\b/i, 'permanently'],
  [/\b(its|no|your|the|for) leave\b/i, 'permission'],
  [/\bhouse\b/i, 'our own, context'],
  [/\bin spite of\b/i, 'despite'],
  [/\bshall\b/i, 'will, must'],
  [/\bnothing but\b/i, 'only'],
  [/\b(was|were) to be\b/i, 'should have been'],
  [/\bhears?\b/i, 'receives, is told'],
  [/\b(go|goes|going|went) on\b/i, 'resume, continue'],
  [/\bbeside\b/i, 'next to, during'],
  [/\bsays so\b/i, 'shows it, reports it'],
  [/\bbegun\b/i, 'started'],
  [/\bput away\b/i, 'dismissed, removed'],
  [/\bwhere (there|nothing|none|one) (is|are|was)\b/i, 'if'],
  [/\b(came|comes) of\b/i, 'the outcome of'],
  [/\bpassed over\b/i, 'skipped'],
  [/\bbut for\b/i, 'except'],
  [/\b(under way|at work)\b/i, 'in progress, running'],
  [/\ba second time\b/i, 'again, twice'],
  [/\b(look|rows|ux|design)\.md\b/i, 'what is meant: readers do not have that file'],
  [/\b(colour|behaviour|favour|honour)/i, 'American spelling'],
  [/\b(cancell|travell|signall|labell|modell)(ed|ing)\b/i, 'American spelling'],
  [/\b(centre|grey|judgement|licence)\b/i, 'American spelling'],
  [/\b(initial|normal|organ|recogn|serial)is(e|ed|es|ing)\b/i, 'American spelling'],
];

/** All sources of the program. */
const PLACES = ['shared', 'electron', 'renderer'];

/** Literals that stay, each with its reason; one that no longer occurs fails. */
const ALLOWED: ReadonlyMap<string, string> = new Map([
  ['asked again: its command has ended', 'stored in the inbox and compared, so it never changes'],
  ['data folder', 'name of a check of doctor in JSON, shown in the words of today'],
]);

const problemsOf = (text: string, banned = BANNED): readonly string[] =>
  banned.filter(([words]) => words.test(text)).map(([, instead]) => `"${text}": write ${instead}`);

const textsOfFile = (file: string) => ({ file, ...textsOf(readFileSync(file, 'utf8'), file) });
const program = PLACES.flatMap((place) => sourcesOf(path.join(ROOT, place))).map(textsOfFile);
const literals = program.flatMap((file) => file.literals);
const scripts = sourcesOf(path.join(ROOT, 'build'), /\.mjs$/).map(textsOfFile);

describe('the words of texts', () => {
  it('are those of the field in every string literal of the program', () => {
    expect(literals.length).toBeGreaterThan(20_000);
    const left = literals.filter((text) => !ALLOWED.has(text)).flatMap((text) => problemsOf(text));
    expect([...new Set(left)]).toEqual([]);
  });

  it.each(documents)('are those of the field in %s', (document) => {
    // A wording may be broken over two lines; a sentence is enough to find it.
    const sentences = read(document)
      .replaceAll(/\s+/g, ' ')
      .split(/(?<=[.:|]) /);
    expect(sentences.flatMap((text) => problemsOf(text))).toEqual([]);
  });

  it('are those of the field in every comment of the program and its scripts', () => {
    const checked = [...program, ...scripts];
    expect(checked.flatMap(({ comments }) => comments).length).toBeGreaterThan(10_000);
    const left = checked.flatMap(({ file, comments }) =>
      comments
        .flatMap((text) => problemsOf(text, BANNED_IN_COMMENTS))
        .map((problem) => `${path.relative(ROOT, file)}: ${problem}`),
    );
    expect(left).toEqual([]);
  });

  it('are found in strings, templates and JSX, and not in imports', () => {
    const planted =
      "import 'any more'; // any more\nconst a = 'No any more.'; const b = `x ${a} goes on by itself`;\n<p>nobody</p>";
    expect(textsOf(planted).literals.flatMap((text) => problemsOf(text))).toEqual([
      '"No any more.": write no longer',
      '" goes on by itself": write automatically',
      '" goes on by itself": write resume, continue',
      '"nobody": write no one, you, the passive',
    ]);
  });

  it('are found in comments of every form, broken over lines, and not in what looks like one', () => {
    const planted = [
      '/** It goes',
      ' * on `any more`. */',
      "const a = '// nobody'; // No any",
      '// more.',
      'const b = /\\/\\* nobody/; /* stands */ const c = `/* ${a /* shall */} nobody */`;',
      '<p title="/* nobody">// nobody {/* beside */}</p>',
    ].join('\n');
    const found = textsOf(planted).comments;
    expect(found).toEqual(['It goes on ….', 'No any more.', 'stands', 'shall', 'beside']);
    expect(found.map((text) => problemsOf(text, BANNED_IN_COMMENTS).length)).toEqual([
      1, 1, 1, 1, 1,
    ]);
  });

  it.each([...ALLOWED])('allow "%s" only while it occurs: %s', (text) => {
    expect(literals).toContain(text);
    expect(problemsOf(text)).not.toEqual([]);
  });
});
