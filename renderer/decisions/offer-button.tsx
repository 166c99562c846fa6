/** One answer that can be given. */
import { Button, Tooltip } from '@mantine/core';
import { useId } from 'react';
import type { ReactElement, ReactNode } from 'react';

interface OfferWords {
  readonly label: string;
  /** Shown below the button. */
  readonly short: string;
  /** What it does, as a full sentence. */
  readonly effect: string;
}

/**
 * A button with one short line below it; the full sentence is the button's description and shows on
 * hover and focus, so that the answers never cover the facts.
 */
export function OfferButton({
  words,
  icon,
  look = 'plain',
  isDisabled,
  onClick,
}: {
  readonly words: OfferWords;
  readonly icon: ReactNode;
  readonly look?: 'plain' | 'filled' | 'destructive';
  readonly isDisabled: boolean;
  readonly onClick: () => void;
}): ReactElement {
  const id = useId();
  return (
    <Tooltip label={words.effect} events={{ hover: true, focus: true, touch: false }}>
      <div className="offer">
        <Button
          variant={look === 'filled' ? 'filled' : 'default'}
          className={look === 'destructive' ? 'destructive' : ''}
          leftSection={icon}
          disabled={isDisabled}
          aria-describedby={id}
          onClick={onClick}
        >
          {words.label}
        </Button>
        <p className="sm t3 nw" aria-hidden="true">
          {words.short}
        </p>
        <p id={id} className="sr-only">
          {words.effect}
        </p>
      </div>
    </Tooltip>
  );
}
