/**
 * The keyring of the operating system (K1, K3, K4). Read lazily, after `ready`; nothing else waits
 * for it.
 */
import { safeStorage } from 'electron';
import type { Keyring } from '../../ports/keyring';
import { askKeyring, type KeyringState } from './session-bus';

/** Backends without encryption: a well-known password, or an unknown one. */
const NOT_ENCRYPTING: ReadonlySet<string> = new Set(['basic_text', 'unknown', '']);

/**
 * The part of Electron's `safeStorage` that is used. The asynchronous functions were added after
 * Electron 33, and the synchronous ones are removed after Electron 45; both write the same bytes.
 */
interface SafeStorageFacts {
  getSelectedStorageBackend?(): string;
  isEncryptionAvailable?(): boolean;
  encryptString?(text: string): Uint8Array;
  decryptString?(bytes: Buffer): string;
  encryptStringAsync?(text: string): Promise<Uint8Array>;
  decryptStringAsync?(bytes: Buffer): Promise<{ readonly result: string }>;
}

/** How the keyring is checked before it is used, and how long it may take to answer. */
interface KeyringTimes {
  readonly state: () => Promise<KeyringState>;
  readonly answerMs: number;
}

const TIMES: KeyringTimes = {
  state: () => askKeyring(process.env, 3_000),
  answerMs: 30_000,
};

const SHUT: Readonly<Record<Exclude<KeyringState, 'open'>, string>> = {
  locked: 'is locked',
  missing: 'does not answer, or has no keyring yet',
};

export function createKeyring(
  platform: string,
  storage: SafeStorageFacts = safeStorage,
  { state, answerMs }: KeyringTimes = TIMES,
): Keyring {
  let problem: string | undefined;
  /** From then on this process knows the password: no further prompt. */
  let wasOpened = false;
  const backend = (): string => {
    if (platform === 'darwin') return 'keychain';
    if (platform === 'win32') return 'dpapi';
    try {
      return storage.getSelectedStorageBackend?.() ?? 'unknown';
    } catch {
      return 'unknown'; // Before `ready`, or on a desktop that cannot tell: both count as no encryption.
    }
  };
  const refuse = (why: string): never => {
    problem = why;
    throw new Error(`The keyring ${backend()} ${why}.`);
  };
  /**
   * The synchronous functions block the whole process until the user has unlocked the keyring,
   * which may be tomorrow: they are called only when no prompt is needed.
   */
  const opened = async (): Promise<void> => {
    if (!wasOpened && backend() === 'gnome_libsecret') {
      const found = await state();
      if (found !== 'open') refuse(SHUT[found]);
    }
    if (storage.isEncryptionAvailable?.() === false) refuse('is not available');
    wasOpened = true;
  };
  /**
   * The asynchronous functions wait for the user while everything else continues. A turn waits too,
   * but not forever.
   */
  const inTime = async <T>(answer: Promise<T>): Promise<T> => {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<undefined>((resolve) => {
      timer = setTimeout(() => resolve(undefined), answerMs);
    });
    const first = await Promise.race([answer.then((value) => ({ value })), late]);
    clearTimeout(timer);
    if (first === undefined)
      return refuse(`has given no answer for ${String(answerMs / 1_000)} s; it may be locked`);
    return first.value;
  };
  const missing = (): never => {
    throw new Error('This Electron has no keyring functions.');
  };
  return {
    backend,
    isEncrypting: () => !NOT_ENCRYPTING.has(backend()),
    problem: () => problem,
    async encrypt(text) {
      problem = undefined;
      if (storage.encryptStringAsync !== undefined) return inTime(storage.encryptStringAsync(text));
      await opened();
      return storage.encryptString?.(text) ?? missing();
    },
    async decrypt(bytes) {
      problem = undefined;
      const buffer = Buffer.from(bytes);
      if (storage.decryptStringAsync !== undefined)
        return (await inTime(storage.decryptStringAsync(buffer))).result;
      await opened();
      return storage.decryptString?.(buffer) ?? missing();
    },
  };
}
