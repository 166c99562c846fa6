/**
 * When this window was last viewed, and since when it has not been. Stored in the window's own
 * storage.
 */
import { useEffect, useState } from 'react';
import { useNow } from '../clock';
import { awayNow, parseAway, type Away } from './away-view';

const SEEN = 'holdfast.lastLook';
const AWAY = 'holdfast.away';

const lastLook = (): number | undefined => {
  const stored = Number(window.localStorage.getItem(SEEN) ?? Number.NaN);
  return Number.isFinite(stored) ? stored : undefined;
};

/** Reads the gap before this view ends it. */
function look(): Away | undefined {
  const nowMs = Date.now();
  const away = awayNow(lastLook(), parseAway(window.localStorage.getItem(AWAY)), nowMs);
  if (away !== undefined) window.localStorage.setItem(AWAY, JSON.stringify(away));
  window.localStorage.setItem(SEEN, String(nowMs));
  return away;
}

/** A kill writes nothing, so the time is stored every minute while the window is viewed. */
export function useLooks(): void {
  const nowMs = useNow('minute');
  useEffect(() => {
    if (document.visibilityState === 'visible') look();
  }, [nowMs]);
}

/** The period to report; `dismiss` ends the report. */
export function useAway(): { readonly away: Away | undefined; readonly dismiss: () => void } {
  const [away, setAway] = useState(look);
  useEffect(() => {
    const onChange = (): void => {
      if (document.visibilityState === 'visible') setAway(look());
    };
    document.addEventListener('visibilitychange', onChange);
    return () => document.removeEventListener('visibilitychange', onChange);
  }, []);
  return {
    away,
    dismiss: () => {
      window.localStorage.removeItem(AWAY);
      setAway(undefined);
    },
  };
}
