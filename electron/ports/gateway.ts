import type { ProviderFailure } from './provider';

/** Another provider that can answer a request exactly as it was sent. FB-05 */
export interface GatewayAlternative<A> {
  readonly provider: string;
  readonly mostUsd: number;
  readonly send: GatewayJob<A>['send'];
}

/** Providers that may answer in place of the requested one, in the order of the settings. */
export interface GatewayAlternatives<A> {
  readonly fit: readonly GatewayAlternative<A>[];
  /** Other configured ones, each with a sentence why it cannot. */
  readonly unfit: readonly string[];
}

/** The fallback decision from settings and outages. */
export type GatewayFallbackMove =
  | { readonly kind: 'stay'; readonly why?: string }
  | { readonly kind: 'later'; readonly atMs: number }
  /** Index in the given list. */
  | { readonly kind: 'go'; readonly to: number };

/** One client request for a provider. */
export interface GatewayJob<A> {
  readonly provider: string;
  /** Maximum cost of its answer in US dollars; 0 if nothing is counted or no price is known. */
  readonly mostUsd: number;
  /** Aborted when the client disconnects, so that no unread answer is fetched. */
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
  /** Called only when the request has to wait. */
  readonly alternatives: () => Promise<GatewayAlternatives<A>>;
  /** Part of an answer has reached the client: no other provider may continue it. */
  readonly hasBegun: () => boolean;
}

export type GatewayEnd<A> =
  | { readonly kind: 'answer'; readonly answer: A }
  /** Waiting does not help, or the client has ended it. */
  | { readonly kind: 'failure'; readonly failure: ProviderFailure }
  /** It waited for the maximum time. */
  | {
      readonly kind: 'gave_up';
      readonly reason: string;
      /** The time that the provider named. */
      readonly untilMs?: number;
    };

/** Usage of an answer through the gateway so far. */
export interface GatewayBegin {
  readonly provider: string;
  /** The client whose token it was. */
  readonly client: string;
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** Absent if no price is known. */
  readonly costUsd?: number;
  /** Not streamed: the answer arrives as a whole, and nothing is reported before its end. */
  readonly isAsked?: true;
}

/** A counted start; pass it on when the end is counted. */
export interface GatewayBegun {
  /** The local day in which it is counted. */
  readonly day: string;
  readonly use: GatewayBegin;
}

/** Usage of a finished answer through the gateway. */
export interface GatewayUse extends GatewayBegin {
  readonly begun?: GatewayBegun;
  /** Answered from the cache: nothing was sent and nothing is billed. */
  readonly isRemembered: boolean;
  /** It was interrupted: these figures are a lower bound. */
  readonly isCut?: true;
  /** The request was rejected, or the provider was unreachable: nothing was used. */
  readonly isRefused?: true;
  /** The provider that the client requested, if another one answered. FB-05 */
  readonly insteadOf?: string;
}

/**
 * The gateway's rules: waiting and money.
 * Implemented by engine/gateway/request-queue.ts.
 */
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
   * An answer starts, or is requested: if a kill interrupts it, its reported usage counts. On disk
   * when it resolves, or queued while the disk rejects writes.
   */
  begin(use: GatewayBegin): Promise<GatewayBegun>;
  /**
   * On disk when it resolves, or queued while the disk rejects writes: no answer waits for that.
   */
  count(use: GatewayUse): Promise<void>;
  /** Number of waiting requests. */
  waiting(): number;
}
