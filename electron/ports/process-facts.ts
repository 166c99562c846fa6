/**
 * Facts about a process from the operating system. Every decision to signal reads them through this
 * port and never from memory: a PID means nothing without its start identity.
 */

/**
 * Facts about one pid, read now.
 *
 * `unavailable` is not `dead`: the system would not or could not report, so no process may be
 * signaled (security L10).
 */
export type ProcessFacts =
  | { readonly kind: 'dead' }
  | { readonly kind: 'zombie' }
  | { readonly kind: 'unavailable'; readonly reason: string }
  | {
      readonly kind: 'alive';
      /** Start identity: clock ticks since boot on Linux, the start time as text elsewhere. */
      readonly startTicks: string;
      readonly ppid: number | null;
      /** Real uid; null if the platform has none. */
      readonly uid: number | null;
      /** Path of the executable; null if it cannot be read. */
      readonly exe: string | null;
      /** Whole command line, arguments joined by one space; null if it cannot be read. */
      readonly commandLine: string | null;
    };

/** What identifies this machine and this boot. Read once per start. */
export interface MachineFacts {
  readonly platform: string;
  readonly host: string;
  /** Hash of the platform's machine id, never the id itself; null if there is none. */
  readonly machineId: string | null;
  /** Identity of the current boot; null if it cannot be read. */
  readonly bootId: string | null;
}

/** The identity that must match in every field before a signal is sent (security L2). */
export interface ProcessIdentity {
  readonly pid: number;
  readonly startTicks: string;
  readonly uid: number | null;
  readonly exe: string | null;
  readonly argvMarker: string;
}

/** Outcome of one request to signal. Only `sent` means that a signal left this process. */
export type SignalOutcome = 'sent' | 'gone' | 'mismatch' | 'unavailable' | 'not_permitted';

/**
 * Port to the process table.
 * Implemented by adapters/instance/process-table.ts.
 */
export interface ProcessTable {
  /** Identity of the machine and the boot. */
  machine(): Promise<MachineFacts>;
  /** Facts about `pid`, read now. Never throws. */
  read(pid: number): Promise<ProcessFacts>;
  /**
   * Sends `signal` to the process only if it is, at this moment, the one described by `identity`.
   * Facts are read again immediately before the signal. Never throws. Source: security L2.
   */
  signal(identity: ProcessIdentity, signal: 'SIGTERM' | 'SIGKILL'): Promise<SignalOutcome>;
}
