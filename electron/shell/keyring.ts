/** The keyring of the operating system (K1, K3, K4). Asked lazily, after `ready`. */
import { safeStorage } from 'electron';
import type { Keyring } from '../compose-options';

/** Backends that are none: a password that everybody knows, or nobody knows which. */
const NOT_ENCRYPTING: ReadonlySet<string> = new Set(['basic_text', 'unknown', '']);

/**
 * What is used of Electron's `safeStorage`. The asynchronous half appeared after Electron 33, the
 * synchronous half goes away after Electron 45; both write the same bytes.
 */
interface SafeStorageFacts {
  getSelectedStorageBackend?(): string;
  isEncryptionAvailable?(): boolean;
  encryptString?(text: string): Uint8Array;
  decryptString?(bytes: Buffer): string;
  encryptStringAsync?(text: string): Promise<Uint8Array>;
  decryptStringAsync?(bytes: Buffer): Promise<{ readonly result: string }>;
}

export function createKeyring(platform: string, storage: SafeStorageFacts = safeStorage): Keyring {
  const backend = (): string => {
    if (platform === 'darwin') return 'keychain';
    if (platform === 'win32') return 'dpapi';
    try {
      return storage.getSelectedStorageBackend?.() ?? 'unknown';
    } catch {
      return 'unknown'; // Before `ready`, or a desktop that cannot say: both are no encryption.
    }
  };
  const missing = (): never => {
    throw new Error('This Electron has no keyring functions.');
  };
  return {
    backend,
    isEncrypting: () =>
      !NOT_ENCRYPTING.has(backend()) && (storage.isEncryptionAvailable?.() ?? true),
    async encrypt(text) {
      if (storage.encryptStringAsync !== undefined) return storage.encryptStringAsync(text);
      return storage.encryptString?.(text) ?? missing();
    },
    async decrypt(bytes) {
      const buffer = Buffer.from(bytes);
      if (storage.decryptStringAsync !== undefined) {
        return (await storage.decryptStringAsync(buffer)).result;
      }
      return storage.decryptString?.(buffer) ?? missing();
    },
  };
}
