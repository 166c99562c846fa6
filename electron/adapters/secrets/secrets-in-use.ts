import type { Redactor } from '../../../shared/redact';
import { plainName } from '../../../shared/secret-names';
import { isOrdinaryValue } from '../../../shared/secret-values';
import { settingVariables } from '../../../shared/settings/secret-variables';
import { isOfSession } from '../shell/child-environment';
import type { FindSecrets } from '../shell/login-environment';
import type { SettingsPort } from '../../ports/settings';

interface SecretsInUseDeps {
  readonly settings: Pick<SettingsPort, 'all' | 'written' | 'onChange'>;
  readonly own: Readonly<Record<string, string | undefined>>;
  readonly redactor: Pick<Redactor, 'learn' | 'holds' | 'redactText'>;
}

/** Shorter values are too common to identify a secret. */
const SHORTEST_VALUE = 4;
/**
 * Within a longer text, only values of this length identify a secret. Also exempt are variables
 * that every program needs.
 */
const SHORTEST_PART = 8;
const SHORTEST_PART_OF_SESSION = 16;

/** Often passed to an agent by name although every program may have them. */
const HANDED_AND_ORDINARY =
  /^(?:EDITOR|VISUAL|PAGER|BROWSER|TERM|COLORTERM|CI|DEBUG|LOG_LEVEL|LESS|MAKEFLAGS|HOSTNAME|(?:NO|FORCE|CLI)_?COLOR|LS_COLORS|NODE_\w+|NPM_CONFIG_\w+|RUST_\w+|CARGO_\w+|PYTHON\w*|GO[A-Z]*|JAVA_\w+|(?:HTTPS?|NO|ALL)_PROXY|\w+_(?:ENV|REGION|PROFILE|MODE|LEVEL|VERSION|LOCALE))$/i;

/**
 * The values that the settings use as secrets, read at each call: variables that they name, and
 * every value that those have or that the redactor knows, such as a stored key. The redactor learns
 * them all before anything that could contain them is written. A name that was one since the start
 * stays one: its value is still in the environment. Rows S2-+05; security K6, R2.
 */
export function createSecretsInUse(deps: SecretsInUseDeps): FindSecrets {
  const { settings, own, redactor } = deps;
  const secret = new Map<string, string>();
  const handed = new Set<string>();
  const values = new Set<string>();

  const take = (value: string | undefined): void => {
    const text = value?.trim() ?? '';
    redactor.learn(text);
    if (text.length >= SHORTEST_VALUE && !COMMON_VALUE.test(text)) values.add(text);
  };
  const find: FindSecrets = (login) => {
    const named = settingVariables([settings.all(), settings.written()]);
    for (const name of named.secret) secret.set(plainName(name), name);
    for (const name of named.handed) handed.add(name);
    for (const env of [own, login]) {
      for (const name of secret.values()) take(env?.[name]);
      for (const name of handed) {
        const value = env?.[name];
        if (value !== undefined && !isCommon(name, value) && isTelling(value)) take(value);
      }
    }
    return {
      hide: (text) => redactor.redactText(text),
      has(name, value) {
        const isEssential = isOfSession(name);
        if (!isEssential) {
          if (secret.has(plainName(name)) || values.has(value.trim())) return true;
          if (handed.has(name) && !isCommon(name, value)) return true;
        }
        return redactor.holds(value, isEssential ? SHORTEST_PART_OF_SESSION : SHORTEST_PART);
      },
    };
  };
  // Anything written from now on may contain them, and after each change as well.
  find(undefined);
  settings.onChange(() => {
    find(undefined);
  });
  return find;
}

/** A key for a model on this computer is often `ollama` or `test`, and so are many other values. */
const COMMON_VALUE = /^(?:\d{1,5}|[A-Za-z]{1,7})$/;

/**
 * A value passed to one recipient may be any word: only random-looking ones are recognized by
 * value.
 */
const isTelling = (value: string): boolean =>
  value.length >= 20 || (value.length >= 8 && /\d/.test(value) && /[A-Za-z]/.test(value));

const isCommon = (name: string, value: string): boolean =>
  isOfSession(name) || HANDED_AND_ORDINARY.test(name) || isOrdinaryValue(value);
