import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { createDraftStore, sha256Of } from '../../../electron/adapters/drafts/draft-store';
import { createPathLeases } from '../../../electron/adapters/files/path-leases';
import type { DraftsDeps } from '../../../electron/engine/drafts/draft-deps';
import { createDrafts } from '../../../electron/engine/drafts/drafts';
import { noCrashPoints } from '../../../electron/engine/kernel/crash-points';
import type { JournalEntry } from '../../../electron/ports/journal/entries';
import type { DraftRow } from '../../../electron/ports/journal/drafts';
import { useTempFolders } from '../tools/call-tool';

const newFolder = useTempFolders();

describe('upkeep of drafts', () => {
  it('S3-20 S4-27 deletes what is left of decided and forgotten drafts, none that is staged while it works, and none whose row is still to come', async () => {
    const store = createDraftStore({
      root: path.join(newFolder(), 'drafts'),
      crashPoints: noCrashPoints,
      leases: createPathLeases(),
    });
    const rows = new Map<number, Pick<DraftRow, 'id' | 'stage'>>();
    const placeOf = (id: number) => ({
      id,
      sessionId: (id % 50) + 1,
      path: 'a.txt',
      contentHash: sha256Of(String(id)),
    });
    const put = (id: number) => store.put(placeOf(id), String(id));
    const stages = ['staged', 'promoting', 'discarded', 'promoted'] as const;
    for (let id = 1; id <= 200; id += 1) {
      await put(id);
      const stage = stages[id % 5];
      // Each fifth one was cut off before its row, in an earlier life.
      if (stage !== undefined) rows.set(id, { id, stage });
    }
    const drafts = createDrafts({
      store,
      isNew: (id: number) => id > 200,
      reads: {
        draft: (id: number) => rows.get(id),
        openDrafts: () => [...rows.values()].filter(({ stage }) => stage !== 'discarded'),
      },
    } as unknown as DraftsDeps);
    const sweeping = drafts.sweep(0);
    await put(201);
    rows.set(201, { id: 201, stage: 'staged' });
    await put(202);
    expect(await sweeping).toBe(120);
    const left = Array.from({ length: 202 }, (_, at) => at + 1).filter((id) =>
      fs.existsSync(store.pathOf(placeOf(id))),
    );
    expect(left).toEqual([
      ...[...rows.values()].flatMap(({ id, stage }) =>
        stage === 'staged' || stage === 'promoting' ? [id] : [],
      ),
      202,
    ]);
  });

  it.skipIf(process.platform !== 'linux')(
    'S3-20 a promotion that was cut off, of a file whose disk fails as it is read (EIO), is settled as not known: it stays staged and says so, and the one behind it is settled, too',
    async () => {
      const store = createDraftStore({
        root: path.join(newFolder(), 'drafts'),
        crashPoints: noCrashPoints,
        leases: createPathLeases(),
      });
      const workspace = newFolder();
      fs.writeFileSync(path.join(workspace, 'b.txt'), 'new');
      const toHash = sha256Of('new');
      const about = { sessionId: 1, stage: 'promoting', contentHash: toHash, toHash } as const;
      const rows = [
        // Opens like any file, and cannot be read at its start.
        { ...about, id: 1, workspace: `/proc/${String(process.pid)}`, path: 'mem' },
        { ...about, id: 2, workspace, path: 'b.txt' },
      ];
      const written: JournalEntry[] = [];
      const drafts = createDrafts({
        store,
        reads: { openDrafts: () => rows },
        audit: { record: () => undefined },
        journal: {
          commit(entries: readonly JournalEntry[]) {
            written.push(...entries);
            return Promise.resolve();
          },
        },
      } as unknown as DraftsDeps);
      await drafts.settle();
      expect(written).toMatchObject([
        {
          kind: 'draft.kept',
          draftId: 1,
          reason: expect.stringMatching(/is not known\. It cannot be read \(EIO\)/) as string,
        },
        { kind: 'draft.promoted', draftId: 2 },
      ]);
    },
  );
});
