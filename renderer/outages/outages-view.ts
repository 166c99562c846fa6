/** Texts of the outages page, derived from the health of the providers. Pure. */
import { agentTitle } from '../agents/agent-titles';
import type { ExtView, StatusSnapshot, TrayState } from '../../shared/types';
import type {
  BreakerView,
  OutageRecord,
  ProviderHealth,
  ProviderState,
} from '../../shared/types/outage';
import { t } from '../../shared/messages';
import { providerTitle } from '../../shared/provider-title';
import { oneLine } from '../parts/inert-view';
import { clockText, localClocks } from '../parts/time-view';
import { firstSentence } from '../parts/tool-name';

/** The name of a provider for use in a sentence: on one line, with unusual characters escaped. */
export const titleOf = (provider: string): string =>
  oneLine(providerTitle(provider, agentTitle), 64);

/** Worst first: down, then needing the user, then waiting for a time. */
const ORDER: readonly ProviderState[] = [
  'down',
  'trying',
  'recovering',
  'key',
  'failing',
  'quota',
  'answering',
];

/** Worst first; equal ones keep their order. */
export function byUrgency<P extends { readonly state: ProviderState }>(
  providers: readonly P[],
): readonly P[] {
  return providers.toSorted((one, other) => ORDER.indexOf(one.state) - ORDER.indexOf(other.state));
}

/** Down, or being tried or drained afterward: the outage is still in progress. */
export const isOutage = (state: ProviderState): boolean =>
  state === 'down' || state === 'trying' || state === 'recovering';

/** Current outages, for the count in the sidebar. */
export const openOutages = (status: Pick<StatusSnapshot, 'outside'> | undefined): number =>
  (status?.outside?.providers ?? []).filter(({ state }) => isOutage(state)).length;

/** The last outage that ended, while it is recent: of one provider, or of any. */
export function endedOutage(
  outages: readonly OutageRecord[],
  facts: {
    readonly nowMs: number;
    readonly closedId: number;
    readonly provider?: string | undefined;
  },
): (OutageRecord & { readonly resolvedAtMs: number }) | undefined {
  const { nowMs, closedId, provider } = facts;
  const [last] = outages
    .flatMap((one) =>
      one.resolvedAtMs === undefined ? [] : [{ ...one, resolvedAtMs: one.resolvedAtMs }],
    )
    .filter((one) => provider === undefined || one.provider === provider)
    .toSorted((one, other) => other.resolvedAtMs - one.resolvedAtMs);
  return last === undefined || last.outageId <= closedId || nowMs - last.resolvedAtMs > NEWS_MS
    ? undefined
    : last;
}

/** After this an outage counts as past, whether or not the user closed it. */
const NEWS_MS = 12 * 3_600_000;

interface PageHead {
  readonly tray: TrayState;
  readonly title: string;
  readonly sub: string;
}

const TRAY: Readonly<Record<ProviderState, TrayState>> = {
  answering: 'idle',
  failing: 'degraded',
  down: 'outage',
  trying: 'outage',
  recovering: 'outage',
  quota: 'paused',
  key: 'attention',
};

type Headed = Pick<
  ProviderHealth,
  | 'provider'
  | 'state'
  | 'waiting'
  | 'failedTurns'
  | 'outageThreshold'
  | 'quotaUntilMs'
  | 'ramp'
  | 'lastError'
>;

/** What waits, and why the provider is down: its last error. */
function withReason(sub: string, lastError: string | undefined, locale?: string): string {
  if (lastError === undefined || lastError.trim() === '') return sub;
  const reason = oneLine(localClocks(lastError, locale), 160);
  const text = /[.!?…]$/.test(reason) ? reason : `${reason}.`;
  return t('outages.sub.because', { what: text, text: sub });
}

/** Headline of one provider, and the line below it. */
export function providerHead(health: Headed, nowMs: number, locale?: string): PageHead {
  const { state, waiting, quotaUntilMs } = health;
  const name = titleOf(health.provider);
  const tray = TRAY[state];
  switch (state) {
    case 'answering':
      return {
        tray,
        title: t('outages.head.answering', { count: 1 }),
        sub:
          waiting === 0
            ? t('outages.sub.answering')
            : t('outages.sub.answeringWaits', { count: waiting }),
      };
    case 'failing':
      return {
        tray,
        title: t('outages.head.failing', { name }),
        sub: withReason(
          t('outages.sub.failing', {
            count: health.failedTurns,
            text: String(health.outageThreshold),
          }),
          health.lastError,
          locale,
        ),
      };
    case 'down':
    case 'trying':
      return {
        tray,
        title: t(`outages.head.${state}`, { name }),
        sub: withReason(t('outages.sub.wait', { count: waiting }), health.lastError, locale),
      };
    case 'recovering':
      return {
        tray,
        title: t('outages.head.recovering', { name }),
        sub:
          health.ramp === undefined || health.ramp === 1
            ? t('outages.sub.canary', { count: waiting })
            : t('outages.sub.ramp', { count: waiting, text: String(health.ramp) }),
      };
    case 'quota':
      return {
        tray,
        title:
          quotaUntilMs === undefined
            ? t('outages.head.quota', { name })
            : t('outages.head.quotaUntil', { name, time: clockText(quotaUntilMs, nowMs, locale) }),
        sub: t('outages.sub.quota', { count: waiting }),
      };
    case 'key':
      return {
        tray,
        title: t('outages.head.key', { name }),
        sub: t('outages.sub.key', { count: waiting }),
      };
  }
}

/** Headline while every provider responds. */
export function calmHead(providers: readonly Pick<ProviderHealth, 'waiting'>[]): PageHead {
  const waiting = providers.reduce((sum, one) => sum + one.waiting, 0);
  return {
    tray: 'idle',
    title: t('outages.head.answering', { count: providers.length }),
    sub:
      providers.length === 0
        ? t('outages.sub.none')
        : waiting === 0
          ? t('outages.sub.answering')
          : t('outages.sub.answeringWaits', { count: waiting }),
  };
}

/** The provider of the page: the requested one, or the worst one that is down. */
export function chosenProvider(
  providers: readonly ProviderHealth[],
  asked: string | undefined,
): ProviderHealth | undefined {
  return (
    providers.find((one) => one.provider === asked) ??
    byUrgency(providers).find(({ state }) => state !== 'answering')
  );
}

export interface ConnectionLook {
  readonly name: string;
  readonly word: string;
  readonly tone: 'ok' | 'outage' | 'attention' | 'waiting';
  readonly isQuota: boolean;
  /**
   * The switch as drawn. A provider whose turns failed is down before its breaker opens: a closed
   * switch must not be shown next to that label. R1
   */
  readonly lever: BreakerView['state'];
  /** Lower is worse. */
  readonly rank: number;
}

const STATE_TONE: Readonly<Record<ProviderState, ConnectionLook['tone']>> = {
  answering: 'ok',
  failing: 'attention',
  down: 'outage',
  trying: 'attention',
  recovering: 'ok',
  quota: 'waiting',
  key: 'attention',
};

/** Names of breakers contain their kind: for `mcp.files`, this is `files`. */
const plainName = (name: string): string => {
  const dot = name.indexOf('.');
  return dot < 0 ? (name === 'nats' ? 'NATS' : name) : name.slice(dot + 1);
};

/** The channel of this window: not external, and shown only while it accepts no answers. */
export const isOwnWindow = ({
  name,
  dependency,
}: Pick<BreakerView, 'name' | 'dependency'>): boolean =>
  dependency === 'channel' && plainName(name) === 'window';

/**
 * Whether it is in use. The breaker of an MCP server that is skipped or disabled is closed only
 * because it is never called.
 */
export const isThere = (
  {
    name,
    dependency,
    state,
    failures,
  }: Pick<BreakerView, 'name' | 'dependency' | 'state' | 'failures'>,
  servers: readonly Pick<ExtView, 'name' | 'state'>[],
): boolean =>
  dependency !== 'mcp' ||
  state !== 'closed' ||
  failures > 0 ||
  servers.some((server) => server.name === plainName(name) && server.state === 'running');

/**
 * A connection in a list: a provider by its health, anything else by its breaker. Lists show up,
 * down, or checking; the breaker's own terms appear only in its picture.
 */
export function connectionLook(
  breaker: Pick<BreakerView, 'name' | 'state' | 'dependency' | 'failures'>,
  health: Pick<ProviderHealth, 'provider' | 'state' | 'quotaUntilMs'> | undefined,
  nowMs: number,
  locale?: string,
): ConnectionLook {
  const state: ProviderState =
    health?.state ??
    (breaker.state === 'open'
      ? 'down'
      : breaker.state === 'half_open'
        ? 'trying'
        : breaker.failures > 0
          ? 'failing'
          : 'answering');
  const word =
    health?.state === 'quota' && health.quotaUntilMs !== undefined
      ? t('connection.quotaUntil', { time: clockText(health.quotaUntilMs, nowMs, locale) })
      : t(`connection.${state}`);
  return {
    name: oneLine(
      breaker.dependency === 'provider'
        ? providerTitle(health?.provider ?? plainName(breaker.name))
        : breaker.dependency === 'browser'
          ? t('connections.browser', { id: plainName(breaker.name) })
          : isOwnWindow(breaker)
            ? t('channels.kind.window')
            : breaker.dependency === 'agent'
              ? agentTitle(plainName(breaker.name))
              : plainName(breaker.name),
      64,
    ),
    word,
    tone: STATE_TONE[state],
    isQuota: state === 'quota',
    lever: state === 'down' ? 'open' : state === 'trying' ? 'half_open' : breaker.state,
    rank: ORDER.indexOf(state),
  };
}

interface Ending {
  readonly lead: string;
  readonly rest: string;
  readonly state: 'done' | 'now' | 'ahead';
}

type EndingFacts = Pick<
  ProviderHealth,
  'state' | 'waiting' | 'ramp' | 'quotaUntilMs' | 'failedTurns' | 'outageThreshold'
> & { readonly breaker: Pick<BreakerView, 'successThreshold'> };

/** The steps that lead out of a state, and which of them are done. */
export function howItEnds(health: EndingFacts, nowMs: number, locale?: string): readonly Ending[] {
  switch (health.state) {
    case 'answering':
      return [];
    case 'key':
      return [
        { lead: t('ends.key'), rest: t('ends.key.next'), state: 'now' },
        { lead: t('ends.rest'), rest: t('ends.rest.next'), state: 'ahead' },
      ];
    case 'quota':
      return [
        {
          lead:
            health.quotaUntilMs === undefined
              ? t('ends.quota.open')
              : t('ends.quota', { time: clockText(health.quotaUntilMs, nowMs, locale) }),
          rest: t('ends.quota.next'),
          state: 'now',
        },
        { lead: t('ends.rest'), rest: t('ends.rest.next'), state: 'ahead' },
      ];
    case 'failing':
      return [
        { lead: t('ends.failing'), rest: t('ends.failing.next'), state: 'now' },
        {
          lead: t('ends.failing.or'),
          rest: t('ends.failing.orNext', {
            count: Math.max(1, health.outageThreshold - health.failedTurns),
          }),
          state: 'ahead',
        },
      ];
    case 'down':
    case 'trying':
    case 'recovering':
      return wayBack(health);
  }
}

/** A trial, a second success, then everything that waits. */
function wayBack({ state, waiting, ramp, breaker }: EndingFacts): readonly Ending[] {
  const isBack = state === 'recovering';
  const isFollowing = isBack && ramp !== undefined && ramp > 1;
  const wanted = breaker.successThreshold;
  const closes = t('ends.second.next');
  const goesFirst = t('ends.trial.next', { count: waiting });
  return [
    {
      lead: t('ends.trial'),
      // If one success is enough, the breaker closes before the first turn starts.
      rest: wanted === 1 ? `${closes} ${goesFirst}` : goesFirst,
      state: isBack ? 'done' : 'now',
    },
    {
      lead: t('ends.second'),
      rest: wanted > 2 ? t('ends.more', { count: wanted }) : wanted === 1 ? '' : closes,
      state: isFollowing ? 'done' : isBack ? 'now' : 'ahead',
    },
    {
      lead: t('ends.rest'),
      rest: isFollowing ? t('ends.rest.now', { text: String(ramp) }) : t('ends.rest.next'),
      state: isFollowing ? 'now' : 'ahead',
    },
  ];
}

/** Why its breaker has this state, and when the next probe starts. */
interface BreakerFacts {
  readonly why: string;
  /** The text after the first sentence. */
  readonly rest: string;
  readonly nextAtMs?: number;
}

/**
 * An outage may be declared before the breaker opens. Turns already wait then, so the text must not
 * say that calls go through. R2
 */
export function breakerFacts({
  state,
  breaker,
  nextTryAtMs,
}: Pick<ProviderHealth, 'state' | 'breaker' | 'nextTryAtMs'>): BreakerFacts {
  if (breaker.state === 'closed' && (state === 'down' || state === 'trying'))
    return {
      why: t('breaker.stillClosed', {
        count: breaker.failures,
        text: String(breaker.failureThreshold),
      }),
      rest: '',
      ...(nextTryAtMs === undefined ? {} : { nextAtMs: nextTryAtMs }),
    };
  const explanation = localClocks(breaker.explanation);
  const why = firstSentence(explanation);
  const { nextTrialAtMs } = breaker;
  return {
    why,
    rest: explanation.slice(why.length).trim(),
    ...(breaker.state === 'closed' || nextTrialAtMs === undefined
      ? {}
      : { nextAtMs: nextTrialAtMs }),
  };
}
