import { spawn } from 'node:child_process';
import { StringDecoder } from 'node:string_decoder';
import { sshArguments } from '../../../shared/ssh-address';
import type { FarEnd, RunFar } from '../../ports/far-hosts';
import { readInSlices } from '../../read-in-slices';
import { buildChildEnvironment, type Environment } from '../shell/child-environment';
import {
  loginVariables,
  type FindSecrets,
  type LoginEnvironment,
} from '../shell/login-environment';

/** Characters of one line, and of all lines of a minute: a host that sends more is disconnected. */
const MAX_LINE_CHARS = 2_000_000;
const MAX_MINUTE_CHARS = 32_000_000;
const MINUTE_MS = 60_000;
const LAST_WORDS_CHARS = 2_000;

/**
 * Runs commands on other computers through the system's `ssh`, without a terminal, so no one is
 * asked for a password. Its input stays open while it runs, so that the remote command ends with
 * this process. `environment` is read at each start and must not contain a secret: `SendEnv` and
 * programs in the user's ssh settings can see all of it. HO-01, HO-03
 */
export function createSshCommands(environment: () => Environment): RunFar {
  return (address, args, onLine) => {
    const child = spawn('ssh', [...sshArguments(address, args, { isTerminal: false })], {
      env: environment(),
      stdio: ['pipe', 'pipe', 'pipe'],
      // Without a terminal of its own it can prompt for nothing, and Ctrl+C here does not reach it.
      detached: true,
      windowsHide: true,
    });
    // Before anything else can throw: an unhandled error event ends this process.
    const refused = new Promise<FarEnd>((resolve) => {
      child.on('error', () => {
        resolve({ code: null, lastWords: '', fault: 'no_ssh' });
      });
    });
    // It may have no pipes.
    if (child.pid === undefined)
      return { say: () => undefined, end: () => undefined, ended: refused };
    let fault: FarEnd['fault'];
    let lastWords = '';
    const end = (): void => {
      child.stdin.end();
      child.kill('SIGKILL');
    };
    const take = lineReader(onLine, () => {
      fault = 'too_much';
      end();
    });
    child.stdin.on('error', () => undefined); // Its end reports it.
    const decoder = new StringDecoder('utf8');
    const read = new Promise<void>((resolve) => {
      readInSlices(child.stdout, (chunk) => take(decoder.write(chunk)), {
        onError: end,
        onEnd: resolve,
      });
    });
    child.stderr.setEncoding('utf8').on('data', (part: string) => {
      lastWords = (lastWords + part).slice(-LAST_WORDS_CHARS);
    });
    return {
      say: (line) => {
        if (child.stdin.writable) child.stdin.write(`${line}\n`);
      },
      end,
      ended: new Promise((resolve) => {
        child.on('close', (code) => {
          // Its output is processed before its end.
          void read.then(() => {
            resolve({ code, lastWords, ...(fault === undefined ? {} : { fault }) });
          });
        });
      }),
    };
  };
}

/** Yields after each line, because a host decides how many there are. */
function lineReader(
  onLine: (line: string) => void,
  onTooMuch: () => void,
): (part: string) => Iterable<void> {
  let held = '';
  let ofMinute = 0;
  let minuteEndsMs = 0;
  let isCut = false;
  return function* (part) {
    if (isCut) return;
    if (performance.now() > minuteEndsMs) {
      ofMinute = 0;
      minuteEndsMs = performance.now() + MINUTE_MS;
    }
    ofMinute += part.length;
    const lines = (held + part).split('\n');
    held = lines.pop() ?? '';
    isCut =
      ofMinute > MAX_MINUTE_CHARS ||
      held.length > MAX_LINE_CHARS ||
      lines.some(({ length }) => length > MAX_LINE_CHARS);
    if (isCut) return onTooMuch();
    for (const line of lines) {
      onLine(line);
      yield;
    }
  };
}

/**
 * Our own environment, with where the agent with the keys listens: a desktop may start the app without what a
 * terminal knows. What is a secret is by the settings as they are at each start.
 */
export async function sshEnvironment(deps: {
  readonly ownEnvironment: Readonly<Record<string, string | undefined>>;
  readonly loginEnvironment: () => Promise<LoginEnvironment>;
  readonly findSecrets: FindSecrets;
}): Promise<() => Environment> {
  const login = loginVariables(await deps.loginEnvironment());
  const { ownEnvironment } = deps;
  const agent = ownEnvironment['SSH_AUTH_SOCK'] ?? login?.['SSH_AUTH_SOCK'];
  const own = { ...ownEnvironment, SSH_AUTH_SOCK: agent };
  return () =>
    buildChildEnvironment({
      login: undefined,
      own,
      declared: [],
      markers: {},
      secrets: deps.findSecrets(login),
    }).env;
}
