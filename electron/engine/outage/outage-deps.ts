import { durationMs } from '../../../shared/settings';
import type { Breakers } from '../../ports/breakers';
import type { Basics } from '../kernel/basics';
import type { OutageReads } from '../../ports/journal/outage';
import type { TurnReads } from '../../ports/journal/reads';
import type { TurnRow } from '../../ports/journal/rows';
import type { ProviderProbe } from '../../ports/provider';
import type { SettingsPort } from '../../ports/settings';
import type { TimeText } from './describe-outage';

export interface OutagePolicy {
  readonly threshold: number;
  readonly intervalMs: number;
  readonly isEarly: boolean;
  readonly isAutoWait: boolean;
  readonly isQuotaWait: boolean;
  /**
   * The wait after a limit without a reset time, and the longest wait after several in a row. LM-04
   */
  readonly limitFirstMs: number;
  readonly limitMaxMs: number;
  /** `limits.margin`: added to a named reset. LM-06 */
  readonly limitMarginMs: number;
  /** `limits.max_wait`: a reset later than this needs a decision of the user. LM-02 */
  readonly limitNamedMaxMs: number;
  readonly limitNamedMostText: string;
  /** `limits.max_windows` */
  readonly limitWindows: number;
  /** Time zone of this computer, for resets that name none: a quarter of a millisecond to ask for. */
  readonly zone: () => string;
  readonly maxWaitMs: number;
  /** `resilience.max_wait` as it is written, for sentences. */
  readonly maxWaitText: string;
}

export interface OutagesDeps extends Pick<
  Basics,
  'journal' | 'clock' | 'crashPoints' | 'audit' | 'log'
> {
  readonly reads: OutageReads & TurnReads;
  readonly breakers: Breakers;
  readonly policy: () => OutagePolicy;
  readonly agents: {
    /** The provider that a turn needs; undefined if it needs none. */
    readonly providerOf: (turn: TurnRow) => string | undefined;
    /** All that share its usage limit, itself included, in a stable order. LM-05 */
    readonly accountOf: (provider: string) => readonly string[];
    /** The settings no longer have the provider or agent. */
    readonly isGone: (provider: string) => boolean;
    /** The agent waits automatically (its `wait` setting). */
    readonly mayWait: (agent: string) => boolean;
    /** Its display name. */
    readonly titleOf: (agent: string) => string;
  };
  /** One light request. Never throws; ends at the signal. */
  readonly ask: (provider: string, signal: AbortSignal) => Promise<ProviderProbe>;
  readonly time: TimeText;
  readonly on: {
    /** Turns that could not start before may start now. */
    readonly free: () => void;
    readonly changed: () => void;
  };
}

/** The settings as they are now. */
export function readOutagePolicy(settings: SettingsPort, zone: () => string): OutagePolicy {
  const maxWait = settings.get('resilience.max_wait');
  const limitWait = settings.get('limits.max_wait');
  return {
    zone,
    threshold: settings.get('resilience.outage_threshold'),
    intervalMs: durationMs(settings.get('resilience.probe_interval')),
    isEarly: settings.get('resilience.early_probe'),
    isAutoWait: settings.get('resilience.auto_wait'),
    isQuotaWait: settings.get('resilience.wait_for_quota'),
    limitFirstMs: durationMs(settings.get('resilience.limit_first_wait')),
    limitMaxMs: durationMs(settings.get('resilience.limit_max_wait')),
    limitMarginMs: durationMs(settings.get('limits.margin')),
    limitNamedMaxMs: durationMs(limitWait),
    limitNamedMostText: String(limitWait),
    limitWindows: settings.get('limits.max_windows'),
    maxWaitMs: durationMs(maxWait),
    maxWaitText: String(maxWait),
  };
}
