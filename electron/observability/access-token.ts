import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { rmSync } from 'node:fs';

const sha256 = (text: string): Buffer => createHash('sha256').update(text).digest();

/** A token of this start, in a file that only this user can read. */
export interface AccessToken {
  /** Takes the same time whatever is wrong with the candidate (H4). */
  accepts(candidate: string | undefined): boolean;
  remove(): void;
}

/** Writes 32 new random bytes to `path`, for this user alone. */
export function createAccessToken(
  path: string,
  writePrivately: (path: string, text: string) => void,
): AccessToken {
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
