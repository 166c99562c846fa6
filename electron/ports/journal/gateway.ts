/** What an answer has taken up to now, as far as its provider has told. */
export interface GatewayTaken {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly costUsd?: number;
}

/** What the gateway writes. */
export type GatewayEntry =
  /**
   * A request goes out whose answer comes whole: nothing is told of it before its end. It counts as
   * one that broke off, until its `gateway.used` or `gateway.refused` is there.
   */
  | {
      readonly kind: 'gateway.asked';
      readonly provider: string;
      readonly client?: string;
      readonly day: string;
    }
  /** It was not taken after all, and counts no longer: refused, or never there. */
  | {
      readonly kind: 'gateway.refused';
      readonly provider: string;
      readonly client?: string;
      /** That of its `gateway.asked`. */
      readonly day: string;
    }
  /** An answer has begun: it counts as one that broke off, until its `gateway.used` is there. */
  | (GatewayTaken & {
      readonly kind: 'gateway.begun';
      readonly provider: string;
      readonly client?: string;
      readonly day: string;
    })
  | (GatewayTaken & {
      readonly kind: 'gateway.used';
      readonly provider: string;
      /** Absent: the client of the token in the file, `default`. */
      readonly client?: string;
      /** The local day, `2026-03-24`; that of its begin, where one was written. */
      readonly day: string;
      /** What its `gateway.begun` or `gateway.asked` has counted already, and no longer as one that broke off. */
      readonly begun?: GatewayTaken;
      readonly isRemembered: boolean;
      /** The answer broke off: what it took is at least what stands here. */
      readonly isCut?: true;
    })
  /** A client has a token of its own; `tokenHash` is its SHA-256 in hex. */
  | { readonly kind: 'gateway.joined'; readonly client: string; readonly tokenHash: string }
  /** Its token is worth nothing any more; what it used stays in the sums. */
  | { readonly kind: 'gateway.revoked'; readonly client: string };

/** A client with a token of its own. */
interface GatewayClientRow {
  readonly name: string;
  readonly tokenHash: string;
  readonly addedAtMs: number;
}

/** What was used of one provider on one day, by turns or by one client of the gateway. */
export interface UsageRow {
  readonly day: string;
  readonly provider: string;
  readonly source: 'turns' | 'gateway';
  /** Of the gateway; absent for turns. */
  readonly client?: string;
  /** Turns that ended or have used something, or requests of clients. */
  readonly count: number;
  /** Requests that were answered from the memo. */
  readonly remembered: number;
  /** Answers that broke off: the sums are at least what stands there. */
  readonly cut: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** Absent where no price is known. */
  readonly costUsd?: number;
  /** What stored answers of turns would have taken again after a restart (S4-10). */
  readonly savedInputTokens: number;
  readonly savedOutputTokens: number;
  readonly savedUsd?: number;
}

export interface GatewayReads {
  /** From a day on, newest first; read along an index of the days asked for. */
  usageSince(day: { readonly text: string; readonly atMs: number }): readonly UsageRow[];
  gatewaySpentUsd(provider: string, day: string): number;
  /** By name. */
  gatewayClients(): readonly GatewayClientRow[];
  /** When each client had its last answer; of clients that are revoked, too. */
  gatewayLastAnswersMs(): ReadonlyMap<string, number>;
}
