/** How far a usage limit is used, for a list of connections. Pure. LM-09 */
import { t } from '../../shared/messages';
import type { LimitUse } from '../../shared/types/outage';
import { clockText } from '../parts/time-view';

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
