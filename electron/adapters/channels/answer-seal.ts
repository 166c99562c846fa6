import { createHmac, timingSafeEqual } from 'node:crypto';
import { readOrMakeToken } from '../loopback/saved-token';
import type { AnswerSeal } from '../../ports/answer-seal';

/**
 * HMAC-SHA256 with a key in a file that only this user can read, created with the first seal.
 * Without
 * the file, earlier links are rejected and their questions stay open.
 * @throws DATA_DIR_UNSAFE if others could read it
 */
export async function openAnswerSeal(path: string): Promise<AnswerSeal> {
  const key = await readOrMakeToken(path, 'of answer links');
  const sealOf = (text: string): string =>
    createHmac('sha256', key).update(text).digest('base64url');
  return {
    seal: sealOf,
    isSealOf(seal, text) {
      const given = Buffer.from(seal);
      const own = Buffer.from(sealOf(text));
      return given.length === own.length && timingSafeEqual(given, own);
    },
  };
}
