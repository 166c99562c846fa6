/**
 * Our own icons: the logo, the tray icons, the question in a diamond, and the letter for pure. All
 * others are from lucide. All are decoration next to a label, so they are hidden from screen
 * readers.
 */
import type { ReactElement, SVGProps } from 'react';
import type { TrayState } from '../../shared/types';

type DrawingProps = Omit<SVGProps<SVGSVGElement>, 'children'> & { readonly size?: number };

const glyph = (draw: ReactElement) =>
  function Glyph({ size = 16, ...rest }: DrawingProps): ReactElement {
    return (
      <svg
        width={size}
        height={size}
        viewBox="0 0 16 16"
        fill="currentColor"
        aria-hidden="true"
        {...rest}
      >
        {draw}
      </svg>
    );
  };

/** The logo: two posts and the bar between them. */
export const HMark = glyph(
  <>
    <rect x="2" y="2" width="3" height="12" rx="1" />
    <rect x="11" y="2" width="3" height="12" rx="1" />
    <rect x="4" y="7" width="8" height="2" />
  </>,
);

const Attention = glyph(
  <path
    fillRule="evenodd"
    d="M4 1h8a3 3 0 0 1 3 3v8a3 3 0 0 1-3 3H4a3 3 0 0 1-3-3V4a3 3 0 0 1 3-3zm3.9 2.6a.9.9 0 0 0-.9.95l.22 4.2a.8.8 0 0 0 1.56 0L9 4.55a.9.9 0 0 0-.9-.95zM8 10.3a1.15 1.15 0 1 0 0 2.3 1.15 1.15 0 0 0 0-2.3z"
  />,
);
const Outage = glyph(
  <g transform="rotate(45 8 8)">
    <rect x="6.5" y=".4" width="3" height="15.2" rx="1" />
    <rect x=".4" y="6.5" width="15.2" height="3" rx="1" />
  </g>,
);
const Degraded = glyph(
  <>
    <rect x="2" y="2" width="3" height="12" rx="1" />
    <path d="M4 7h7V3a1 1 0 0 1 1-1h1a1 1 0 0 1 1 1v5.63A4.1 4.1 0 0 0 10.13 9H4z" />
    <circle className="ink-attention" fill="currentColor" cx="12.4" cy="12.4" r="2.9" />
  </>,
);
const Working = glyph(
  <>
    <rect x="1" y="2" width="3" height="12" rx="1" />
    <rect x="12" y="2" width="3" height="12" rx="1" />
    <path d="M5.75 4.4v7.2a.5.5 0 0 0 .77.42l5-3.6a.5.5 0 0 0 0-.84l-5-3.6a.5.5 0 0 0-.77.42z" />
  </>,
);
const Paused = glyph(
  <>
    <rect x="3" y="2" width="3.5" height="12" rx="1" />
    <rect x="9.5" y="2" width="3.5" height="12" rx="1" />
  </>,
);
const Stopped = glyph(
  <>
    <path
      fillRule="evenodd"
      d="M3 2h1a1.3 1.3 0 0 1 1.3 1.3v9.4A1.3 1.3 0 0 1 4 14H3a1.3 1.3 0 0 1-1.3-1.3V3.3A1.3 1.3 0 0 1 3 2zm0 1.2v9.6h1V3.2zM12 2h1a1.3 1.3 0 0 1 1.3 1.3v9.4A1.3 1.3 0 0 1 13 14h-1a1.3 1.3 0 0 1-1.3-1.3V3.3A1.3 1.3 0 0 1 12 2zm0 1.2v9.6h1V3.2z"
    />
    <rect x="7.2" y="7.2" width="1.6" height="1.6" rx=".4" />
  </>,
);

const TRAY = {
  attention: { Drawing: Attention, tone: 'attention', ink: 'attention-glyph' },
  outage: { Drawing: Outage, tone: 'outage', ink: 'ink-outage' },
  // Not in the success color; its disc has the background's text color.
  degraded: { Drawing: Degraded, tone: 'attention', ink: 'degraded-glyph' },
  working: { Drawing: Working, tone: 'working', ink: 'ink-working' },
  paused: { Drawing: Paused, tone: 'muted', ink: 'ink-muted' },
  idle: { Drawing: HMark, tone: 'kept', ink: 'ink-kept' },
  stopped: { Drawing: Stopped, tone: 'muted', ink: 'ink-muted' },
} as const satisfies Record<TrayState, object>;

/** The tray's glyph in its color; the same drawing as in the tray. */
export function TrayGlyph({ state, size = 16 }: { state: TrayState; size?: number }): ReactElement {
  const { Drawing, ink } = TRAY[state];
  return <Drawing size={size} className={ink} data-tray={state} />;
}

/** The tray's glyph on its soft background, next to a headline. */
export function TrayMedal({ state }: { state: TrayState }): ReactElement {
  return (
    <span className={`tile large tone-${TRAY[state].tone}`}>
      <TrayGlyph state={state} size={26} />
    </span>
  );
}

const line = (draw: ReactElement) =>
  function Line({ size = 16, ...rest }: DrawingProps): ReactElement {
    return (
      <svg
        width={size}
        height={size}
        viewBox="0 0 16 16"
        fill="none"
        stroke="currentColor"
        strokeWidth="1.5"
        strokeLinecap="round"
        strokeLinejoin="round"
        aria-hidden="true"
        {...rest}
      >
        {draw}
      </svg>
    );
  };

/** An open switch: the outages page. */
export const OpenSwitch = line(
  <>
    <path d="M1.2 10.5h2.6M12.2 10.5h2.6M4.9 9.8 10.6 4.6" />
    <circle cx="4.8" cy="10.5" r="1.1" />
    <circle cx="11.2" cy="10.5" r="1.1" />
  </>,
);

/** A small cross next to a number of things that are down. */
export const DownCross = glyph(<path d="M2 4 4 2l4 4 4-4 2 2-4 4 4 4-2 2-4-4-4 4-2-2 4-4z" />);

/** Pause: two thin bars, so that it is not mistaken for the tray icon's posts. */
export const PauseMark = line(<path d="M5.4 3.4v9.2M10.6 3.4v9.2" />);

/** Outcome unknown. */
export const DiamondQuestion = line(
  <>
    <path d="M8 1.6 14.4 8 8 14.4 1.6 8z" />
    <path d="M6.4 6.6c0-1 .7-1.6 1.6-1.6s1.6.6 1.6 1.5c0 1.2-1.6 1.2-1.6 2.4M8 11v.1" />
  </>,
);

/** A function without effects. */
export const PureMark = line(
  <path d="M10.6 3.6c-1.7-.9-2.7.1-3 1.9L6.5 11c-.3 1.6-1.2 2.3-2.6 1.6M5.2 7h4.6" />,
);

/** A scripted answer: lines of text, never the icon of a model. */
export const ScriptMark = line(<path d="M4 3.4h8M4 6.5h8M4 9.6h5" />);
