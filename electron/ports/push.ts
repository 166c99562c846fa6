/** A browser that gets notifications, as its push service identifies it. */
export interface PushSubscription {
  readonly person: string;
  readonly endpoint: string;
  readonly p256dh: string;
  readonly auth: string;
}

/**
 * The browsers of all channels, in one file that only this user can read.
 * Implemented by adapters/channels/webpush/subscriptions.ts.
 */
export interface PushSubscriptions {
  of(channel: string): Promise<readonly PushSubscription[]>;
  /** On disk when it resolves; replaces an entry with the same endpoint. */
  add(channel: string, subscription: PushSubscription): Promise<void>;
  /** The push service no longer knows it. */
  remove(channel: string, endpoint: string): Promise<void>;
  /** The key pair that identifies this computer to push services, created on first use. */
  keys(): Promise<{ readonly publicKey: string; readonly privateKey: string }>;
}

/** Opens them with the first use: most channels have no browsers. */
export type OpenPush = () => Promise<PushSubscriptions>;
