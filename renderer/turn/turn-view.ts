/** The rows of the step table: steps in order, stops and restarts as separate rows. Pure. */
import { downtimesOf, knownEndMs, tookMsOf } from '../charts/step-timeline-plan';
import type { Stop, TimelineStep } from '../charts/step-timeline-plan';
import { triedText } from '../charts/step-tries';

export type { Stop } from '../charts/step-timeline-plan';

export type TurnRow =
  | {
      readonly kind: 'step';
      readonly step: TimelineStep;
      readonly bar: Bar;
      readonly tookMs?: number;
      /** "tried 3 times"; empty for a call that was tried once. */
      readonly tried: string;
    }
  | { readonly kind: 'stop'; readonly stop: Stop; readonly downMs?: number };

/** Position of a bar in its column, as a percentage of the time Holdfast was running. */
interface Bar {
  readonly leftPercent: number;
  readonly widthPercent: number;
}

/**
 * Running time up to a moment. Stops do not count, so that a night of sleep does not compress the
 * bars.
 */
const activeMs = (atMs: number, startMs: number, stops: readonly Stop[], nowMs: number): number => {
  let away = 0;
  for (const stop of stops) {
    const from = Math.max(stop.stoppedAtMs, startMs);
    const to = Math.min(stop.backAtMs ?? nowMs, atMs);
    if (to > from) away += to - from;
  }
  return Math.max(0, atMs - startMs - away);
};

/** Steps in index order; a stop comes before the first step that started after it. */
export function turnRows(
  steps: readonly TimelineStep[],
  stops: readonly Stop[],
  nowMs: number,
): readonly TurnRow[] {
  const ordered = steps.toSorted((a, b) => a.index - b.index);
  const downtimes = downtimesOf(steps, stops, nowMs);
  const pending = downtimes.map((down): Stop => ({
    stoppedAtMs: down.fromMs,
    reason: down.reason,
    ...(down.isBack ? { backAtMs: down.toMs } : {}),
  }));
  const end = (step: TimelineStep): number => knownEndMs(step, downtimes, nowMs);
  const startMs = ordered.reduce(
    (first, step) => Math.min(first, step.startedAtMs),
    Number.MAX_SAFE_INTEGER,
  );
  const spanMs = ordered.reduce(
    (longest, step) => Math.max(longest, activeMs(end(step), startMs, pending, nowMs)),
    1,
  );
  const rows: TurnRow[] = [];
  let next = 0;
  const flush = (beforeMs: number): void => {
    for (;;) {
      const stop = pending[next];
      // A step that started in the last known instant of the old process was interrupted by the
      // stop.
      if (!stop || stop.stoppedAtMs >= beforeMs) return;
      rows.push({
        kind: 'stop',
        stop,
        ...(stop.backAtMs === undefined
          ? {}
          : { downMs: Math.max(0, stop.backAtMs - stop.stoppedAtMs) }),
      });
      next += 1;
    }
  };
  for (const step of ordered) {
    flush(step.startedAtMs);
    const left = activeMs(step.startedAtMs, startMs, pending, nowMs);
    const right = activeMs(end(step), startMs, pending, nowMs);
    const call = { step, fromMs: step.startedAtMs, toMs: end(step) };
    const tookMs = tookMsOf(call);
    rows.push({
      kind: 'step',
      step,
      bar: {
        leftPercent: Math.min(98, (left / spanMs) * 100),
        widthPercent: Math.max(2, Math.min(100, ((right - left) / spanMs) * 100)),
      },
      ...(tookMs === undefined ? {} : { tookMs: Math.max(0, tookMs) }),
      tried: triedText(call),
    });
  }
  flush(Number.MAX_SAFE_INTEGER);
  return rows;
}

/** How a step's bar is drawn, by its outcome. */
export function barLook(
  step: Pick<TimelineStep, 'state' | 'fate' | 'reusedCount' | 'asks'>,
): string {
  if (step.asks === true || step.fate === 'asks') return 'asks';
  if (step.state === 'ambiguous') return 'unknown';
  if (step.state === 'skipped' || step.fate === 'skipped_by_you') return 'hollow';
  if (step.fate === 'cut_off') return 'cut';
  if (step.state === 'started') return 'working';
  if (step.fate === 'asked_again') return 'ring';
  if (step.fate === 'reused' || step.reusedCount > 0) return 'reused';
  return 'plain';
}

/** Steps with all of these words in the tool or in what it was called with. */
export function findSteps<S extends Pick<TimelineStep, 'tool' | 'hint'>>(
  steps: readonly S[],
  search: string,
): readonly S[] {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return steps;
  return steps.filter(({ tool, hint }) => {
    const text = `${tool} ${hint}`.toLowerCase();
    return words.every((word) => text.includes(word));
  });
}
