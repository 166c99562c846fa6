import type { BrokerState } from '../../shared/types/delivery';

/** An event for the broker, with its ID, so that a second copy is recognized (R12). */
export interface OutgoingEvent {
  readonly id: string;
  readonly topic: string;
  /** JSON text. */
  readonly payload: string;
}

/** Outcome of publishing one event. */
export type PublishOutcome =
  /** The broker has it on disk; `isDuplicate`: it already had one with this ID. */
  | { readonly kind: 'confirmed'; readonly isDuplicate: boolean }
  /** The broker was reachable and rejected it. The only outcome that counts as an attempt (R26). */
  | { readonly kind: 'refused'; readonly error: string }
  /** The broker accepts no event of this size, so retrying is useless. */
  | { readonly kind: 'too_large'; readonly error: string }
  /**
   * It had to follow an event that the broker lacks, or that is not its last one: neither is
   * stored.
   */
  | { readonly kind: 'out_of_line' }
  /** No answer: whether the broker has the event is unknown. */
  | { readonly kind: 'unreachable'; readonly error: string };

/** Status of the connection. */
export interface BrokerHealth {
  readonly state: BrokerState;
  readonly sinceMs: number;
  /** Address without user and password. */
  readonly server?: string;
  /** Why no event is sent, in one sentence for users. */
  readonly problem?: string;
}

/**
 * Receives events: a message broker, or the bus inside this process if none is configured. Nothing
 * here throws. S2-03, S2-17
 * Implemented by adapters/nats/nats-broker.ts and engine/outbox/local-bus.ts.
 */
export interface Broker {
  /**
   * Answered within seconds, whatever the network does. With `behindId` the broker accepts the
   * event only right after the event of that ID, so several can be in flight without overtaking.
   */
  publish(event: OutgoingEvent, behindId?: string): Promise<PublishOutcome>;
  health(): BrokerHealth;
  /** Called after each change of the health. */
  onChange(listener: (health: BrokerHealth) => void): () => void;
  /** Connects in the background and reconnects until `stop`. */
  start(): void;
  stop(): Promise<void>;
}
