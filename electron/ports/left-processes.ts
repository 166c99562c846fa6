/** A process group that an earlier run of Holdfast started for a step and that outlived it. */
export interface LeftProcess {
  /** Eldest process of the group that carries the mark of that run. */
  readonly pid: number;
  readonly processGroup: number;
  /** Start of `pid` in clock ticks since the boot: with it the number names one process. */
  readonly startTicks: string;
  readonly startedAtMs: number;
  /** The boot of the computer in which the number means it. */
  readonly bootId: string;
  /** The run of Holdfast that started it. */
  readonly runId: string;
  readonly turnId: number | undefined;
  readonly step: number | undefined;
  /** Command line of `pid`, at most 300 characters; foreign text. */
  readonly command: string;
  /** How many processes of the group carry the mark. */
  readonly processes: number;
}

/** What became of a request to end one. */
export type LeftProcessEnd = 'ended' | 'gone' | 'not_ours' | 'still_running';

/** A found process, with its purpose if it is not a step. */
export interface Orphan extends LeftProcess {
  /** Set for an MCP server or a process of one. */
  readonly server: string | undefined;
  /** Set for the browser of a session. */
  readonly browserOf: number | undefined;
}

/** Processes outside of this one; none of its calls throws. */
export interface LeftProcesses {
  /**
   * Processes that earlier runs of Holdfast left running; empty if the system does not show them.
   */
  find(): Promise<readonly Orphan[]>;
  /** Reads who it is again: a number that another process has by now is not it. */
  isAlive(process: LeftProcess): Promise<boolean>;
  /** SIGTERM, after a grace SIGKILL, to its group; who it is, is read before every signal. */
  end(process: LeftProcess): Promise<LeftProcessEnd>;
}
