import { watch } from 'node:fs';
import { basename, dirname, isAbsolute, join } from 'node:path';
import { readPrivateFile } from '../secrets/private-file';

const SETTLE_MS = 200;

/** The credential presented to the broker. */
export type NatsCredential =
  | { readonly kind: 'token'; readonly token: string }
  | { readonly kind: 'password'; readonly user: string; readonly password: string }
  /** Text of a NATS `.creds` file. */
  | { readonly kind: 'creds'; readonly text: string };

interface CredentialSources {
  /** Name of an environment variable; empty if none is named. */
  readonly envName: string;
  /** Path of a file of mode 0600; empty if none is named. */
  readonly file: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly learnSecret: (value: string) => void;
}

/**
 * From the environment, else from a private file; read again for each connection. `user:password`,
 * a `.creds` text, or a token. @throws Error with a readable message if the named source cannot be
 * used
 */
export async function readNatsCredential(
  sources: CredentialSources,
): Promise<NatsCredential | undefined> {
  const text = await readSource(sources);
  if (text === undefined) return undefined;
  const credential = parse(text);
  sources.learnSecret(
    credential.kind === 'token'
      ? credential.token
      : credential.kind === 'password'
        ? credential.password
        : credential.text,
  );
  return credential;
}

/**
 * Calls back when the credential file was written, replaced or created; does nothing if none is
 * configured. Watches its folder, because an editor replaces the file and a watch of the old one
 * would see nothing.
 */
export function watchNatsCredential(
  { file, env }: Pick<CredentialSources, 'file' | 'env'>,
  listener: () => void,
): () => void {
  if (file === '') return () => undefined;
  const path = wholePath(file, env);
  let settling: NodeJS.Timeout | undefined;
  try {
    const watcher = watch(dirname(path), { persistent: false }, (_kind, name) => {
      if (name !== null && name !== basename(path)) return;
      clearTimeout(settling);
      // Written in several steps, or written and then made private: the last change counts.
      settling = setTimeout(listener, SETTLE_MS).unref();
    });
    watcher.on('error', () => watcher.close()); // The folder is gone: later retries happen by timer.
    return () => {
      clearTimeout(settling);
      watcher.close();
    };
  } catch {
    return () => undefined; // The folder does not exist yet: retries continue by timer.
  }
}

async function readSource({ envName, file, env }: CredentialSources): Promise<string | undefined> {
  if (envName !== '') {
    const value = env[envName]?.trim() ?? '';
    if (value !== '') return value;
    if (file === '')
      throw new Error(`The variable ${envName} is not set in the environment of Holdfast.`);
  }
  if (file === '') return undefined;
  const path = wholePath(file, env);
  if (!isAbsolute(path)) throw new Error('nats.credentials_file needs the full path of the file.');
  const found = await readPrivateFile(path);
  if (found.kind === 'refused') throw new Error(`${found.reason}. ${found.hint}`);
  if (found.kind === 'missing') throw new Error(`${path} does not exist.`);
  return found.text.trim();
}

function wholePath(file: string, env: CredentialSources['env']): string {
  const home = env['HOME'] ?? env['USERPROFILE'];
  return home !== undefined && /^~[/\\]/.test(file) ? join(home, file.slice(2)) : file;
}

function parse(text: string): NatsCredential {
  if (text.includes('BEGIN NATS USER JWT')) return { kind: 'creds', text };
  const at = text.indexOf(':');
  return at > 0
    ? { kind: 'password', user: text.slice(0, at), password: text.slice(at + 1) }
    : { kind: 'token', token: text };
}
