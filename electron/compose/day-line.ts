import type { DayLine } from '../../shared/types';
import type { PowerRecord } from '../adapters/log/power-records';
import { COUNT_SLOT_MS, type HistoryReads } from '../adapters/sqlite/tables/history';
import type { Clock } from '../ports/clock';
import { SLOT_MS, stretchesOf, windowStartMs } from './plan-day-line';
import { createTimeSlicer } from './time-slicer';

interface DayLineDeps {
  readonly history: HistoryReads;
  readonly power: (fromMs: number) => Promise<readonly PowerRecord[]>;
  readonly clock: Clock;
  /** False while only what is on disk is shown: then the newest run ends with its last entry. */
  readonly isAlive: () => boolean;
  readonly lastEntryAtMs: () => number | undefined;
  /** Outages of providers that were in force at or after a moment, oldest first. */
  readonly outages: (sinceMs: number) => NonNullable<DayLine['outages']>;
}

/**
 * The last 24 hours. The first call reads the journal of that time in small pieces and lets others
 * work between them; what it counted is kept in memory, so each later call reads only what was
 * added since. Nothing is written, and history before the window costs nothing.
 */
export function createDayLine(deps: DayLineDeps): () => Promise<DayLine> {
  const { history, clock } = deps;
  const slots = new Map<number, { steps: number; turns: number }>();
  let countedSeq: number | undefined;
  let running: Promise<DayLine> | undefined;

  const count = async (fromMs: number): Promise<void> => {
    const pacer = createTimeSlicer(clock);
    countedSeq ??= history.seqAt(fromMs) - 1;
    const lastSeq = history.lastSeq();
    while (countedSeq < lastSeq) {
      const toSeq = Math.min(lastSeq, countedSeq + pacer.size());
      for (const found of pacer.timed(() => history.counts(countedSeq ?? 0, toSeq))) {
        const slot = slots.get(found.slotMs) ?? { steps: 0, turns: 0 };
        slot.steps += found.steps;
        slot.turns += found.turns;
        slots.set(found.slotMs, slot);
      }
      countedSeq = toSeq;
      if (countedSeq < lastSeq) await pacer.rest();
    }
    for (const slotMs of slots.keys()) if (slotMs < fromMs) slots.delete(slotMs);
  };

  const read = async (): Promise<DayLine> => {
    const fromMs = windowStartMs(clock.nowMs(), new Date(clock.nowMs()).getTimezoneOffset());
    await count(fromMs);
    const power = await deps.power(fromMs);
    const toMs = clock.nowMs();
    const steps: number[] = [];
    for (let slotMs = fromMs; slotMs < toMs && steps.length < 200; slotMs += SLOT_MS) {
      let sum = 0;
      for (let part = slotMs; part < slotMs + SLOT_MS; part += COUNT_SLOT_MS)
        sum += slots.get(part)?.steps ?? 0;
      steps.push(sum);
    }
    const midnightMs = new Date(toMs).setHours(0, 0, 0, 0);
    let turnsFinishedToday = 0;
    for (const [slotMs, slot] of slots) if (slotMs >= midnightMs) turnsFinishedToday += slot.turns;
    const aliveUntilMs = deps.isAlive() ? toMs : Math.min(toMs, deps.lastEntryAtMs() ?? toMs);
    return {
      fromMs,
      toMs,
      slotMs: SLOT_MS,
      steps,
      ...stretchesOf(history.starts(fromMs), power, { fromMs, toMs, aliveUntilMs }),
      outages: deps.outages(fromMs),
      turnsFinishedToday,
    };
  };

  return () => {
    // Two windows that ask at the same time share one answer.
    running ??= read().finally(() => {
      running = undefined;
    });
    return running;
  };
}
