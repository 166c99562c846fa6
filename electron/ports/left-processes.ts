/** A process group that an earlier run of Holdfast started for a step and that outlived it. */
export interface LeftProcess {
  /** Oldest process of the group with that run's mark. */
  readonly pid: number;
  readonly processGroup: number;
  /** Start of `pid` in clock ticks since the boot: together they identify one process. */
  readonly startTicks: string;
  readonly startedAtMs: number;
  /** The boot to which the ticks refer. */
  readonly bootId: string;
  /** The run of Holdfast that started it. */
  readonly runId: string;
  readonly turnId: number | undefined;
  readonly step: number | undefined;
  /** Command line of `pid`, at most 300 characters; untrusted text. */
  readonly command: string;
  /** Number of processes in the group with the mark. */
  readonly processes: number;
}

/** Outcome of a request to end one. */
export type LeftProcessEnd = 'ended' | 'gone' | 'not_ours' | 'still_running';

/** A found process, with its purpose if it is not a step. */
export interface Orphan extends LeftProcess {
  /** Set for an MCP server or a process of one. */
  readonly server: string | undefined;
  /** Set for the browser of a session. */
  readonly browserOf: number | undefined;
}

/**
 * Processes outside this one; no method throws.
 * Implemented by adapters/shell/orphans.ts.
 */
export interface LeftProcesses {
  /**
   * Processes that earlier runs of Holdfast left running; empty if the system does not show them.
   */
  find(): Promise<readonly Orphan[]>;
  /** Reads its identity again: another process that reused the PID does not count. */
  isAlive(process: LeftProcess): Promise<boolean>;
  /** SIGTERM, after a grace SIGKILL, to its group; its identity is read before every signal. */
  end(process: LeftProcess): Promise<LeftProcessEnd>;
}
