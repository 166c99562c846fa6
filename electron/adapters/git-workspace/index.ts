/** Files of a git repository that move with a turn: captured here, and recreated there. DW-20 */
import { randomUUID } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { moveAsideSync, syncFolderSync } from '../../disk/durable-folder';
import type { CrashPoints } from '../../engine/kernel/crash-points';
import type { MovedFiles } from '../../ports/moved-files';
import { makeArrived, treeOfFolder } from './arrive';
import { capture, recapture } from './capture';
import { giveBack } from './give-back';
import { nameOf, repositoryAt } from './repository';
import { createGit } from './run-git';

interface MovedFilesDeps {
  readonly dataDir: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly crashPoints: CrashPoints;
}

const TURN = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
/** A younger partial folder may still be in use. */
const PARTIAL_KEPT_MS = 3_600_000;
/** Not complete yet, or about to be deleted. */
const PARTIAL = /^\.(?:new|old|scratch)-/;

export function createMovedFiles(deps: MovedFilesDeps): MovedFiles {
  const { crashPoints } = deps;
  const git = createGit(deps.env);
  const dataDir = fs.realpathSync(deps.dataDir);
  const root = path.join(dataDir, 'share', 'work');
  const folderOf = (turn: string): string => {
    if (!TURN.test(turn)) throw new TypeError('not a turn ID');
    return path.join(root, turn);
  };
  const beside = (kind: 'new' | 'old' | 'scratch', name: string): string =>
    path.join(root, `.${kind}-${name}`);
  const remove = (folder: string): void => {
    fs.rmSync(folder, { recursive: true, force: true });
  };

  return {
    async repositoryOf(folder) {
      const found = await repositoryAt(git, folder);
      return found === undefined ? undefined : nameOf(git, found);
    },
    async capture(folder) {
      const scratch = beside('scratch', randomUUID());
      try {
        return await capture(git, folder, scratch, dataDir);
      } finally {
        remove(scratch);
      }
    },
    recapture: (turn, base) =>
      recapture(git, path.join(folderOf(turn), 'files'), {
        base,
        scratch: path.join(folderOf(turn), 'seen'),
        dataDir,
      }),
    placeOf: (turn, prefix) => path.join(folderOf(turn), 'files', prefix),
    async arrive(turn, from, move, { isEqual, piece }) {
      const folder = folderOf(turn);
      if (fs.existsSync(folder)) {
        const files = path.join(folder, 'files');
        if (!isEqual || (await treeOfFolder(git, files, move.base)) === move.tree)
          return { kind: 'here' };
        // Leftovers of a power cut during a write, or older ones.
        remove(beside('old', turn));
        moveAsideSync(folder, beside('old', turn));
        remove(beside('old', turn));
      }
      const part = beside('new', turn);
      remove(part); // Left by a killed process.
      const why = await makeArrived(git, { move, from, part, dataDir, piece });
      if (why !== undefined) {
        remove(part);
        return { kind: 'refused', why };
      }
      crashPoints.hit('share.files.made');
      moveAsideSync(part, folder);
      syncFolderSync(root);
      crashPoints.hit('share.files.named');
      return { kind: 'here' };
    },
    async giveBack(turn, folder, moves, more) {
      if (!TURN.test(turn)) throw new TypeError('not a turn ID');
      const scratch = beside('scratch', randomUUID());
      try {
        return await giveBack(git, { ...more, turn, folder, moves, scratch, dataDir, crashPoints });
      } finally {
        remove(scratch);
      }
    },
    async sweep(nowMs, isOver) {
      if (!fs.existsSync(root)) return;
      for (const name of await fs.promises.readdir(root)) {
        const folder = path.join(root, name);
        const ageMs = nowMs - (await fs.promises.lstat(folder)).mtimeMs;
        if (PARTIAL.test(name) ? ageMs > PARTIAL_KEPT_MS : TURN.test(name) && isOver(name, ageMs))
          await fs.promises.rm(folder, { recursive: true, force: true });
      }
    },
  };
}
