import { useEffect, useRef } from 'react';
import type { RefObject } from 'react';
import { isFocusLost } from '../keys/keep-focus';

/**
 * For the line that confirms an answer: it takes the focus when the pressed button was removed with
 * its question. `mark` changes with what is shown below it.
 */
export function useTold(said: string, mark: string): RefObject<HTMLParagraphElement | null> {
  const line = useRef<HTMLParagraphElement>(null);
  useEffect(() => {
    if (said !== '' && isFocusLost()) line.current?.focus({ preventScroll: true });
  }, [said, mark]);
  return line;
}
