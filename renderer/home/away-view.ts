/** While you were away: events while no window of Holdfast was viewed. Pure. */
import { t } from '../../shared/messages';
import type { TaskRun } from '../../shared/schedule/model';
import type { InboxItem, TurnSummary } from '../../shared/types';
import type { OutageRecord } from '../../shared/types/outage';
import { oneLine } from '../parts/inert-view';
import type { Look } from '../parts/state-view';
import { durationText } from '../parts/time-view';
import { firstSentence } from '../parts/title-view';
import type { Route } from '../route';
import { titleOf } from '../outages/outages-view';

/** A shorter absence does not count. */
export const AWAY_MS = 10 * 60_000;
/** More than these are in Events. */
const MAX_ROWS = 8;

/** From the last view of the window until it was opened again, epoch ms. */
export interface Away {
  readonly fromMs: number;
  readonly toMs: number;
}

export interface AwayFacts {
  readonly turns: readonly TurnSummary[];
  readonly outages: readonly OutageRecord[];
  readonly runs: readonly TaskRun[];
  readonly items: readonly InboxItem[];
}
interface AwayRow extends Look {
  readonly key: string;
  readonly text: string;
  readonly atMs: number;
  readonly route: Route;
}

/** The period to report: the gap, if it is one, otherwise one that was not dismissed yet. */
export function awayNow(
  lastSeenMs: number | undefined,
  known: Away | undefined,
  nowMs: number,
): Away | undefined {
  if (lastSeenMs === undefined || nowMs - lastSeenMs < AWAY_MS) return known;
  return { fromMs: known?.fromMs ?? lastSeenMs, toMs: nowMs };
}

const isIn = ({ fromMs, toMs }: Away, atMs: number | undefined): boolean =>
  atMs !== undefined && atMs > fromMs && atMs <= toMs;

/** What to report, most urgent kind first, within a kind the newest; completed turns as one row. */
export function awayRows(
  away: Away,
  { turns, outages, runs, items }: AwayFacts,
): { readonly rows: readonly AwayRow[]; readonly more: number } {
  const ended = turns.filter(({ endedAtMs }) => isIn(away, endedAtMs));
  const asks = items.filter(
    ({ kind, settledAtMs, createdAtMs }) =>
      settledAtMs === undefined &&
      (kind === 'approval' || kind === 'replay_decision' || kind === 'limit') &&
      isIn(away, createdAtMs),
  );
  const rows = [
    ...(asks.length === 0 ? [] : [askRow(asks)]),
    ...ended.filter(({ state }) => state === 'failed').map(failedRow),
    ...outages
      .filter((one) => isIn(away, one.startedAtMs) || isIn(away, one.resolvedAtMs))
      .map((one) => outageRow(one, away)),
    ...runs.filter(({ outcome, atMs }) => outcome !== 'ran' && isIn(away, atMs)).map(missedRow),
    ...completedRow(ended.filter(({ state }) => state === 'completed')),
  ];
  return { rows: rows.slice(0, MAX_ROWS), more: Math.max(0, rows.length - MAX_ROWS) };
}

const newest = (atMs: readonly number[]): number => Math.max(...atMs);

const askRow = (asks: readonly InboxItem[]): AwayRow => ({
  key: 'asks',
  tone: 'attention',
  mark: 'shield',
  text: t('away.asks', { count: asks.length }),
  atMs: newest(asks.map(({ createdAtMs }) => createdAtMs)),
  route: { kind: 'decisions' },
});

const failedRow = ({ id, promptStart, endedAtMs, acceptedAtMs }: TurnSummary): AwayRow => ({
  key: `turn-${String(id)}`,
  tone: 'outage',
  mark: 'cross',
  text: t('away.failed', { title: oneLine(firstSentence(promptStart), 100) }),
  atMs: endedAtMs ?? acceptedAtMs,
  route: { kind: 'turn', turnId: id },
});

function outageRow(outage: OutageRecord, { toMs }: Away): AwayRow {
  const { outageId, provider, startedAtMs, resolvedAtMs } = outage;
  const name = titleOf(provider);
  const isOver = resolvedAtMs !== undefined && resolvedAtMs <= toMs;
  return {
    key: `outage-${String(outageId)}`,
    tone: isOver ? 'muted' : 'outage',
    mark: isOver ? 'check' : 'cross',
    text: isOver
      ? t('away.outage', { name, duration: durationText(resolvedAtMs - startedAtMs) })
      : t('away.down', { name }),
    atMs: isOver ? resolvedAtMs : startedAtMs,
    route: { kind: 'outages' },
  };
}

const missedRow = ({ taskId, slotMs, atMs, words }: TaskRun): AwayRow => ({
  key: `task-${String(taskId)}-${String(slotMs)}`,
  tone: 'muted',
  mark: 'skip',
  text: oneLine(words, 160),
  atMs,
  route: { kind: 'schedule', taskId },
});

function completedRow(turns: readonly TurnSummary[]): readonly AwayRow[] {
  const [first] = turns;
  if (first === undefined) return [];
  return [
    {
      key: 'completed',
      tone: 'ok',
      mark: 'check',
      text: t('away.completed', { count: turns.length }),
      atMs: newest(turns.map(({ endedAtMs, acceptedAtMs }) => endedAtMs ?? acceptedAtMs)),
      route:
        turns.length === 1
          ? { kind: 'sessions', sessionId: first.sessionId }
          : { kind: 'sessions' },
    },
  ];
}

/** Parses the stored text; a damaged or missing one gives nothing. */
export function parseAway(stored: string | null): Away | undefined {
  try {
    const value = JSON.parse(stored ?? '') as Partial<Away> | null;
    return typeof value?.fromMs === 'number' && typeof value.toMs === 'number'
      ? { fromMs: value.fromMs, toMs: value.toMs }
      : undefined;
  } catch {
    return undefined;
  }
}
