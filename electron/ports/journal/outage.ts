import type { LimitNotice } from '../../../shared/limits/read-limit';
import type { Reason } from '../../../shared/reason';
import type { HeldCause, ProviderState } from '../../../shared/types/outage';
import type { CallOutcomeKind, CallOutcome } from '../call-outcomes';

/** State of a provider, derived from its calls. Probes and breakers are added on top of it. */
export type HealthState =
  | { readonly kind: 'answering' }
  /** An outage is declared: only probes are sent. */
  | {
      readonly kind: 'down';
      readonly outageId: number;
      readonly sinceMs: number;
      /** The computer that reported it, before a check from here failed too. DW-25 */
      readonly from?: string;
    }
  /**
   * It has answered once: exactly one turn is sent as canary. `isTrial`: it has not answered yet,
   * and because no other probe is possible, one turn is sent as probe.
   */
  | {
      readonly kind: 'recovering';
      readonly outageId: number;
      readonly sinceMs: number;
      readonly isTrial?: true;
    }
  /**
   * It is up: waiting turns start in order, a few at a time. Without an outage: after its breaker
   * closed.
   */
  | {
      readonly kind: 'draining';
      readonly ramp: 1 | 2 | 4;
      readonly outageId?: number;
      readonly sinceMs?: number;
      /** After a usage limit that has reset. */
      readonly isAfterLimit?: true;
    }
  | {
      readonly kind: 'quota';
      readonly cause: 'quota' | 'retry_after';
      readonly untilMs: number;
      readonly sinceMs: number;
      /** It named no time, so it is probed again. LM-04 */
      readonly isUnnamed?: true;
      /** The computer that hit the limit; absent: this one. DW-25 */
      readonly from?: string;
    }
  /** It rejects the key: not an outage, and waiting does not help. */
  | { readonly kind: 'key'; readonly sinceMs: number };

/** Usage of a limit, as an agent reported it. LM-09 */
export interface NotedLimit {
  readonly notice: LimitNotice;
  readonly atMs: number;
  /** End of its window; absent if not reported. */
  readonly end?: { readonly atMs: number } | undefined;
}

/** Everything known about one provider: each entry about it contains all of it. */
export interface ProviderRecord {
  readonly provider: string;
  /** Consecutive failures. */
  readonly failedTurns: number;
  /** Light requests and canaries that failed since the outage was declared. */
  readonly tries: number;
  /** Consecutive limits without a named time; absent for none. LM-04 */
  readonly unnamedLimits?: number;
  readonly lastTryAtMs?: number;
  /** The probe interval is counted from here. */
  readonly probeAnchorMs?: number;
  readonly standing: HealthState;
  readonly lastError?: string;
  readonly lastErrorAtMs?: number;
  /** When people were last notified of an outage: flapping notifies them once in 30 minutes. */
  readonly noticedAtMs?: number;
  /** The open notice about the current outage. */
  readonly noticeId?: number;
  /**
   * The last warning before the end of a window, which stays valid until then, even after a
   * restart. LM-09
   */
  readonly warned?: NotedLimit;
}

/** A model of a provider, or an external agent. */
export interface Answerer {
  readonly provider: string;
  readonly model: string;
  /** Name of the external agent. */
  readonly agent?: string;
}

/** Another model or agent answers a turn in place of the one that it waited for. */
export interface Fallback extends Answerer {
  readonly instead: Answerer;
  readonly cause: 'outage' | 'limit';
  /** Since when the original one has accepted nothing. */
  readonly sinceMs: number;
  /** Steps up to this one were made before. */
  readonly afterStep: number;
  /** `auto`, or the place where the user agreed. */
  readonly by: string;
}

/** Entries of the outage module. A successful call while nothing is wrong writes nothing. */
export type OutageEntry =
  /** A failure, or the first success after failures. S0-17 */
  | {
      readonly kind: 'provider.contact';
      readonly provider: string;
      readonly contact: CallOutcomeKind;
      readonly source: CallOutcome['source'];
      readonly turnId?: number;
      readonly record: ProviderRecord;
    }
  | {
      readonly kind: 'outage.declared';
      readonly provider: string;
      readonly outageId: number;
      readonly failedTurns: number;
      readonly reason: Reason;
      readonly record: ProviderRecord;
    }
  /** A probe that only a turn can do, first success, second success, or a failure in between. R3 */
  | {
      readonly kind: 'outage.recovering';
      readonly provider: string;
      readonly phase: 'trial' | 'canary' | 'drain' | 'back';
      readonly record: ProviderRecord;
    }
  | {
      readonly kind: 'outage.resolved';
      readonly provider: string;
      readonly outageId: number;
      readonly record: ProviderRecord;
    }
  /** A light request without an agent run. S0-19 */
  | {
      readonly kind: 'provider.probed';
      readonly provider: string;
      readonly why: 'interval' | 'early' | 'trial' | 'second' | 'asked';
      readonly ok: boolean;
      readonly error?: string;
      readonly record: ProviderRecord;
    }
  /** The turn waits for its provider; none of its work is lost, and no decision is needed. S0-18 */
  | {
      readonly kind: 'turn.waits';
      readonly turnId: number;
      readonly provider: string;
      readonly cause: HeldCause;
      readonly untilMs?: number;
      readonly outageId?: number;
      /** Windows of a usage limit that the turn has used up so far. LM-10 */
      readonly windows?: number;
      /** One sentence for users. */
      readonly reason: Reason;
    }
  /** The user changed the order of the queue. */
  | { readonly kind: 'turn.moved'; readonly turnId: number; readonly rank: number }
  /** The turn no longer waits: another model or agent answers from here on. FB-02, FB-03 */
  | ({ readonly kind: 'turn.fell_back'; readonly turnId: number } & Fallback)
  /**
   * The user wants a waiting turn to run now, whatever its provider reported; until it waits again.
   */
  | { readonly kind: 'turn.goes'; readonly turnId: number }
  /** Older entries are removed, except for what was still current then. S0-+02 */
  | { readonly kind: 'outage.pruned'; readonly beforeMs: number };

/** A turn that waits for a provider, or that runs again after waiting. */
export interface HeldRow {
  readonly turnId: number;
  readonly provider: string;
  readonly cause: HeldCause;
  readonly sinceMs: number;
  readonly untilMs: number | undefined;
  readonly rank: number;
  /** It runs, as the canary or while the queue drains. */
  readonly isOut: boolean;
  readonly outageId: number | undefined;
  /** Windows of a usage limit that the turn has used up. */
  readonly windows: number;
  /** The user wants it to run now. */
  readonly goesNow?: true;
}

export interface OutageRow {
  readonly outageId: number;
  readonly provider: string;
  readonly startedAtMs: number;
  readonly resolvedAtMs: number | undefined;
  readonly failedTurns: number;
  readonly reason: string;
  readonly drained: number;
}

/** One point in the chart of a provider. */
export type PlotPoint = { readonly atMs: number } & (
  | { readonly what: 'state'; readonly state: ProviderState }
  | { readonly what: 'waiting'; readonly count: number }
  | { readonly what: 'call' | 'trial' | 'probe'; readonly ok: boolean }
  | { readonly what: 'declared'; readonly failedTurns: number }
);

/**
 * Reads of the outage module; none grows with closed history.
 * Implemented by adapters/sqlite/tables/outage.ts.
 */
export interface OutageReads {
  providerRecords(): readonly ProviderRecord[];
  held(turnId: number): HeldRow | undefined;
  /** Turns that wait for a provider, including those that run again; by rank. */
  heldTurns(filter: { readonly provider?: string }): readonly HeldRow[];
  countHeld(): number;
  outages(filter: { readonly provider?: string; readonly limit: number }): readonly OutageRow[];
  outage(outageId: number): OutageRow | undefined;
  /** Points from `fromMs` on, oldest first, after the last state and count before it. */
  plotPoints(provider: string, fromMs: number): readonly PlotPoint[];
}
