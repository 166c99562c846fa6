import { useEffect, useState } from 'react';

const TYPING_MS = 250;

/** The text of a field once typing has paused for so long; at once when it was emptied. */
export function useSettled(text: string, pauseMs = TYPING_MS): string {
  const [settled, setSettled] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), text === '' ? 0 : pauseMs);
    return () => clearTimeout(timer);
  }, [text, pauseMs]);
  return settled;
}
