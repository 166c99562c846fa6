/** The version of a Claude Code program, because its hooks must match it. */
import { readClaudeVersion } from '../../../shared/claude-hooks';
import { runCommand } from '../shell/run-command';

const ASK_MS = 15_000;
const ANSWER_BYTES = 1_024;

/** Queries a program's version; undefined if it reports none. Never throws. */
export async function claudeVersion(
  program: string,
  env: Readonly<Record<string, string>>,
  cwd: string,
): Promise<string | undefined> {
  const end = await runCommand({
    argv: [program, '--version'],
    cwd,
    env,
    timeoutMs: ASK_MS,
    capBytes: ANSWER_BYTES,
    signal: AbortSignal.timeout(ASK_MS),
  });
  return end.kind === 'exited' && end.code === 0 ? readClaudeVersion(end.output) : undefined;
}
