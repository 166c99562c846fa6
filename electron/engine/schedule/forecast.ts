import type { TaskForecast } from '../../../shared/schedule/model';
import { isNothingToDo, type Rule } from '../../../shared/schedule/states';
import type { CronDates } from '../../ports/dates';
import type { TurnRow } from '../../ports/journal/rows';
import type { SlotRow } from '../../ports/journal/schedule';
import { nextSlots } from './rule';

const DAY_MS = 86_400_000;
/** Days in a month of a forecast. */
const MONTH_DAYS = 30;
const MONTH_MS = MONTH_DAYS * DAY_MS;
/** Number of past runs used for a forecast. */
export const FORECAST_RUNS = 10;
/** Number of decisions searched for them, because some were skipped. */
export const FORECAST_SLOTS = 50;
/**
 * This many dates of an expression are enough to estimate its rate; a rarer one is counted in full.
 */
const RATED_SLOTS = 60;
/** A shorter history says nothing about a month. */
const SHORTEST_PAST_MS = DAY_MS;

/** One finished run. */
export interface PastRun {
  readonly atMs: number;
  readonly tokens: number;
  /** Absent if the cost is unknown. */
  readonly costUsd?: number;
}

/**
 * The runs used for a forecast, newest first: those whose turn has ended, and those whose check
 * found nothing to do, which cost nothing. Missed and skipped runs say nothing. Pure.
 */
export function pastRuns(
  slots: readonly SlotRow[],
  turnOf: (turnId: number) => TurnRow | undefined,
): readonly PastRun[] {
  return slots
    .flatMap((slot): PastRun[] => {
      if (slot.turnId === undefined)
        return isNothingToDo(slot.why) ? [{ atMs: slot.atMs, tokens: 0, costUsd: 0 }] : [];
      const turn = turnOf(slot.turnId);
      if (turn?.endedAtMs === undefined) return [];
      const { inputTokens, outputTokens, costUsd } = turn.usage;
      const cost = costUsd === undefined ? {} : { costUsd };
      return [{ atMs: slot.atMs, tokens: inputTokens + outputTokens, ...cost }];
    })
    .slice(0, FORECAST_RUNS);
}

/**
 * Runs of a rule within a month from now; undefined if only the past can tell. Only an expression
 * needs `dates`.
 */
export function monthlySlots(
  rule: Rule,
  nowMs: number,
  dates: CronDates | undefined,
): number | undefined {
  switch (rule.kind) {
    case 'interval':
      return MONTH_MS / rule.everyMs;
    case 'cron': {
      if (dates === undefined) return undefined;
      const next = nextSlots(rule, nowMs, RATED_SLOTS, dates);
      const last = next.at(-1);
      if (last === undefined || last >= nowMs + MONTH_MS)
        return next.filter((atMs) => atMs < nowMs + MONTH_MS).length;
      return next.length < RATED_SLOTS
        ? next.length
        : (next.length / Math.max(1, last - nowMs)) * MONTH_MS;
    }
    case 'once':
    case 'event':
      return undefined;
  }
}

/**
 * Likely monthly cost of a task: the mean of its last runs times its frequency. For a task that
 * waits for events, the frequency of past events. Undefined while nothing is known. Pure. BU-05
 */
export function forecastOf(
  { kind, slots }: { readonly kind: Rule['kind']; readonly slots: number | undefined },
  runs: readonly PastRun[],
  nowMs: number,
): TaskForecast | undefined {
  if (kind === 'once' || runs.length === 0) return undefined;
  const perMonth = slots ?? pastRate(runs, nowMs);
  if (perMonth === undefined) return undefined;
  const priced = runs.flatMap(({ costUsd }) => costUsd ?? []);
  const sum = (all: readonly number[]): number => all.reduce((one, more) => one + more, 0);
  // A run without a price counts as zero, so the result is a minimum.
  const usd = (sum(priced) / runs.length) * perMonth;
  const tokens = (sum(runs.map((run) => run.tokens)) / runs.length) * perMonth;
  const isAtLeast = priced.length < runs.length;
  const hasPrice = isAtLeast ? priced.some((cost) => cost > 0) : true;
  return {
    fromRuns: runs.length,
    runsPerMonth: Math.round(perMonth * 10) / 10,
    tokensPerMonth: Math.round(tokens),
    ...(hasPrice ? { usdPerMonth: usd } : {}),
    isAtLeast: hasPrice && isAtLeast,
  };
}

function pastRate(runs: readonly PastRun[], nowMs: number): number | undefined {
  const oldest = runs.at(-1)?.atMs ?? nowMs;
  const pastMs = nowMs - oldest;
  return pastMs < SHORTEST_PAST_MS ? undefined : (runs.length / pastMs) * MONTH_MS;
}
