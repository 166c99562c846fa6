/**
 * The shell's own log lines: JSON on stderr, ids and codes only. Under a service manager they land
 * in its journal; what belongs to turns is in the engine's log.
 */
import type { Log, LogFacts } from '../ports/log';

export function createStartLog(
  write: (line: string) => void = (line) => void process.stderr.write(line),
): Log {
  const at =
    (level: string) =>
    (event: string, facts: LogFacts = {}): void =>
      write(`${JSON.stringify({ level, at: new Date().toISOString(), event, ...facts })}\n`);
  return { debug: () => undefined, info: at('info'), warn: at('warn'), error: at('error') };
}
