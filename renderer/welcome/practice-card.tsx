import type { ReactElement, ReactNode } from 'react';

/**
 * One thing to try. It keeps the focus while disabled, because pressing it disables it and keyboard
 * users would lose the focus.
 */
export function PracticeCard({
  name,
  tone,
  icon,
  title,
  about,
  isNext = false,
  isOff,
  onPress,
  children,
}: {
  /** Prefix for the ids of its texts. */
  name: string;
  tone: 'kept' | 'outage' | 'attention';
  icon: ReactNode;
  title: string;
  about: ReactNode;
  /** The one to press first. */
  isNext?: boolean;
  isOff: boolean;
  onPress: () => void;
  children?: ReactNode;
}): ReactElement {
  return (
    <button
      type="button"
      className={isNext ? 'practice-card is-next' : 'practice-card'}
      aria-disabled={isOff}
      aria-labelledby={`${name}-name`}
      aria-describedby={`${name}-about`}
      onClick={() => {
        if (!isOff) onPress();
      }}
    >
      <span className={`tile tone-${tone}`}>{icon}</span>
      <span className="grow">
        <span className="m5 block" id={`${name}-name`}>
          {title}
        </span>
        <span className="sm t3 block" id={`${name}-about`}>
          {about}
        </span>
      </span>
      {children}
    </button>
  );
}
