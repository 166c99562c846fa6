import { dirname, join } from 'node:path';
import type { Keyring } from '../../ports/keyring';
import { HoldfastError } from '../../engine/kernel/errors';
import type { Log } from '../../ports/log';
import type { SecretFacts, Secrets } from '../../ports/secrets';
import type { Redactor } from '../../../shared/redact';
import { makeFolder } from '../../disk/durable-folder';
import { removeDurably, writeDurably } from '../../disk/durable-file';
import { createKeyEncryption, REENTER } from './key-encryption';
import { readPrivateFile } from './private-file';
import type { StoredSecret } from './secret-file';
import { lastFour, parseStoredSecret, secretFileName } from './secret-file';

interface SecretsDeps {
  /** `D/secrets`; created 0700 with the first stored key. */
  readonly dir: string;
  /** Absent on plain Node, where keyring keys cannot be read. */
  readonly keyring: Keyring | undefined;
  readonly log: Log;
  /** Learns every key that is used, so that the log hides it whatever it looks like. */
  readonly redactor?: Redactor;
}

interface SessionKey extends Pick<SecretFacts, 'problem' | 'target'> {
  readonly key: string;
}

/** The stored content of a name, without using the keyring. */
type OnDisk =
  | { readonly kind: 'none' }
  | { readonly kind: 'stored'; readonly secret: StoredSecret; readonly problem?: string }
  | { readonly kind: 'refused'; readonly problem: string; readonly isPassing?: boolean };

/**
 * Provider keys at rest in one of three states. With a keyring that encrypts: a 0600 file with the
 * ciphertext and the name of the backend. Without one: memory only, or plaintext after explicit
 * consent. What cannot be read is reported and stays on disk. Security: K1..K5.
 */
export function createSecrets(deps: SecretsDeps): Secrets {
  const { dir, log, redactor } = deps;
  const encryption = createKeyEncryption(deps.keyring, log);
  /** Keys of this session, with the reason they are not on disk unless the user wanted that. */
  const session = new Map<string, SessionKey>();
  /** Failed decryptions of this session; viewing facts never opens a prompt (K4). */
  const failures = new Map<string, string>();
  let queue: Promise<unknown> = Promise.resolve();

  const pathOf = (name: string): string => join(dir, secretFileName(name));
  async function onDisk(name: string): Promise<OnDisk> {
    const file = await readPrivateFile(pathOf(name));
    if (file.kind === 'missing') return { kind: 'none' };
    if (file.kind === 'refused') {
      return {
        kind: 'refused',
        problem: `The stored key is not used: ${file.reason}. ${file.hint}`,
        isPassing: file.isPassing === true,
      };
    }
    const secret = parseStoredSecret(file.text, name);
    if (secret === undefined) {
      return { kind: 'refused', problem: `The stored key is damaged. ${REENTER}` };
    }
    const problem = encryption.problemOf(secret) ?? failures.get(name);
    return { kind: 'stored', secret, ...(problem === undefined ? {} : { problem }) };
  }

  function factsOf(secret: StoredSecret, problem: string | undefined): SecretFacts {
    return {
      present: true,
      storage: secret.storage,
      ...(secret.last4 === undefined ? {} : { last4: secret.last4 }),
      ...(secret.target === undefined ? {} : { target: secret.target }),
      ...(problem === undefined ? {} : { problem }),
    };
  }

  async function facts(name: string): Promise<SecretFacts> {
    const held = session.get(name);
    if (held !== undefined) {
      const last4 = lastFour(held.key);
      return {
        present: true,
        storage: 'session-only',
        ...(last4 === undefined ? {} : { last4 }),
        ...(held.target === undefined ? {} : { target: held.target }),
        ...(held.problem === undefined ? {} : { problem: held.problem }),
      };
    }
    const stored = await onDisk(name);
    switch (stored.kind) {
      case 'none':
        return { present: false, storage: 'none' };
      case 'refused':
        return { present: true, storage: 'none', problem: stored.problem };
      case 'stored':
        return factsOf(stored.secret, stored.problem);
    }
  }

  function unreadable(
    name: string,
    problem: string,
    { cause, isPassing }: { readonly cause?: unknown; readonly isPassing?: boolean | undefined },
  ): HoldfastError {
    log.warn('secrets.unreadable', { provider: name, problem });
    return new HoldfastError('SECRET_UNREADABLE', `API key of ${name}: ${problem}`, {
      // The problem text explains how to unlock a locked one.
      ...(!encryption.hasHint()
        ? { hint: 'Unlock the keyring or enter the key again. The stored key was not touched.' }
        : {}),
      facts: { provider: name },
      retryable: isPassing === true,
      ...(cause === undefined ? {} : { cause }),
    });
  }

  async function read(name: string): Promise<string | undefined> {
    const held = session.get(name);
    if (held !== undefined) return held.key;
    const stored = await onDisk(name);
    if (stored.kind === 'none') return undefined;
    if (stored.kind === 'refused') throw unreadable(name, stored.problem, stored);
    const { secret } = stored;
    if (secret.storage === 'plaintext-consented') {
      redactor?.learn(secret.data);
      return secret.data;
    }
    // A key that only lacks a keyring here is not a failure of this session.
    const isTried = encryption.problemOf(secret) === undefined;
    const decrypted = await encryption.decrypt(secret);
    if ('key' in decrypted) {
      redactor?.learn(decrypted.key);
      failures.delete(name);
      return decrypted.key;
    }
    if (isTried) failures.set(name, decrypted.problem);
    throw unreadable(name, decrypted.problem, decrypted);
  }

  async function store(secret: StoredSecret): Promise<void> {
    await makeFolder(dir, dirname(dir));
    await writeDurably(pathOf(secret.name), JSON.stringify(secret));
    session.delete(secret.name);
    failures.delete(secret.name);
  }

  async function remove(name: string): Promise<void> {
    await removeDurably(pathOf(name));
  }

  async function write(
    name: string,
    key: string,
    { allowPlaintext, target }: Parameters<Secrets['write']>[2],
  ): Promise<SecretFacts> {
    redactor?.learn(key);
    const last4 = lastFour(key);
    const bound = target === undefined ? {} : { target };
    const common = {
      version: 1 as const,
      name,
      ...(last4 === undefined ? {} : { last4 }),
      ...bound,
    };
    let problem: string | undefined;
    try {
      const backend = encryption.backend();
      if (backend !== undefined) {
        const encrypted = await encryption.encrypt(name, key);
        if ('data' in encrypted) {
          await store({ ...common, storage: 'os-keyring', backend, data: encrypted.data });
          return await facts(name);
        }
        ({ problem } = encrypted);
      }
      if (allowPlaintext) {
        await store({ ...common, storage: 'plaintext-consented', data: key });
        return await facts(name);
      }
    } catch (error) {
      // The key was entered and works now; that it will be gone after the next start must be
      // reported.
      log.warn('secrets.not_persisted', { provider: name, error });
      const code = (error as NodeJS.ErrnoException).code;
      problem = `The key could not be stored (${code ?? 'a write to the disk failed'}). It works until Holdfast stops.`;
    }
    session.set(name, { key, ...bound, ...(problem === undefined ? {} : { problem }) });
    // Entering a key without consent to plaintext withdraws the consent; ciphertext is never
    // deleted.
    const stored = await onDisk(name);
    if (
      !allowPlaintext &&
      stored.kind === 'stored' &&
      stored.secret.storage === 'plaintext-consented'
    ) {
      await remove(name);
    }
    return facts(name);
  }

  return {
    facts,
    read,
    write(name, key, options) {
      const done = queue.then(async () => {
        if (key !== null) return write(name, key, options);
        session.delete(name);
        failures.delete(name);
        await remove(name);
        return facts(name);
      });
      queue = done.catch(() => undefined);
      return done;
    },
  };
}
