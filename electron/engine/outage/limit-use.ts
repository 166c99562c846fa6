/** How much of a usage limit is used before the limit is reached. Pure. LM-09 */
import type { LimitWindow } from '../../../shared/limits/read-limit';
import { providerTitle } from '../../../shared/provider-title';
import type { LimitUse } from '../../../shared/types/outage';
import type { NotedLimit } from '../../ports/journal/outage';
import type { TimeText } from './describe-outage';

/** From this share on it is a warning, whatever the agent calls it. */
const WARNS_FROM = 0.8;
/** A report without a reset time is outdated after the shortest window of a limit. */
const HOLDS_MS = 5 * 3_600_000;

const NAMES: Readonly<Record<LimitWindow, string>> = {
  session: 'session limit',
  weekly: 'weekly limit',
  daily: 'daily limit',
  monthly: 'monthly limit',
  model: 'limit of this model',
  credit: 'credit',
  other: 'usage limit',
};

/** Undefined if nothing is known now. A limit that is reached is shown as a wait instead. */
export function limitUseOf(
  provider: string,
  { notice, atMs, end }: NotedLimit,
  { nowMs, time }: { readonly nowMs: number; readonly time: TimeText },
): LimitUse | undefined {
  const { status, used, limit } = notice;
  const resetsAtMs = end?.atMs;
  const isOver = resetsAtMs === undefined ? nowMs - atMs > HOLDS_MS : resetsAtMs <= nowMs;
  if (isOver || status === 'reached') return undefined;
  if (used === undefined && status === 'allowed') return undefined;
  const usedPercent =
    used === undefined ? undefined : Math.min(100, Math.max(0, Math.round(used * 100)));
  const name = NAMES[limit.window];
  const resets = resetsAtMs === undefined ? '' : `; it resets at ${time(resetsAtMs)}`;
  const what =
    usedPercent === undefined
      ? `the ${name} is nearly reached`
      : `${String(usedPercent)}% of the ${name} is used`;
  return {
    window: limit.window,
    ...(usedPercent === undefined ? {} : { usedPercent }),
    isWarning: status === 'warning' || (used ?? 0) >= WARNS_FROM,
    ...(resetsAtMs === undefined ? {} : { resetsAtMs }),
    sentence: `${providerTitle(provider)}: ${what}${resets}.`.slice(0, 300),
  };
}

/**
 * The report to store in place of the stored one: a warning with its latest percentage, so at most
 * 20 reports per window. Undefined if nothing that is shown would change. Pure.
 */
export function warningToStore(
  stored: NotedLimit | undefined,
  noted: NotedLimit,
  now: { readonly nowMs: number; readonly time: TimeText },
): { readonly warned: NotedLimit | undefined } | undefined {
  const shown = (one: NotedLimit | undefined): LimitUse | undefined =>
    one === undefined ? undefined : limitUseOf('', one, now);
  const next = shown(noted);
  const warned = next?.isWarning === true ? noted : undefined;
  return shown(stored)?.sentence === shown(warned)?.sentence ? undefined : { warned };
}
