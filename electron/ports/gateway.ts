import type { ProviderFailure } from './provider';

/** Another provider that can answer a request exactly as it was asked. FB-05 */
export interface GatewayAlternative<A> {
  readonly provider: string;
  readonly mostUsd: number;
  readonly send: GatewayJob<A>['send'];
}

/** Who may answer in place of the provider that was asked, in the order of the settings. */
export interface GatewayAlternatives<A> {
  readonly fit: readonly GatewayAlternative<A>[];
  /** In a sentence each: others that are in the settings, and why they cannot. */
  readonly unfit: readonly string[];
}

/** What the settings and the outages say of a fallback. */
export type GatewayFallbackMove =
  | { readonly kind: 'stay'; readonly why?: string }
  | { readonly kind: 'later'; readonly atMs: number }
  /** Place in the list that was given. */
  | { readonly kind: 'go'; readonly to: number };

/** One request of a client that goes to a provider. */
export interface GatewayJob<A> {
  readonly provider: string;
  /** US dollars that its answer may cost; 0 if nothing is counted or no price is known. */
  readonly mostUsd: number;
  /** Aborted when the client goes away: no answer is fetched that no one reads. */
  readonly signal: AbortSignal;
  /**
   * One request to the provider, without retries, counted when it resolves; `alive` is its
   * heartbeat.
   */
  readonly send: (
    alive: () => void,
  ) => Promise<
    | { readonly kind: 'answer'; readonly answer: A }
    | { readonly kind: 'failure'; readonly failure: ProviderFailure }
  >;
  /** The client has to wait for this reason; starts sending it keepalives. */
  readonly onWait: (reason: string) => void;
  /** Asked for only when the request has to wait. */
  readonly alternatives: () => Promise<GatewayAlternatives<A>>;
  /** Part of an answer has reached the client: no other provider may continue it. */
  readonly hasBegun: () => boolean;
}

export type GatewayEnd<A> =
  | { readonly kind: 'answer'; readonly answer: A }
  /** What waiting does not help, and what the client has ended. */
  | { readonly kind: 'failure'; readonly failure: ProviderFailure }
  /** It waited as long as it may. */
  | {
      readonly kind: 'gave_up';
      readonly reason: string;
      /** The time that the provider has named. */
      readonly untilMs?: number;
    };

/** What an answer through the gateway has taken up to now. */
export interface GatewayBegin {
  readonly provider: string;
  /** Whose token it was. */
  readonly client: string;
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** Absent if no price is known. */
  readonly costUsd?: number;
  /** Not streamed: the answer arrives as a whole, and nothing is reported before its end. */
  readonly isAsked?: true;
}

/** A start that was counted; pass it on when its end is counted. */
export interface GatewayBegun {
  /** The local day in which it counts. */
  readonly day: string;
  readonly use: GatewayBegin;
}

/** What an answer through the gateway took. */
export interface GatewayUse extends GatewayBegin {
  readonly begun?: GatewayBegun;
  /** Answered from the cache: nothing was sent and nothing is billed. */
  readonly isRemembered: boolean;
  /** It broke off: these figures are a lower bound. */
  readonly isCut?: true;
  /** The request was rejected, or the provider was unreachable: nothing was used. */
  readonly isRefused?: true;
  /** The provider that the client asked for, where another one answered. FB-05 */
  readonly insteadOf?: string;
}

/** The rules behind the gateway: waiting, money. */
export interface RequestQueue {
  /**
   * Runs the job through the provider's breaker, with retries like a turn's requests, and queued
   * through an outage until `resilience.max_wait` (S0-18, S2-25). If other running requests may use
   * up today's budget, it waits for them.
   */
  serve<A>(job: GatewayJob<A>): Promise<GatewayEnd<A>>;
  /** Why nothing more may be spent today; undefined if something may. */
  overBudget(provider: string): string | undefined;
  /**
   * An answer begins, or is asked for: where a kill cuts it off, it is in the sums as far as it was told. On disk when
   * it resolves, or waiting for a disk that refuses.
   */
  begin(use: GatewayBegin): Promise<GatewayBegun>;
  /** On disk when it resolves, or waiting for a disk that refuses: no answer waits for that. */
  count(use: GatewayUse): Promise<void>;
  /** Requests that wait now. */
  waiting(): number;
}
