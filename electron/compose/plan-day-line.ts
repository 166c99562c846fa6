import type { DayLine, RestartReason } from '../../shared/types';
import type { PowerRecord } from '../adapters/log/power-records';
import type { StartSpan } from '../adapters/sqlite/tables/history';

type Stretch = DayLine['stretches'][number];
type Stop = DayLine['stops'][number];

export const SLOT_MS = 600_000;
const DAY_MS = 86_400_000;
const UNEXPECTED: readonly string[] = ['crash', 'kill', 'power_loss'] satisfies RestartReason[];

/** Start of the first slot: 24 hours back, on a full ten minutes of the local clock. */
export function windowStartMs(nowMs: number, zoneOffsetMin: number): number {
  const shiftMs = -zoneOffsetMin * 60_000;
  return Math.floor((nowMs - DAY_MS + shiftMs) / SLOT_MS) * SLOT_MS - shiftMs;
}

/**
 * When the engine ran, slept and did not run, from its starts and the sleeps of the computer.
 * `aliveUntilMs` is the end of the newest run where it has no other: now while it runs, else the
 * last sign of life. Before the first known start there is nothing: nobody knows.
 */
export function stretchesOf(
  starts: readonly StartSpan[],
  power: readonly PowerRecord[],
  range: { readonly fromMs: number; readonly toMs: number; readonly aliveUntilMs: number },
): { readonly stretches: Stretch[]; readonly stops: Stop[] } {
  const stretches: Stretch[] = [];
  const stops: Stop[] = [];
  const add = (kind: Stretch['kind'], from: number, to: number): void => {
    const fromMs = Math.max(from, range.fromMs);
    const toMs = Math.min(to, range.toMs);
    const last = stretches.at(-1);
    if (toMs <= fromMs) return;
    if (last?.kind === kind && last.toMs === fromMs) last.toMs = toMs;
    else stretches.push({ kind, fromMs, toMs });
  };
  const sleeps = sleepsOf(power);
  starts.forEach((start, index) => {
    const next = starts[index + 1];
    const nextMs = next?.startedAtMs ?? range.toMs;
    const endMs = Math.min(
      nextMs,
      Math.max(
        start.startedAtMs,
        start.stoppedAtMs ??
          (next === undefined ? range.aliveUntilMs : (next.downSinceMs ?? next.startedAtMs)),
      ),
    );
    let at = start.startedAtMs;
    for (const sleep of sleeps) {
      const fromMs = Math.max(at, sleep.fromMs);
      const toMs = Math.min(endMs, sleep.toMs);
      // It belongs to the run in which it began; one that has no end yet is not known to be one.
      if (toMs <= fromMs || sleep.fromMs < start.startedAtMs) continue;
      if (next === undefined && sleep.toMs === Number.POSITIVE_INFINITY) continue;
      add('running', at, fromMs);
      add('asleep', fromMs, toMs);
      at = toMs;
    }
    add('running', at, endMs);
    add('stopped', endMs, nextMs);
    if (
      next !== undefined &&
      start.stoppedAtMs === undefined &&
      UNEXPECTED.includes(next.reason) &&
      next.startedAtMs >= range.fromMs
    ) {
      stops.push({
        atMs: Math.max(endMs, range.fromMs),
        backAtMs: next.startedAtMs,
        reason: next.reason as RestartReason,
      });
    }
  });
  return { stretches: stretches.slice(-10_000), stops: stops.slice(-2000) };
}

/** A sleep without a wake lasts until something else is known; a wake alone says nothing. */
function sleepsOf(
  power: readonly PowerRecord[],
): readonly { readonly fromMs: number; readonly toMs: number }[] {
  return power.flatMap((record, index) => {
    if (record.kind !== 'suspend') return [];
    const end = power[index + 1];
    return [{ fromMs: record.atMs, toMs: end?.atMs ?? Number.POSITIVE_INFINITY }];
  });
}
