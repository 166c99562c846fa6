/**
 * The breaker as a picture: three boxes, each with a switch, the arrows between them with the
 * actual thresholds, and the retry waits. Pure; the component only draws.
 */
import type { BreakerState, BreakerView } from '../../shared/types/outage';
import { t } from '../../shared/messages';
import { durationText } from '../parts/time-view';

/** Fixed size of the drawing's coordinates; the component scales it with the text size. */
export const BREAKER_WIDTH = 296;
export const BREAKER_HEIGHT = 190;

export interface BreakerBox {
  readonly state: BreakerState;
  /** Center of the box, and the y position of its switch. */
  readonly x: number;
  readonly y: number;
  readonly name: string;
  readonly about: string;
  readonly isCurrent: boolean;
}
export interface BreakerArrow {
  readonly path: string;
  readonly lines: readonly string[];
  readonly x: number;
  readonly y: number;
  readonly anchor: 'start' | 'middle';
}
export interface BreakerWait {
  readonly delayMs: number;
  readonly text: string;
  readonly isCurrent: boolean;
}
interface BreakerMarks {
  readonly boxes: readonly BreakerBox[];
  readonly arrows: readonly BreakerArrow[];
  readonly waits: readonly BreakerWait[];
  /** The whole picture as text. */
  readonly sentence: string;
}

/** Not imported from the schemas: that would add them to the window's bundle. */
const STATES = ['closed', 'open', 'half_open'] as const satisfies readonly BreakerState[];
const PLACE: Readonly<Record<BreakerState, { readonly x: number; readonly y: number }>> = {
  closed: { x: 57, y: 24 },
  open: { x: 239, y: 24 },
  half_open: { x: 148, y: 142 },
};
/** More waits than this do not fit next to each other. */
const MAX_WAITS = 6;

/** Short waits are all in seconds, so that the doubling is visible. */
const waitText = (delayMs: number): string =>
  delayMs <= 180_000 && delayMs % 1000 === 0
    ? t('time.seconds', { count: delayMs / 1000 })
    : durationText(delayMs);

type WaitFacts = Pick<BreakerView, 'state' | 'initialBackoffMs' | 'maxBackoffMs' | 'backoffMs'>;

/**
 * The waits from the first to the longest, each twice the previous one. If there are too many: the
 * first few, the current one, and the longest.
 */
export function waitsOf(breaker: WaitFacts): readonly BreakerWait[] {
  const { initialBackoffMs, maxBackoffMs, backoffMs, state } = breaker;
  const waits: number[] = [];
  // A first wait of 0 would never double.
  for (let ms = Math.max(1, initialBackoffMs); ms < maxBackoffMs; ms *= 2) waits.push(ms);
  waits.push(Math.max(1, initialBackoffMs, maxBackoffMs));
  const current = state === 'closed' ? -1 : waits.findIndex((ms) => ms >= backoffMs);
  const kept = waits
    .map((delayMs, at) => ({ delayMs, at }))
    .filter(({ at }) => {
      if (waits.length <= MAX_WAITS) return true;
      const isEnd = at === 0 || at === waits.length - 1;
      const middle = Math.min(Math.max(current, 2), waits.length - 3);
      return isEnd || Math.abs(at - middle) <= 1;
    });
  return kept.map(({ delayMs, at }) => ({
    delayMs,
    text: waitText(delayMs),
    isCurrent: at === current,
  }));
}

/** Marks for the picture of one breaker. */
export function breakerModel(breaker: BreakerView): BreakerMarks {
  const now = t(`breaker.${breaker.state}`);
  return {
    boxes: STATES.map((state) => ({
      state,
      ...PLACE[state],
      name: t(`breaker.${state}`),
      about: t(`breaker.sub.${state}`),
      isCurrent: state === breaker.state,
    })),
    arrows: [
      {
        path: 'M119 32H177m-4-3.5 4 3.5-4 3.5',
        lines: [t('breaker.failures', { count: breaker.failureThreshold })],
        x: 148,
        y: 25,
        anchor: 'middle',
      },
      {
        path: 'M252 74V136a7 7 0 0 1-7 7H211m4-3.5-4 3.5 4 3.5',
        lines: t('breaker.waitOver').split(' '),
        x: 259,
        y: 106,
        anchor: 'start',
      },
      {
        path: 'M186 116V96a6 6 0 0 1 6-6H214a6 6 0 0 0 6-6V75m-3.5 4 3.5-4 3.5 4',
        lines: [t('breaker.trialFails')],
        x: 192,
        y: 105,
        anchor: 'start',
      },
      {
        path: 'M85 143H51a7 7 0 0 1-7-7V75m-3.5 4 3.5-4 3.5 4',
        lines: [t('breaker.successes', { count: breaker.successThreshold })],
        x: 51,
        y: 106,
        anchor: 'start',
      },
    ],
    waits: waitsOf(breaker),
    sentence: t('breaker.picture', { text: now }),
  };
}
