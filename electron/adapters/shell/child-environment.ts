import { isSecretName } from '../../../shared/secret-names';
import { isCounted, isPlaceOfSecret, isSecretValue } from '../../../shared/secret-values';

/** Names and values of environment variables. */
export type Environment = Readonly<Record<string, string>>;

/** Environment markers that identify a process as ours, even after our death. */
export const TURN_MARKER = 'HOLDFAST_TURN';
export const STEP_MARKER = 'HOLDFAST_STEP';
export const KEY_MARKER = 'HOLDFAST_IDEMPOTENCY_KEY';
/** For a shared turn: how often it was granted. */
export const EPOCH_MARKER = 'HOLDFAST_EPOCH';
/** The database that the process works for. */
export const INSTANCE_MARKER = 'HOLDFAST_INSTANCE';
/** The run of Holdfast that started it: an orphan has one that is not the current one. */
export const RUN_MARKER = 'HOLDFAST_RUN';

/** The MCP server that the process is, or was started by. */
export const SERVER_MARKER = 'HOLDFAST_MCP_SERVER';

/** ID of the session whose browser the process is. */
export const BROWSER_MARKER = 'HOLDFAST_BROWSER';

/**
 * Taken from our own environment even if a login shell does not set them: the desktop session,
 * which only processes started in it know.
 */
const SESSION_NAMES = new Set(
  (
    'HOME USER LOGNAME USERNAME SHELL PATH LANG LANGUAGE TZ TMPDIR TMP TEMP DISPLAY WAYLAND_DISPLAY ' +
    'XAUTHORITY XDG_RUNTIME_DIR XDG_CONFIG_HOME XDG_DATA_HOME XDG_CACHE_HOME XDG_STATE_HOME ' +
    'XDG_SESSION_TYPE XDG_CURRENT_DESKTOP DBUS_SESSION_BUS_ADDRESS SSH_AUTH_SOCK ' +
    // Windows does not work without these.
    'SystemRoot SystemDrive windir ComSpec PATHEXT APPDATA LOCALAPPDATA USERPROFILE HOMEDRIVE ' +
    'HOMEPATH ProgramFiles ProgramData'
  ).split(' '),
);

/**
 * Would change what a shell does before it reads the command, or belongs only to our own process.
 */
const NEVER =
  /^(BASH_ENV|ENV|SHELLOPTS|BASHOPTS|PS4|PROMPT_COMMAND|OLDPWD|_|SHLVL|HOLDFAST_.*|ELECTRON_.*)$/;

/** True for variables that a desktop session sets and that every program needs. */
export const isOfSession = (name: string): boolean =>
  SESSION_NAMES.has(name) || /^LC_[A-Z]+$/.test(name);

/**
 * True if a variable looks like a secret and is therefore only passed when declared: by its name,
 * or by a value that reveals it, such as a URL with a password. Row S2-+05.
 */
export const isSecretLooking = (name: string, value: string): boolean =>
  (isSecretName(name) && !isPlaceOfSecret(name, value) && !isCounted(name, value)) ||
  (name !== 'PWD' && isSecretValue(value));

/** Secrets regardless of their look: variables that the settings use, and known values. */
export interface SecretsInUse {
  /** True if the variable is one that settings use as a secret, or holds the value of a secret. */
  has(name: string, value: string): boolean;
  /** Redacts a text of a program so that it may be part of a reason. */
  readonly hide: (text: string) => string;
}

/** The environment of a child, and the withheld variables (names only). */
export interface ChildEnvironment {
  readonly env: Environment;
  /** Sorted names, never values. Shown on an agent's page. */
  readonly withheld: readonly string[];
}

/**
 * Builds the environment of a child: the login shell's (or ours if there is none), desktop session
 * variables from ours, minus variables that are or look like secrets, plus those declared by the
 * agent, plus our markers. Row S2-+05.
 */
export function buildChildEnvironment(input: {
  /** Undefined if the login shell could not be queried: then our own environment is the base. */
  readonly login: Environment | undefined;
  readonly own: Readonly<Record<string, string | undefined>>;
  readonly declared: readonly string[];
  readonly markers: Environment;
  /** Undefined if there are no settings yet: then only names and values decide. */
  readonly secrets: SecretsInUse | undefined;
}): ChildEnvironment {
  const { login, own } = input;
  const base = new Map<string, string>();
  for (const [name, value] of Object.entries(own)) {
    if (value === undefined) continue;
    if (login === undefined || isOfSession(name)) base.set(name, value);
  }
  for (const [name, value] of Object.entries(login ?? {})) base.set(name, value);

  const declared = new Set(input.declared);
  const isSecret = (name: string, value: string): boolean =>
    isSecretLooking(name, value) || input.secrets?.has(name, value) === true;
  const env: Record<string, string> = {};
  // Exported shell functions (BASH_FUNC_ls%%) would replace the programs they are named after.
  const isNever = (name: string): boolean =>
    !/^[A-Za-z_][A-Za-z0-9_()]*$/.test(name) || NEVER.test(name);
  for (const [name, value] of base)
    if (!isNever(name) && !declared.has(name) && !isSecret(name, value)) env[name] = value;
  // Includes what was set for this start of Holdfast alone: the user may expect it to be passed.
  const withheld = Object.entries({ ...own, ...login })
    .filter(([name, value]) => !isNever(name) && isSecret(name, value ?? ''))
    .map(([name]) => name)
    .filter((name) => !declared.has(name));
  for (const name of declared) {
    // Ours first: a user who sets a key for this start means this one.
    const value = own[name] ?? login?.[name];
    if (value !== undefined && !NEVER.test(name)) env[name] = value;
  }
  return { env: { ...env, ...input.markers }, withheld: withheld.sort() };
}

/**
 * Our own environment for the login shell, without secrets, so that its start-up files cannot pass
 * any on.
 */
export function withoutSecrets(
  own: Readonly<Record<string, string | undefined>>,
  secrets: SecretsInUse | undefined,
): Record<string, string> {
  const kept: Record<string, string> = {};
  for (const [name, value] of Object.entries(own))
    if (value !== undefined && !isSecretLooking(name, value) && secrets?.has(name, value) !== true)
      kept[name] = value;
  return kept;
}
