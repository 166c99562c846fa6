import { useEffect, useRef } from 'react';
import type { ReactElement } from 'react';
import { isFocusLost } from '../keys/keep-focus';

/**
 * The line that confirms an answer. It takes the focus if the pressed button was removed together
 * with its question. `mark` changes with the content below it.
 */
export function ToldLine({
  said,
  mark,
  look = 'note-line tone-ok',
}: {
  said: string;
  mark: string;
  /** Classes of the line while it says something. */
  look?: string;
}): ReactElement {
  const line = useRef<HTMLParagraphElement>(null);
  useEffect(() => {
    if (said !== '' && isFocusLost()) line.current?.focus({ preventScroll: true });
  }, [said, mark]);
  return (
    <p ref={line} tabIndex={-1} role="status" className={said === '' ? 'sr-only' : look}>
      {said}
    </p>
  );
}
