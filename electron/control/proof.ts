/** Proof that the process listening at an address knows this start's token. Security C3. */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { isPipe } from './address';

/** A nonce that was never used before. */
export const newNonce = (): string => randomBytes(32).toString('hex');

/**
 * A named pipe is open to everyone, so its name is part of the proof: an answer obtained at another
 * pipe is invalid. Our sockets are unreachable for accounts that could relay one.
 */
const placeOf = (address: string): string => (isPipe(address) ? address.toLowerCase() : '');

/** The answer to `nonce` that only a process with `token` can compute. */
export const proofOf = (token: string, nonce: string, address: string): string =>
  createHmac('sha256', token)
    .update(`holdfast control 1\n${nonce}\n${placeOf(address)}`)
    .digest('hex');

/** Compares in constant time. */
export function isProof(mac: string, token: string, nonce: string, address: string): boolean {
  const expected = Buffer.from(proofOf(token, nonce, address));
  const said = Buffer.from(mac);
  return said.length === expected.length && timingSafeEqual(said, expected);
}
