/** Proof that who listens at an address knows the token of this start. Security C3. */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { isPipe } from './address';

/** A question that was never asked before. */
export const newNonce = (): string => randomBytes(32).toString('hex');

/**
 * A named pipe is there for everyone, so that its name is part of the proof: an answer that was
 * fetched at another pipe is none. A socket of ours can be reached by nobody who could fetch one.
 */
const placeOf = (address: string): string => (isPipe(address) ? address.toLowerCase() : '');

/** What only a holder of `token` can answer to `nonce`. */
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
