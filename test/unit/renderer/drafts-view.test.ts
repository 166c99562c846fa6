import { describe, expect, it } from 'vitest';
import { fitFacts, isTakenIn } from '../../../renderer/drafts/drafts-view';
import type { DiffRow, DraftDiff } from '../../../shared/types/drafts';
import { seedDrafts } from '../../helpers/fake-drafts';

const changed = (over: Partial<DraftDiff> = {}, draft: Partial<DraftDiff['draft']> = {}) => {
  const one = seedDrafts(0).find((diff) => diff.draft.path === 'test/sync.test.ts')!;
  return { ...one, ...over, draft: { ...one.draft, ...draft } };
};
const nothingNewer = { added: 1, removed: 1, newer: 0, revived: 0 };

describe('what an agent is told of a file that changed under its draft', () => {
  it('S3-20 tells the part with the 2 newer lines, marked apart from what the draft itself takes out', () => {
    expect(fitFacts(changed())).toEqual({
      lines: [
        '@@ 12 @@',
        "  test('syncs a large file', async () => {",
        '-   await sync(file, server.url);',
        '+   const job = sync(file, server.url);',
        '≠   expect(stored.hash).toBe(file.hash);',
        '≠   // Mara: keep the hash check',
        '  });',
      ].join('\n'),
      isCut: false,
    });
  });

  it('S3-20 leaves parts without such lines out, and says where there is more than 400 lines', () => {
    const row = (kind: DiffRow['kind'], text: string): DiffRow => ({ kind, text });
    const hunk = (rows: DiffRow[]) => ({ fileStart: 1, draftStart: 1, rows });
    const told = fitFacts(
      changed({
        hunks: [
          hunk([row('removed', 'old'), row('added', 'mine')]),
          hunk([row('revived', 'taken out'), { ...row('newer', 'long'), isCut: true }]),
        ],
      }),
    );
    expect(told).toEqual({ lines: '@@ 1 @@\n~ taken out\n≠ long …', isCut: false });
    const many = fitFacts(
      changed({ hunks: [hunk(Array.from({ length: 500 }, () => row('newer', 'x')))] }),
    );
    expect(many?.lines.split('\n')).toHaveLength(400);
    expect(many?.isCut).toBe(true);
    expect(fitFacts(changed({ isCut: true }))?.isCut).toBe(true);
  });

  it.each<[string, DraftDiff]>([
    ['fits', changed({}, { sourceChanged: false })],
    ['says the same as its file', changed({}, { state: 'in_sync' })],
    ['is gone', changed({}, { state: 'draft_missing' })],
    ['has lost its file', changed({}, { state: 'substrate_missing' })],
    ['is being applied', changed({}, { stage: 'promoting' })],
    ['has a file out of reach', changed({}, { problem: 'The folder is not there.' })],
    ['has all that changed', changed({ summary: nothingNewer })],
    ['began from nobody knows what', changed({ isBaseMissing: true })],
  ])('S3-20 has nothing to tell of a draft that %s', (_what, diff) => {
    expect(fitFacts(diff)).toBeUndefined();
  });

  it('S3-20 says that what changed is in the draft only where that is known', () => {
    expect(isTakenIn(changed({ summary: nothingNewer }))).toBe(true);
    for (const over of [
      {},
      { summary: nothingNewer, isBaseMissing: true },
      { summary: nothingNewer, isCoarse: true },
      { summary: nothingNewer, kind: 'binary' as const },
    ])
      expect(isTakenIn(changed(over))).toBe(false);
  });
});
