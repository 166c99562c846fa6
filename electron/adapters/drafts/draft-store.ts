import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readdir, realpath, rm, stat, unlink } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { noCrashPoints, type CrashPoints } from '../../engine/kernel/crash-points';
import { HoldfastError } from '../../engine/kernel/errors';
import type {
  DraftPlace,
  DraftStore,
  FileFact,
  ApplyOutcome,
  VersionText,
} from '../../ports/drafts';
import type { DraftRow } from '../../ports/journal/drafts';
import { appearInPlace, moveInPlace, writeDurably } from '../../disk/durable-file';
import { makeFolder } from '../../disk/durable-folder';
import { openFolder, type FolderHandle } from '../files/folder-handle';
import type { PathLeases } from '../files/path-leases';
import { isBinary } from '../files/read-file';
import { readIfThere } from '../files/read-state';
import { errnoOf, inertLine } from '../tools/tool-host';
import { openForReading, placeInWorkspace } from '../files/workspace-path';
import { needInside, tempFileName, writeTemp } from '../files/write-file';

/** Maximum size of a version that is stored or compared. */
const MAX_BYTES = 16 * 1024 * 1024;

interface DraftStoreDeps {
  /** `D/drafts`; created with the first draft. */
  readonly root: string;
  readonly crashPoints: CrashPoints;
  readonly leases: PathLeases;
}

/** The draft store, with the methods that the file tools need. */
export interface WritableStore extends DraftStore {
  readonly root: string;
  /** Reads the workspace file and stores it by its hash, for comparisons. */
  keepNow(workspace: string, path: string): Promise<FileFact>;
}

export const sha256Of = (content: string | Uint8Array): string =>
  createHash('sha256').update(content).digest('hex');

export function createDraftStore(deps: DraftStoreDeps): WritableStore {
  const { root, crashPoints, leases } = deps;
  const folderOf = (draft: Pick<DraftRow, 'id' | 'sessionId'>): string =>
    join(root, `s${String(draft.sessionId)}`, `d${String(draft.id)}`);
  const pathOf = (draft: DraftPlace): string =>
    join(folderOf(draft), draft.contentHash.slice(0, 16), basename(draft.path));
  /** The descriptor of an opened file shows its real path, so the folder must be real too. */
  const realRoot = (): Promise<string> => realpath(root).catch(() => root);
  const keptPath = (hash: string): string => join(root, 'kept', hash.slice(0, 2), hash);

  const makeDurable = (folder: string): Promise<void> => makeFolder(folder, dirname(root));

  const keep = async (hash: string, bytes: Uint8Array): Promise<void> => {
    const path = keptPath(hash);
    await makeDurable(dirname(path));
    // Also if it is there: its retention starts now, and the sync of its folder may have failed.
    await writeDurably(path, bytes);
  };

  const put = async (place: DraftPlace, content: string | Uint8Array): Promise<void> => {
    const path = pathOf(place);
    await makeDurable(dirname(path));
    await writeDurably(path, content, {
      beforeRename: () => {
        crashPoints.hit('draft.stage.beforeRename');
      },
      afterRename: () => {
        crashPoints.hit('draft.stage.afterRename');
      },
    });
  };

  const bytesNow = async (
    draft: Pick<DraftRow, 'workspace' | 'path'>,
  ): Promise<{ readonly fact: FileFact; readonly bytes?: Uint8Array }> => {
    const place = await draftTarget(draft.workspace, draft.path);
    if (place.kind === 'blocked') return { fact: place };
    return readWhole(place.path, place.root);
  };

  return {
    root,
    pathOf,
    put,
    async keepNow(workspace, path) {
      const { fact, bytes } = await bytesNow({ workspace, path });
      if (fact.kind === 'present' && bytes !== undefined) await keep(fact.hash, bytes);
      return fact;
    },
    async facts(draft) {
      const isWorkspaceThere = await isFolder(draft.workspace);
      const place = await draftTarget(draft.workspace, draft.path);
      const file: FileFact =
        place.kind === 'blocked' ? place : await factOf(place.path, place.root);
      return { file, draft: await factOf(pathOf(draft), await realRoot()), isWorkspaceThere };
    },
    async text(draft, which) {
      if (which === 'draft') return textAt(pathOf(draft), await realRoot());
      if (which === 'base') {
        return draft.baseHash === undefined
          ? { kind: 'text', text: '' }
          : textAt(keptPath(draft.baseHash), await realRoot());
      }
      const place = await draftTarget(draft.workspace, draft.path);
      return place.kind === 'blocked' ? { kind: 'missing' } : textAt(place.path, place.root);
    },
    async keepFile(draft, hash) {
      const { fact, bytes } = await bytesNow(draft);
      if (fact.kind !== 'present' || fact.hash !== hash || bytes === undefined) {
        throw new HoldfastError(
          'DRAFT_REFUSED',
          `The file ${inertLine(draft.path)} cannot be saved, so it is not replaced.`,
          { hint: 'Nothing was changed. Review the draft again.' },
        );
      }
      await keep(hash, bytes);
    },
    async apply(draft, { fromHash, toHash }): Promise<ApplyOutcome> {
      const place = await draftTarget(draft.workspace, draft.path);
      if (place.kind === 'blocked') return { kind: 'unchanged', message: place.why };
      const draftRoot = await realRoot();
      return leases.hold(place.path, () =>
        putInPlace(
          { crashPoints, target: place, source: pathOf(draft), draftRoot },
          { key: tempKey(draft), fromHash, toHash },
        ),
      );
    },
    async confirm(draft) {
      const place = await draftTarget(draft.workspace, draft.path);
      if (place.kind === 'blocked') return place.why;
      try {
        return await leases.hold(place.path, () => confirmInPlace(place, tempKey(draft)));
      } catch (thrown) {
        return errnoOf(thrown) ?? String(thrown);
      }
    },
    async remove(draft, hash): Promise<ApplyOutcome> {
      const place = await draftTarget(draft.workspace, draft.path);
      if (place.kind === 'blocked') return { kind: 'unchanged', message: place.why };
      return leases.hold(place.path, () => removeInPlace(place, hash));
    },
    async tidy(draft) {
      const place = await draftTarget(draft.workspace, draft.path);
      if (place.kind === 'blocked') return;
      const at = { root: place.root, path: dirname(place.path) };
      const folder = await openFolder(at).catch(() => 'outside' as const);
      if (folder === 'outside') return;
      await unlink(folder.at(tempFileName(tempKey(draft)))).catch(() => undefined);
      await folder.close();
    },
    async release(draft) {
      await rm(folderOf(draft), { recursive: true, force: true }).catch(() => undefined);
    },
    async sweep(isLeft) {
      let removed = 0;
      for (const session of await readdir(root).catch(() => [])) {
        if (!/^s\d+$/.test(session)) continue;
        for (const name of await readdir(join(root, session)).catch(() => [])) {
          const id = /^d(\d+)$/.exec(name)?.[1];
          if (id === undefined || !isLeft(Number(id))) continue;
          await rm(join(root, session, name), { recursive: true, force: true }).catch(
            () => undefined,
          );
          removed += 1;
        }
      }
      return removed;
    },
    async restage(place) {
      const bytes = await readIfThere(keptPath(place.contentHash));
      if (bytes === undefined || sha256Of(bytes) !== place.contentHash) return undefined;
      await put(place, bytes);
      return bytes.length;
    },
    async sweepKept(beforeMs, isNeeded) {
      const kept = join(root, 'kept');
      let removed = 0;
      for (const folder of await readdir(kept).catch(() => [])) {
        for (const name of await readdir(join(kept, folder)).catch(() => [])) {
          const path = join(kept, folder, name);
          const facts = await stat(path).catch(() => undefined);
          if (facts === undefined || facts.mtimeMs >= beforeMs || isNeeded(name)) continue;
          await unlink(path).catch(() => undefined);
          removed += 1;
        }
      }
      return removed;
    },
  };
}

const tempKey = (draft: Pick<DraftRow, 'id'>): string => `draft-${String(draft.id)}`;

type Target =
  | { readonly kind: 'inside'; readonly path: string; readonly root: string }
  | Extract<FileFact, { kind: 'blocked' }>;

/**
 * The location in the workspace, checked again each time: a folder may have become a link since.
 */
async function draftTarget(workspace: string, path: string): Promise<Target> {
  const place = await placeInWorkspace(workspace, path);
  if (place.kind === 'outside') return { kind: 'blocked', why: place.message };
  if (place.shown !== path) {
    return {
      kind: 'blocked',
      why: `TOOL_OUTSIDE_WORKSPACE: ${inertLine(path)} is now a symbolic link to ${inertLine(place.shown)}; it is not followed.`,
    };
  }
  return { kind: 'inside', path: place.path, root: place.root };
}

/** For example a failing disk: a fact of this file alone, which holds up no other draft and no start. */
const notRead = (thrown: unknown): FileFact => ({
  kind: 'blocked',
  why: `It cannot be read (${errnoOf(thrown) ?? String(thrown)}).`,
});

const factOf = async (path: string, root: string): Promise<FileFact> =>
  (await readWhole(path, root)).fact;

const whyBlocked = (reason: 'folder' | 'special' | 'outside' | 'denied'): string => {
  switch (reason) {
    case 'folder':
      return 'A folder with this name exists.';
    case 'special':
      return 'It is not a regular file.';
    case 'outside':
      return "It leads outside the agent's folder.";
    case 'denied':
      return 'It cannot be read: permission denied.';
  }
};

const TOO_LARGE: FileFact = { kind: 'blocked', why: 'It is larger than 16 MB.' };

/** The content with its hash. No more is read than may be stored: a file without an end has a size of terabytes. */
async function readWhole(
  path: string,
  root: string,
): Promise<{ readonly fact: FileFact; readonly bytes?: Uint8Array }> {
  const handle = await openForReading({ path, root }).catch(() => 'denied' as const);
  if (handle === 'missing') return { fact: { kind: 'missing' } };
  if (typeof handle === 'string') return { fact: { kind: 'blocked', why: whyBlocked(handle) } };
  try {
    const { size, mtimeMs } = await handle.stat();
    if (size > MAX_BYTES) return { fact: TOO_LARGE };
    const hash = createHash('sha256');
    const chunks: Buffer[] = [];
    let sizeBytes = 0;
    for await (const chunk of createReadStream('', { fd: handle.fd, autoClose: false })) {
      const bytes = chunk as Buffer;
      sizeBytes += bytes.length;
      // It may grow while it is read.
      if (sizeBytes > MAX_BYTES) return { fact: TOO_LARGE };
      hash.update(bytes);
      chunks.push(bytes);
    }
    return {
      fact: { kind: 'present', hash: hash.digest('hex'), sizeBytes, changedAtMs: mtimeMs },
      bytes: Buffer.concat(chunks),
    };
  } catch (thrown) {
    return { fact: notRead(thrown) };
  } finally {
    await handle.close();
  }
}

async function textAt(path: string, root: string): Promise<VersionText> {
  const { fact, bytes } = await readWhole(path, root);
  if (fact.kind === 'blocked') return { kind: 'too_large', sizeBytes: MAX_BYTES };
  if (bytes === undefined) return { kind: 'missing' };
  if (isBinary(bytes)) return { kind: 'binary' };
  return { kind: 'text', text: Buffer.from(bytes).toString('utf8') };
}

async function isFolder(path: string): Promise<boolean> {
  try {
    return (await stat(await realpath(path))).isDirectory();
  } catch {
    return false;
  }
}

interface PutSite {
  readonly crashPoints: CrashPoints;
  readonly target: { readonly path: string; readonly root: string };
}

interface PutChange {
  readonly key: string;
  readonly fromHash: string | undefined;
  readonly toHash: string;
}

/** Under the path's lease: temp file, fsync, a last check, rename, fsync of the folder. */
async function putInPlace(
  site: PutSite & { readonly source: string; readonly draftRoot: string },
  change: PutChange,
): Promise<ApplyOutcome> {
  const { target, crashPoints } = site;
  const { fact, bytes } = await readWhole(site.source, site.draftRoot);
  if (fact.kind === 'blocked') return { kind: 'unchanged', message: fact.why };
  if (fact.kind !== 'present' || bytes === undefined || fact.hash !== change.toHash)
    return { kind: 'stale' };
  let folder: FolderHandle | 'outside';
  try {
    folder = await openFolder({ root: target.root, path: dirname(target.path) }, { isMade: true });
  } catch (thrown) {
    return notPut(thrown);
  }
  if (folder === 'outside') return { kind: 'stale' };
  try {
    return await putInFolder(folder, bytes, { crashPoints, target }, change);
  } finally {
    await folder.close();
  }
}

const notPut = (thrown: unknown): ApplyOutcome => {
  const code = errnoOf(thrown) ?? String(thrown);
  if (code === 'EEXIST') return { kind: 'stale' };
  return { kind: 'unchanged', message: `The file could not be written (${code}).` };
};

/** Under the path's lease: a last check, unlink, fsync of the folder. */
async function removeInPlace(
  target: { readonly path: string; readonly root: string },
  hash: string,
): Promise<ApplyOutcome> {
  const folder = await openFolder({ root: target.root, path: dirname(target.path) }).catch(
    () => 'outside' as const,
  );
  if (folder === 'outside') return { kind: 'stale' };
  try {
    await needInside(folder);
    const name = folder.at(basename(target.path));
    const now = await factOf(name, target.root);
    if (now.kind !== 'present' || now.hash !== hash) return { kind: 'stale' };
    await unlink(name);
    return await endOf(folder);
  } catch (thrown) {
    return notPut(thrown);
  } finally {
    await folder.close();
  }
}

async function putInFolder(
  folder: FolderHandle,
  bytes: Uint8Array,
  { crashPoints, target }: PutSite,
  change: PutChange,
): Promise<ApplyOutcome> {
  const name = basename(target.path);
  const tempName = tempFileName(change.key);
  const temp = folder.at(tempName);
  try {
    await needInside(folder);
    await writeTemp(folder, { name, tempName }, bytes);
    const now = await factOf(folder.at(name), target.root);
    const nowHash = now.kind === 'present' ? now.hash : undefined;
    if (now.kind === 'blocked' || nowHash !== change.fromHash) {
      await unlink(temp);
      return { kind: 'stale' };
    }
    crashPoints.hit('draft.promote.beforeRename');
    await needInside(folder);
    if (change.fromHash === undefined) await appearInPlace(temp, folder.at(name));
    else await moveInPlace(temp, folder.at(name));
  } catch (thrown) {
    await unlink(temp).catch(() => undefined);
    return notPut(thrown);
  }
  crashPoints.hit('draft.promote.afterRename');
  return endOf(folder);
}

/** The change is applied; checks that it is on disk too. */
async function endOf(folder: FolderHandle): Promise<ApplyOutcome> {
  try {
    await folder.sync();
    return { kind: 'applied' };
  } catch (thrown) {
    return { kind: 'unconfirmed', why: errnoOf(thrown) ?? String(thrown) };
  }
}

/**
 * The process that renamed it may have died before the folder was synced, or that sync failed: then
 * a later one proves nothing of the name. The same content gets its name once more.
 */
async function confirmInPlace(
  target: Extract<Target, { kind: 'inside' }>,
  key: string,
): Promise<string | undefined> {
  const { path, root } = target;
  const { fact, bytes } = await readWhole(path, root);
  if (fact.kind === 'missing') return 'It is no longer there.';
  if (fact.kind === 'blocked') return fact.why;
  if (bytes === undefined) return 'It could not be read.';
  const folder = await openFolder({ root, path: dirname(path) });
  if (folder === 'outside') return whyBlocked(folder);
  try {
    const change = { key, fromHash: fact.hash, toHash: fact.hash };
    const end = await putInFolder(folder, bytes, { crashPoints: noCrashPoints, target }, change);
    if (end.kind === 'applied') return undefined;
    if (end.kind === 'stale') return 'It changed meanwhile.';
    return end.kind === 'unconfirmed' ? end.why : end.message;
  } finally {
    await folder.close();
  }
}
