import type { Dirent } from 'node:fs';
import { readdir, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { copyDurably } from '../../disk/durable-file';
import { makeFolder } from '../../disk/durable-folder';
import type { ExternalAgentId } from '../../ports/external-agent';
import type { Environment } from '../shell/child-environment';
import { knownAgent } from './known-agents';

const MAX_FILE_BYTES = 64 * 1024 * 1024;
const MAX_FILES = 20;
const MAX_DEPTH = 6;
const MAX_LOOKED_AT = 20_000;
/** Number of turns whose copies are stored. */
const KEPT = 20;

/**
 * Copies the agent's own record of a session into `intoDir/<turn>` before the agent may touch it
 * again: some agents have lost it when they were started after a crash. Files that carry the
 * session in their name or in that of their folder, and single databases of the agent. A file that has lost something since
 * the last copy of this turn does not take its place. Best effort: never throws.
 *
 * @returns the folder of the copy; undefined if nothing was found
 */
export async function backUpRecord(options: {
  readonly id: ExternalAgentId;
  readonly ref: string;
  readonly turnId: number;
  readonly intoDir: string;
  readonly env: Environment;
}): Promise<string | undefined> {
  const known = knownAgent(options.id);
  const home = options.env['HOME'];
  if (known === undefined || home === undefined) return undefined;
  try {
    const roots = known.records.map((record) => {
      const moved = record.env === undefined ? undefined : options.env[record.env];
      return moved === undefined
        ? join(home, record.home)
        : join(moved, ...record.home.split('/').slice(record.env === 'XDG_DATA_HOME' ? 2 : 1));
    });
    const files = (await Promise.all(roots.map((root) => recordsIn(root, options.ref)))).flat();
    if (files.length === 0) return undefined;
    const folder = join(options.intoDir, String(options.turnId));
    await makeFolder(folder, dirname(options.intoDir));
    // SQLite would apply a stale log to a newer database.
    for (const name of await readdir(folder)) if (DATABASE.test(name)) await rm(join(folder, name));
    for (const [index, file] of files.slice(0, MAX_FILES).entries()) {
      const copy = join(folder, `${String(index)}-${basename(file)}`);
      if ((await sizeOf(copy)) <= (await sizeOf(file))) await copyDurably(file, copy);
    }
    await forgetOld(options.intoDir);
    return folder;
  } catch {
    return undefined; // A full disk or missing permission: the agent is asked anyway.
  }
}

async function recordsIn(root: string, ref: string): Promise<readonly string[]> {
  const found: string[] = [];
  let lookedAt = 0;
  const walk = async (folder: string, depth: number, isOfSession = false): Promise<void> => {
    if (depth > MAX_DEPTH) return;
    const entries: Dirent[] = await readdir(folder, { withFileTypes: true }).catch(() => []);
    for (const entry of entries) {
      lookedAt += 1;
      if (lookedAt > MAX_LOOKED_AT || found.length >= MAX_FILES) return;
      const path = join(folder, entry.name);
      if (entry.isDirectory()) await walk(path, depth + 1, isOfSession || entry.name.includes(ref));
      else if (
        entry.isFile() &&
        (isOfSession || isRecord(entry.name, ref)) &&
        (await isSmall(path))
      )
        found.push(path);
    }
  };
  await walk(root, 0);
  return found;
}

/** The name contains the session ID or its start, or is the agent's one database. */
const isRecord = (name: string, ref: string): boolean =>
  name.includes(ref) ||
  (ref.length >= 8 && name.includes(ref.slice(0, 8))) ||
  /^(opencode|sessions)\.db(-wal)?$/.test(name);
const DATABASE = /\.db(-wal)?$/;

const isSmall = async (path: string): Promise<boolean> => (await stat(path)).size <= MAX_FILE_BYTES;
/** 0 if it does not exist. */
const sizeOf = async (path: string): Promise<number> =>
  stat(path).then(
    ({ size }) => size,
    (error: unknown) => {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
      return 0;
    },
  );

async function forgetOld(intoDir: string): Promise<void> {
  const names = (await readdir(intoDir)).filter((name) => /^\d+$/.test(name)).map(Number);
  const old = names.sort((one, other) => other - one).slice(KEPT);
  for (const turnId of old) await rm(join(intoDir, String(turnId)), { recursive: true });
}
