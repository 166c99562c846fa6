import { isSecretName } from '../../../shared/secret-names';

/** Names and values of environment variables. */
export type Environment = Readonly<Record<string, string>>;

/** Markers by which a process is known as ours, also after our death. */
export const TURN_MARKER = 'HOLDFAST_TURN';
export const STEP_MARKER = 'HOLDFAST_STEP';
export const KEY_MARKER = 'HOLDFAST_IDEMPOTENCY_KEY';
/** Which database the process works for. */
export const INSTANCE_MARKER = 'HOLDFAST_INSTANCE';
/** Which run of Holdfast started it: an orphan carries one that is not the current one. */
export const RUN_MARKER = 'HOLDFAST_RUN';

/** Which MCP server the process is, or was started by. */
export const SERVER_MARKER = 'HOLDFAST_MCP_SERVER';

/** Number of the session whose browser the process is. */
export const BROWSER_MARKER = 'HOLDFAST_BROWSER';

/**
 * Taken from our own environment even where a login shell does not set them: the session of the
 * desktop, which only the process that was started in it knows.
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

/** Would change what a shell does before it reads the command, or belongs to our own process. */
const NEVER =
  /^(BASH_ENV|ENV|SHELLOPTS|BASHOPTS|PS4|PROMPT_COMMAND|OLDPWD|_|SHLVL|HOLDFAST_.*|ELECTRON_.*)$/;

/** A URL that carries a password: `postgres://user:secret@host`. */
const URL_WITH_PASSWORD = /^[a-z][a-z0-9+.-]*:\/\/[^/\s:@]*:[^/\s@]+@/i;

/**
 * True where a variable looks like a secret and is therefore only passed when declared: by its name,
 * or as a URL with a password in it. Row S2-+05.
 */
export const isSecretLooking = (name: string, value: string): boolean =>
  isSecretName(name) || (name !== 'PWD' && URL_WITH_PASSWORD.test(value));

/** What a child receives and what was kept from it (names only). */
interface ChildEnvironment {
  readonly env: Environment;
  /** Names, sorted; never values. For the page of an agent. */
  readonly withheld: readonly string[];
}

/**
 * Builds the environment of a child: the login shell's (or ours where there is none), the names of
 * the desktop session from ours, minus what looks like a secret, plus what the agent declared,
 * plus our markers. Row S2-+05.
 */
export function buildChildEnvironment(input: {
  /** Undefined where the login shell could not be asked: then our own environment is the base. */
  readonly login: Environment | undefined;
  readonly own: Readonly<Record<string, string | undefined>>;
  readonly declared: readonly string[];
  readonly markers: Environment;
}): ChildEnvironment {
  const { login, own } = input;
  const base = new Map<string, string>();
  for (const [name, value] of Object.entries(own)) {
    if (value === undefined) continue;
    const isSession = SESSION_NAMES.has(name) || /^LC_[A-Z]+$/.test(name);
    if (login === undefined || isSession) base.set(name, value);
  }
  for (const [name, value] of Object.entries(login ?? {})) base.set(name, value);

  const declared = new Set(input.declared);
  const env: Record<string, string> = {};
  // Exported shell functions (BASH_FUNC_ls%%) would replace the programs they are named after.
  const isNever = (name: string): boolean =>
    !/^[A-Za-z_][A-Za-z0-9_()]*$/.test(name) || NEVER.test(name);
  for (const [name, value] of base)
    if (!isNever(name) && !declared.has(name) && !isSecretLooking(name, value)) env[name] = value;
  // Also what was set for this start of Holdfast alone: a person may well expect it to be passed.
  const withheld = Object.entries({ ...own, ...login })
    .filter(([name, value]) => !isNever(name) && isSecretLooking(name, value ?? ''))
    .map(([name]) => name)
    .filter((name) => !declared.has(name));
  for (const name of declared) {
    // Ours first: a person who sets a key for this start means this one.
    const value = own[name] ?? login?.[name];
    if (value !== undefined && !NEVER.test(name)) env[name] = value;
  }
  return { env: { ...env, ...input.markers }, withheld: withheld.sort() };
}
