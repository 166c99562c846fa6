import { useEffect, useRef } from 'react';
import type { RefObject } from 'react';
import { isFocusLost } from '../keys/keep-focus';

/**
 * For the line that says what became of an answer: it takes the focus when the button that was
 * pressed has gone with its question. `mark` changes with what is shown below it.
 */
export function useTold(said: string, mark: string): RefObject<HTMLParagraphElement | null> {
  const line = useRef<HTMLParagraphElement>(null);
  useEffect(() => {
    if (said !== '' && isFocusLost()) line.current?.focus({ preventScroll: true });
  }, [said, mark]);
  return line;
}
