/** The data of the 24-hour line, as fresh as it is worth: it moves by the minute. */
import { useEffect, useRef } from 'react';
import { useEvent, useVerb } from '../bridge';
import type { Query } from '../bridge';
import { useNow } from '../clock';
import { isClosed } from '../parts/state-view';
import type { DayLine } from '../../shared/types';

/** While work continues, the timeline is fetched at most this often. */
const SETTLE_MS = 4_000;

/**
 * Fetches when the page opens, with the shared clock, when a turn ends, and shortly after other
 * changes.
 */
export function useDayLine(): Query<DayLine> {
  const day = useVerb('day.line', {});
  const { reload } = day;
  // The clock stops while the window is hidden, and so does this.
  const minute = useNow('minute');
  const isFirst = useRef(true);
  useEffect(() => {
    if (isFirst.current) isFirst.current = false;
    else reload();
  }, [minute, reload]);

  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  useEvent('turn.changed', ({ state }) => {
    if (isClosed(state)) {
      // This event also reloads the list of ended turns, and the number next to it must match.
      if (document.visibilityState === 'visible') reload();
      return;
    }
    if (timer.current !== undefined || document.visibilityState !== 'visible') return;
    timer.current = setTimeout(() => {
      timer.current = undefined;
      reload();
    }, SETTLE_MS);
  });
  useEffect(() => {
    // Hidden window: the timeline is fetched with the clock once it is visible again.
    const drop = (): void => {
      if (document.visibilityState === 'visible') return;
      clearTimeout(timer.current);
      timer.current = undefined;
    };
    document.addEventListener('visibilitychange', drop);
    return () => {
      document.removeEventListener('visibilitychange', drop);
      clearTimeout(timer.current);
    };
  }, []);
  return day;
}
