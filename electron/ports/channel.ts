/** A message to a person, with an id that is the same for every attempt. */
export interface Delivery {
  /** Stable: a channel that sees it twice shows it once (R12). */
  readonly deliveryId: string;
  readonly kind: 'answer' | 'restart_notice';
  readonly peer: string;
  readonly sessionKey: string;
  readonly text: string;
}

/** A way to reach a person: the window, a chat, mail. Enters through `compose()`. */
export interface Channel {
  readonly name: string;
  /** False while it cannot deliver; the delivery waits or takes the next channel. */
  isReady(): boolean;
  /** Resolves when the channel has taken the message. Rejecting means: not delivered. */
  deliver(delivery: Delivery, signal: AbortSignal): Promise<void>;
}
