/** Thirty days of one provider: used, down and for how long, and its cost. Pure. */
import type { OutageRecord } from '../../shared/types/outage';
import type { UsageLine } from '../../shared/types/gateway';
import { isoDay } from '../parts/time-view';

export const STRIP_DAYS = 30;

interface StripDay {
  readonly startMs: number;
  readonly kind: 'up' | 'unused' | 'down';
  readonly downMs: number;
}
export interface ProviderDaysFacts {
  readonly days: readonly StripDay[];
  readonly outages: number;
  readonly downMs: number;
  readonly usedDays: number;
  /** Absent if no price is known. */
  readonly costUsd?: number;
  readonly tokens: number;
}

/**
 * A day without a request or an outage counts as unused: nothing shows that the provider was up.
 */
export function providerDays(
  provider: string,
  outages: readonly OutageRecord[],
  lines: readonly UsageLine[],
  nowMs: number,
): ProviderDaysFacts {
  const own = outages.filter((one) => one.provider === provider);
  const used = lines.filter((line) => line.provider === provider && line.count > 0);
  const usedDays = new Set(used.map(({ day }) => day));
  const today = new Date(nowMs);
  today.setHours(0, 0, 0, 0);
  const days = Array.from({ length: STRIP_DAYS }, (_, at): StripDay => {
    const start = new Date(today);
    start.setDate(start.getDate() - (STRIP_DAYS - 1 - at));
    const end = new Date(start);
    end.setDate(end.getDate() + 1);
    const downMs = own.reduce((sum, one) => {
      const toMs = Math.min(one.resolvedAtMs ?? nowMs, end.getTime());
      return sum + Math.max(0, toMs - Math.max(one.startedAtMs, start.getTime()));
    }, 0);
    const kind = downMs > 0 ? 'down' : usedDays.has(isoDay(start)) ? 'up' : 'unused';
    return { startMs: start.getTime(), kind, downMs };
  });
  const fromMs = days[0]?.startMs ?? nowMs;
  const inside = own.filter((one) => (one.resolvedAtMs ?? nowMs) > fromMs);
  const costs = used.flatMap(({ costUsd }) => (costUsd === undefined ? [] : [costUsd]));
  return {
    days,
    outages: inside.length,
    downMs: days.reduce((sum, day) => sum + day.downMs, 0),
    usedDays: usedDays.size,
    tokens: used.reduce((sum, line) => sum + line.inputTokens + line.outputTokens, 0),
    ...(costs.length === 0 ? {} : { costUsd: costs.reduce((sum, cost) => sum + cost, 0) }),
  };
}
