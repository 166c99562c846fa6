/** What a run of the `llm` executor waits for between two steps. */
import type { TurnRun, TurnRunDeps } from '../../turns/run-record';

/**
 * Runs between two steps. If the user wants to quit, the run pauses here until the quit is undone or
 * the shutdown starts. True if the run is over here.
 */
export async function isOverHere(
  deps: TurnRunDeps,
  run: TurnRun,
  signal: AbortSignal,
): Promise<boolean> {
  const isStopped = (): boolean => signal.aborted || deps.limits.draining.aborted;
  if (isStopped()) return true;
  if (deps.limits.stepGate.isWanted()) await run.flush();
  const waiting = deps.limits.stepGate.pass(run.turn.id, signal, deps.limits.draining);
  if (waiting !== undefined) await run.rest(waiting);
  return isStopped();
}

/** Waits for something that may take long, or until the run is stopped. True if the run is over here. */
export async function isOverAfter(
  deps: TurnRunDeps,
  run: TurnRun,
  until: Promise<void>,
  signal: AbortSignal,
): Promise<boolean> {
  const listening = new AbortController();
  const stopped = new Promise<void>((resolve) => {
    for (const one of [signal, deps.limits.draining]) {
      if (one.aborted) resolve();
      one.addEventListener('abort', () => resolve(), { signal: listening.signal });
    }
  });
  try {
    await run.rest(Promise.race([until, stopped]));
  } finally {
    listening.abort();
  }
  return isOverHere(deps, run, signal);
}
