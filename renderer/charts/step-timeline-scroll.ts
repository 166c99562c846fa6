/** Which rows a timeline shows first, and following the newest row while the turn runs. */
import { useEffect, useLayoutEffect, useRef } from 'react';
import type { RefObject } from 'react';
import type { TimelinePlan } from './step-timeline-plan';

const ROW_PX = 27;
const AT_END_PX = 40;

/** The row that needs the user, or the newest of a running turn, or the first. */
function firstShownRow(plan: TimelinePlan): number {
  const asks = plan.rows.findIndex((row) => row.needsYou);
  if (asks >= 0) return asks;
  return plan.isRunning ? Math.max(0, plan.rows.length - 1) : 0;
}

export function useInitialRow(
  bodyRef: RefObject<HTMLDivElement | null>,
  plan: TimelinePlan,
  /** The line that contains a row, counting phase headers. */
  lineOf: (row: number) => number,
  /** True once the rows are rendered. */
  isDrawn: boolean,
): void {
  const isAtEnd = useRef(false);
  const first = useRef(lineOf(firstShownRow(plan)));
  useLayoutEffect(() => {
    const body = bodyRef.current;
    if (!body || !isDrawn) return;
    // Two rows below it stay visible, so that it does not look like the last one.
    const rem = Number.parseFloat(getComputedStyle(document.documentElement).fontSize) || 16;
    body.scrollTop = ((first.current + 3) * ROW_PX * rem) / 16 - body.clientHeight;
  }, [bodyRef, isDrawn]);
  const { isRunning } = plan;
  useEffect(() => {
    const body = bodyRef.current;
    // Reading the height forces a layout on every scroll: only a growing timeline needs it.
    if (!body || !isRunning) return undefined;
    const onScroll = (): void => {
      isAtEnd.current = body.scrollHeight - body.scrollTop - body.clientHeight < AT_END_PX;
    };
    onScroll();
    body.addEventListener('scroll', onScroll, { passive: true });
    return () => body.removeEventListener('scroll', onScroll);
  }, [bodyRef, isRunning]);
  const count = plan.rows.length;
  useLayoutEffect(() => {
    const body = bodyRef.current;
    if (body && isRunning && isAtEnd.current) body.scrollTop = body.scrollHeight;
  }, [bodyRef, count, isRunning]);
}
