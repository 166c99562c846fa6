/**
 * Runs git so that nothing a repository configures can run: no hook, no filter, no helper, no
 * network.
 */
import { spawn } from 'node:child_process';
import os from 'node:os';
import path from 'node:path';
import { plainEnvironment } from '../../../shared/plain-environment';

interface GitResult {
  readonly isOk: boolean;
  readonly out: Buffer;
  /** The first line of its error output. */
  readonly said: string;
}

interface GitCall {
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly input?: string | Buffer;
  /** Larger output is an error. */
  readonly mostBytes?: number;
}

const TIMEOUT_MS = 300_000;
const MAX_BYTES = 64 * 1024 * 1024;
const CLOSED = {
  LC_ALL: 'C',
  GIT_TERMINAL_PROMPT: '0',
  GIT_OPTIONAL_LOCKS: '0',
  GIT_NO_LAZY_FETCH: '1',
  GIT_ALLOW_PROTOCOL: 'none',
  GIT_PAGER: 'cat',
} as const;
const SAFE = [
  ...['-c', 'core.fsmonitor=false', '-c', 'core.hooksPath=/dev/null'],
  ...['-c', 'core.pager=cat', '-c', 'gc.auto=0', '-c', 'maintenance.auto=false'],
  ...['-c', 'submodule.recurse=false', '-c', 'core.quotePath=true'],
];

export interface Git {
  /** The user's global ignore file, unless a setting names another one. */
  readonly ignoreFile: string;
  /** In the user's repository: its settings apply, and only queries run. */
  inPersons(cwd: string, args: readonly string[]): Promise<GitResult>;
  /** In our own repository, which has no settings. */
  inOurs(
    place: { readonly gitDir: string; readonly workTree: string; readonly index?: string },
    args: readonly string[],
    more?: Pick<GitCall, 'input' | 'mostBytes'>,
  ): Promise<GitResult>;
}

export function createGit(own: Readonly<Record<string, string | undefined>>): Git {
  // No git settings, no credentials.
  const closed = { ...plainEnvironment(own), ...CLOSED };
  const home = own['HOME'] ?? own['USERPROFILE'] ?? os.homedir();
  return {
    ignoreFile: path.join(own['XDG_CONFIG_HOME'] || path.join(home, '.config'), 'git', 'ignore'),
    inPersons: (cwd, args) =>
      run({
        args,
        cwd,
        env: { ...plainEnvironment(own, ['HOME', 'USERPROFILE', 'XDG_CONFIG_HOME']), ...CLOSED },
      }),
    inOurs: ({ gitDir, workTree, index }, args, more) =>
      run({
        args,
        cwd: workTree,
        env: {
          ...closed,
          HOME: gitDir,
          GIT_DIR: gitDir,
          GIT_WORK_TREE: workTree,
          GIT_CONFIG_NOSYSTEM: '1',
          GIT_CONFIG_GLOBAL: os.devNull,
          GIT_ATTR_NOSYSTEM: '1',
          GIT_LITERAL_PATHSPECS: '1',
          ...(index === undefined ? {} : { GIT_INDEX_FILE: index }),
        },
        ...more,
      }),
  };
}

function run({ args, cwd, env, input, mostBytes = MAX_BYTES }: GitCall): Promise<GitResult> {
  return new Promise((resolve) => {
    const child = spawn('git', [...SAFE, ...args], {
      cwd,
      env,
      shell: false,
      windowsHide: true,
      timeout: TIMEOUT_MS,
      killSignal: 'SIGKILL',
      stdio: [input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
    });
    const chunks: Buffer[] = [];
    let bytes = 0;
    let errors = '';
    let problem: string | undefined;
    child.stdout?.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes <= mostBytes) chunks.push(chunk);
      else {
        problem ??= 'it printed too much';
        child.kill('SIGKILL');
      }
    });
    child.stderr?.on('data', (chunk: Buffer) => {
      if (errors.length < 4_000) errors += chunk.toString('utf8');
    });
    child.stdin?.on('error', () => undefined);
    child.stdin?.end(input);
    child.on('error', (error) => {
      problem ??= error.message;
    });
    child.on('close', (code) => {
      const [line = ''] = errors.split('\n').filter((one) => /^(?:fatal|error):/.test(one));
      resolve({
        isOk: code === 0 && problem === undefined,
        out: Buffer.concat(chunks),
        said: (problem ?? (line.replace(/^\w+: /, '') || 'git failed')).slice(0, 200),
      });
    });
  });
}
