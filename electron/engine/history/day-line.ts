import type { VerbInput } from '../../../shared/contract';
import type { DayLine, DayRange, RestartReason } from '../../../shared/types';
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

interface SlotSums {
  steps: number;
  turns: number;
}

/** How wide a bar is, how much it shows, and what is counted in memory to make it. */
const RANGES: Readonly<
  Record<DayRange, { readonly spanMs: number; readonly slotMs: number; readonly countMs: number }>
> = {
  hour: { spanMs: 3_600_000, slotMs: 60_000, countMs: 60_000 },
  day: { spanMs: 86_400_000, slotMs: 600_000, countMs: COUNT_SLOT_MS },
  week: { spanMs: 604_800_000, slotMs: 7_200_000, countMs: COUNT_SLOT_MS },
};

/**
 * The last hour, day or week. The first call of a length reads that part of the journal in small
 * pieces and yields between them; the counts stay in memory, so later calls read only new entries.
 * One that ends in the past is read whenever it is requested. Writes nothing, and history before
 * the range costs nothing.
 */
export function createDayLine(
  deps: DayLineDeps,
): (input: VerbInput<'day.line'>) => Promise<DayLine> {
  const { history, clock } = deps;
  const counters = new Map<DayRange, ReturnType<typeof createSlotCounter>>();
  const running = new Map<string, Promise<DayLine>>();
  const counterOf = (range: DayRange): ReturnType<typeof createSlotCounter> => {
    const known = counters.get(range) ?? createSlotCounter(deps, RANGES[range].countMs);
    counters.set(range, known);
    return known;
  };
  const windowOf = (range: DayRange, endMs: number): number =>
    windowStartMs(endMs, new Date(endMs).getTimezoneOffset(), RANGES[range]);

  const read = async (range: DayRange, untilMs: number | undefined): Promise<DayLine> => {
    const { slotMs: widthMs, countMs } = RANGES[range];
    const fromMs = windowOf(range, untilMs ?? clock.nowMs());
    const slots = await (
      untilMs === undefined ? counterOf(range) : createSlotCounter(deps, countMs)
    )(fromMs, untilMs);
    const today =
      range === 'day' && untilMs === undefined
        ? slots
        : await counterOf('day')(windowOf('day', clock.nowMs()));
    const power = await deps.power(fromMs);
    const nowMs = clock.nowMs();
    const toMs = untilMs ?? nowMs;
    const steps: number[] = [];
    for (let slotMs = fromMs; slotMs < toMs && steps.length < 200; slotMs += widthMs) {
      let sum = 0;
      for (let part = slotMs; part < slotMs + widthMs; part += countMs)
        sum += slots.get(part)?.steps ?? 0;
      steps.push(sum);
    }
    const midnightMs = new Date(nowMs).setHours(0, 0, 0, 0);
    let turnsFinishedToday = 0;
    for (const [slotMs, slot] of today) if (slotMs >= midnightMs) turnsFinishedToday += slot.turns;
    const aliveUntilMs = deps.isAlive()
      ? nowMs
      : Math.min(nowMs, deps.reads.lastEntryAtMs() ?? nowMs);
    return {
      range,
      fromMs,
      toMs,
      slotMs: widthMs,
      steps,
      ...stretchesOf(history.starts(fromMs), power, { fromMs, toMs, aliveUntilMs }),
      outages: outagesIn(deps.reads, fromMs, toMs),
      turnsFinishedToday,
    };
  };

  /** An hour, as long as no start before it is known. */
  const fitting = (): DayRange => {
    const sinceMs = clock.nowMs() - RANGES.hour.spanMs;
    const [first] = history.starts(sinceMs);
    return first !== undefined && first.startedAtMs > sinceMs ? 'hour' : 'day';
  };

  return ({ range: wanted = 'day', untilMs }) => {
    const range = wanted === 'fit' ? fitting() : wanted;
    const isPast = untilMs !== undefined && untilMs < clock.nowMs();
    const key = `${range} ${isPast ? String(untilMs) : ''}`;
    // Two windows that query at once share one result.
    const asked =
      running.get(key) ??
      read(range, isPast ? untilMs : undefined).finally(() => running.delete(key));
    running.set(key, asked);
    return asked;
  };
}

/** Counts what was finished from a moment on; remembers it, and reads on from there. */
function createSlotCounter(
  deps: Pick<DayLineDeps, 'history' | 'clock' | 'rest'>,
  countMs: number,
): (fromMs: number, untilMs?: number) => Promise<ReadonlyMap<number, SlotSums>> {
  const { history } = deps;
  const slots = new Map<number, SlotSums>();
  let countedSeq: number | undefined;
  let queue: Promise<unknown> = Promise.resolve();

  const count = async (fromMs: number, untilMs: number | undefined): Promise<void> => {
    const slicer = createTimeSlicer(deps);
    countedSeq ??= history.seqAt(fromMs) - 1;
    const lastSeq = untilMs === undefined ? history.lastSeq() : history.seqAt(untilMs) - 1;
    while (countedSeq < lastSeq) {
      const toSeq = Math.min(lastSeq, countedSeq + slicer.size());
      for (const found of slicer.timed(() => history.counts(countedSeq ?? 0, toSeq, countMs))) {
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
  return async (fromMs, untilMs) => {
    // One after the other: an hour and a week both need the counts of the day.
    const mine = queue.then(() => count(fromMs, untilMs));
    queue = mine.catch(() => undefined);
    await mine;
    return slots;
  };
}

/** Outages of providers that were in force between two moments, oldest first. */
const outagesIn = (
  reads: Pick<JournalReads, 'outages'>,
  sinceMs: number,
  toMs: number,
): NonNullable<DayLine['outages']> =>
  reads
    .outages({ limit: MAX_OUTAGES })
    .filter(
      ({ startedAtMs, resolvedAtMs }) =>
        startedAtMs < toMs && (resolvedAtMs === undefined || resolvedAtMs > sinceMs),
    )
    .map(({ provider, startedAtMs, resolvedAtMs }) => ({
      provider,
      fromMs: startedAtMs,
      ...(resolvedAtMs === undefined ? {} : { toMs: resolvedAtMs }),
    }))
    .reverse();

type Stretch = DayLine['stretches'][number];
type Stop = DayLine['stops'][number];

const UNEXPECTED: readonly string[] = ['crash', 'kill', 'power_loss'] satisfies RestartReason[];

/** Start of the first slot: for a day 24 hours back, on a full ten minutes of the local clock. */
export function windowStartMs(
  nowMs: number,
  zoneOffsetMin: number,
  { spanMs, slotMs } = RANGES.day,
): number {
  const shiftMs = -zoneOffsetMin * 60_000;
  return Math.floor((nowMs - spanMs + shiftMs) / slotMs) * slotMs - shiftMs;
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
    const nextMs = next?.startedAtMs ?? Math.max(range.toMs, range.aliveUntilMs);
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
      next.startedAtMs >= range.fromMs &&
      endMs < range.toMs
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
