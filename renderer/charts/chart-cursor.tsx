import type { ReactElement } from 'react';
import './chart-cursor.css';

/** A line in a chart where it is read, and what is read there. */
export function ChartCursor({
  chart,
  at,
  words,
}: {
  chart: 'day' | 'plot';
  /** From 0 to 1. */
  at: number;
  words: string;
}): ReactElement {
  // The label stays inside the picture: in the right half it is left of the line.
  const side = at > 0.5 ? { right: `${(1 - at) * 100}%` } : { left: `${at * 100}%` };
  return (
    <>
      <span className={`chart-cursor ${chart}-cursor`} style={{ left: `${at * 100}%` }} />
      <span className={`sm nw chart-tip ${chart}-tip`} style={side} aria-hidden="true">
        {words}
      </span>
    </>
  );
}
