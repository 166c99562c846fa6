import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createDraftStore } from '../../electron/adapters/drafts/draft-store';
import { createFileTools } from '../../electron/adapters/files/file-tools';
import { createPathLeases } from '../../electron/adapters/files/path-leases';
import { noCrashPoints } from '../../electron/engine/kernel/crash-points';
import type { DraftRow } from '../../electron/ports/journal/drafts';
import { startSwapper } from '../helpers/swap-program';
import { toolCall, useTempFolders } from '../integration/tools/call-tool';

const ROUNDS = Number(process.env['HOLDFAST_TEST_RACE_ROUNDS'] ?? 300);
const SEED = Number(process.env['HOLDFAST_TEST_RACE_SEED'] ?? 1);
const newFolder = useTempFolders();
const host = createFileTools({ crashPoints: noCrashPoints });

const SECRET = 'secret-of-somebody.txt';

/** Every path below a folder, links not followed. */
function treeOf(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort();
}

/**
 * In the workspace `work` is a folder and `way-out` a link to a folder outside, and a process of the
 * same user swaps the two as fast as it can while `round` runs again and again.
 */
async function race(round: (workspace: string, at: number) => Promise<boolean>) {
  const [base, outside, workspace] = [newFolder(), newFolder(), newFolder()];
  mkdirSync(join(workspace, 'work', 'deep'), { recursive: true });
  writeFileSync(join(workspace, 'work', 'inside.txt'), 'inside');
  mkdirSync(join(outside, 'deep'));
  writeFileSync(join(outside, SECRET), 'secret');
  writeFileSync(join(outside, 'deep', SECRET), 'secret');
  symlinkSync(outside, join(workspace, 'way-out'));
  const before = treeOf(outside);
  const swapper = await startSwapper(
    base,
    [join(workspace, 'work'), join(workspace, 'way-out')],
    SEED,
  );
  let hits = 0;
  let swaps: number;
  try {
    for (let at = 0; at < ROUNDS; at += 1) if (await round(workspace, at)) hits += 1;
  } finally {
    swaps = await swapper.stop();
  }
  const added = treeOf(outside).filter((path) => !before.includes(path));
  console.log(
    `seed ${String(SEED)}: ${String(ROUNDS)} rounds, ${String(swaps)} swaps, ${String(hits)} went through, ${String(added.length)} outside`,
  );
  return { hits, swaps, added };
}

const done = async (tool: string, args: Record<string, string | number>, workspace: string) => {
  const outcome = await host.call(
    toolCall(tool, args, workspace, { idempotencyKey: `race-${String(Object.values(args)[0])}` }),
  );
  return outcome.kind === 'result' && !outcome.isError ? outcome.content : undefined;
};

describe(`T3 a folder swapped for a link during ${String(ROUNDS)} calls`, () => {
  it('T3 moves no write of write_file and no folder it makes out of the workspace', async () => {
    const seen = await race(async (workspace, at) => {
      const path = ['work/', 'work/deep/', `work/new-${String(at)}/more/`][at % 3] ?? '';
      const said = await done(
        'write_file',
        { path: `${path}f-${String(at)}.txt`, content: 'x' },
        workspace,
      );
      return said !== undefined;
    });
    expect(seen.added).toEqual([]);
    expect(seen.hits).toBeGreaterThan(0);
    expect(seen.swaps).toBeGreaterThan(ROUNDS / 10);
  });

  it('T3 shows nothing from outside in list_files and search_files', async () => {
    const leaks: string[] = [];
    const seen = await race(async (workspace, at) => {
      const isSearch = at % 4 === 0;
      const said = isSearch
        ? await done('search_files', { path: 'work', pattern: 'secret' }, workspace)
        : await done('list_files', { path: ['work', '.', 'work/deep'][at % 3] ?? '', depth: 3 }, workspace); // prettier-ignore
      if (said?.includes(SECRET) === true) leaks.push(said);
      return said !== undefined;
    });
    expect(leaks).toEqual([]);
    expect(seen.hits).toBeGreaterThan(0);
  });

  it('T3 moves no promoted draft out of the workspace', async () => {
    const shelf = createDraftStore({
      root: newFolder(),
      crashPoints: noCrashPoints,
      leases: createPathLeases(),
    });
    const toHash = createHash('sha256').update('draft').digest('hex');
    const seen = await race(async (workspace, at) => {
      const path = `${['work', 'work/deep', 'work/made'][at % 3] ?? ''}/d-${String(at)}.txt`;
      const draft = {
        id: at + 1,
        sessionId: 1,
        workspace,
        path,
        contentHash: toHash,
      } as DraftRow;
      await shelf.put(draft, 'draft');
      const outcome = await shelf.apply(draft, { fromHash: undefined, toHash });
      await shelf.tidy(draft);
      return outcome.kind === 'applied';
    });
    expect(seen.added).toEqual([]);
    expect(seen.hits).toBeGreaterThan(0);
  });

  it('T3 leaves no file of a write behind that was refused in its middle', async () => {
    let place = '';
    await race(async (workspace, at) => {
      place = workspace;
      return (
        (await done(
          'write_file',
          { path: `work/g-${String(at)}.txt`, content: 'x' },
          workspace,
        )) !== undefined
      );
    });
    expect(existsSync(place)).toBe(true);
    expect(treeOf(place).filter((path) => path.endsWith('.tmp'))).toEqual([]);
  });
});
