/** Three boxes, four arrows, and the retry waits: a breaker's state and what comes next. */
import './breaker-picture.css';
import type { ReactElement } from 'react';
import { t } from '../../shared/messages';
import type { BreakerState, BreakerView } from '../../shared/types/outage';
import { BREAKER_HEIGHT, BREAKER_WIDTH, breakerModel } from './breaker-picture-view';
import type { BreakerArrow, BreakerBox, BreakerWait } from './breaker-picture-view';
import { SwitchLines } from './breaker-switch';

const TONE: Readonly<Record<BreakerState, string>> = {
  closed: 'ok',
  open: 'outage',
  half_open: 'attention',
};

export function BreakerPicture({ breaker }: { breaker: BreakerView }): ReactElement {
  const marks = breakerModel(breaker);
  return (
    <>
      <svg
        className="breaker-picture"
        viewBox={`0 0 ${BREAKER_WIDTH} ${BREAKER_HEIGHT}`}
        role="img"
        aria-label={marks.sentence}
      >
        {marks.boxes.map((box) => (
          <Box key={box.state} box={box} />
        ))}
        {marks.arrows.map((arrow) => (
          <Arrow key={arrow.path} arrow={arrow} />
        ))}
      </svg>
      <Waits waits={marks.waits} />
    </>
  );
}

function Box({ box }: { box: BreakerBox }): ReactElement {
  const tone = box.isCurrent ? ` now tone-${TONE[box.state]}` : '';
  return (
    <g transform={`translate(${box.x} ${box.y})`} className={`breaker-box${tone}`}>
      <rect x={-56} y={-22} width={112} height={66} rx={8} />
      <SwitchLines state={box.state} />
      <text y={20} className="breaker-name">
        {box.name}
      </text>
      <text y={35}>{box.about}</text>
    </g>
  );
}

function Arrow({ arrow }: { arrow: BreakerArrow }): ReactElement {
  return (
    <g className="breaker-arrow">
      <path d={arrow.path} />
      {arrow.lines.map((line, at) => (
        <text key={line} x={arrow.x} y={arrow.y + at * 13} textAnchor={arrow.anchor}>
          {line}
        </text>
      ))}
    </g>
  );
}

function Waits({ waits }: { waits: readonly BreakerWait[] }): ReactElement {
  return (
    <div className="flex breaker-wait-list">
      <span className="t3 sm" id="breaker-waits">
        {t('breaker.waits')}
      </span>
      <ol aria-labelledby="breaker-waits">
        {waits.map((wait) => (
          <li
            key={wait.delayMs}
            className={wait.isCurrent ? 'now' : undefined}
            aria-current={wait.isCurrent ? 'step' : undefined}
          >
            {wait.text}
          </li>
        ))}
      </ol>
    </div>
  );
}
