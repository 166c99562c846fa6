import type { Permit } from '../../ports/breakers';
import type { ProviderRecord } from '../../ports/journal/outage';
import type { ProviderProbe } from '../../ports/provider';
import { isAgentName } from '../breaker/names';
import { createAlarm } from '../kernel/alarm';
import type { OutageState } from './state';
import type { OutagesDeps } from './outage-deps';
import {
  isUntroubled,
  onRetryAtPassed,
  onCallOutcome,
  onSetBack,
  onTried,
  onTurnTrial,
} from './plan-outage';
import { nextProbe, nextTurnTrial, type NextProbe, type ProbeWhy } from './plan-probe';
import { isNamedLimit } from './waiting-turns';
import type { Writer } from './writer';

export interface ProbeReport {
  readonly ok: boolean;
  readonly durationMs: number;
  readonly error?: string;
}

/** Time limit of a light request. */
const PROBE_TIMEOUT_MS = 30_000;
const ONLY_BY_TURN = 'it can be checked only by one of its own turns.';
/**
 * A sleep does not count time in which the computer is asleep, and does not notice a changed clock.
 */
const MAX_SLEEP_MS = 30_000;
/** External signs may come in bursts. */
const SIGN_EVERY_MS = 5_000;

/** Probes providers that are down, each when due; one timer for all of them. */
interface Prober {
  readonly ask: (provider: string, why: ProbeWhy | 'asked' | 'ping') => Promise<ProbeReport>;
  readonly nextOf: (record: ProviderRecord) => NextProbe | undefined;
  readonly isProbing: (provider: string) => boolean;
  /** One timer for the next relevant instant; no polling while nothing is down. */
  readonly arm: () => void;
  /** More turns wait: the moment at which a wait ends may come first. */
  readonly armUnlessArmed: () => void;
  /** An external sign: probe those that are down now. */
  readonly onSign: () => void;
  readonly isStarted: () => boolean;
  readonly start: () => void;
  readonly stop: () => void;
}

export function createProber(
  deps: OutagesDeps,
  state: OutageState,
  writer: Pick<Writer, 'take'>,
): Prober {
  const { clock } = deps;
  const { recordOf, breakerOf, viewOf, factsOf, known, limitHolderOf, shownRecordOf } =
    state.providers;
  const { waitingOf, outOf, oldestSinceMs } = state.turns;
  const { take } = writer;
  const probing = new Map<string, AbortController>();
  let isStarted = false;
  let lastSignAtMs = Number.NEGATIVE_INFINITY;

  const oldestBoundedMs = (): number | undefined =>
    oldestSinceMs((one) => !isNamedLimit({ ...one, record: shownRecordOf(one.provider) }));

  const nextOf = (record: ProviderRecord): NextProbe | undefined => {
    const { provider } = record;
    const breaker = viewOf(provider);
    if (probing.has(provider)) return undefined;
    if (breaker === undefined && isUntroubled(record)) return undefined;
    return (isAgentName(provider) ? nextTurnTrial : nextProbe)({
      record,
      breaker: breaker ?? breakerOf(provider).view(),
      policy: deps.policy(),
      hasCanary: waitingOf(provider) + outOf(provider) > 0,
      nowMs: clock.nowMs(),
    });
  };

  const arm = (): void => {
    alarm.clear();
    if (!isStarted) return;
    const nowMs = clock.nowMs();
    const wanted: number[] = [];
    for (const provider of known()) {
      const record = recordOf(provider);
      const next = nextOf(record);
      if (next !== undefined) wanted.push(next.atMs);
      if (record.standing.kind === 'quota') wanted.push(record.standing.untilMs);
    }
    const longest = oldestBoundedMs();
    if (longest !== undefined) wanted.push(longest + deps.policy().maxWaitMs);
    if (wanted.length === 0) return;
    const delayMs = Math.max(0, Math.min(...wanted) - nowMs);
    alarm.set(Math.min(delayMs, MAX_SLEEP_MS));
  };

  const tick = (): void => {
    const nowMs = clock.nowMs();
    for (const provider of known()) {
      const moved = onSetBack(recordOf(provider), { nowMs });
      if (moved !== undefined) take(moved);
      const record = recordOf(provider);
      if (record.standing.kind === 'quota' && record.standing.untilMs <= nowMs)
        take(onRetryAtPassed(record, factsOf(provider)));
      const next = nextOf(recordOf(provider));
      if (next !== undefined && next.atMs <= nowMs) void ask(provider, next.why);
    }
    const oldest = oldestBoundedMs();
    // The next pass parks the turn.
    if (oldest !== undefined && oldest + deps.policy().maxWaitMs <= nowMs) deps.on.free();
    arm();
  };
  const alarm = createAlarm(clock, tick);

  /**
   * The breaker's permission if the probe is part of its schedule; interval probes bypass an open
   * breaker. R2
   */
  const permissionFor = (
    provider: string,
    why: ProbeWhy | 'asked' | 'ping',
  ): { readonly permit?: Permit; readonly refused?: string } => {
    const breaker = breakerOf(provider);
    const view = breaker.view();
    const isDue =
      view.state !== 'open' || (view.nextTrialAtMs ?? Number.MAX_VALUE) <= clock.nowMs();
    if (!isDue && why !== 'ping' && why !== 'trial') return {};
    const admission = breaker.allow();
    if (admission.kind === 'allowed') return { permit: admission };
    return why === 'ping' || why === 'trial' ? { refused: admission.reason } : {};
  };

  const tryWithTurn = (provider: string, why: ProbeWhy | 'asked' | 'ping'): ProbeReport => {
    // A ping does not count toward a limit, so it does not end a wait for one. LM-08
    if (why === 'ping' && recordOf(provider).standing.kind === 'quota')
      return { ok: false, durationMs: 0, error: ONLY_BY_TURN };
    const nowMs = clock.nowMs();
    const due = nextProbeOfInterval(recordOf(provider));
    const isInterval = due !== undefined && due <= nowMs;
    const { kind } = recordOf(provider).standing;
    const isTried = kind === 'down' || kind === 'quota';
    take(
      kind === 'quota'
        ? onRetryAtPassed(recordOf(provider), factsOf(provider))
        : onTurnTrial(recordOf(provider), { nowMs, isInterval }),
    );
    const error = isTried ? `${ONLY_BY_TURN} The next turn checks it now.` : ONLY_BY_TURN;
    return { ok: false, durationMs: 0, error };
  };

  const ask = async (provider: string, why: ProbeWhy | 'asked' | 'ping'): Promise<ProbeReport> => {
    const holder = limitHolderOf(provider);
    if (holder !== undefined && holder !== provider && why === 'asked') return ask(holder, why);
    if (isAgentName(provider)) return tryWithTurn(provider, why);
    const startedAtMs = clock.nowMs();
    const startedMs = clock.monotonicMs();
    const permission = permissionFor(provider, why);
    if (permission.refused !== undefined)
      return { ok: false, durationMs: 0, error: permission.refused };
    const abort = new AbortController();
    probing.set(provider, abort);
    deps.on.changed();
    const timer = new AbortController();
    clock
      .sleep(PROBE_TIMEOUT_MS, timer.signal)
      .then(() => {
        abort.abort();
      })
      .catch(() => undefined);
    let outcome: ProviderProbe;
    try {
      outcome = await deps.ask(provider, abort.signal);
    } finally {
      timer.abort();
      probing.delete(provider);
    }
    const durationMs = Math.round(clock.monotonicMs() - startedMs);
    if (!isStarted) return { ok: false, durationMs, error: 'Holdfast is stopping.' };
    if (deps.agents.isGone(provider))
      return { ok: false, durationMs, error: 'It was removed from the settings meanwhile.' };
    judge(provider, why, outcome, { permit: permission.permit, startedAtMs });
    return {
      ok: outcome.kind === 'ok',
      durationMs,
      ...(outcome.kind === 'ok' ? {} : { error: outcome.failure.message.slice(0, 500) }),
    };
  };

  const judge = (
    provider: string,
    why: ProbeWhy | 'asked' | 'ping',
    outcome: ProviderProbe,
    of: { readonly permit: Permit | undefined; readonly startedAtMs: number },
  ): void => {
    const breaker = breakerOf(provider);
    const ok = outcome.kind === 'ok';
    if (of.permit !== undefined) {
      if (ok) breaker.onSuccess(of.permit);
      else if (outcome.kind === 'key') breaker.onIgnored(of.permit);
      else breaker.onFailure(of.permit, outcome.failure.message);
    } else if (ok) breaker.onAnswerWhileOpen();
    const before = recordOf(provider);
    const due = nextProbeOfInterval(before);
    const tried = onTried(before, {
      ok,
      startedAtMs: of.startedAtMs,
      isInterval: due !== undefined && due <= of.startedAtMs,
    });
    // A light request does not test a limit. A user who requests one does not want to wait, so the
    // first turn finds out.
    const isCalledOff = ok && why === 'asked' && before.standing.kind === 'quota';
    const change = isCalledOff
      ? onRetryAtPassed(tried, factsOf(provider))
      : onCallOutcome(
          tried,
          {
            kind: ok ? 'success' : outcome.kind === 'key' ? 'config' : 'failure',
            ...(ok ? {} : { failure: outcome.failure }),
            source: why === 'trial' ? 'trial' : 'probe',
          },
          factsOf(provider),
        );
    deps.audit.record('provider_probed', { provider, why, ok });
    take(change, undefined, [
      {
        kind: 'provider.probed',
        provider,
        why: why === 'ping' ? 'asked' : why,
        ok,
        ...(ok ? {} : { error: outcome.failure.message.slice(0, 500) }),
        record: change.record,
      },
    ]);
  };

  const nextProbeOfInterval = (record: ProviderRecord): number | undefined =>
    record.standing.kind === 'down' || record.standing.kind === 'key'
      ? (record.probeAnchorMs ?? record.standing.sinceMs) + deps.policy().intervalMs
      : undefined;

  return {
    ask,
    nextOf,
    isProbing: (provider) => probing.has(provider),
    arm,
    armUnlessArmed() {
      if (!alarm.isSet) arm();
    },
    onSign() {
      const nowMs = clock.monotonicMs();
      if (!isStarted || nowMs - lastSignAtMs < SIGN_EVERY_MS) return;
      for (const provider of known()) {
        if (recordOf(provider).standing.kind !== 'down' || probing.has(provider)) continue;
        // A sign after which no provider was probed does not count toward a burst.
        lastSignAtMs = nowMs;
        void ask(provider, 'asked');
      }
    },
    isStarted: () => isStarted,
    start() {
      isStarted = true;
    },
    stop() {
      isStarted = false;
      alarm.clear();
      for (const abort of probing.values()) abort.abort();
    },
  };
}
