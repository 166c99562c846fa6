/** Facts of a log line: IDs, sizes, codes. Never prompts, payloads or keys (R3). */
export type LogFacts = Readonly<Record<string, unknown>>;

/**
 * Structured log; the redactor is in the sink (R1).
 * Implemented by adapters/log/log.ts and shell/start-log.ts.
 */
export interface Log {
  debug(event: string, facts?: LogFacts): void;
  info(event: string, facts?: LogFacts): void;
  warn(event: string, facts?: LogFacts): void;
  error(event: string, facts?: LogFacts): void;
}

/**
 * Append-only audit (`D/audit/*.jsonl`): written after the commit, unsynced, in order; never an
 * input to recovery, never wiped by reset (S4-33).
 * Implemented by adapters/log/audit.ts.
 */
export interface Audit {
  record(event: string, facts: LogFacts): void;
  /** Resolves when everything recorded so far has been passed to the operating system. */
  flush(): Promise<void>;
}
