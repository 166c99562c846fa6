const hex = (bytes: Uint8Array): string =>
  [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('');

/**
 * A new token of 32 random bytes, and the SHA-256 of its text. The token is generated where the
 * user sees it: only the hash leaves this window (I5).
 */
export async function newClientToken(): Promise<{
  readonly token: string;
  readonly tokenHash: string;
}> {
  const token = hex(crypto.getRandomValues(new Uint8Array(32)));
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(token));
  return { token, tokenHash: hex(new Uint8Array(digest)) };
}
