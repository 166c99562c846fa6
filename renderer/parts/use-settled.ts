import { useEffect, useState } from 'react';

const TYPING_MS = 250;

/** The text of a field once typing has paused; at once when it was emptied. */
export function useSettled(text: string): string {
  const [settled, setSettled] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), text === '' ? 0 : TYPING_MS);
    return () => clearTimeout(timer);
  }, [text]);
  return settled;
}
