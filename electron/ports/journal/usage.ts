/** What was used of one provider on one day, by turns or by one client of the gateway. */
export interface UsageRow {
  readonly day: string;
  /** Of a turn of an external agent: what runs it, `acp` or `command`. */
  readonly provider: string;
  readonly source: 'turns' | 'gateway';
  /** Of the gateway; absent for turns. */
  readonly client?: string;
  /** Of turns: who answered. */
  readonly agent?: string;
  /** For turns, if requested. */
  readonly taskId?: number;
  /** Turns that ended or have used something, or requests of clients. */
  readonly count: number;
  /** Requests that were answered from the cache. */
  readonly remembered: number;
  /** Answers that broke off: the totals are a lower bound. */
  readonly cut: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** Absent if no price is known. */
  readonly costUsd?: number;
  /** What stored answers of turns would have taken again after a restart (S4-10). */
  readonly savedInputTokens: number;
  readonly savedOutputTokens: number;
  readonly savedUsd?: number;
}

export interface UsageReads {
  /**
   * From a day on, along an index of the requested days. Tokens and cost stand on the day on which
   * they were used and with the one that answered, as budgets count them; a turn is counted once, on
   * the day on which it ended, with the one that answered last. What another computer has used of a
   * shared turn is its own. Several rows may be alike in all but their numbers.
   */
  usageSince(
    day: { readonly text: string; readonly atMs: number },
    options: { readonly isByTask: boolean },
  ): readonly UsageRow[];
}
