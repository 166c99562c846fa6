import { unlinkSync } from 'node:fs';
import { readdir, readFile, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Basics } from '../../engine/kernel/basics';
import { asDiskRefusal } from '../../engine/kernel/disk-refusal';
import type { Blobs } from '../../ports/blobs';
import { isTemporaryName } from '../../disk/temporary-names';
import { makeFolder } from '../../disk/durable-folder';
import { writeDurably } from '../../disk/durable-file';
import { unreadable } from '../files/read-state';

interface BlobsDeps extends Pick<Basics, 'hasher' | 'crashPoints'> {
  /** `D/blobs`; created with the first blob. */
  readonly dir: string;
}

const HASH = /^[0-9a-f]{64}$/;
const ADDRESS = /^(?:t([1-9]\d{0,15})\/)?([0-9a-f]{64})$/;
const TURN_FOLDER = /^t([1-9]\d{0,15})$/;

/** The file does not exist, or its name is a folder, or a parent is a file. */
const GONE: ReadonlySet<string> = new Set(['ENOENT', 'ENOTDIR', 'EISDIR', 'ELOOP']);

/**
 * Stores content as `<dir>/ab/ab…`. Content is text; a lone surrogate is not text and would be read
 * back as U+FFFD, so callers store JSON, which escapes it. Row S4-+05.
 *
 * A blob is on disk before the row that names it, so in between it looks unused, for as long as
 * a failing disk keeps the row waiting. `sweep` therefore skips blobs of this process until a row
 * names them. One process owns the folder, so blobs that an earlier process left without a row will
 * never get one.
 */
export function createBlobs(deps: BlobsDeps): Blobs {
  const { dir, hasher, crashPoints } = deps;
  /** Blobs of this process that no row names yet. */
  const unnamed = new Set<string>();
  let writing = 0;
  let folder = 0;
  /**
   * Turns with a folder. Most turns have none, and a disk access for each would cost more than its
   * end.
   */
  const own = new Set<number>();
  let left: Promise<Set<number>> | undefined;

  const pathOf = (sha256: string, turnId: number | undefined): string =>
    join(dir, turnId === undefined ? sha256.slice(0, 2) : `t${String(turnId)}`, sha256);

  async function get(address: string): Promise<string | undefined> {
    const [, turn, sha256] = ADDRESS.exec(address) ?? [];
    if (sha256 === undefined) return undefined;
    const path = pathOf(sha256, turn === undefined ? undefined : Number(turn));
    try {
      const content = await readFile(path, 'utf8');
      return hasher.sha256Hex(content) === sha256 ? content : undefined;
    } catch (error) {
      const errno = (error as NodeJS.ErrnoException).code ?? '';
      // A missing blob counts as not recorded, which is what undefined means.
      if (GONE.has(errno)) return undefined;
      throw unreadable(path, error);
    }
  }
  /** Folders of earlier processes; listed once, since only this process creates further ones. */
  const leftFolders = async (): Promise<Set<number>> => {
    const names = await readdir(dir).catch(() => []);
    return new Set(
      names.flatMap((name) => (TURN_FOLDER.test(name) ? [Number(name.slice(1))] : [])),
    );
  };

  return {
    async put(content, turnId) {
      if (turnId !== undefined) own.add(turnId);
      const sha256 = hasher.sha256Hex(content);
      const address = turnId === undefined ? sha256 : `t${String(turnId)}/${sha256}`;
      const path = pathOf(sha256, turnId);
      if (turnId === undefined) unnamed.add(sha256);
      writing += 1;
      try {
        // Also if it is there: the process that wrote it may have died before the folder was synced,
        // or that sync failed, and then a later one proves nothing of its name.
        await makeFolder(dirname(path), dirname(dir));
        await writeDurably(path, content, {
          beforeRename: () => {
            crashPoints.hit('spill.beforeRename');
          },
          afterRename: () => {
            crashPoints.hit('spill.afterRename');
          },
        });
        return address;
      } catch (error) {
        throw asDiskRefusal(error);
      } finally {
        writing -= 1;
      }
    },
    get,
    async release(turnId) {
      const isOwn = own.delete(turnId);
      const wasLeft = (await (left ??= leftFolders())).delete(turnId);
      if (!isOwn && !wasLeft) return;
      const results = join(dir, `t${String(turnId)}`);
      await rm(results, { recursive: true, force: true }).catch(() => undefined);
    },
    async sweep({ isUsed, isOver }, limit) {
      const names = await readdir(dir).catch(() => []);
      const folders = names.filter((name) => /^[0-9a-f]{2}$/.test(name)).sort();
      let removed = 0;
      let seen = 0;
      for (const name of names) {
        const turn = TURN_FOLDER.exec(name)?.[1];
        if (turn === undefined || removed >= limit || !isOver(Number(turn))) continue;
        await rm(join(dir, name), { recursive: true, force: true }).catch(() => undefined);
        removed += 1;
      }
      // Continues where the last call stopped, and checks a bounded number of files.
      for (let turn = 0; turn < folders.length && removed < limit && seen < 20 * limit; turn += 1) {
        const path = join(dir, folders[folder % folders.length] ?? '');
        const files = await readdir(path).catch(() => []);
        for (const file of files) {
          if (removed >= limit) break;
          seen += 1;
          // Checked and removed in one synchronous step: a later put finds the file gone and writes
          // it.
          const isLeftover = isTemporaryName(file) && writing === 0;
          const isNamed = HASH.test(file) && isUsed(file);
          if (isNamed) unnamed.delete(file);
          const isUnused = HASH.test(file) && !isNamed && !unnamed.has(file);
          if (!isLeftover && !isUnused) continue;
          try {
            unlinkSync(join(path, file));
            removed += 1;
          } catch {
            // Already gone, or not permitted: the next sweep sees it again.
          }
        }
        if (removed < limit) folder += 1;
      }
      return removed;
    },
  };
}
