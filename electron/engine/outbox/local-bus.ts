import type { Broker, OutgoingEvent } from '../../ports/broker';
import type { Audit } from '../../ports/log';

/** Receives every event of this process; its exceptions are ignored. */
type EventListener = (event: OutgoingEvent) => void;

/** Events inside this process. */
interface LocalBus extends Broker {
  subscribe(listener: EventListener): () => void;
}

/**
 * Where events go when no broker is configured: to subscribers in this process and to the audit, at
 * once; nothing waits anywhere. R16
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
          // one subscriber that fails takes no event from the others
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
