import { HoldfastError } from '../../engine/kernel/errors';
import type { LoginEnvironment } from '../shell/login-environment';
import { childEnvironment } from '../shell/login-environment';
import { findProgram } from '../shell/program-there';
import { runCommand } from '../shell/run-command';
import { KNOWN_AGENTS } from './known-agents';

interface InstallDeps {
  readonly loginEnvironment: () => Promise<LoginEnvironment>;
  readonly ownEnvironment: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
}

const INSTALL_MS = 5 * 60_000;
const INSTALL_BYTES = 64 * 1024;
const SHOWN_CHARS = 3_000;

/** The command at the end of the sentence that the user was shown; undefined if there is none. */
export const installCommandOf = (id: string): string | undefined =>
  /: (npm install --global [@\w/.-]+)$/.exec(
    KNOWN_AGENTS.find((agent) => agent.id === id)?.missing ?? '',
  )?.[1];

/**
 * Runs the install command of a known agent's adapter in the user's own environment. Only the
 * command that belongs to the agent runs, and only if it is the one that was shown. @throws
 * INPUT_INVALID
 */
export async function installAdapter(
  deps: InstallDeps,
  asked: { readonly id: string; readonly command: string },
): Promise<{ readonly ok: boolean; readonly message: string }> {
  const known = installCommandOf(asked.id);
  if (known === undefined || known !== asked.command) {
    throw new HoldfastError('INPUT_INVALID', 'This is not the install command of a known agent.', {
      hint: 'Nothing was installed. Look for agents again and use the command that is shown then.',
    });
  }
  const { env } = await childEnvironment(deps, [], { NO_COLOR: '1', CI: '1' });
  const [program = 'npm', ...args] = known.split(' ');
  const path = await findProgram(program, env['PATH']);
  if (path === undefined) {
    return {
      ok: false,
      message: 'npm is not on your PATH. Nothing was installed. Install Node.js first.',
    };
  }
  const end = await runCommand({
    argv: [path, ...args],
    cwd: deps.cwd,
    env,
    timeoutMs: INSTALL_MS,
    capBytes: INSTALL_BYTES,
    signal: AbortSignal.timeout(INSTALL_MS),
  });
  switch (end.kind) {
    case 'exited':
      return { ok: end.code === 0, message: end.output.trim().slice(-SHOWN_CHARS) };
    case 'not_started':
      return { ok: false, message: end.reason.slice(0, SHOWN_CHARS) };
    case 'killed':
      return {
        ok: false,
        message: `npm was ended before it finished.\n${end.output.trim().slice(-SHOWN_CHARS)}`,
      };
  }
}
