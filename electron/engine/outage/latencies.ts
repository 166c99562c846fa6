import type { Journal } from '../../ports/journal/journal';
import type { TurnReads } from '../../ports/journal/reads';

/** Number of latest responses used for the median. */
const KEPT = 20;

export interface Latency {
  /**
   * Half of the latest responses took at most this long, from the request to the end of the
   * response.
   */
  readonly medianMs: number;
  readonly responses: number;
}

/** The median of these times, in whole milliseconds; undefined if there are none. Pure. */
export function medianOf(tookMs: readonly number[]): number | undefined {
  const sorted = tookMs.toSorted((a, b) => a - b);
  const high = sorted[Math.floor(sorted.length / 2)];
  const low = sorted[Math.floor((sorted.length - 1) / 2)];
  return high === undefined || low === undefined ? undefined : Math.round((low + high) / 2);
}

/**
 * Response times of providers since this process started, measured from the journal as it is
 * written and kept only in memory. Retries of a request within one step count as one request.
 */
export function createLatencies(deps: {
  readonly journal: Pick<Journal, 'onCommitted'>;
  readonly reads: Pick<TurnReads, 'frame'>;
}) {
  /** The frames of running turns: reading a turn after each of its steps costs as much as the step. */
  const frames = new Map<number, number>();
  const started = new Map<number, { readonly step: number; readonly atMs: number }>();
  const took = new Map<string, number[]>();
  const providerOf = (turnId: number): string | undefined => {
    const frameId = frames.get(turnId);
    return frameId === undefined ? undefined : deps.reads.frame(frameId)?.provider;
  };
  deps.journal.onCommitted((entries, atMs) => {
    for (const entry of entries) {
      if (entry.kind === 'turn.started') frames.set(entry.turnId, entry.frameId);
      else if (entry.kind === 'step.started') {
        if (entry.purity === 'llm') started.set(entry.turnId, { step: entry.step, atMs });
      } else if (entry.kind === 'step.ended') {
        const begun = started.get(entry.turnId);
        if (begun?.step !== entry.step) continue;
        started.delete(entry.turnId);
        if (entry.end.state !== 'completed') continue;
        const provider = providerOf(entry.turnId);
        if (provider === undefined) continue;
        const all = [...(took.get(provider) ?? []), Math.max(0, atMs - begun.atMs)];
        took.set(provider, all.slice(-KEPT));
      } else if (entry.kind === 'turn.closed') {
        started.delete(entry.turnId);
        frames.delete(entry.turnId);
      }
    }
  });
  return {
    of(provider: string): Latency | undefined {
      const known = took.get(provider) ?? [];
      const medianMs = medianOf(known);
      return medianMs === undefined ? undefined : { medianMs, responses: known.length };
    },
  };
}
