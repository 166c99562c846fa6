/**
 * Runs one command of the command line in this process: the same code as in a process of its own,
 * without the third of a second that starting one costs. What has to be a process (a host, two
 * commands at once over one lock, what is killed) is started as one.
 */
import { offline } from '../../electron/offline/offline';
import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { runCli } from '../../electron/cli/cli';
import { version } from '../../package.json';

export interface EndedHere {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** `program`: what a command would start where it has to start Holdfast. */
export async function commandHere(
  argv: readonly string[],
  {
    env,
    home,
    program,
  }: {
    readonly env: Readonly<Record<string, string | undefined>>;
    readonly home: string;
    readonly program: string;
  },
): Promise<EndedHere> {
  let out = '';
  let err = '';
  const code = await runCli(argv, {
    stdout: { write: (text) => (out += text), isTTY: false, columns: 0 },
    stderr: { write: (text) => (err += text), isTTY: false, columns: 0 },
    stdin: Readable.from([]),
    env,
    home,
    version,
    nowMs: () => Date.now(),
    composer: () => import('../../electron/compose/compose'),
    offline,
    self: { command: process.execPath, args: [program] },
    onSignal: () => () => undefined,
    newToken: () => randomBytes(32).toString('hex'),
    exitNow: (ended) => {
      throw new Error(`The command wanted to end this process with ${String(ended)}.`);
    },
  });
  return { code, out, err };
}
