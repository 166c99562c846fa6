/** The outcome of today's interrupted turns. Pure. */
import { t } from '../../shared/messages';
import type { InboxItem, TurnSummary } from '../../shared/types';
import { dayStartMs } from '../parts/time-view';

interface TodayCounts {
  readonly interrupted: number;
  readonly resumed: number;
  readonly asked: number;
}

/**
 * Today's turns that ran again, and those that asked the user. A turn that asked and then continued
 * counts as asked.
 */
export function todayCounts(
  turns: readonly TurnSummary[],
  items: readonly InboxItem[],
  nowMs: number,
): TodayCounts {
  const fromMs = dayStartMs(nowMs);
  const asked = new Set(
    items.flatMap(({ kind, turnId, createdAtMs }) =>
      kind === 'replay_decision' && turnId !== undefined && createdAtMs >= fromMs ? [turnId] : [],
    ),
  );
  const resumed = turns.filter(
    ({ id, reused, startedAtMs, endedAtMs, acceptedAtMs }) =>
      reused > 0 && !asked.has(id) && (endedAtMs ?? startedAtMs ?? acceptedAtMs) >= fromMs,
  ).length;
  return { interrupted: resumed + asked.size, resumed, asked: asked.size };
}

export function todayText({ interrupted, resumed, asked }: TodayCounts): string {
  const head = t('with.today', { count: interrupted });
  if (interrupted === 0) return head;
  return `${head} ${t('with.today.of', { number: resumed, count: interrupted, what: asked })}`;
}
