/** Usage of one provider on one day, by turns or by one gateway client. */
export interface UsageRow {
  readonly day: string;
  /** For a turn of an external agent: its type, `acp` or `command`. */
  readonly provider: string;
  readonly source: 'turns' | 'gateway';
  /** The gateway client; absent for turns. */
  readonly client?: string;
  /** For turns: the answerer. */
  readonly agent?: string;
  /** For turns, if requested. */
  readonly taskId?: number;
  /** Turns that ended or have used something, or client requests. */
  readonly count: number;
  /** Requests answered from the cache. */
  readonly remembered: number;
  /** Interrupted answers: the totals are a lower bound. */
  readonly cut: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** Absent if no price is known. */
  readonly costUsd?: number;
  /** What stored answers of turns would have cost again after a restart (S4-10). */
  readonly savedInputTokens: number;
  readonly savedOutputTokens: number;
  readonly savedUsd?: number;
}

/** Implemented by adapters/sqlite/tables/usage.ts. */
export interface UsageReads {
  /**
   * From a day on, along an index of the requested days. Tokens and cost count on the day on which
   * they were used and for their answerer, like in budgets; a turn counts once, on the day on which
   * it ended, for its last answerer. Usage by another computer for a shared turn is that computer's
   * own. Several rows may differ only in their numbers.
   */
  usageSince(
    day: { readonly text: string; readonly atMs: number },
    options: { readonly isByTask: boolean },
  ): readonly UsageRow[];
}
