import { z } from 'zod';
import { exactObject } from '../../../shared/exact-object';
import { parsedOutside } from '../../engine/kernel/json-depth';

/**
 * Content of `D/secrets/<name>.json`. `last4` helps to recognize a key and is left out if four
 * characters would be a large part of it.
 */
const storedSecret = exactObject(() => ({
  version: z.literal(1),
  /**
   * The provider it was entered for, because a file copied under another name is not that
   * provider's key.
   */
  name: z.string().max(200),
  storage: z.enum(['os-keyring', 'plaintext-consented']),
  /** Keyring backend that encrypted it; absent on plaintext. K3. */
  backend: z.string().max(100).optional(),
  last4: z.string().max(4).optional(),
  /** Where it may be sent; absent on the secret of a channel. */
  target: z.string().max(2_000).optional(),
  /** Base64 of the ciphertext, or the key itself on plaintext. */
  data: z.string().max(60_000),
}));
export type StoredSecret = z.infer<ReturnType<typeof storedSecret>>;

/** Undefined for anything that is not one of our files, or a file with another name. */
export function parseStoredSecret(text: string, name: string): StoredSecret | undefined {
  const { data } = storedSecret().safeParse(parsedOutside(text));
  return data?.name === name ? data : undefined;
}

/** The last four characters of a key of at least 16. */
export function lastFour(key: string): string | undefined {
  return key.length >= 16 && /^[\x21-\x7e]+$/.test(key) ? key.slice(-4) : undefined;
}

/** File name for a provider name: distinct even if the file system ignores case. */
export function secretFileName(name: string): string {
  const safe = [...Buffer.from(name, 'utf8')]
    .map((byte) => {
      const char = String.fromCharCode(byte);
      return /[a-z0-9_-]/.test(char) ? char : `%${byte.toString(16).padStart(2, '0')}`;
    })
    .join('');
  return `${safe}.json`;
}
