/** How much of a usage limit is used, for a list of connections. Pure. LM-09 */
import { t } from '../../shared/messages';
import { spanText } from '../../shared/durations';
import type { HeldItem, LimitUse } from '../../shared/types/outage';
import { clockText } from '../parts/time-view';
import { titleOf } from './outages-view';

/** What a turn waits for, and until when if that is known. LM-10 */
export function heldText(
  { cause, untilMs, provider, isCanary }: HeldItem,
  nowMs: number,
  locale?: string,
): string {
  const name = titleOf(provider);
  if (isCanary) return t('held.checks', { name });
  const what = t(cause === 'quota' || cause === 'retry_after' ? 'held.limit' : 'held.provider', {
    name,
  });
  return untilMs === undefined || untilMs <= nowMs
    ? what
    : t('held.until', {
        what,
        time: clockText(untilMs, nowMs, locale),
        span: spanText(untilMs - nowMs),
      });
}

/** Warnings of usage limits for Home, the fullest first; at most two. LM-09 */
export function limitWarnings(limits: readonly LimitUse[] | undefined): readonly string[] {
  return (limits ?? [])
    .filter(({ isWarning }) => isWarning)
    .toSorted((one, other) => (other.usedPercent ?? 100) - (one.usedPercent ?? 100))
    .slice(0, 2)
    .map(({ sentence }) => sentence);
}

export function limitText(
  { usedPercent, resetsAtMs }: Pick<LimitUse, 'usedPercent' | 'resetsAtMs'>,
  nowMs: number,
  locale?: string,
): string {
  const used =
    usedPercent === undefined
      ? t('connections.limitNear')
      : t('connections.limitUsed', { count: usedPercent });
  return resetsAtMs === undefined
    ? used
    : `${used}, ${t('connections.limitResets', { time: clockText(resetsAtMs, nowMs, locale) })}`;
}
