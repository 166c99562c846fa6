import type { Keyring } from '../../ports/keyring';
import type { Log } from '../../ports/log';
import type { StoredSecret } from './secret-file';

export const REENTER = 'It was left unchanged; enter the key again to replace it.';

/** Encrypts and decrypts keys with the system's keyring (shell/system/keyring.ts in the app). K1..K4. */
interface KeyEncryption {
  /** Undefined if no keyring here encrypts. */
  backend(): string | undefined;
  /** Why the stored key cannot be decrypted here; undefined if it can be tried. */
  problemOf(secret: StoredSecret): string | undefined;
  /** Base64 of the ciphertext, or why there is none. Never throws. */
  encrypt(
    name: string,
    key: string,
  ): Promise<{ readonly data: string } | { readonly problem: string }>;
  /** May ask the user to unlock the keyring. Never throws. */
  decrypt(
    secret: StoredSecret,
  ): Promise<{ readonly key: string } | { readonly problem: string; readonly cause?: unknown }>;
  /** True if the keyring exists and provides setup instructions. */
  hasHint(): boolean;
}

export function createKeyEncryption(keyring: Keyring | undefined, log: Log): KeyEncryption {
  const encrypting = (): Keyring | undefined => {
    try {
      return keyring?.isEncrypting() === true ? keyring : undefined;
    } catch (error) {
      log.warn('secrets.keyring_failed', { error });
      return undefined;
    }
  };

  const problemOf = ({ storage, backend: was = 'unknown' }: StoredSecret): string | undefined => {
    if (storage !== 'os-keyring') return undefined;
    const is = encrypting()?.backend();
    if (is === undefined)
      return `The key was stored with the keyring ${was}, which is not available here. ${REENTER}`;
    return is === was
      ? undefined
      : `The key was stored with the keyring ${was}; now it is ${is}. ${REENTER}`;
  };

  return {
    backend: () => encrypting()?.backend(),
    problemOf,
    async encrypt(name, key) {
      const ring = encrypting();
      if (ring === undefined) return { problem: 'no keyring' };
      try {
        return { data: Buffer.from(await ring.encrypt(key)).toString('base64') };
      } catch (error) {
        log.warn('secrets.not_persisted', { provider: name, error });
        const shut = ring.problem() ?? 'refused';
        return {
          problem: `The key could not be stored: the keyring ${ring.backend()} ${shut}. It works until Holdfast stops.`,
        };
      }
    },
    async decrypt(secret) {
      const problem = problemOf(secret);
      const ring = encrypting();
      if (problem !== undefined || ring === undefined) return { problem: problem ?? 'no keyring' };
      try {
        return { key: await ring.decrypt(Buffer.from(secret.data, 'base64')) };
      } catch (cause) {
        const shut = ring.problem();
        const why =
          shut === undefined
            ? `The keyring ${ring.backend()} did not decrypt the key. ${REENTER}`
            : `The keyring ${ring.backend()} ${shut}. The key was left unchanged; unlock the keyring, then try again.`;
        return { problem: why, cause };
      }
    },
    hasHint: () => keyring?.problem() !== undefined,
  };
}
