import { createHash, randomBytes } from 'node:crypto';

/** A token for a client of the gateway, and what Holdfast is told of it. */
export function clientToken(): { readonly token: string; readonly tokenHash: string } {
  const token = randomBytes(32).toString('hex');
  return { token, tokenHash: createHash('sha256').update(token).digest('hex') };
}
