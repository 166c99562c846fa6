import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  excerptOf,
  fits,
  planWords,
  searchMarks,
} from '../../../electron/engine/search/plan-search';
import { recallText } from '../../../electron/engine/search/recall-tool';
import { matchOf } from '../../../electron/adapters/search/search-index';
import type { SearchText } from '../../../electron/ports/search';

const text = (words: string, more: Partial<SearchText> = {}): SearchText => ({
  seq: 1,
  atMs: 1000,
  part: 'prompt',
  text: words,
  sessionId: 1,
  session: 'main',
  agent: 'fake',
  ...more,
});

describe('the words of a search', () => {
  it.each<[string, string | undefined, ReturnType<typeof planWords>]>([
    ['disk full', undefined, { tokens: ['disk'], prefix: 'full', exact: [] }],
    ['"disk full"', undefined, { tokens: ['disk', 'full'], exact: ['disk full'] }],
    [
      '"disk full" now',
      undefined,
      { tokens: ['disk', 'full'], prefix: 'now', exact: ['disk full'] },
    ],
    ['src/main.ts', undefined, { tokens: ['src', 'main', 'ts'], exact: ['src/main.ts'] }],
    ['x', undefined, { tokens: ['x'], exact: [] }],
    [
      'error',
      '/tmp/a.txt',
      { tokens: ['tmp', 'a', 'txt'], prefix: 'error', exact: ['/tmp/a.txt'] },
    ],
    ['a" OR "b', undefined, { tokens: ['OR', 'a', 'b'], exact: ['OR'] }],
    ['!!! ???', undefined, { tokens: [], exact: [] }],
  ])('SR-01 %s, file %s', (words, file, expected) => {
    const found = planWords(words, file);
    expect({ ...found, tokens: [...found.tokens].sort() }).toEqual({
      ...expected,
      tokens: [...expected.tokens].sort(),
    });
  });

  it('SR-01 whatever is typed is words for the index, never an operator', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 60 }), (words) => {
        const match = matchOf({ ...planWords(words), marks: [], fromSeq: 0, beforeSeq: 1 });
        expect(match).toMatch(/^("[\p{L}\p{N}]+"\*?( |$))*$/u);
      }),
    );
  });

  it('SR-01 no text that a person can type is a mark of an agent, a session or a tool', () => {
    for (const mark of [searchMarks.agent('a'), searchMarks.session(1), searchMarks.tool('t')])
      expect(planWords(mark).tokens).not.toContain(mark);
    expect(searchMarks.agent('claude-code')).not.toBe(searchMarks.agent('claude code'));
  });

  it.each<[string, string, Parameters<typeof fits>[2], Partial<SearchText>, boolean]>([
    ['disk full', 'The disk is fully used', {}, {}, true],
    ['"disk full"', 'The disk is full', {}, {}, false],
    ['"disk full"', 'DISK FULL', {}, {}, true],
    ['cafe', 'im Café', {}, {}, true],
    ['src/a.ts', 'read src/b.ts and a', {}, {}, false],
    ['word', 'a word', { state: 'failed' }, { state: 'completed' }, false],
    ['word', 'a word', { minCostUsd: 1 }, { costUsd: 0.5 }, false],
    ['word', 'a word', { minCostUsd: 0.5 }, { costUsd: 0.5 }, true],
    ['word', 'a word', { sinceMs: 1001 }, {}, false],
    ['word', 'a word', { untilMs: 999 }, {}, false],
  ])('SR-01 %s in "%s" with %j of %j: %s', (words, said, filter, more, expected) => {
    expect(fits(text(said, more), planWords(words), filter)).toBe(expected);
  });

  it('SR-01 an excerpt is one line around the first word found, and never longer than 242 characters', () => {
    const long = `${'before '.repeat(50)}needle\n\n${'after '.repeat(80)}`;
    const shown = excerptOf(long, planWords('needle'));
    expect(shown).toContain('needle after');
    expect(shown).not.toContain('\n');
    expect(shown.length).toBeLessThanOrEqual(242);
    expect(excerptOf('short', planWords('short'))).toBe('short');
  });
});

describe('what the tool recall tells', () => {
  const hit = { part: 'result', atMs: 0, sessionId: 1, session: 'main', agent: 'a' } as const;
  it('SR-03 each hit names its turn and step; what is missing is said', () => {
    const told = recallText({
      hits: [{ ...hit, turnId: 7, step: 3, tool: 'shell.run', excerpt: 'exit 1' }],
      nextBefore: 5,
      notIndexed: 2,
    });
    expect(told).toBe(
      'turn 7 step 3 (result of shell.run, 1970-01-01T00:00:00.000Z, session main): exit 1\nThere are older hits; use more words.\nThe newest entries are not yet searched.',
    );
    expect(recallText({ hits: [], notIndexed: 0 })).toBe('Nothing was found.');
  });
});
