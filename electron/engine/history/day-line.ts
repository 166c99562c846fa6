import type { DayLine, RestartReason } from '../../../shared/types';
import type { HistoryReads, PowerRecord, PowerRecords, StartSpan } from '../../ports/history';
import type { Clock } from '../../ports/clock';
import type { JournalReads } from '../../ports/journal/reads';
import { createTimeSlicer, type SlicerDeps } from './time-slicer';

/** Five minutes: midnight and every ten minutes are a border of such slots in every time zone. */
const COUNT_SLOT_MS = 300_000;
/** More outages than this per day are indistinguishable in the picture. */
const MAX_OUTAGES = 200;

interface DayLineDeps {
  readonly history: HistoryReads;
  readonly power: PowerRecords;
  readonly clock: Clock;
  readonly rest: SlicerDeps['rest'];
  /** False while only what is on disk is shown: then the newest run ends with its last entry. */
  readonly isAlive: () => boolean;
  readonly reads: Pick<JournalReads, 'lastEntryAtMs' | 'outages'>;
}

/**
 * The last 24 hours. The first call reads that part of the journal in small pieces and yields
 * between them; the counts stay in memory, so later calls read only new entries. Writes nothing,
 * and history before the window costs nothing.
 */
export function createDayLine(deps: DayLineDeps): () => Promise<DayLine> {
  const { history, clock } = deps;
  const slots = new Map<number, { steps: number; turns: number }>();
  let countedSeq: number | undefined;
  let running: Promise<DayLine> | undefined;

  const count = async (fromMs: number): Promise<void> => {
    const slicer = createTimeSlicer(deps);
    countedSeq ??= history.seqAt(fromMs) - 1;
    const lastSeq = history.lastSeq();
    while (countedSeq < lastSeq) {
      const toSeq = Math.min(lastSeq, countedSeq + slicer.size());
      for (const found of slicer.timed(() =>
        history.counts(countedSeq ?? 0, toSeq, COUNT_SLOT_MS),
      )) {
        const slot = slots.get(found.slotMs) ?? { steps: 0, turns: 0 };
        slot.steps += found.steps;
        slot.turns += found.turns;
        slots.set(found.slotMs, slot);
      }
      countedSeq = toSeq;
      if (countedSeq < lastSeq) await slicer.rest();
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
    const aliveUntilMs = deps.isAlive() ? toMs : Math.min(toMs, deps.reads.lastEntryAtMs() ?? toMs);
    return {
      fromMs,
      toMs,
      slotMs: SLOT_MS,
      steps,
      ...stretchesOf(history.starts(fromMs), power, { fromMs, toMs, aliveUntilMs }),
      outages: outagesSince(deps.reads, fromMs),
      turnsFinishedToday,
    };
  };

  return () => {
    // Two windows that query at once share one result.
    running ??= read().finally(() => {
      running = undefined;
    });
    return running;
  };
}

/** Outages of providers that were in force at or after a moment, oldest first. */
const outagesSince = (
  reads: Pick<JournalReads, 'outages'>,
  sinceMs: number,
): NonNullable<DayLine['outages']> =>
  reads
    .outages({ limit: MAX_OUTAGES })
    .filter(({ resolvedAtMs }) => resolvedAtMs === undefined || resolvedAtMs > sinceMs)
    .map(({ provider, startedAtMs, resolvedAtMs }) => ({
      provider,
      fromMs: startedAtMs,
      ...(resolvedAtMs === undefined ? {} : { toMs: resolvedAtMs }),
    }))
    .reverse();

type Stretch = DayLine['stretches'][number];
type Stop = DayLine['stops'][number];

const SLOT_MS = 600_000;
const DAY_MS = 86_400_000;
const UNEXPECTED: readonly string[] = ['crash', 'kill', 'power_loss'] satisfies RestartReason[];

/** Start of the first slot: 24 hours back, on a full ten minutes of the local clock. */
export function windowStartMs(nowMs: number, zoneOffsetMin: number): number {
  const shiftMs = -zoneOffsetMin * 60_000;
  return Math.floor((nowMs - DAY_MS + shiftMs) / SLOT_MS) * SLOT_MS - shiftMs;
}

/**
 * When the engine ran, slept and was down, from its starts and the computer's sleeps.
 * `aliveUntilMs` ends the newest run if it has no recorded end: now while it runs, otherwise the
 * last heartbeat. Nothing is known before the first recorded start.
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
      // A sleep belongs to the run in which it started; without an end it is not confirmed.
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

/** A sleep without a wake lasts until the next known fact; a wake alone proves nothing. */
function sleepsOf(
  power: readonly PowerRecord[],
): readonly { readonly fromMs: number; readonly toMs: number }[] {
  return power.flatMap((record, index) => {
    if (record.kind !== 'suspend') return [];
    const end = power[index + 1];
    return [{ fromMs: record.atMs, toMs: end?.atMs ?? Number.POSITIVE_INFINITY }];
  });
}
