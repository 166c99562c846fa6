import type { Clock } from './ports/clock';
import type { Audit, Log } from './ports/log';

/** Result of a start. */
type StartOutcome =
  | { readonly kind: 'started' }
  /** Another healthy instance was brought to the front; this process exits with 0. */
  | { readonly kind: 'handed_over' }
  /** A stop was requested during the start; started parts have stopped cleanly. */
  | { readonly kind: 'stopped' };

export type StopReason = 'stop' | 'takeover' | 'os_shutdown' | 'update' | 'crash';

/** The ordered start and its exact reverse. */
export interface Lifecycle {
  start(): Promise<StartOutcome>;
  /**
   * Idempotent; bounded: 4.5 s on takeover and OS shutdown, `shutdown.grace` per part otherwise
   * (R15).
   */
  stop(reason: StopReason): Promise<void>;
  /** Resolves when the shutdown has finished, however it started (control socket, signal, tray). */
  readonly stopped: Promise<StopReason>;
}

/** One part of the ordered start; its stop runs in the reverse order. */
export interface LifecyclePart {
  readonly name: string;
  /** `handed_over` ends the start: another instance does the work. */
  start?(): Promise<StartOutcome> | StartOutcome | Promise<void> | void;
  /** Must be idempotent; gets at most `graceMs`. */
  stop?(reason: StopReason, graceMs: number): Promise<void> | void;
}

/** Total time when others wait for us: takeover, system shutdown (R15). */
const URGENT_BUDGET_MS = 4_500;

interface LifecycleDeps {
  readonly parts: readonly LifecyclePart[];
  readonly clock: Clock;
  readonly log: () => Log | undefined;
  readonly audit: () => Audit | undefined;
  readonly graceMs: () => number;
  /** First action of any stop. */
  readonly beforeStop: (reason: StopReason) => void;
}

/**
 * Starts parts in order and stops the started ones in reverse order. A failed start stops what it
 * had started and throws the cause. Source: S0-+06, S2-48, R15.
 */
export function createLifecycle(deps: LifecycleDeps): Lifecycle {
  const started: LifecyclePart[] = [];
  /** The start of the newest part: its dependencies are not stopped while it runs. */
  let inFlight: Promise<unknown> = Promise.resolve();
  let stopping: Promise<void> | undefined;
  let settleStopped: (reason: StopReason) => void = () => undefined;
  const stopped = new Promise<StopReason>((resolve) => {
    settleStopped = resolve;
  });

  const stopParts = async (reason: StopReason): Promise<void> => {
    const isUrgent = reason === 'takeover' || reason === 'os_shutdown';
    const endMs = deps.clock.monotonicMs() + URGENT_BUDGET_MS;
    let order = 0;
    await bounded(deps.clock, inFlight, isUrgent ? URGENT_BUDGET_MS / 2 : deps.graceMs());
    for (const part of started.splice(0).reverse()) {
      if (part.stop === undefined) continue;
      const graceMs = isUrgent ? Math.max(100, endMs - deps.clock.monotonicMs()) : deps.graceMs();
      order += 1;
      deps.audit()?.record('stop_stage', { order, stage: part.name, reason });
      try {
        // Slightly more than its grace, for its last output, unless others wait for us to end.
        const limitMs = isUrgent ? graceMs : graceMs + 500;
        await bounded(deps.clock, part.stop(reason, graceMs), limitMs);
      } catch (error) {
        deps.log()?.error('stop.part_failed', { part: part.name, error });
      }
    }
  };

  const stop = (reason: StopReason): Promise<void> => {
    stopping ??= (async () => {
      deps.beforeStop(reason);
      await stopParts(reason);
      settleStopped(reason);
    })();
    return stopping;
  };

  return {
    async start() {
      let order = 0;
      try {
        for (const part of deps.parts) {
          if (stopping !== undefined) break;
          started.push(part);
          const starting = (async () => part.start?.())();
          inFlight = starting.catch(() => undefined);
          const outcome = await starting;
          order += 1;
          deps.audit()?.record('start_stage', { order, stage: part.name });
          if (outcome?.kind === 'handed_over') {
            await stop('stop');
            return outcome;
          }
        }
        if (stopping === undefined) return { kind: 'started' };
        await stopping;
        return { kind: 'stopped' };
      } catch (error) {
        deps.log()?.error('start.failed', { error });
        await stop('stop');
        throw error;
      }
    },
    stop,
    stopped,
  };
}

/** A part that hangs does not keep the others from stopping. */
async function bounded(
  clock: Clock,
  work: Promise<unknown> | void,
  limitMs: number,
): Promise<void> {
  if (work === undefined) return;
  const done = new AbortController();
  try {
    await Promise.race([work, clock.sleep(limitMs, done.signal).catch(() => undefined)]);
  } finally {
    done.abort();
  }
}
