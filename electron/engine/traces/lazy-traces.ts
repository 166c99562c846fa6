import type { Clock } from '../../ports/clock';
import type { Journal } from '../../ports/journal/journal';
import type { Traces } from './traces';

/** How long a stop waits for a collector. */
const LAST_MS = 1_500;

export interface LazyTraces {
  /** Sends the remaining spans. A stop does not wait for a collector that is unreachable. */
  stop(): Promise<void>;
}

interface LazyTracesDeps {
  readonly load: () => Promise<Traces>;
  /** Address of the collector; empty if there is none. */
  readonly endpoint: () => string;
  readonly isRunning: () => boolean;
  readonly journal: Pick<Journal, 'onCommitted'>;
  readonly clock: Pick<Clock, 'sleep'>;
}

/** Follows the journal if the address of a collector is set; otherwise loads nothing. OT-01 */
export function createLazyTraces(deps: LazyTracesDeps): LazyTraces {
  let loading: Promise<Traces> | undefined;
  deps.journal.onCommitted((entries) => {
    if (deps.endpoint() === '' || !deps.isRunning()) return;
    loading ??= deps.load();
    void loading.then((traces) => {
      traces.take(entries);
    });
  });
  return {
    async stop() {
      const traces = await loading;
      if (traces === undefined || deps.endpoint() === '') return;
      await Promise.race([traces.flush().catch(() => undefined), deps.clock.sleep(LAST_MS)]);
    },
  };
}
