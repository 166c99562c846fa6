/**
 * Loads the data of the 24-hour line. It is refreshed once a minute, because the line moves no
 * faster.
 */
import { useEffect, useRef, useState } from 'react';
import { useEvent, useVerb } from '../bridge';
import type { Query } from '../bridge';
import { useNow } from '../clock';
import { isClosed } from '../parts/state-view';
import type { DayLine, DayRange } from '../../shared/types';

/** While work continues, the timeline is fetched at most this often. */
const SETTLE_MS = 4_000;

/** The displayed range: up to now, or up to a moment that the user zoomed in on. */
export interface DayChoice {
  readonly range: DayRange | 'fit';
  readonly untilMs?: number;
}

const KEY = 'holdfast.day-range';
export const CHOSEN_RANGES = ['hour', 'day', 'week'] as const satisfies readonly DayRange[];

const remembered = (): DayChoice => {
  const kept = window.localStorage.getItem(KEY);
  return { range: CHOSEN_RANGES.find((one) => one === kept) ?? 'fit' };
};

/** The selected range. Its length is remembered across visits; a zoom is not. */
export function useDayChoice(): readonly [DayChoice, (choice: DayChoice) => void] {
  const [choice, setChoice] = useState(remembered);
  const choose = (next: DayChoice): void => {
    if (next.untilMs === undefined) window.localStorage.setItem(KEY, next.range);
    setChoice(next);
  };
  return [choice, choose];
}

/**
 * Loads when the page opens, on each tick of the shared clock, when a turn ends, and shortly after
 * other changes. The previous range stays visible while another one loads.
 */
export function useDayChart(choice: DayChoice): Query<DayLine> {
  const day = useVerb('day.line', { ...choice });
  const { reload } = day;
  const [kept, setKept] = useState(day.data);
  if (day.data !== undefined && day.data !== kept) setKept(day.data);
  // The clock stops while the window is hidden, so this does too.
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
    // Hidden window: the next clock tick loads the timeline once it is visible again.
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
  return { ...day, data: day.data ?? kept };
}
