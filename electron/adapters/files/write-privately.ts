import { randomBytes } from 'node:crypto';
import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/** Puts text into a file of ours alone: never a moment with half of it, or readable for others. */
export function writePrivately(file: string, text: string): void {
  mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
  const aside = `${file}.${randomBytes(4).toString('hex')}`;
  writeFileSync(aside, text, { mode: 0o600, flag: 'wx' });
  renameSync(aside, file);
}
