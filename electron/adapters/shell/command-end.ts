/** How a program ended. */
export type CommandEnd =
  /** It never ran. */
  | { readonly kind: 'not_started'; readonly reason: string }
  | {
      readonly kind: 'exited';
      readonly code: number;
      readonly output: string;
      readonly leftRunning: boolean;
    }
  /** Ended by a signal, ours (`by`) or another's: its effects up to then are unknown. */
  | {
      readonly kind: 'killed';
      readonly by: 'timeout' | 'abort' | 'stop' | 'other';
      readonly signal: string;
      readonly output: string;
    };

/** Exit codes with which a shell reports a child that was ended by one of the usual signals. */
const SIGNAL_OF: Readonly<Record<number, string>> = {
  129: 'SIGHUP',
  130: 'SIGINT',
  131: 'SIGQUIT',
  137: 'SIGKILL',
  143: 'SIGTERM',
};

/** The system's report on an ended program, and what this process knows in addition. */
interface ExitFacts {
  readonly code: number | null;
  readonly signal: string | null;
  /** Set if we signaled its group before it ended. */
  readonly endedBy: 'timeout' | 'abort' | undefined;
}

/**
 * Whether the cause of this program's end may also reach this process. A kill of a whole service or
 * container takes its processes one by one: a shell may still report "exit code 137" of a killed
 * child, and a moment later nothing is left. So such an end is not trusted at once. Pure.
 */
export const isSuspect = ({ code, endedBy }: ExitFacts): boolean =>
  endedBy === undefined && (code === null || SIGNAL_OF[code] !== undefined);

/**
 * How a program ended, after the wait if {@link isSuspect} requires one. A signal to the program
 * itself, or one of ours, leaves its outcome unknown, whatever its exit code. An exit code that a
 * shell derives from a signal to its child is a result, because the program may have sent the
 * signal itself (`timeout`, `kill %1`), unless this process or the call is being stopped. Pure.
 * S4-20
 */
export function decideEnd(
  facts: ExitFacts & {
    /** The call was stopped after the program ended, before its end was trusted. */
    readonly isAborted: boolean;
    /** This process is shutting down. */
    readonly isStopping: boolean;
  },
): { readonly kind: 'exited'; readonly code: number } | Pick<Killed, 'kind' | 'by' | 'signal'> {
  const { code, endedBy } = facts;
  const signal = facts.signal ?? SIGNAL_OF[code ?? -1] ?? 'SIGTERM';
  if (endedBy !== undefined) return { kind: 'killed', by: endedBy, signal };
  if (code === null) return { kind: 'killed', by: 'other', signal };
  if (SIGNAL_OF[code] === undefined) return { kind: 'exited', code };
  if (facts.isStopping) return { kind: 'killed', by: 'stop', signal };
  if (facts.isAborted) return { kind: 'killed', by: 'abort', signal };
  return { kind: 'exited', code };
}

type Killed = Extract<CommandEnd, { kind: 'killed' }>;
