import type { ReactElement, ReactNode } from 'react';

/**
 * One thing to try. Switched off it keeps the focus: who pressed it by a key would be lost else,
 * because pressing it is what switches it off.
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
  /** Start of the ids of its texts. */
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
