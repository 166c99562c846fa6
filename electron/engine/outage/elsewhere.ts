/** Reports about providers from other computers, and from this computer to them. DW-25 */
import type { OutagesDeps } from './outage-deps';
import { onRetryAt, onRetryAtPassed, onOutageElsewhere } from './plan-outage';
import type { ProbeReport } from './prober';
import type { OutageState } from './state';
import type { Writer } from './writer';

/** A provider problem that this computer has found itself. */
export type OwnTrouble =
  | {
      readonly kind: 'limit';
      readonly provider: string;
      readonly cause: 'quota' | 'retry_after';
      readonly untilMs: number;
      readonly isUnnamed: boolean;
    }
  | { readonly kind: 'outage'; readonly provider: string; readonly sinceMs: number }
  | {
      readonly kind: 'breaker';
      readonly provider: string;
      readonly openedAtMs: number;
      readonly untilMs: number;
    };

export type Elsewhere = ReturnType<typeof createElsewhere>;

export function createElsewhere(
  deps: OutagesDeps,
  state: OutageState,
  take: Writer['take'],
  prober: {
    readonly ask: (provider: string, why: 'asked') => Promise<ProbeReport>;
    readonly isStarted: () => boolean;
  },
) {
  const { recordOf, factsOf, viewOf, breakerOf, known } = state.providers;
  /**
   * Breakers that opened because of another computer's report; this computer does not report those
   * itself.
   */
  const tripped = new Map<string, number | undefined>();

  const troubleOf = (provider: string): readonly OwnTrouble[] => {
    const { standing } = recordOf(provider);
    const view = viewOf(provider);
    const all: OwnTrouble[] = [];
    if (standing.kind === 'quota' && standing.from === undefined) {
      const { cause, untilMs, isUnnamed = false } = standing;
      all.push({ kind: 'limit', provider, cause, untilMs, isUnnamed });
    }
    if (standing.kind === 'down' || standing.kind === 'recovering')
      all.push({ kind: 'outage', provider, sinceMs: standing.sinceMs });
    const { openedAtMs, nextTrialAtMs: untilMs } = view ?? {};
    const isOwn = openedAtMs !== tripped.get(provider);
    if (view?.state === 'open' && openedAtMs !== undefined && untilMs !== undefined && isOwn)
      all.push({ kind: 'breaker', provider, openedAtMs, untilMs });
    return all;
  };

  /** Nothing on this computer indicates an outage, and no check is running. */
  const isWell = (provider: string): boolean =>
    recordOf(provider).standing.kind === 'answering' &&
    (viewOf(provider)?.state ?? 'closed') === 'closed';

  return {
    /** Problems that this computer has found, for the other computers. */
    ownTroubles(): readonly OwnTrouble[] {
      state.load();
      return known().flatMap(troubleOf);
    },
    /**
     * Another computer hit a limit of the same account: nothing is sent before the limit is over.
     */
    heardLimit(
      provider: string,
      limit: {
        readonly from: string;
        readonly cause: 'quota' | 'retry_after';
        readonly untilMs: number;
        readonly isUnnamed: boolean;
      },
    ): void {
      state.load();
      const { isAutoWait, isQuotaWait } = deps.policy();
      const { kind } = recordOf(provider).standing;
      if (!isAutoWait || !isQuotaWait || kind === 'key' || kind === 'down') return;
      const { isUnnamed, ...rest } = limit;
      const error = `${limit.from} reported the limit.`;
      const wait = { ...rest, error, padMs: 0, ...(isUnnamed ? { isUnnamed } : {}) };
      take(onRetryAt(recordOf(provider), wait, factsOf(provider)));
    },
    /** The other computer no longer waits for the limit. */
    heardLimitOver(provider: string, from: string): void {
      state.load();
      const record = recordOf(provider);
      if (record.standing.kind === 'quota' && record.standing.from === from)
        take(onRetryAtPassed(record, factsOf(provider)));
    },
    /**
     * The cause may be the network of the other computer, so one light request decides; no turn has
     * to fail first.
     */
    async heardDown(
      provider: string,
      trouble: { readonly from: string; readonly breakerForMs: number | undefined },
    ): Promise<void> {
      state.load();
      if (!isWell(provider)) return;
      const { ok } = await prober.ask(provider, 'asked');
      if (ok || !prober.isStarted()) return;
      const { from, breakerForMs } = trouble;
      if (breakerForMs === undefined) {
        take(onOutageElsewhere(recordOf(provider), from, factsOf(provider)));
        return;
      }
      const breaker = breakerOf(provider);
      breaker.trip(`${from} reported that it is not responding`, breakerForMs);
      tripped.set(provider, breaker.view().openedAtMs);
    },
    /** The other computer got an answer again, so this one checks now. */
    heardUp(provider: string): void {
      state.load();
      if (!isWell(provider) && recordOf(provider).standing.kind !== 'key')
        void prober.ask(provider, 'asked');
    },
  };
}
