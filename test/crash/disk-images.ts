/**
 * What a power cut may leave of a folder, from the trace of `shim/trace-disk.c`: two models of a disk.
 *
 * - `mild`: as ext4 does it. Each file gets its writes in order, the last one torn at a sector; names
 *   come in order, and every sync takes the names before it along.
 * - `strict`: what POSIX promises. Each sector of what was not synced is the old one or any that was
 *   written there since; each name is there or not, by itself, until its folder was synced.
 *
 * A sync that fails leaves in the memory of the system what may not be on the disk, and marks it as
 * written: no later sync writes it, unless it is written again. Names stay unwritten until a sync of
 * their folder.
 */
import fs from 'node:fs';
import path from 'node:path';

const PAGE = 4096;
const SECTOR = 512;

export type DiskModel = 'mild' | 'strict';
type Random = (below: number) => number;

type Change =
  | { readonly at: number; readonly kind: 'write'; readonly offset: number; readonly bytes: Buffer }
  | { readonly at: number; readonly kind: 'size'; readonly size: number };

interface FileNode {
  readonly kind: 'file';
  readonly mode: number;
  /** What the disk holds for sure, and what every program sees. */
  disk: Buffer;
  seen: Buffer;
  /** Since the last sync, in order. */
  changes: Change[];
  /** Pages that the system takes for written since a sync failed. */
  lost: Set<number>;
}

interface FolderNode {
  readonly kind: 'folder';
  readonly mode: number;
  readonly disk: Map<string, Node>;
  readonly seen: Map<string, Node>;
}

type Node = FileNode | FolderNode;

interface NameChange {
  readonly at: number;
  readonly folder: FolderNode;
  /** One or two names at once: a rename. */
  readonly names: readonly (readonly [string, Node | undefined])[];
}

interface Mark {
  readonly pid: number;
  readonly text: string;
}

const RECORD_BYTES = 32;

interface TraceRecord {
  readonly kind: string;
  readonly a: string;
  readonly b: Buffer;
  readonly result: number;
  readonly inode: bigint;
  readonly offset: number;
}

/** The records of a trace; one that was cut off by the end of the process is none. */
export function* recordsOf(trace: Buffer): Generator<TraceRecord> {
  for (let at = 0; at + RECORD_BYTES <= trace.length;) {
    const [aLength, bLength] = [trace.readUInt32LE(at + 4), trace.readUInt32LE(at + 8)];
    const a = at + RECORD_BYTES;
    const end = a + aLength + bLength;
    if (end > trace.length) return;
    yield {
      kind: String.fromCharCode(trace.readUInt8(at)),
      a: trace.toString('utf8', a, a + aLength),
      b: trace.subarray(a + aLength, end),
      result: trace.readInt32LE(at + 12),
      inode: trace.readBigUInt64LE(at + 16),
      offset: Number(trace.readBigUInt64LE(at + 24)),
    };
    at = end;
  }
}

function changed(content: Buffer, change: Change): Buffer {
  if (change.kind === 'size') return resized(content, change.size);
  const end = change.offset + change.bytes.length;
  const target = end > content.length ? resized(content, end) : content;
  change.bytes.copy(target, change.offset);
  return target;
}

function resized(content: Buffer, size: number): Buffer {
  if (size <= content.length) return Buffer.from(content.subarray(0, size));
  const grown = Buffer.alloc(size);
  content.copy(grown);
  return grown;
}

export interface Disk {
  /** Does what the record says. `random` decides what is left by a sync that fails. */
  take(record: TraceRecord, random: Random): void;
  /** Writes to `target`, which must not be there, what a power cut at this moment may leave. */
  leave(target: string, model: DiskModel, random: Random): void;
  readonly marks: readonly Mark[];
  readonly taken: () => number;
}

/** @param root the folder as it is now, before the traced process begins: all of it counts as on disk. */
export function createDisk(root: string, isWorld: (relative: string) => boolean): Disk {
  const byInode = new Map<bigint, Node>();
  const top = readNow(root, byInode);
  let pendingNames: NameChange[] = [];
  const marks: Mark[] = [];
  let at = 0;
  /** The last sync of anything that succeeded: in `mild` it takes all names along. */
  let lastSync = 0;

  const find = (whole: string): { folder: FolderNode; name: string } => {
    const names = path.relative(root, whole).split('/');
    let folder = top;
    for (const name of names.slice(0, -1)) {
      const next = folder.seen.get(name);
      if (next?.kind !== 'folder') throw new Error(`${whole}: ${name} is no folder`);
      folder = next;
    }
    return { folder, name: names.at(-1) ?? '' };
  };

  const rename = (whole: string, folder: FolderNode, names: NameChange['names']): void => {
    for (const [name, node] of names) set(folder.seen, name, node);
    if (isWorld(path.relative(root, whole)))
      for (const [name, node] of names) set(folder.disk, name, node);
    else pendingNames.push({ at, folder, names });
  };

  const write = (node: FileNode, change: Change): void => {
    node.seen = changed(node.seen, change);
    node.changes.push(change);
    if (change.kind !== 'write' || node.lost.size === 0) return;
    // The system holds whole pages: writing a part of one writes the rest of it again.
    const last = Math.floor((change.offset + change.bytes.length - 1) / PAGE);
    for (let page = Math.floor(change.offset / PAGE); page <= last; page += 1) {
      if (!node.lost.delete(page)) continue;
      const offset = page * PAGE;
      const bytes = Buffer.from(node.seen.subarray(offset, offset + PAGE));
      node.changes.push({ at, kind: 'write', offset, bytes });
    }
  };

  const sync = (node: Node, isGood: boolean, random: Random): void => {
    if (isGood) lastSync = at;
    if (node.kind === 'folder') {
      if (!isGood) return;
      for (const { names } of pendingNames.filter(({ folder }) => folder === node))
        for (const [name, inner] of names) set(node.disk, name, inner);
      pendingNames = pendingNames.filter(({ folder }) => folder !== node);
    } else if (isGood) {
      for (const change of node.changes) node.disk = changed(node.disk, change);
      node.changes = [];
    } else loseSome(node, random);
  };

  /** In what the caller is told has failed some pages are written, most are not. */
  const loseSome = (node: FileNode, random: Random): void => {
    const pages = new Set<number>();
    for (const change of node.changes) {
      if (change.kind === 'size') node.disk = changed(node.disk, change);
      else {
        const last = Math.floor((change.offset + change.bytes.length - 1) / PAGE);
        for (let page = Math.floor(change.offset / PAGE); page <= last; page += 1) pages.add(page);
      }
    }
    for (const page of pages) {
      if (random(4) > 0) node.lost.add(page);
      else {
        const offset = page * PAGE;
        const bytes = Buffer.from(node.seen.subarray(offset, offset + PAGE));
        node.disk = changed(node.disk, { at, kind: 'write', offset, bytes });
      }
    }
    node.disk = resized(node.disk, Math.max(node.disk.length, node.seen.length));
    node.changes = [];
  };

  const fileOf = (inode: bigint): FileNode | undefined => {
    const node = byInode.get(inode);
    return node?.kind === 'file' ? node : undefined;
  };

  return {
    marks,
    taken: () => at,
    take({ kind, a, b, result, inode, offset }, random) {
      at += 1;
      switch (kind) {
        case 'M':
          marks.push({ pid: Number(inode), text: b.toString('utf8') });
          return;
        case 'C':
        case 'D': {
          const node: Node = kind === 'C' ? newFile(offset) : newFolder(offset);
          byInode.set(inode, node);
          const { folder, name } = find(a);
          rename(a, folder, [[name, node]]);
          return;
        }
        case 'W':
        case 'T': {
          const node = fileOf(inode);
          if (node === undefined) return;
          // The trace is one big buffer that lives as long as this does.
          write(
            node,
            kind === 'W'
              ? { at, kind: 'write', offset, bytes: b }
              : { at, kind: 'size', size: offset },
          );
          return;
        }
        case 'S': {
          const node = byInode.get(inode);
          if (node === undefined) return;
          if (node.kind === 'file' && node.seen.length !== offset)
            throw new Error(
              `${a} has ${String(offset)} bytes, the trace knows ${String(node.seen.length)}`,
            );
          sync(node, result === 0, random);
          return;
        }
        case 'U': {
          const { folder, name } = find(a);
          rename(a, folder, [[name, undefined]]);
          return;
        }
        default: {
          const [from, to] = [find(a), find(b.toString('utf8'))];
          const node = from.folder.seen.get(from.name);
          const left = kind === 'R' ? ([[from.name, undefined]] as const) : [];
          if (from.folder === to.folder) rename(a, to.folder, [[to.name, node], ...left]);
          else {
            rename(b.toString('utf8'), to.folder, [[to.name, node]]);
            if (left.length > 0) rename(a, from.folder, left);
          }
        }
      }
    },
    leave(target, model, random) {
      const cut = lastSync + random(at - lastSync + 1);
      const isThere = (change: NameChange): boolean =>
        model === 'mild' ? change.at <= cut : random(2) === 0;
      const names = new Map<FolderNode, Map<string, Node>>();
      for (const change of pendingNames) {
        if (!isThere(change)) continue;
        const map = names.get(change.folder) ?? new Map(change.folder.disk);
        names.set(change.folder, map);
        for (const [name, node] of change.names) set(map, name, node);
      }
      const put = (folder: FolderNode, where: string, relative: string): void => {
        fs.mkdirSync(where, { mode: folder.mode });
        for (const [name, node] of names.get(folder) ?? folder.disk) {
          const inner = path.join(relative, name);
          const to = path.join(where, name);
          if (node.kind === 'folder') put(node, to, inner);
          else {
            const content = isWorld(inner) ? node.seen : contentOf(node, model, random);
            fs.writeFileSync(to, content, { mode: node.mode });
          }
        }
      };
      put(top, target, '');
    },
  };
}

function contentOf(node: FileNode, model: DiskModel, random: Random): Buffer {
  if (node.changes.length === 0) return node.disk;
  return model === 'mild' ? inOrder(node, random) : inAnyOrder(node, random);
}

/** The first changes; of the next one so many sectors. */
function inOrder(node: FileNode, random: Random): Buffer {
  const count = random(node.changes.length + 1);
  let content: Buffer = Buffer.from(node.disk);
  for (const change of node.changes.slice(0, count)) content = changed(content, change);
  const next = node.changes[count];
  if (next?.kind !== 'write') return content;
  const firstEnd = SECTOR - (next.offset % SECTOR);
  const sectors = Math.ceil(Math.max(0, next.bytes.length - firstEnd) / SECTOR) + 1;
  const kept = random(sectors);
  const length = kept === 0 ? 0 : firstEnd + (kept - 1) * SECTOR;
  return length === 0
    ? content
    : changed(content, { ...next, bytes: next.bytes.subarray(0, length) });
}

/** Each sector as it was on disk, or as it was after any of the changes. */
function inAnyOrder(node: FileNode, random: Random): Buffer {
  const sizes = [node.disk.length];
  const versions = new Map<number, Buffer[]>();
  let content: Buffer = Buffer.from(node.disk);
  for (const change of node.changes) {
    content = changed(content, change);
    sizes.push(content.length);
    if (change.kind === 'size') continue;
    const last = Math.floor((change.offset + change.bytes.length - 1) / SECTOR);
    for (let sector = Math.floor(change.offset / SECTOR); sector <= last; sector += 1) {
      const bytes = Buffer.from(content.subarray(sector * SECTOR, (sector + 1) * SECTOR));
      versions.set(sector, [...(versions.get(sector) ?? []), bytes]);
    }
  }
  const size = sizes[random(sizes.length)] ?? 0;
  const left = resized(node.disk, Math.max(size, node.disk.length));
  for (const [sector, written] of versions) {
    const chosen = random(written.length + 1);
    const bytes = chosen === 0 ? undefined : written[chosen - 1];
    if (bytes !== undefined && sector * SECTOR < left.length) bytes.copy(left, sector * SECTOR);
  }
  return left.subarray(0, size);
}

function set(map: Map<string, Node>, name: string, node: Node | undefined): void {
  if (node === undefined) map.delete(name);
  else map.set(name, node);
}

const newFile = (mode: number): FileNode => ({
  kind: 'file',
  mode,
  disk: Buffer.alloc(0),
  seen: Buffer.alloc(0),
  changes: [],
  lost: new Set(),
});
const newFolder = (mode: number): FolderNode => ({
  kind: 'folder',
  mode,
  disk: new Map(),
  seen: new Map(),
});

function readNow(folder: string, byInode: Map<bigint, Node>): FolderNode {
  const node = newFolder(fs.statSync(folder).mode & 0o7777);
  byInode.set(fs.statSync(folder, { bigint: true }).ino, node);
  for (const entry of fs.readdirSync(folder, { withFileTypes: true })) {
    const whole = path.join(folder, entry.name);
    let inner: Node;
    if (entry.isDirectory()) inner = readNow(whole, byInode);
    else if (entry.isFile()) {
      const content = fs.readFileSync(whole);
      inner = {
        ...newFile(fs.statSync(whole).mode & 0o7777),
        disk: content,
        seen: Buffer.from(content),
      };
      byInode.set(fs.statSync(whole, { bigint: true }).ino, inner);
    } else continue;
    node.disk.set(entry.name, inner);
    node.seen.set(entry.name, inner);
  }
  return node;
}
