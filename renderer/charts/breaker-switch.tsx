/**
 * The switch of a breaker, 26 x 12: in lists, next to a label. Its shape carries the meaning, not
 * its color.
 */
import './breaker-switch.css';
import { Tooltip } from '@mantine/core';
import type { ReactElement } from 'react';
import type { BreakerState } from '../../shared/types/outage';
import { t } from '../../shared/messages';

/** Contacts and lever relative to the center of the line; the large picture uses the same. */
export function SwitchLines({
  state,
  scale = 1,
}: {
  state: BreakerState;
  scale?: number;
}): ReactElement {
  const at = (value: number): number => Math.round(value * scale * 10) / 10;
  const lever =
    state === 'closed'
      ? `M${at(-14)} 0H${at(14)}`
      : state === 'open'
        ? `M${at(-14)} 0 ${at(9)} ${at(-13)}`
        : `M${at(-14)} 0 ${at(13)} ${at(-6)}`;
  return (
    <>
      <path d={`M${at(-38)} 0H${at(-14)}M${at(14)} 0H${at(38)}`} className="switch-line" />
      <path d={lever} className={state === 'half_open' ? 'switch-line dashed' : 'switch-line'} />
      <circle cx={at(-14)} r={scale < 1 ? 1.6 : 3} />
      <circle cx={at(14)} r={scale < 1 ? 1.6 : 3} />
    </>
  );
}

/**
 * `isQuota` adds a clock to the switch: the breaker is unchanged, but a usage limit makes turns
 * wait. `lever` matches the label next to it; the tooltip shows the breaker's own state.
 */
export function BreakerSwitch({
  state,
  lever = state,
  isQuota = false,
  tone,
}: {
  state: BreakerState;
  lever?: BreakerState;
  isQuota?: boolean;
  tone: 'ok' | 'outage' | 'attention' | 'waiting';
}): ReactElement {
  const label = t(isQuota ? 'breaker.quota' : 'breaker.tooltip', { text: t(`breaker.${state}`) });
  return (
    <Tooltip label={label}>
      <svg
        className={`breaker-switch ink-${tone}`}
        viewBox="-13 -7 26 12"
        role="img"
        aria-label={label}
      >
        <SwitchLines state={lever} scale={0.33} />
        {isQuota ? (
          <g className="switch-clock">
            <circle r="4.6" cy="-1" />
            <path d="M0-3.6V-1l1.8 1.1" className="switch-line" />
          </g>
        ) : null}
      </svg>
    </Tooltip>
  );
}
