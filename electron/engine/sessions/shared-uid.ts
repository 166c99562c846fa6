import type { Hasher } from '../../ports/blobs';

/** The ID of a shared turn, derived from its message's ID: the same on every computer. */
export function sharedUid(hasher: Pick<Hasher, 'sha256Hex'>, messageId: string): string {
  const hex = hasher.sha256Hex(`message ${messageId}`);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}
