/** The past of the seed: a day with a night in it, and events to page through. */
import type { VerbInput, VerbOutput } from '../../shared/contract';
import type { DayLine, HistoryEvent } from '../../shared/types';
import type { Seed } from './fake-seed-type';

const SLOT_MS = 600_000;
const HOUR_MS = 3_600_000;

/** Asleep from nearly 15 hours ago for seven and a half; with a crash, down between its two times. */
export function fakeDayLine(
  nowMs: number,
  crash?: { readonly stoppedAtMs: number; readonly backAtMs: number },
): DayLine {
  const fromMs = Math.floor((nowMs - 24 * HOUR_MS) / SLOT_MS) * SLOT_MS;
  const sleepMs = nowMs - 14.85 * HOUR_MS;
  const wakeMs = sleepMs + 7.53 * HOUR_MS;
  const steps: number[] = [];
  for (let slotMs = fromMs; slotMs < nowMs; slotMs += SLOT_MS) {
    const isAsleep = slotMs + SLOT_MS > sleepMs && slotMs < wakeMs;
    const n = steps.length;
    // Busy hours, then a quiet evening; always the same.
    const wave = 9 + 7 * Math.sin(n / 5) + ((n * 37) % 11) - (n > 24 && n < 60 ? 9 : 0);
    steps.push(isAsleep ? 0 : Math.max(0, Math.round(wave)));
  }
  const stretches: DayLine['stretches'] = [
    { kind: 'running', fromMs, toMs: sleepMs },
    { kind: 'asleep', fromMs: sleepMs, toMs: wakeMs },
  ];
  if (crash === undefined) stretches.push({ kind: 'running', fromMs: wakeMs, toMs: nowMs });
  else {
    stretches.push(
      { kind: 'running', fromMs: wakeMs, toMs: crash.stoppedAtMs },
      { kind: 'stopped', fromMs: crash.stoppedAtMs, toMs: crash.backAtMs },
      { kind: 'running', fromMs: crash.backAtMs, toMs: nowMs },
    );
  }
  return {
    range: 'day',
    fromMs,
    toMs: nowMs,
    slotMs: SLOT_MS,
    steps,
    stretches,
    stops:
      crash === undefined
        ? []
        : [{ atMs: crash.stoppedAtMs, backAtMs: crash.backAtMs, reason: 'power_loss' }],
    turnsFinishedToday: 41,
  };
}

const LOOKS = {
  hour: { spanMs: HOUR_MS, slotMs: 60_000 },
  day: { spanMs: 24 * HOUR_MS, slotMs: SLOT_MS },
  week: { spanMs: 168 * HOUR_MS, slotMs: 2 * HOUR_MS },
} as const;

/** The day of the seed; other stretches are cut from it, with one step per slot. */
export function fakeDayOf(
  { dayLine }: Pick<Seed, 'dayLine'>,
  { range = 'day', untilMs }: VerbInput<'day.line'>,
): DayLine {
  if (untilMs === undefined && (range === dayLine.range || range === 'fit')) return dayLine;
  const look = range === 'fit' ? 'day' : range;
  const { spanMs, slotMs } = LOOKS[look];
  const toMs = untilMs ?? dayLine.toMs;
  const fromMs = toMs - spanMs;
  return {
    ...dayLine,
    range: look,
    fromMs,
    toMs,
    slotMs,
    steps: Array.from({ length: spanMs / slotMs }, () => 1),
    stops: dayLine.stops.filter(({ atMs }) => atMs >= fromMs && atMs < toMs),
  };
}

const LINES = [
  { kind: 'turn.closed', words: 'Turn {id} finished', outcome: 'completed' },
  {
    kind: 'step.ended',
    words: 'Step 4 finished: write_file, comparison.md',
    outcome: 'completed',
    step: 4,
  },
  { kind: 'step.started', words: 'Step 4 began: write_file, comparison.md', step: 4 },
  {
    kind: 'step.ended',
    words: 'Step 3, result unknown: send_email, t.okafor',
    outcome: 'ambiguous',
    step: 3,
    detail: 'The mail server exited before it answered.',
  },
  { kind: 'step.started', words: 'Step 3 began: send_email, t.okafor', step: 3 },
  { kind: 'step.ended', words: 'Step 2 finished: model', outcome: 'completed', step: 2 },
  { kind: 'turn.started', words: 'Turn {id} started' },
  { kind: 'message.accepted', words: 'Message accepted: Compare the three cable suppliers' },
] as const;

/** `count` events, newest first; turn 1 is the newest one with events. */
export function fakeEvents(nowMs: number, count: number): HistoryEvent[] {
  return Array.from({ length: count }, (_, index) => {
    const line = LINES[index % LINES.length] ?? LINES[0];
    const turnId = Math.floor(index / LINES.length) + 1;
    return {
      ...line,
      id: `j${String(count - index)}`,
      atMs: nowMs - index * 41_000,
      words: line.words.replace('{id}', String(turnId)),
      turnId,
      sessionId: (turnId % 5) + 1,
    };
  });
}

export function fakeHistory(
  seed: Pick<Seed, 'history'>,
  input: VerbInput<'events.list'>,
): VerbOutput<'events.list'> {
  const { limit = 100 } = input;
  const place = (id: string): number => Number(id.replace(/^\D+/, ''));
  const found = seed.history
    .filter((event) => (input.source === 'audit') === event.id.startsWith('a'))
    .filter((event) => input.before === undefined || place(event.id) < place(input.before))
    .filter((event) => input.kinds === undefined || input.kinds.includes(event.kind))
    .filter((event) => input.turnId === undefined || event.turnId === input.turnId)
    .filter((event) => input.sessionId === undefined || event.sessionId === input.sessionId)
    .filter((event) => input.untilMs === undefined || event.atMs <= input.untilMs)
    .filter(
      (event) =>
        input.text === undefined || event.words.toLowerCase().includes(input.text.toLowerCase()),
    );
  const events = found.slice(0, limit);
  const last = events.at(-1);
  return { events, ...(found.length > limit && last ? { nextBefore: last.id } : {}) };
}
