import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

const sha256 = (text: string): Buffer => createHash('sha256').update(text).digest();

/** A token of this start, in a file that only this user can read. */
export interface AccessToken {
  /** Takes the same time whatever is wrong with the candidate (H4). */
  accepts(candidate: string | undefined): boolean;
  remove(): void;
}

/** Puts text into a file of ours alone: never a moment with half of it, or readable for others. */
export function writePrivately(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const aside = `${path}.${randomBytes(4).toString('hex')}`;
  writeFileSync(aside, text, { mode: 0o600, flag: 'wx' });
  renameSync(aside, path);
}

/** Writes 32 new random bytes to `path` (0600). */
export function createAccessToken(path: string): AccessToken {
  const token = randomBytes(32).toString('hex');
  const digest = sha256(token);
  writePrivately(path, token);
  return {
    accepts: (candidate) => candidate !== undefined && timingSafeEqual(sha256(candidate), digest),
    remove: () => {
      rmSync(path, { force: true });
    },
  };
}
