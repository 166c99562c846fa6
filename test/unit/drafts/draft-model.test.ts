import { describe, expect, it } from 'vitest';
import {
  diffHunks,
  linesOf,
  sourceChange,
  takeHunks,
  trimSame,
  withSame,
  type DiffRun,
} from '../../../electron/engine/drafts/diff';
import { decideApply, compareDraft, settleApply } from '../../../electron/engine/drafts/rules';
import type { DraftFacts, FileFact } from '../../../electron/ports/drafts';

const file = (hash: string): FileFact => ({
  kind: 'present',
  hash,
  sizeBytes: 1,
  changedAtMs: 0,
});
const gone: FileFact = { kind: 'missing' };
const blocked: FileFact = { kind: 'blocked', why: 'It leads outside.' };
const on = (fileFact: FileFact, draft: FileFact, isWorkspaceThere = true): DraftFacts => ({
  file: fileFact,
  draft,
  isWorkspaceThere,
});

type Line = readonly [
  name: string,
  base: string | undefined,
  facts: DraftFacts,
  state: string,
  flags: string,
  promote: string,
  overChanged: string,
];

const LINES: readonly Line[] = [
  ['a changed file', 'a', on(file('a'), file('b')), 'ready', '', 'replace', 'replace'],
  ['a new file', undefined, on(gone, file('b')), 'ready', '', 'replace', 'replace'],
  ['the same text', 'a', on(file('b'), file('b')), 'in_sync', 'source', 'settle', 'settle'],
  [
    'a file that somebody else changed',
    'a',
    on(file('c'), file('b')),
    'ready',
    'source',
    'DRAFT_SOURCE_CHANGED',
    'replace',
  ],
  [
    'a new file that has come meanwhile',
    undefined,
    on(file('c'), file('b')),
    'ready',
    'source',
    'DRAFT_SOURCE_CHANGED',
    'replace',
  ],
  ['a draft edited by hand', 'a', on(file('a'), file('x')), 'ready', 'draft', 'replace', 'replace'],
  [
    'both edited',
    'a',
    on(file('c'), file('x')),
    'ready',
    'source draft',
    'DRAFT_SOURCE_CHANGED',
    'replace',
  ],
  [
    'a draft that is gone',
    'a',
    on(file('a'), gone),
    'draft_missing',
    '',
    'DRAFT_STATE',
    'DRAFT_STATE',
  ],
  [
    'a file that is gone',
    'a',
    on(gone, file('b')),
    'substrate_missing',
    'source',
    'DRAFT_SOURCE_CHANGED',
    'replace',
  ],
  [
    'a file that leads outside now',
    'a',
    on(blocked, file('b')),
    'substrate_missing',
    'source',
    'DRAFT_REFUSED',
    'DRAFT_REFUSED',
  ],
  [
    'a folder that is gone',
    'a',
    on(gone, file('b'), false),
    'substrate_missing',
    'source',
    'DRAFT_REFUSED',
    'DRAFT_REFUSED',
  ],
  [
    'both gone',
    'a',
    on(gone, gone, false),
    'draft_missing',
    'source',
    'DRAFT_STATE',
    'DRAFT_STATE',
  ],
];

describe('how a draft stands', () => {
  it.each(LINES)('S3-21 %s', (_name, base, facts, state, flags, promote, overChanged) => {
    const draft = { baseHash: base, contentHash: 'b', stage: 'staged' as const };
    const compared = compareDraft(draft, facts);
    const said = [
      ...(compared.sourceChanged ? ['source'] : []),
      ...(compared.draftChanged ? ['draft'] : []),
    ].join(' ');
    expect([compared.state, said]).toEqual([state, flags]);
    const plan = (over: boolean): string => {
      const made = decideApply(draft, compared, facts, over);
      return made.kind === 'refuse' ? made.code : made.kind;
    };
    expect([plan(false), plan(true)]).toEqual([promote, overChanged]);
  });

  it('S3-20 a decided draft is never promoted again', () => {
    const facts = on(file('a'), file('b'));
    const compared = compareDraft({ baseHash: 'a', contentHash: 'b' }, facts);
    for (const stage of ['promoting', 'promoted', 'discarded'] as const) {
      expect(decideApply({ stage }, compared, facts, true)).toMatchObject({ why: 'decided' });
    }
  });

  it('S3-20 a promotion binds what it replaces and what it puts there, hand edits included', () => {
    const facts = on(file('a'), file('x'));
    const compared = compareDraft({ baseHash: 'a', contentHash: 'b' }, facts);
    expect(decideApply({ stage: 'staged' }, compared, facts, false)).toEqual({
      kind: 'replace',
      fromHash: 'a',
      toHash: 'x',
    });
  });

  it.each([
    ['the new file', file('b'), 'promoted'],
    ['the old file', file('a'), 'kept'],
    ['a third one', file('c'), 'kept'],
    ['no file', gone, 'kept'],
    ['a link', blocked, 'kept'],
  ])('S3-20 after a cut-off promotion a start that finds %s says %s', (_name, fact, end) => {
    expect(settleApply({ toHash: 'b' }, on(fact, file('b')))).toBe(end);
  });
});

it.each([
  ['the rest is still a draft', file('r'), 'part'],
  ['the draft is what is there', file('b'), 'promoted'],
  ['the draft is gone', gone, 'promoted'],
] as const)(
  'S3-20 a promotion that a crash cut off, file replaced, %s: %s',
  (_words, draft, end) => {
    expect(settleApply({ toHash: 'b' }, on(file('b'), draft))).toBe(end);
  },
);

const run = (kind: DiffRun['kind'], ...lines: string[]): DiffRun => ({ kind, lines });
const many = (count: number, from = 1): string[] =>
  Array.from({ length: count }, (_one, at) => `line ${String(at + from)}`);

describe('the lines that differ', () => {
  it('S3-20 leaves out what both begin and end with', () => {
    expect(trimSame(['a', 'b', 'c', 'd'], ['a', 'x', 'd'])).toEqual({ head: 1, tail: 1 });
    expect(trimSame(['a', 'a'], ['a', 'a', 'a'])).toEqual({ head: 2, tail: 0 });
    expect(trimSame([], ['a'])).toEqual({ head: 0, tail: 0 });
    const middle = [run('removed', 'b', 'c'), run('added', 'x')];
    expect(withSame(['a', 'b', 'c', 'd'], { head: 1, tail: 1 }, middle)).toEqual([
      run('same', 'a'),
      ...middle,
      run('same', 'd'),
    ]);
  });

  it('S3-20 numbers the lines of both sides and shows 3 lines around a change', () => {
    const runs = [
      run('same', ...many(10)),
      run('removed', 'old'),
      run('added', 'new', 'newer'),
      run('same', ...many(10, 20)),
    ];
    const { hunks, summary, isCut } = diffHunks(runs, undefined);
    expect(summary).toEqual({ added: 2, removed: 1, newer: 0, revived: 0 });
    expect([hunks.length, isCut]).toEqual([1, false]);
    expect([hunks[0]?.fileStart, hunks[0]?.draftStart]).toEqual([8, 8]);
    expect(
      hunks[0]?.rows.map(({ kind, fileLine, draftLine }) => [kind, fileLine, draftLine]),
    ).toEqual([
      ['same', 8, 8],
      ['same', 9, 9],
      ['same', 10, 10],
      ['removed', 11, undefined],
      ['added', undefined, 11],
      ['added', undefined, 12],
      ['same', 12, 13],
      ['same', 13, 14],
      ['same', 14, 15],
    ]);
  });

  it('S3-20 joins changes that are near, parts those that are far', () => {
    const near = [run('added', 'x'), run('same', ...many(6)), run('added', 'y')];
    const far = [run('added', 'x'), run('same', ...many(7)), run('added', 'y')];
    expect(diffHunks(near, undefined).hunks).toHaveLength(1);
    expect(diffHunks(far, undefined).hunks).toHaveLength(2);
    const rows = diffHunks(far, undefined).hunks.flatMap((hunk) => hunk.rows);
    expect(rows).toHaveLength(8);
  });

  it('S3-20 marks lines that were written after the draft began, and lines that it brings back', () => {
    const base = [
      run('same', 'a'),
      run('removed', 'gone'),
      run('same', 'b'),
      run('added', 'n1', 'n2'),
    ];
    const change = sourceChange(base);
    expect([...change.newer]).toEqual([3, 4]);
    const runs = [
      run('same', 'a'),
      run('added', 'gone', 'mine'),
      run('same', 'b'),
      run('removed', 'n1', 'n2'),
    ];
    const { hunks, summary } = diffHunks(runs, change);
    expect(summary).toEqual({ added: 2, removed: 2, newer: 2, revived: 1 });
    expect(hunks[0]?.rows.map(({ kind }) => kind)).toEqual([
      'same',
      'revived',
      'added',
      'same',
      'newer',
      'newer',
    ]);
  });

  it('S3-20 shows at most 4,000 lines of 500 characters, and counts the rest', () => {
    const { hunks, summary, isCut } = diffHunks(
      [run('removed', ...many(9_000)), run('added', 'x'.repeat(900))],
      undefined,
    );
    expect(hunks.reduce((sum, hunk) => sum + hunk.rows.length, 0)).toBe(4_000);
    expect([summary.removed, summary.added, isCut]).toEqual([9_000, 1, true]);
    const long = diffHunks([run('added', 'x'.repeat(900))], undefined).hunks[0]?.rows[0];
    expect([long?.text.length, long?.isCut]).toEqual([500, true]);
  });

  it('S3-20 a text that ends with a line end has no empty last line', () => {
    expect(linesOf('a\nb\n')).toEqual(['a', 'b']);
    expect(linesOf('a\n\n')).toEqual(['a', '']);
    expect(linesOf('')).toEqual([]);
  });
});

describe('single changes', () => {
  const head = many(10, 1);
  const middle = many(10, 100);
  const runs = [
    run('removed', 'old first'),
    run('added', 'new first'),
    run('same', ...head),
    run('added', 'only new'),
    run('same', ...middle),
    run('removed', 'old last'),
  ];
  it.each([
    ['none', [], ['old first', ...head, ...middle, 'old last'], false],
    ['the first', [0], ['new first', ...head, ...middle, 'old last'], false],
    ['the second', [1], ['old first', ...head, 'only new', ...middle, 'old last'], false],
    ['the last', [2], ['old first', ...head, ...middle], true],
    ['all', [0, 1, 2], ['new first', ...head, 'only new', ...middle], true],
  ] as const)('S3-20 the file with %s of 3 changes', (_words, taken, lines, isWhole) => {
    expect(takeHunks(runs, new Set(taken))).toEqual({ lines, isWhole, all: 3 });
  });

  it('S3-20 changes that are shown as one are taken as one, and one that is not there is refused', () => {
    const near = [run('removed', 'a'), run('same', 'b', 'c'), run('added', 'd')];
    expect(takeHunks(near, new Set([0]))).toEqual({
      lines: ['b', 'c', 'd'],
      isWhole: true,
      all: 1,
    });
    expect(diffHunks(near, undefined).hunks).toHaveLength(1);
    expect(takeHunks(near, new Set([1]))).toBeUndefined();
  });
});
