import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { createDraftStore } from '../../../electron/adapters/drafts/draft-store';
import { createPathLeases } from '../../../electron/adapters/files/path-leases';
import { noCrashPoints } from '../../../electron/engine/kernel/crash-points';
import { useTempFolders } from '../tools/call-tool';

const newFolder = useTempFolders();
const DAY_MS = 86_400_000;

describe('files that promotions replaced', () => {
  it('S4-27 S3-20 go after 30 days, one that an open draft needs and one kept again stay', async () => {
    const root = newFolder();
    const workspace = newFolder();
    const shelf = createDraftStore({
      root,
      crashPoints: noCrashPoints,
      leases: createPathLeases(),
    });
    const keep = async (content: string): Promise<string> => {
      fs.writeFileSync(path.join(workspace, 'a.txt'), content);
      const fact = await shelf.keepNow(workspace, 'a.txt');
      return fact.kind === 'present' ? fact.hash : '';
    };
    const fileOf = (hash: string): string => path.join(root, 'kept', hash.slice(0, 2), hash);
    const [old, needed, again, fresh] = [
      await keep('old'),
      await keep('needed'),
      await keep('again'),
      await keep('fresh'),
    ];
    const nowMs = Date.now();
    for (const hash of [old, needed, again])
      fs.utimesSync(fileOf(hash), 0, (nowMs - 31 * DAY_MS) / 1000);
    await keep('again');
    expect(await shelf.sweepKept(nowMs - 30 * DAY_MS, (hash) => hash === needed)).toBe(1);
    expect([old, needed, again, fresh].map((hash) => fs.existsSync(fileOf(hash)))).toEqual([
      false,
      true,
      true,
      true,
    ]);
    expect(await shelf.restage({ id: 1, sessionId: 1, path: 'a.txt', contentHash: old })).toBe(
      undefined,
    );
  });

  it('S3-20 a file of a terabyte is not read: a draft of it is refused at once', async () => {
    const workspace = newFolder();
    const file = path.join(workspace, 'a.txt');
    fs.writeFileSync(file, '');
    fs.truncateSync(file, 1024 ** 4);
    const store = createDraftStore({
      root: newFolder(),
      crashPoints: noCrashPoints,
      leases: createPathLeases(),
    });
    const tooLarge = { kind: 'blocked', why: 'It is larger than 16 MB.' };
    expect(await store.keepNow(workspace, 'a.txt')).toEqual(tooLarge);
    const draft = {
      id: 1,
      sessionId: 1,
      workspace,
      path: 'a.txt',
      contentHash: 'a'.repeat(64),
      baseHash: undefined,
    } as unknown as Parameters<typeof store.facts>[0];
    expect((await store.facts(draft)).file).toEqual(tooLarge);
    expect(await store.remove(draft, 'a'.repeat(64))).toEqual({ kind: 'stale' });
  }, 60_000);
});
