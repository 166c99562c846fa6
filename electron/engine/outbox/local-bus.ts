import type { Broker, OutgoingEvent } from '../../ports/broker';
import type { Audit } from '../../ports/log';

/** Receives every event of this process; its exceptions are ignored. */
type EventListener = (event: OutgoingEvent) => void;

/** Events inside this process. */
interface LocalBus extends Broker {
  subscribe(listener: EventListener): () => void;
}

/**
 * Receives events if no broker is configured: passes them to subscribers in this process and to the
 * audit at once, without a queue. R16
 */
export function createLocalBus(deps: {
  readonly audit: Audit;
  readonly sinceMs: number;
}): LocalBus {
  const listeners = new Set<EventListener>();
  return {
    publish(event) {
      deps.audit.record('event', { id: event.id, topic: event.topic });
      for (const listener of listeners) {
        try {
          listener(event);
        } catch {
          // A failing subscriber must not affect the others.
        }
      }
      return Promise.resolve({ kind: 'confirmed', isDuplicate: false });
    },
    health: () => ({ state: 'local', sinceMs: deps.sinceMs }),
    onChange: () => () => undefined,
    start: () => undefined,
    stop: () => Promise.resolve(),
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}
