import { isAbsolute, join } from 'node:path';
import type { ProviderView } from '../../../shared/types';
import type { Redactor } from '../../../shared/redact';
import type { ProviderSettings } from '../../../shared/settings';
import { HoldfastError } from '../../engine/kernel/errors';
import type { Secrets } from '../../ports/secrets';
import { readPrivateFile } from './private-file';
import { lastFour } from './secret-file';

type KeyStorage = ProviderView['key']['storage'];

/** A usable key, and its source. */
interface ProviderKey {
  readonly key: string;
  readonly storage: Exclude<KeyStorage, 'none'>;
}

/** Possible sources of keys. */
export interface KeySources {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly secrets: Secrets;
  readonly redactor?: Redactor;
}

/**
 * The key of a provider: the environment variable `api_key_env`, otherwise the file `api_key_file`
 * (0600 and ours), otherwise the stored one, unless it was entered for another `target`: a changed
 * address must not get it. Undefined if none of them has one.
 * @throws SECRET_UNREADABLE if a configured source exists but cannot or must not be used:
 * a configured key is never silently replaced by another.
 */
export async function resolveProviderKey(
  name: string,
  settings: Pick<ProviderSettings, 'api_key_env' | 'api_key_file'>,
  sources: KeySources,
  target?: string,
): Promise<ProviderKey | undefined> {
  const found = await find(name, settings, sources, target);
  if (found !== undefined) sources.redactor?.learn(found.key);
  return found;
}

async function find(
  name: string,
  settings: Pick<ProviderSettings, 'api_key_env' | 'api_key_file'>,
  { env, secrets }: KeySources,
  target: string | undefined,
): Promise<ProviderKey | undefined> {
  if (settings.api_key_env !== undefined) {
    const key = env[settings.api_key_env]?.trim() ?? '';
    if (key !== '') {
      return {
        key: sendable(name, key, `the variable ${settings.api_key_env}`),
        storage: 'environment',
      };
    }
  }
  if (settings.api_key_file !== undefined) {
    const path = homePath(settings.api_key_file, env);
    if (!isAbsolute(path)) {
      throw unusable(
        name,
        `api_key_file is "${path}"`,
        'Write the full path of the file, or ~/… .',
      );
    }
    const file = await readPrivateFile(path);
    if (file.kind === 'refused') throw unusable(name, file.reason, file.hint, file.isPassing);
    if (file.kind === 'missing') {
      throw unusable(
        name,
        `${path} does not exist`,
        'Create the file with mode 0600, or remove api_key_file.',
      );
    }
    return { key: sendable(name, file.text.trim(), path), storage: 'file' };
  }
  const facts = await secrets.facts(name);
  const elsewhere = ofAnother(name, facts.target, target);
  if (elsewhere !== undefined) throw elsewhere;
  const stored = facts.present ? await secrets.read(name) : undefined;
  if (stored === undefined || facts.storage === 'none') return undefined;
  return { key: stored, storage: facts.storage };
}

/** Displayable facts about a provider's key. Never throws, never asks the keyring to decrypt. */
export async function describeProviderKey(
  name: string,
  settings: Pick<ProviderSettings, 'api_key_env' | 'api_key_file'>,
  sources: KeySources,
  target?: string,
): Promise<ProviderView['key']> {
  const isOutside =
    settings.api_key_file !== undefined ||
    (settings.api_key_env !== undefined &&
      (sources.env[settings.api_key_env]?.trim() ?? '') !== '');
  try {
    if (!isOutside) {
      const { target: own, ...facts } = await sources.secrets.facts(name);
      const elsewhere = ofAnother(name, own, target);
      if (elsewhere !== undefined) return { ...facts, problem: wordsOf(elsewhere) };
      if (facts.present || settings.api_key_env === undefined) return facts;
      return {
        ...facts,
        problem: `The variable ${settings.api_key_env} is not set in the environment of Holdfast.`,
      };
    }
    const found = await resolveProviderKey(name, settings, sources);
    if (found === undefined) return { present: false, storage: 'none' };
    const last4 = lastFour(found.key);
    return { present: true, storage: found.storage, ...(last4 === undefined ? {} : { last4 }) };
  } catch (error) {
    const problem = error instanceof HoldfastError ? wordsOf(error) : 'unreadable';
    return { present: false, storage: 'none', problem };
  }
}

const wordsOf = ({ message, hint = '' }: HoldfastError): string =>
  `${message} ${hint}`.trim().slice(0, 500);

function ofAnother(
  name: string,
  own: string | undefined,
  target: string | undefined,
): HoldfastError | undefined {
  return own === undefined || target === undefined || own === target
    ? undefined
    : unusable(
        name,
        `it was entered for ${own}, and is not sent to ${target}`,
        'Enter the key again for the new address, or change base_url back.',
      );
}

function homePath(path: string, env: KeySources['env']): string {
  const home = env['HOME'] ?? env['USERPROFILE'];
  return home !== undefined && /^~[/\\]/.test(path) ? join(home, path.slice(2)) : path;
}

/** A key is sent in a header: one line of printable ASCII, or it is not a key. */
function sendable(name: string, key: string, source: string): string {
  if (/^[\x21-\x7e]{1,4000}$/.test(key)) return key;
  throw unusable(
    name,
    key === '' ? `${source} is empty` : `${source} contains something other than one key`,
    'It must contain only the key, on one line.',
  );
}

function unusable(name: string, reason: string, hint: string, isPassing = false): HoldfastError {
  return new HoldfastError('SECRET_UNREADABLE', `API key of ${name}: ${reason}.`, {
    hint,
    facts: { provider: name },
    retryable: isPassing,
  });
}
