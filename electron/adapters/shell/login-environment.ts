import { randomBytes } from 'node:crypto';
import { userInfo } from 'node:os';
import { basename } from 'node:path';
import {
  buildChildEnvironment,
  withoutSecrets,
  type ChildEnvironment,
  type Environment,
  type SecretsInUse,
} from './child-environment';

/** The environment of the user's own terminal, or why it is unknown. */
export type LoginEnvironment = LoginAnswer & {
  /** Which of these variables, and of our own, are secrets by the current settings. */
  readonly secrets?: SecretsInUse;
};

type LoginAnswer =
  | {
      readonly kind: 'login';
      readonly shell: string;
      readonly env: Environment;
      readonly tookMs: number;
    }
  /** Our own environment is used instead. */
  | { readonly kind: 'own'; readonly reason: string };

interface LoginEnvironmentOptions {
  readonly own: Readonly<Record<string, string | undefined>>;
  /** The shell to query; default: `SHELL`, or the account's. */
  readonly shell?: string;
  /** Timeout; default: 5 s. */
  readonly timeoutMs?: number;
  /** The secrets by the current settings; read each time, because they may have changed. */
  readonly secrets?: FindSecrets;
}

/** Finds secrets, also in the login shell's variables once those are known. */
export type FindSecrets = (login: Environment | undefined) => SecretsInUse;

const TIMEOUT_MS = 5_000;
/** After its answer a shell has this long to exit on its own. */
const LEAVE_MS = 500;
/** Between SIGTERM and SIGKILL. */
const GRACE_MS = 2_000;
const OUTPUT_CAP_BYTES = 4 * 1024 * 1024;

/** Shells that understand `-l -i -c`. */
const KNOWN_SHELLS = new Set(['bash', 'zsh', 'fish', 'sh', 'dash', 'ksh']);

/**
 * Queries the login shell once for its environment, because a tray app starts without a terminal's.
 * Bounded; output of start-up files is ignored, and processes they leave running are not awaited.
 * Never throws.
 */
export async function resolveLoginEnvironment(
  options: LoginEnvironmentOptions,
): Promise<LoginEnvironment> {
  if (process.platform === 'win32') {
    return { kind: 'own', reason: 'Windows gives every program the same environment.' };
  }
  const shell = options.shell ?? options.own['SHELL'] ?? accountShell();
  if (shell === undefined || shell === '') {
    return { kind: 'own', reason: 'The account has no login shell.' };
  }
  if (!KNOWN_SHELLS.has(basename(shell))) {
    return { kind: 'own', reason: `The login shell ${shell} is not supported.` };
  }
  return askShell(shell, options);
}

/** Queries on first use and caches the answer in memory; secrets in it are determined each time. */
export function createLoginEnvironment(
  options: LoginEnvironmentOptions,
): () => Promise<LoginEnvironment> {
  let asked: Promise<LoginEnvironment> | undefined;
  return async () => {
    const answer = await (asked ??= resolveLoginEnvironment(options));
    const { secrets } = options;
    if (secrets === undefined) return answer;
    return { ...answer, secrets: secrets(answer.kind === 'login' ? answer.env : undefined) };
  };
}

/** The login shell's variables; undefined if it could not be queried. */
export const loginVariables = (answer: LoginEnvironment): Environment | undefined =>
  answer.kind === 'login' ? answer.env : undefined;

/** The environment of a program that is started now, by the current login shell and settings. */
export async function childEnvironment(
  from: {
    readonly loginEnvironment: () => Promise<LoginEnvironment>;
    readonly ownEnvironment: Readonly<Record<string, string | undefined>>;
  },
  declared: readonly string[],
  markers: Environment,
): Promise<ChildEnvironment & { readonly secrets: SecretsInUse | undefined }> {
  const answer = await from.loginEnvironment();
  const { secrets } = answer;
  const own = from.ownEnvironment;
  const login = loginVariables(answer);
  return { ...buildChildEnvironment({ login, secrets, own, declared, markers }), secrets };
}

function accountShell(): string | undefined {
  try {
    return userInfo().shell ?? undefined;
  } catch {
    // An account without an entry: containers with a bare uid.
    return undefined;
  }
}

async function askShell(
  shell: string,
  options: LoginEnvironmentOptions,
): Promise<LoginEnvironment> {
  const { spawn } = await import('node:child_process');
  const { endGroup } = await import('./process-group');
  const timeoutMs = options.timeoutMs ?? TIMEOUT_MS;
  const startedMs = performance.now();
  const marker = `holdfast-${randomBytes(12).toString('hex')}`;
  const begin = Buffer.from(`${marker}-begin\0`);
  const end = Buffer.from(`${marker}-end\0`);
  // `command` bypasses aliases and functions of the start-up files.
  const script = `command printf '%s\\0' ${marker}-begin; command env -0; command printf '%s\\0' ${marker}-end; exit`;

  return new Promise((resolve) => {
    const child = spawn(shell, ['-l', '-i', '-c', script], {
      // A separate session: an interactive shell must not touch the terminal we run in.
      detached: true,
      stdio: ['ignore', 'pipe', 'ignore'],
      env: {
        ...withoutSecrets(options.own, options.secrets?.(undefined)),
        HOLDFAST_RESOLVING_ENVIRONMENT: '1',
      },
    });
    let output = Buffer.alloc(0);
    let isSettled = false;
    const settle = (result: LoginEnvironment): void => {
      if (isSettled) return;
      isSettled = true;
      clearTimeout(timer);
      if (child.pid !== undefined) child.stdout.destroy();
      const leave = setTimeout(
        () => {
          // Not killed at once: what its start-up files run may hold locks, for which the next shell
          // would wait.
          void endGroup(child, GRACE_MS);
        },
        result.kind === 'login' ? LEAVE_MS : 0,
      );
      leave.unref();
      resolve(result);
    };
    const timer = setTimeout(() => {
      settle({ kind: 'own', reason: `${shell} did not respond within ${timeoutMs / 1000} s.` });
    }, timeoutMs);
    child.on('error', (error) => {
      settle({ kind: 'own', reason: `${shell} could not be started (${error.message}).` });
    });
    if (child.pid === undefined) return; // It may have no pipes.
    const read = (): boolean => {
      const from = output.indexOf(begin);
      const to = from === -1 ? -1 : output.indexOf(end, from);
      if (to === -1) return false;
      const env = parseEnvironment(output.subarray(from + begin.length, to));
      settle(
        Object.keys(env).length === 0
          ? { kind: 'own', reason: `${shell} returned an empty environment.` }
          : { kind: 'login', shell, env, tookMs: Math.round(performance.now() - startedMs) },
      );
      return true;
    };
    child.stdout.on('data', (chunk: Buffer) => {
      output = Buffer.concat([output, chunk]);
      if (!read() && output.length > OUTPUT_CAP_BYTES) {
        settle({ kind: 'own', reason: `${shell} printed too much while it started.` });
      }
    });
    child.on('close', (code, signal) => {
      if (!read()) {
        settle({
          kind: 'own',
          reason: `${shell} ended without a result (${signal ?? `exit code ${String(code)}`}).`,
        });
      }
    });
  });
}

function parseEnvironment(bytes: Buffer): Environment {
  const env: Record<string, string> = {};
  for (const entry of bytes.toString('utf8').split('\0')) {
    const at = entry.indexOf('=');
    if (at <= 0) continue;
    const name = entry.slice(0, at);
    if (name === '__proto__' || name === 'HOLDFAST_RESOLVING_ENVIRONMENT') continue;
    env[name] = entry.slice(at + 1);
  }
  return env;
}
