/** What the gateway writes. */
export interface GatewayEntry {
  readonly kind: 'gateway.used';
  readonly provider: string;
  /** The local day, `2026-03-24`. */
  readonly day: string;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly costUsd?: number;
  readonly isRemembered: boolean;
}

/** What was used of one provider on one day, by turns or through the gateway. */
export interface UsageRow {
  readonly day: string;
  readonly provider: string;
  readonly source: 'turns' | 'gateway';
  /** Turns that ended, or requests of clients. */
  readonly count: number;
  /** Requests that were answered from the memo. */
  readonly remembered: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** Absent where no price is known. */
  readonly costUsd?: number;
}

export interface GatewayReads {
  /** From a day on, newest first; read along an index of the days asked for. */
  usageSince(day: { readonly text: string; readonly atMs: number }): readonly UsageRow[];
  gatewaySpentUsd(provider: string, day: string): number;
}
