/**
 * The shell's log. Until this process owns the data directory, its lines are JSON on stderr with
 * only ids and codes, for a service manager to store; after that they go to the engine's log.
 */
import type { Log, LogFacts } from '../ports/log';

export interface StartLog extends Log {
  /** Sends later lines to this log. */
  handOver(log: Log): void;
}

export function createStartLog(
  write: (line: string) => void = (line) => void process.stderr.write(line),
): StartLog {
  const onStderr =
    (level: string) =>
    (event: string, facts: LogFacts = {}): void =>
      write(`${JSON.stringify({ level, at: new Date().toISOString(), event, ...facts })}\n`);
  let target: Log = {
    debug: () => undefined,
    info: onStderr('info'),
    warn: onStderr('warn'),
    error: onStderr('error'),
  };
  return {
    debug: (event, facts) => target.debug(event, facts),
    info: (event, facts) => target.info(event, facts),
    warn: (event, facts) => target.warn(event, facts),
    error: (event, facts) => target.error(event, facts),
    handOver(log) {
      target = log;
    },
  };
}
