/** What is drawn over all rows of a timeline: the axis, breaks, and lines. */
import type { ReactElement } from 'react';
import { t } from '../../shared/messages';
import { clockText, durationText } from '../parts/time-view';
import type { Column, Frame } from './step-timeline-shapes';
import { breakTitle } from './step-timeline-words';

const AXIS_PX = 36;

const inView = (frame: Frame, x: number): boolean => x >= -1 && x <= frame.widthPx + 1;

/** Ticks, the times of stops and restarts, and what the turn waits for. */
export function Axis({ frame }: { frame: Frame }): ReactElement {
  const k = frame.textScale;
  const low = AXIS_PX * k;
  return (
    <svg className="tl-axis" width={frame.widthPx} height={low} aria-hidden="true">
      {frame.ticks.map((tick) => (
        <g key={tick.atMs}>
          <line className="tl-tick" x1={tick.x} x2={tick.x} y1={low - 5} y2={low} />
          <text x={tick.x} y={27 * k} textAnchor="middle">
            {clockText(tick.atMs, tick.atMs, undefined, tick.withSeconds)}
          </text>
        </g>
      ))}
      {frame.marks.map((mark) => {
        if (!inView(frame, mark.x)) return null;
        switch (mark.kind) {
          case 'stop':
            return (
              <g key={`stop-${mark.atMs}`} className="tl-stop">
                <StopTitle frame={frame} atMs={mark.atMs} />
                <path d={`M${mark.x - 5} ${low - 15}h10l-5 7z`} />
                <line x1={mark.x} x2={mark.x} y1={low - 10} y2={low} />
                <FlagTime x={mark.x} y={14 * k} side={mark.side} atMs={mark.atMs} />
              </g>
            );
          case 'restart':
            return (
              <g key={`restart-${mark.atMs}`} className="tl-restart">
                <circle cx={mark.x} cy={low - 12} r={3.5} />
                <line x1={mark.x} x2={mark.x} y1={low - 8.5} y2={low} />
                <FlagTime x={mark.x} y={14 * k} side={mark.side} atMs={mark.atMs} />
              </g>
            );
          case 'drift':
            return mark.side === undefined ? null : (
              <text key="drift" className="tl-drift-word" x={mark.x + 4} y={27 * k}>
                {t('timeline.drift')}
              </text>
            );
          case 'wait':
            return mark.word === undefined ? null : (
              <text
                key="wait"
                className={`tl-wait-word tone-${mark.tone}`}
                x={mark.word.endX}
                y={(mark.word.line === 'ticks' ? 27 : 14) * k}
                textAnchor="end"
              >
                {mark.label}
              </text>
            );
        }
      })}
    </svg>
  );
}

function StopTitle({ frame, atMs }: { frame: Frame; atMs: number }): ReactElement | null {
  const stop = frame.breaks.find((gap) => gap.kind === 'stop' && gap.fromMs === atMs);
  return stop ? <title>{breakTitle(stop)}</title> : null;
}

function FlagTime({
  x,
  y,
  side,
  atMs,
}: {
  x: number;
  y: number;
  side: 'left' | 'right' | undefined;
  atMs: number;
}): ReactElement | null {
  if (side === undefined) return null;
  return (
    <text
      className="tl-flag"
      x={side === 'left' ? x - 3 : x + 4}
      y={y}
      textAnchor={side === 'left' ? 'end' : 'start'}
    >
      {clockText(atMs, atMs, undefined, true)}
    </text>
  );
}

/**
 * Breaks and lines over the rows. They ignore clicks; their texts are on the axis and in the rows.
 */
export function Overlay({ frame }: { frame: Frame }): ReactElement {
  return (
    <div className="tl-over" aria-hidden="true">
      {frame.breaks
        .filter((gap) => gap.x + gap.widthPx >= 0 && gap.x <= frame.widthPx)
        .map((gap) => (
          <div
            key={gap.fromMs}
            className={`tl-break ${gap.kind}`}
            style={{ left: gap.x, width: gap.widthPx }}
          >
            {gap.isLabelled ? (
              <span className="xs t3 nw tl-break-word">
                <b>{gap.kind === 'stop' ? t('timeline.stopped') : t('timeline.idle')}</b>
                {durationText(gap.toMs - gap.fromMs)}
              </span>
            ) : null}
          </div>
        ))}
      {frame.marks
        .filter((mark) => inView(frame, mark.x))
        .map((mark) => (
          <div
            key={`${mark.kind}-${mark.x}`}
            className={`tl-line ${mark.kind}${mark.kind === 'wait' ? ` tone-${mark.tone}` : ''}`}
            style={{
              left: mark.x,
              ...(mark.kind === 'wait' ? { width: Math.max(2, mark.widthPx) } : {}),
            }}
          />
        ))}
    </div>
  );
}

const STRIP_PX = 72;

/** Above 2,000 steps: how many started when, drawn as the most important outcome. */
export function Strip({
  columns,
  frame,
}: {
  columns: readonly Column[];
  frame: Frame;
}): ReactElement {
  return (
    <svg className="tl-strip" width={frame.widthPx} height={STRIP_PX} aria-hidden="true">
      {columns.map((column) => {
        const height = Math.max(3, Math.sqrt(column.share) * (STRIP_PX - 10));
        return (
          <rect
            key={column.x}
            className={`tl-column look-${column.look}`}
            x={column.x}
            width={column.widthPx}
            y={STRIP_PX - 4 - height}
            height={height}
          />
        );
      })}
    </svg>
  );
}
