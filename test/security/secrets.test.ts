import {
  chmodSync,
  chownSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createLog } from '../../electron/adapters/log/log';
import { createSystemClock } from '../../electron/adapters/clock/system-clock';
import type { FileLog } from '../../electron/adapters/log/log';
import { createSecrets } from '../../electron/adapters/secrets/secrets';
import {
  describeProviderKey,
  resolveProviderKey,
} from '../../electron/adapters/secrets/provider-key';
import type { Keyring } from '../../electron/ports/keyring';
import { HoldfastError } from '../../electron/engine/kernel/errors';
import type { Secrets } from '../../electron/ports/secrets';
import { createRedactor } from '../../shared/redact';
import { providerView } from '../../shared/types';
import { isLeftOut, NOT_ROOT } from '../helpers/skips';

const KEY = 'plain looking key 0123456789 wxyz'.replaceAll(' ', '-');
const SESSION = { allowPlaintext: false };
const CONSENT = { allowPlaintext: true };
let dir: string;
let log: FileLog;
const redactor = createRedactor();

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'holdfast-secrets-'));
  log = createLog({ dir: join(dir, 'logs'), level: 'debug', clock: createSystemClock(), redactor });
});
afterEach(() => {
  log.close();
  rmSync(dir, { recursive: true, force: true });
});

/** XOR with a password: stands for the operating system, which a test machine does not have. */
function keyring(
  backend: string,
  options: { password?: number; isBroken?: boolean; shut?: string } = {},
): Keyring & { readonly calls: string[] } {
  const calls: string[] = [];
  const turn = (bytes: Uint8Array): Uint8Array =>
    bytes.map((byte) => byte ^ (options.password ?? 0x5a));
  return {
    calls,
    backend: () => backend,
    isEncrypting: () => !['basic_text', 'unknown'].includes(backend),
    problem: () => options.shut,
    encrypt(text) {
      calls.push('encrypt');
      if (options.isBroken === true) return Promise.reject(new Error('locked'));
      return Promise.resolve(turn(Buffer.from(`magic:${text}`)));
    },
    decrypt(bytes) {
      calls.push('decrypt');
      const text = Buffer.from(turn(bytes)).toString();
      if (options.isBroken === true || !text.startsWith('magic:'))
        return Promise.reject(new Error('locked'));
      return Promise.resolve(text.slice(6));
    },
  };
}

const open = (ring: Keyring | undefined): Secrets =>
  createSecrets({ dir: join(dir, 'secrets'), keyring: ring, log, redactor });
const file = (name = 'main'): string => join(dir, 'secrets', `${name}.json`);
/** Everything on disk, for looking whether a key is in it. */
const everything = (): string =>
  readdirSync(dir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'utf8'))
    .join('\n');

async function failure(promise: Promise<unknown>): Promise<HoldfastError> {
  const error = await promise.then(
    () => new Error('it did not fail'),
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof HoldfastError)) throw error as Error;
  return error;
}

describe('keys at rest', () => {
  it.each(['gnome_libsecret', 'kwallet', 'kwallet5', 'kwallet6', 'keychain', 'dpapi'])(
    'K1 K3 encrypts with %s into a 0600 file that names the backend, and reads it after a restart',
    async (backend) => {
      expect(await open(keyring(backend)).write('main', KEY, SESSION)).toEqual({
        present: true,
        storage: 'os-keyring',
        last4: 'wxyz',
      });
      expect(JSON.parse(readFileSync(file(), 'utf8'))).toMatchObject({
        storage: 'os-keyring',
        backend,
      });
      expect(statSync(file()).mode & 0o777).toBe(0o600);
      expect(statSync(join(dir, 'secrets')).mode & 0o777).toBe(0o700);
      expect(everything()).not.toContain(KEY);
      expect(everything()).not.toContain(Buffer.from(KEY).toString('base64').slice(0, 20));
      expect(await open(keyring(backend)).read('main')).toBe(KEY);
    },
  );

  it.each(['basic_text', 'unknown'])(
    'K1 K2 %s is no encryption: memory only, nothing on disk',
    async (backend) => {
      const ring = keyring(backend);
      const secrets = open(ring);
      expect(await secrets.write('main', KEY, SESSION)).toMatchObject({
        present: true,
        storage: 'session-only',
      });
      expect(await secrets.read('main')).toBe(KEY);
      expect(ring.calls).toEqual([]);
      expect(everything()).not.toContain(KEY);
      expect(await open(ring).facts('main')).toEqual({ present: false, storage: 'none' });
    },
  );

  it('K2 without a keyring a key is in memory only, unless the person consents', async () => {
    const secrets = open(undefined);
    expect((await secrets.write('main', KEY, SESSION)).storage).toBe('session-only');
    expect(everything()).not.toContain(KEY);
    expect((await secrets.write('main', KEY, CONSENT)).storage).toBe('plaintext-consented');
    expect(statSync(file()).mode & 0o777).toBe(0o600);
    expect(await open(undefined).read('main')).toBe(KEY);
    expect((await open(undefined).facts('main')).storage).toBe('plaintext-consented');
  });

  it('K2 consent can be taken back: the plaintext is gone, the key works on', async () => {
    const secrets = open(undefined);
    await secrets.write('main', KEY, CONSENT);
    expect((await secrets.write('main', KEY, SESSION)).storage).toBe('session-only');
    expect(everything()).not.toContain(KEY);
    expect(await secrets.read('main')).toBe(KEY);
  });

  it('K2 a keyring is used even where plaintext was allowed, and replaces older plaintext', async () => {
    await open(undefined).write('main', KEY, CONSENT);
    expect((await open(keyring('dpapi')).write('main', KEY, CONSENT)).storage).toBe('os-keyring');
    expect(everything()).not.toContain(KEY);
  });

  it('K3 another backend: says so, keeps the file, and the old backend still reads it', async () => {
    await open(keyring('kwallet5')).write('main', KEY, SESSION);
    const before = readFileSync(file(), 'utf8');
    const secrets = open(keyring('gnome_libsecret'));
    expect(await secrets.facts('main')).toMatchObject({
      present: true,
      last4: 'wxyz',
      problem:
        'The key was stored with the keyring kwallet5; now it is gnome_libsecret. It was left unchanged; enter the key again to replace it.',
    });
    expect((await failure(secrets.read('main'))).code).toBe('SECRET_UNREADABLE');
    expect(readFileSync(file(), 'utf8')).toBe(before);
    expect(await open(keyring('kwallet5')).read('main')).toBe(KEY);
  });

  it('K3 no keyring any more: says so, keeps the ciphertext even when a new key is entered', async () => {
    await open(keyring('kwallet5')).write('main', KEY, SESSION);
    const before = readFileSync(file(), 'utf8');
    const secrets = open(undefined);
    expect((await secrets.facts('main')).problem).toContain(
      'kwallet5, which is not available here',
    );
    expect((await failure(secrets.read('main'))).code).toBe('SECRET_UNREADABLE');
    await secrets.write('main', 'another-key-0123456789', SESSION);
    expect(await secrets.read('main')).toBe('another-key-0123456789');
    expect(readFileSync(file(), 'utf8')).toBe(before);
  });

  it('K3 a decryption that fails is reported, remembered in the facts, and deletes nothing', async () => {
    await open(keyring('dpapi')).write('main', KEY, SESSION);
    const before = readFileSync(file(), 'utf8');
    const ring = keyring('dpapi', { password: 0x11 });
    const secrets = open(ring);
    expect((await secrets.facts('main')).problem).toBeUndefined();
    expect((await failure(secrets.read('main'))).message).toContain('did not decrypt');
    expect((await secrets.facts('main')).problem).toContain('did not decrypt');
    expect(readFileSync(file(), 'utf8')).toBe(before);
    expect((await secrets.write('main', KEY, SESSION)).problem).toBeUndefined();
    expect(await secrets.read('main')).toBe(KEY);
  });

  it('K4 looking at facts never asks the keyring to decrypt', async () => {
    await open(keyring('keychain')).write('main', KEY, SESSION);
    const ring = keyring('keychain');
    await open(ring).facts('main');
    await describeProviderKey('main', {}, { env: {}, secrets: open(ring) });
    expect(ring.calls).toEqual([]);
  });

  it('K2 a keyring that refuses, or a disk that does: the key works now, and that it is not stored is said', async () => {
    const locked = open(keyring('gnome_libsecret', { isBroken: true }));
    const facts = await locked.write('main', KEY, SESSION);
    expect(facts.storage).toBe('session-only');
    expect(facts.problem).toContain('It works until Holdfast stops.');
    expect(await locked.read('main')).toBe(KEY);
    writeFileSync(join(dir, 'secrets'), 'a file in its place');
    expect((await open(keyring('dpapi')).write('main', KEY, SESSION)).problem).toContain(
      'could not be stored',
    );
    expect(everything()).not.toContain(KEY);
  });

  it('K2 K3 a locked keyring: a stored key is kept and said to wait for it; a new one works now, and is plain text only by consent', async () => {
    const stored = await open(keyring('gnome_libsecret')).write('main', KEY, SESSION);
    expect(stored.storage).toBe('os-keyring');
    const before = readFileSync(file(), 'utf8');
    const locked = keyring('gnome_libsecret', { isBroken: true, shut: 'is locked' });
    expect((await failure(open(locked).read('main'))).message).toBe(
      'API key of main: The keyring gnome_libsecret is locked. The key was left unchanged; unlock the keyring, then try again.',
    );
    const facts = await open(locked).write('main', 'another-key-0123456789', SESSION);
    expect(facts).toMatchObject({
      storage: 'session-only',
      problem: expect.stringContaining('the keyring gnome_libsecret is locked. It works') as string,
    });
    expect(readFileSync(file(), 'utf8')).toBe(before);
    const consented = await open(locked).write('other', KEY, CONSENT);
    expect(consented).toEqual({ present: true, storage: 'plaintext-consented', last4: 'wxyz' });
  });

  it('null removes a key from disk and memory; removing none is no error', async () => {
    const secrets = open(keyring('dpapi'));
    await secrets.write('main', KEY, SESSION);
    expect(await secrets.write('main', null, SESSION)).toEqual({ present: false, storage: 'none' });
    expect(readdirSync(join(dir, 'secrets'))).toEqual([]);
    expect(await secrets.write('other', null, SESSION)).toEqual({
      present: false,
      storage: 'none',
    });
  });

  it('K5 does not use a stored key that others may read or change, and says how to repair it', async () => {
    await open(undefined).write('main', KEY, CONSENT);
    for (const mode of [0o640, 0o604, 0o620, 0o666]) {
      chmodSync(file(), mode);
      const error = await failure(open(undefined).read('main'));
      expect(error.code).toBe('SECRET_UNREADABLE');
      expect(error.message).toContain(`chmod 600 '${file()}'`);
    }
    chmodSync(file(), 0o600);
    expect(await open(undefined).read('main')).toBe(KEY);
  });

  it('T5 does not use a damaged file or one of another provider, and keeps it', async () => {
    const secrets = open(undefined);
    await secrets.write('main', KEY, CONSENT);
    writeFileSync(file('other'), readFileSync(file()), { mode: 0o600 });
    expect((await failure(secrets.read('other'))).code).toBe('SECRET_UNREADABLE');
    writeFileSync(file(), '{"half');
    expect((await secrets.facts('main')).problem).toContain('damaged');
    expect(readFileSync(file(), 'utf8')).toBe('{"half');
  });

  it('two keys written at once are both there, and the later of one name wins', async () => {
    const secrets = open(undefined);
    await Promise.all([
      secrets.write('a', 'key-of-a-1', CONSENT),
      secrets.write('b', 'key-of-b', CONSENT),
      secrets.write('a', 'key-of-a-2', CONSENT),
    ]);
    expect(await open(undefined).read('a')).toBe('key-of-a-2');
    expect(await open(undefined).read('b')).toBe('key-of-b');
  });
});

describe('the key of a provider', () => {
  const sources = (secrets: Secrets, env: Record<string, string> = {}) => ({
    env,
    secrets,
    redactor,
  });

  it('K2 comes from the variable, else from the file, else from the store', async () => {
    const secrets = open(keyring('dpapi'));
    await secrets.write('main', 'stored-key', SESSION);
    const path = join(dir, 'key.txt');
    writeFileSync(path, 'key-of-the-file\r\n', { mode: 0o600 });
    const settings = { api_key_env: 'MY_KEY', api_key_file: path };
    expect(
      await resolveProviderKey('main', settings, sources(secrets, { MY_KEY: ' from-env ' })),
    ).toEqual({
      key: 'from-env',
      storage: 'environment',
    });
    expect(await resolveProviderKey('main', settings, sources(secrets, { MY_KEY: '' }))).toEqual({
      key: 'key-of-the-file',
      storage: 'file',
    });
    expect(await resolveProviderKey('main', { api_key_env: 'MY_KEY' }, sources(secrets))).toEqual({
      key: 'stored-key',
      storage: 'os-keyring',
    });
    expect(await resolveProviderKey('none', {}, sources(secrets))).toBeUndefined();
    expect(
      await resolveProviderKey(
        'main',
        { api_key_file: '~/key.txt' },
        sources(secrets, { HOME: dir }),
      ),
    ).toEqual({
      key: 'key-of-the-file',
      storage: 'file',
    });
  });

  it.each<[string, (path: string) => void, string]>([
    [
      'one that others may read',
      (path) => {
        writeFileSync(path, 'k', { mode: 0o644 });
      },
      'mode 0644',
    ],
    ['none', () => undefined, 'does not exist'],
    [
      'an empty one',
      (path) => {
        writeFileSync(path, '\n', { mode: 0o600 });
      },
      'is empty',
    ],
    [
      'two lines',
      (path) => {
        writeFileSync(path, 'a\nHost: evil', { mode: 0o600 });
      },
      'other than one key',
    ],
    [
      'a folder',
      (path) => {
        mkdirSync(path);
      },
      'is not a file',
    ],
    [
      'a device',
      (path) => {
        symlinkSync('/dev/zero', path);
      },
      'is not a file',
    ],
    [
      '200 KB',
      (path) => {
        writeFileSync(path, 'k'.repeat(200_000), { mode: 0o600 });
      },
      'larger than 64 KB',
    ],
  ])(
    'K5 refuses as key file %s, and never falls back to another key',
    async (_what, make, reason) => {
      const secrets = open(undefined);
      await secrets.write('main', 'stored-key', SESSION);
      const path = join(dir, 'key.txt');
      make(path);
      const error = await failure(
        resolveProviderKey('main', { api_key_file: path }, sources(secrets)),
      );
      expect(error.code).toBe('SECRET_UNREADABLE');
      expect(error.message).toContain(reason);
      const shown = await describeProviderKey('main', { api_key_file: path }, sources(secrets));
      expect(shown).toMatchObject({ present: false, storage: 'none' });
      expect(shown.problem).toContain(reason);
    },
  );

  it.skipIf(isLeftOut('a key file of another user', NOT_ROOT))(
    'K5 refuses a key file of another user',
    async () => {
      const path = join(dir, 'key.txt');
      writeFileSync(path, 'key', { mode: 0o600 });
      chownSync(path, 65_534, 65_534);
      const error = await failure(
        resolveProviderKey('main', { api_key_file: path }, sources(open(undefined))),
      );
      expect(error.message).toContain('belongs to another user');
    },
  );

  it('refuses a relative key file: nobody knows where an app was started', async () => {
    const error = await failure(
      resolveProviderKey('main', { api_key_file: 'key.txt' }, sources(open(undefined))),
    );
    expect(error.hint).toContain('full path');
  });

  it('I5 shows presence, last 4 and storage, in the shape of the contract, never the key', async () => {
    const secrets = open(keyring('dpapi'));
    await secrets.write('main', KEY, SESSION);
    for (const [settings, env, storage] of [
      [{}, {}, 'os-keyring'],
      [{ api_key_env: 'MY_KEY' }, { MY_KEY: KEY }, 'environment'],
    ] as const) {
      const shown = providerView.shape.key.parse(
        await describeProviderKey('main', settings, sources(secrets, env)),
      );
      expect(shown).toEqual({ present: true, last4: 'wxyz', storage });
    }
    const missing = await describeProviderKey('x', { api_key_env: 'MY_KEY' }, sources(secrets));
    expect(missing).toMatchObject({ present: false, storage: 'none' });
    expect(missing.problem).toContain('MY_KEY is not set');
  });

  it('R2 whatever was read, from wherever, is hidden in the log from then on', async () => {
    const secrets = open(keyring('dpapi'));
    await secrets.write('main', KEY, SESSION);
    await resolveProviderKey(
      'env',
      { api_key_env: 'E' },
      sources(secrets, { E: 'unusual.looking.value' }),
    );
    log.error('provider.failed', { body: `bad key ${KEY} and unusual.looking.value` });
    expect(readFileSync(log.path, 'utf8')).toContain('bad key [redacted] and [redacted]');
  });
});
