import { createHash } from 'node:crypto';
import fs from 'node:fs/promises';
import path from 'node:path';
import { SkillFault } from './parse-skill';

const MAX_FILES = 300;
const MAX_BYTES = 8 * 1024 * 1024;
const MAX_DEPTH = 6;

/** A file of a skill as a cheap look sees it. */
interface SeenFile {
  readonly relative: string;
  readonly mark: string;
  readonly bytes: number;
}

/** The files of a skill, sorted; hidden ones and links do not belong to it. @throws SkillFault */
export async function seeFiles(folder: string): Promise<readonly SeenFile[]> {
  const files: SeenFile[] = [];
  let bytes = 0;
  const walk = async (relative: string, depth: number): Promise<void> => {
    if (depth > MAX_DEPTH)
      throw new SkillFault(`Its folders are deeper than ${String(MAX_DEPTH)}.`);
    const entries = await fs.readdir(path.join(folder, relative), { withFileTypes: true });
    for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
      if (entry.name.startsWith('.') || entry.name === 'node_modules') continue;
      const name = relative === '' ? entry.name : `${relative}/${entry.name}`;
      if (entry.isDirectory()) await walk(name, depth + 1);
      else if (entry.isFile()) {
        const stat = await fs.lstat(path.join(folder, name));
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
  return files;
}

/** sha256 over names and contents: any change of a file of the skill is another version. */
export async function versionOf(folder: string, files: readonly SeenFile[]): Promise<string> {
  const whole = createHash('sha256');
  for (const file of files) {
    const content = await fs.readFile(path.join(folder, file.relative));
    whole.update(`${file.relative}\n${createHash('sha256').update(content).digest('hex')}\n`);
  }
  return whole.digest('hex');
}
