/** What an answer has used so far, as far as its provider has reported. */
export interface GatewayTaken {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly costUsd?: number;
}

/** What the gateway writes. */
export type GatewayEntry =
  /**
   * A request is sent whose answer arrives as a whole: nothing is reported before its end. It
   * counts as one that broke off until its `gateway.used` or `gateway.refused` is written.
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
  /** An answer has started: it counts as one that broke off until its `gateway.used` is written. */
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
      /** The local day, `2026-03-24`; that of its start, if one was written. */
      readonly day: string;
      /**
       * The usage that its `gateway.begun` or `gateway.asked` already counted as interrupted;
       * replaced now.
       */
      readonly begun?: GatewayTaken;
      readonly isRemembered: boolean;
      /** The answer broke off: these figures are a lower bound. */
      readonly isCut?: true;
      /** The provider that the client asked for, where another one answered. FB-05 */
      readonly insteadOf?: string;
    })
  /** A client has a token of its own; `tokenHash` is its SHA-256 in hex. */
  | { readonly kind: 'gateway.joined'; readonly client: string; readonly tokenHash: string }
  /** Its token is revoked; its past usage stays in the totals. */
  | { readonly kind: 'gateway.revoked'; readonly client: string };

/** A client with a token of its own. */
interface GatewayClientRow {
  readonly name: string;
  readonly tokenHash: string;
  readonly addedAtMs: number;
}

export interface GatewayReads {
  gatewaySpentUsd(provider: string, day: string): number;
  /** By provider, of the days of this computer from the one of this instant on. */
  gatewaySpendSince(fromMs: number): readonly { readonly provider: string; readonly usd: number }[];
  /** By name. */
  gatewayClients(): readonly GatewayClientRow[];
  /** When each client had its last answer; of clients that are revoked, too. */
  gatewayLastAnswersMs(): ReadonlyMap<string, number>;
}
