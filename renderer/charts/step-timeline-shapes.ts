/** Types of a timeline: lanes, rows with bars and captions, breaks, lines, and ticks. */
import { t } from '../../shared/messages';
import type { Purity } from '../../shared/types';
import type { MarkName, Tone } from '../parts/state-view';
import type { Notch } from './step-tries';
import type { Phase, RowPlan, TimelinePlan } from './step-timeline-plan';
import type { Scale, Tick } from './step-timeline-scale';

/** The whole turn, or this time span per width, panned by pixels. */
export type Zoom =
  | { readonly kind: 'fit' }
  | { readonly kind: 'span'; readonly spanMs: number; readonly leftPx: number };
export const FIT: Zoom = { kind: 'fit' };

/** How a bar is drawn, by the outcome of its step. */
export type BarLook =
  | 'plain'
  | 'reused'
  | 'was'
  | 'ring'
  | 'cut'
  | 'unknown'
  | 'hollow'
  | 'recorded'
  | 'failed'
  | 'working'
  /** Waits for permission: it has a position, but nothing runs. */
  | 'asks';

export interface Bar {
  readonly step: number;
  readonly purity: Purity;
  readonly look: BarLook;
  readonly x: number;
  readonly widthPx: number;
  /** External steps end in an arrowhead. */
  readonly hasTip: boolean;
  /** Failed tries, and the starts of the next ones; empty for a call with a single try. */
  readonly notches: readonly Notch[];
}

/** A dotted line from a call to the one that repeats it. */
export interface Link {
  readonly x: number;
  readonly toX: number;
  readonly tone: 'reissued' | 'line';
}

export interface Caption {
  readonly text: string;
  readonly tone: Tone;
  readonly mark: MarkName;
  readonly x: number;
  /** `end`: the text ends at `x`, left of its bar. */
  readonly anchor: 'start' | 'end';
  /** Covers part of the dotted line. */
  readonly isOnLink: boolean;
}

/** Caption of a bar. */
export interface BarText {
  readonly text: string;
  /** Used if the whole text does not fit. */
  readonly short?: string;
  readonly tone: Tone;
  readonly mark: MarkName;
}

export interface Row {
  readonly plan: RowPlan;
  readonly bars: readonly Bar[];
  readonly links: readonly Link[];
  readonly captions: readonly Caption[];
  /** Captions that did not fit next to the bar: shown as a mark at the end of the label. */
  readonly dropped: readonly BarText[];
  readonly tookMs: number | undefined;
}

/** A stop on the axis: a break of fixed width, or hatched and to scale if it is short. */
export interface Break {
  readonly kind: 'stop' | 'idle';
  readonly x: number;
  readonly widthPx: number;
  readonly fromMs: number;
  readonly toMs: number;
  /** A short stop, drawn to scale. */
  readonly isToScale: boolean;
  /** False if the text does not fit; then the tooltip and the table show it. */
  readonly isLabelled: boolean;
  readonly reason: string;
}

export type Mark =
  | {
      readonly kind: 'stop' | 'restart' | 'drift';
      readonly x: number;
      readonly atMs: number;
      /** The side its time is on; undefined if there is no room. */
      readonly side: 'left' | 'right' | undefined;
    }
  | {
      readonly kind: 'wait';
      readonly x: number;
      readonly widthPx: number;
      readonly tone: Tone;
      readonly label: string;
      /** Position of its text; undefined if it would overlap another mark. */
      readonly word: WaitWord | undefined;
    };

/** The text of a wait: next to the ticks, or above them with the times of stops. */
export interface WaitWord {
  readonly endX: number;
  readonly line: 'ticks' | 'flags';
}

/** One column of the strip above 2,000 steps. */
export interface Column {
  readonly x: number;
  readonly widthPx: number;
  readonly count: number;
  /** 0 to 1, relative to the fullest column. */
  readonly share: number;
  readonly look: BarLook;
}

interface Lane {
  readonly phase: Phase | undefined;
  readonly rows: readonly RowPlan[];
  /** Only above 2,000 steps; otherwise empty. */
  readonly strip: readonly Column[];
}

/** Time formatting: where the day starts, and the width of a time with seconds. */
export interface AxisWords {
  readonly utcOffsetMs: number;
  readonly timePx: number;
  /** Text scale, set by the system or the user: 1 is 11 px. */
  readonly textScale: number;
}

/** The parts that do not depend on which rows are visible. */
export interface Frame {
  readonly plan: TimelinePlan;
  readonly scale: Scale;
  readonly widthPx: number;
  readonly leftPx: number;
  readonly lanes: readonly Lane[];
  readonly breaks: readonly Break[];
  readonly marks: readonly Mark[];
  readonly ticks: readonly Tick[];
  readonly isDense: boolean;
  readonly textScale: number;
}

/** Above this only the rows on the screen are in the page. */
export const VIRTUAL_FROM = 200;
/** Above this, a lane is a strip and the steps are a list next to it. */
export const DENSE_FROM = 2000;
export const LEAST_BAR_PX = 7;

/** Estimated width of a text at 11 px. */
export const wordPx = (text: string): number => text.length * 5.5;

/** The label of the line after which reads differ. */
export const driftPx = (): number => wordPx(t('timeline.drift')) + 10;
