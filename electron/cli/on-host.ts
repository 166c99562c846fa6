/** Runs a command on another computer: finds its address and runs it there. HO-01 */
import { toHoldfastError } from '../engine/kernel/errors';
import { wantsJson } from './command';
import type { ExitCode } from './exit-codes';
import { exitCodeOf, reportError } from './exit-codes';
import { runFar, splitHost } from './far-host';
import type { CliIo } from './io';
import { withReach } from './reach';
import { readStartArguments } from './start-arguments';
import { addressOf, hostAddresses } from './verbs/hosts';

/** Undefined if the command is for this computer after all: `send -- --host` is a message. */
export async function runOnHost(argv: readonly string[], io: CliIo): Promise<ExitCode | undefined> {
  const { host, rest } = splitHost(argv);
  if (host === undefined) return undefined;
  const isJson = wantsJson(argv);
  try {
    // Hosts are those of this computer's own data; `--data-dir` is a folder over there.
    const { dataDir } = readStartArguments([], io.env, io.home);
    const known = await withReach('read', { dataDir, io }, hostAddresses, true);
    const address = addressOf(known, host);
    const env = await io.offline.programEnvironment(dataDir, io.env);
    return await runFar(io, env, { host, address, isJson }, rest);
  } catch (thrown) {
    const error = toHoldfastError(thrown);
    reportError(io, error, isJson);
    return exitCodeOf(error.code);
  }
}
