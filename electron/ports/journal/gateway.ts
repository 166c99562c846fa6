/** Usage of an answer so far, as reported by its provider. */
export interface GatewayTaken {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly costUsd?: number;
}

/** Entries of the gateway. */
export type GatewayEntry =
  /**
   * A request is sent whose answer arrives as a whole, so nothing is reported before its end. It
   * counts as interrupted until its `gateway.used` or `gateway.refused` is written.
   */
  | {
      readonly kind: 'gateway.asked';
      readonly provider: string;
      readonly client?: string;
      readonly day: string;
    }
  /** It was rejected or never arrived, so it no longer counts. */
  | {
      readonly kind: 'gateway.refused';
      readonly provider: string;
      readonly client?: string;
      /** The day of its `gateway.asked`. */
      readonly day: string;
    }
  /** An answer has started: it counts as interrupted until its `gateway.used` is written. */
  | (GatewayTaken & {
      readonly kind: 'gateway.begun';
      readonly provider: string;
      readonly client?: string;
      readonly day: string;
    })
  | (GatewayTaken & {
      readonly kind: 'gateway.used';
      readonly provider: string;
      /** Absent: the client with the token in the file, `default`. */
      readonly client?: string;
      /** The local day, `2026-03-24`; that of its start, if one was written. */
      readonly day: string;
      /**
       * The usage that its `gateway.begun` or `gateway.asked` already counted as interrupted;
       * replaced now.
       */
      readonly begun?: GatewayTaken;
      readonly isRemembered: boolean;
      /** The answer was interrupted: these figures are a lower bound. */
      readonly isCut?: true;
      /** The provider that the client requested, if another one answered. FB-05 */
      readonly insteadOf?: string;
    })
  /** A client has a separate token; `tokenHash` is its SHA-256 in hex. */
  | { readonly kind: 'gateway.joined'; readonly client: string; readonly tokenHash: string }
  /** Its token is revoked; its past usage stays in the totals. */
  | { readonly kind: 'gateway.revoked'; readonly client: string };

/** A client with a separate token. */
interface GatewayClientRow {
  readonly name: string;
  readonly tokenHash: string;
  readonly addedAtMs: number;
}

/** Implemented by adapters/sqlite/tables/gateway.ts. */
export interface GatewayReads {
  gatewaySpentUsd(provider: string, day: string): number;
  /** By provider, for this computer's local days from that of this instant on. */
  gatewaySpendSince(fromMs: number): readonly { readonly provider: string; readonly usd: number }[];
  /** By name. */
  gatewayClients(): readonly GatewayClientRow[];
  /** Time of each client's last answer, including revoked clients. */
  gatewayLastAnswersMs(): ReadonlyMap<string, number>;
}
