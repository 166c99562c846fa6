import { createHash } from 'node:crypto';
import type { Stats } from 'node:fs';
import fs from 'node:fs/promises';
import path from 'node:path';
import { untrustedWords } from '../../data-trust';
import { faultOfGivenPath } from '../../disk/ownership';
import { SkillFault } from './parse-skill';

const MAX_FILES = 300;
const MAX_BYTES = 8 * 1024 * 1024;
const MAX_DEPTH = 6;
/**
 * Maximum names of every kind in one skill, including hidden ones and links, because each costs
 * time.
 */
const MAX_NAMES = 2_000;

/** Limits for all skills of one scan together; the first ones in order are read. */
export interface LookBudget {
  /** Counts the names that were read. @throws SkillFault if there are too many */
  names(count: number): void;
  /** Counts the bytes of a skill. @throws SkillFault if there are too many */
  bytes(count: number): void;
}

const LOOK_NAMES = 10_000;
const LOOK_BYTES = 64 * 1024 * 1024;

/** A budget for one scan of all places. */
export function createLookBudget(): LookBudget {
  let names = 0;
  let bytes = 0;
  return {
    names(count) {
      names += count;
      if (names > LOOK_NAMES)
        throw new SkillFault(
          `It was not read: all skills together have more than ${String(LOOK_NAMES)} files. Remove some that are not needed.`,
        );
    },
    bytes(count) {
      bytes += count;
      if (bytes > LOOK_BYTES)
        throw new SkillFault(
          `It was not read: all skills together have more than ${String(LOOK_BYTES / 1024 / 1024)} MB. Remove some that are not needed.`,
        );
    },
  };
}

/** A file of a skill as a cheap scan sees it. */
interface SeenFile {
  readonly relative: string;
  readonly mark: string;
  readonly bytes: number;
}

/**
 * The files of a skill, sorted, without hidden ones and links. Files that another account may have
 * written are rejected. @throws SkillFault
 */
export async function seeFiles(folder: string, budget: LookBudget): Promise<readonly SeenFile[]> {
  const files: SeenFile[] = [];
  let bytes = 0;
  let names = 0;
  const trust = (at: string, stat: Stats): void => {
    const finding = faultOfGivenPath(at, stat);
    if (finding !== undefined) throw new SkillFault(untrustedWords(finding));
  };
  const walk = async (relative: string, depth: number): Promise<void> => {
    const here = path.join(folder, relative);
    trust(here, await fs.lstat(here));
    if (depth > MAX_DEPTH)
      throw new SkillFault(`Its folders are deeper than ${String(MAX_DEPTH)}.`);
    const entries = await firstEntries(here, MAX_NAMES);
    names += entries.length;
    if (names > MAX_NAMES)
      throw new SkillFault(`It has more than ${String(MAX_NAMES)} files and folders.`);
    budget.names(entries.length);
    for (const entry of entries) {
      if (entry.name.startsWith('.') || entry.name === 'node_modules') continue;
      const name = relative === '' ? entry.name : `${relative}/${entry.name}`;
      if (entry.isDirectory()) await walk(name, depth + 1);
      else if (entry.isFile()) {
        const stat = await fs.lstat(path.join(folder, name));
        trust(path.join(folder, name), stat);
        bytes += stat.size;
        files.push({
          relative: name,
          bytes: stat.size,
          mark: `${String(stat.ino)}:${String(stat.size)}:${String(stat.mtimeMs)}:${String(stat.ctimeMs)}`,
        });
        if (files.length > MAX_FILES || bytes > MAX_BYTES)
          throw new SkillFault(
            `It has more than ${String(MAX_FILES)} files or ${String(MAX_BYTES / 1024 / 1024)} MB.`,
          );
      }
    }
  };
  await walk('', 0);
  budget.bytes(bytes);
  return files;
}

/** Entries of a folder by name, at most one more than `most`: a folder may contain millions. */
export async function firstEntries(folder: string, most: number) {
  const entries = [];
  for await (const entry of await fs.opendir(folder, { bufferSize: 256 }))
    if (entries.push(entry) > most) break;
  return entries.sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** One text of fixed length for everything that a cheap check saw, however many files there are. */
export function markOf(files: readonly SeenFile[]): string {
  const whole = createHash('sha256');
  for (const file of files) whole.update(`${file.relative}=${file.mark}\n`);
  return whole.digest('hex');
}

/** sha256 over names and contents: any change of a skill's file is another version. */
export async function versionOf(folder: string, files: readonly SeenFile[]): Promise<string> {
  const whole = createHash('sha256');
  for (const file of files) {
    const content = await fs.readFile(path.join(folder, file.relative));
    whole.update(`${file.relative}\n${createHash('sha256').update(content).digest('hex')}\n`);
  }
  return whole.digest('hex');
}
