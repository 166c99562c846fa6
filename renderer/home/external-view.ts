/**
 * Home's facts about external dependencies: banners, and rows of turns that wait for them. Pure.
 */
import { spanText } from '../../shared/durations';
import type { StatusSnapshot } from '../../shared/types';
import type { HeldItem } from '../../shared/types/outage';
import { t } from '../../shared/messages';
import { byUrgency, isOutage, titleOf } from '../outages/outages-view';
import { clockText } from '../parts/time-view';

type External = NonNullable<StatusSnapshot['outside']>['providers'][number];

export interface Banner {
  readonly provider: string;
  readonly tone: 'outage' | 'attention' | 'ok';
  readonly text: string;
  /** The next try, if one is known and none is running. */
  readonly nextTryAtMs?: number;
  readonly act: 'try' | 'settings' | 'none';
}

/**
 * The one provider of Home's headline: since when, what waits and the next try are then shown in
 * the row of its turns, and no banner repeats them. Absent if the headline is about something else,
 * names several, or has no row below it.
 */
function inHeadline(status: Pick<StatusSnapshot, 'outside' | 'tray'>): External | undefined {
  if (status.tray !== 'outage') return undefined;
  const [one, ...others] = (status.outside?.providers ?? []).filter(({ state }) => isOutage(state));
  return others.length > 0 || one?.waiting === 0 ? undefined : one;
}

/** Maximum number of banners; more are shown in Outages. */
const MAX_BANNERS = 2;

/** Providers that are down, recovering, or rejecting the key; the worst first. */
export function bannersOf(
  status: Pick<StatusSnapshot, 'outside' | 'nowMs' | 'tray'>,
  locale?: string,
): readonly Banner[] {
  const named = inHeadline(status)?.provider;
  return byUrgency(status.outside?.providers ?? [])
    .filter(({ state, provider }) => (isOutage(state) && provider !== named) || state === 'key')
    .slice(0, MAX_BANNERS)
    .map((one) => bannerOf(one, status.nowMs, locale));
}

function bannerOf(one: External, nowMs: number, locale: string | undefined): Banner {
  const { provider, state, waiting, downSinceMs, nextTryAtMs } = one;
  const name = titleOf(provider);
  if (state === 'key') {
    return { provider, tone: 'attention', text: t('banner.key', { name }), act: 'settings' };
  }
  if (state === 'recovering') {
    const text = t('banner.recovering', { name, count: waiting });
    return { provider, tone: 'ok', text, act: 'none' };
  }
  const since =
    downSinceMs === undefined
      ? t('outages.head.down', { name }).concat('.')
      : t('banner.outage', { name, time: clockText(downSinceMs, nowMs, locale) });
  const waits = t('banner.waits', { count: waiting });
  if (state === 'trying') {
    return {
      provider,
      tone: 'outage',
      text: `${since} ${waits} ${t('banner.trying')}`,
      act: 'none',
    };
  }
  return {
    provider,
    tone: 'outage',
    text: `${since} ${waits}`,
    ...(nextTryAtMs === undefined ? {} : { nextTryAtMs }),
    act: 'try',
  };
}

export interface ExternalWait {
  readonly provider: string;
  readonly mark: 'outage' | 'clock' | 'triangle';
  readonly title: string;
  readonly about: string;
  /** When it continues, as text; the countdown of a try is drawn from `nextTryAtMs`. */
  readonly next?: string;
  readonly nextTryAtMs?: number;
  /** It can be probed from here, because no banner has the button. */
  readonly canTry: boolean;
}

/** Further ones are in Outages, with the same choices. */
const MAX_LIMITED = 3;

/** The first turns that wait for the usage limit of this provider: each can be decided from Home. LM-10 */
export const limitedTurns = (held: readonly HeldItem[], provider: string): readonly HeldItem[] =>
  held
    .filter((one) => one.provider === provider && one.cause === 'quota' && !one.isCanary)
    .slice(0, MAX_LIMITED);

/** One row for all turns that wait for the same provider. */
export function outsideWaits(
  status: Pick<StatusSnapshot, 'outside' | 'nowMs' | 'tray'>,
  locale?: string,
): readonly ExternalWait[] {
  // Content of a banner is not repeated below it.
  const told = new Set(bannersOf(status, locale).map(({ provider }) => provider));
  return byUrgency(status.outside?.providers ?? [])
    .filter(({ waiting }) => waiting > 0)
    .map((one): ExternalWait => {
      const { provider, state, waiting, downSinceMs, nextTryAtMs } = one;
      const name = titleOf(provider);
      const at = (ms: number): string => clockText(ms, status.nowMs, locale);
      if (state === 'quota') {
        return {
          provider,
          mark: 'clock',
          title: t('home.waits.quota', { count: waiting }),
          about: name,
          ...(nextTryAtMs === undefined
            ? {}
            : {
                next: t('home.waits.at', {
                  time: at(nextTryAtMs),
                  span: spanText(nextTryAtMs - status.nowMs),
                }),
              }),
          canTry: false,
        };
      }
      if (state === 'key') {
        return {
          provider,
          mark: 'triangle',
          title: t('home.waits.key', { count: waiting }),
          about: t('outages.head.key', { name }),
          canTry: false,
        };
      }
      const title = t('home.waits.outage', { count: waiting, name });
      if (told.has(provider)) return { provider, mark: 'outage', title, about: '', canTry: false };
      return {
        provider,
        mark: 'outage',
        title,
        about:
          downSinceMs === undefined || state === 'recovering'
            ? t(`connection.${state}`)
            : t('home.waits.since', { time: at(downSinceMs) }),
        ...(state === 'trying' ? { next: t('home.waits.trying') } : {}),
        ...(state !== 'down' || nextTryAtMs === undefined ? {} : { nextTryAtMs }),
        canTry: state === 'down',
      };
    });
}
