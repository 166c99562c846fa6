import { createHash } from 'node:crypto';
import type { Hasher } from '../../ports/blobs';

/** sha256 by Node's own crypto, over the UTF-8 bytes of the text. */
export function createHasher(): Hasher {
  return { sha256Hex: (text) => createHash('sha256').update(text, 'utf8').digest('hex') };
}
