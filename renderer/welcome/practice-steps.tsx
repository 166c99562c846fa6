/** The practice turn, live: one row per step, the kill as a break between two lines. */
import type { ReactElement } from 'react';
import { t } from '../../shared/messages';
import type { VerbOutput } from '../../shared/contract';
import { useNow } from '../clock';
import { Mark, PurityIcon } from '../parts/state-chip';
import { Inert } from '../parts/texts';
import { durationText } from '../parts/time-view';
import { toolName } from '../parts/tool-name';
import { practiceTimeline } from './practice-view';
import type { PracticeRow, PracticeStop } from './practice-view';

const percent = (value: number): string => `${value.toFixed(3)}%`;

export function PracticeSteps({ data }: { data: VerbOutput<'turns.show'> }): ReactElement {
  const nowMs = useNow(data.turn.state === 'running' ? 'second' : 'minute');
  const { rows, stops } = practiceTimeline(data, nowMs);
  return (
    <div className="practice-chart">
      <div className="practice-plot" aria-hidden="true">
        {stops.map((stop, index) => (
          <StopMark key={index} stop={stop} isNamed={index === stops.length - 1} />
        ))}
      </div>
      <ol aria-label={t('turn.steps.label')}>
        {rows.map((row) => (
          <Row key={row.bars[0]?.step ?? row.step.index} row={row} />
        ))}
      </ol>
      {stops.map((stop, index) => (
        <p key={index} className="sr-only">
          {t('try.killed')}
          {stop.isBack ? `, ${t('try.backAfter', { duration: durationText(stop.downMs) })}` : ''}
        </p>
      ))}
    </div>
  );
}

/** A stop: red line, hatch, and the teal line of the restart once it is back. */
function StopMark({ stop, isNamed }: { stop: PracticeStop; isNamed: boolean }): ReactElement {
  return (
    <div
      className="practice-break"
      style={{ left: percent(stop.leftPercent), width: percent(stop.widthPercent) }}
    >
      <span className="practice-line stop" />
      {isNamed ? <span className="practice-word stop">{t('try.killed')}</span> : null}
      {stop.isBack ? (
        <>
          <span className="practice-line back" />
          {isNamed ? (
            <span className="practice-word back">
              {t('try.backAfter', { duration: durationText(stop.downMs) })}
            </span>
          ) : null}
        </>
      ) : null}
    </div>
  );
}

function Row({ row }: { row: PracticeRow }): ReactElement {
  const { step, caption, link } = row;
  return (
    <li className="practice-step">
      <PurityIcon purity={step.purity} isScripted />
      <span className="mono ellipsis">
        {step.purity === 'llm' ? t('purity.scripted') : <Inert text={toolName(step.tool)} />}
      </span>
      <span className="practice-track">
        {row.bars.map((bar) => (
          <span
            key={bar.step}
            className={`practice-bar p-${step.purity} look-${bar.look}`}
            style={{ left: percent(bar.leftPercent), width: percent(bar.widthPercent) }}
            aria-hidden="true"
          />
        ))}
        {link ? (
          <span
            className={`practice-link${step.fate === 'asked_again' ? ' asked' : ''}`}
            style={{ left: percent(link.leftPercent), width: percent(link.widthPercent) }}
            aria-hidden="true"
          />
        ) : null}
        <span
          className={`practice-caption xs ink-${caption.tone}`}
          style={
            caption.anchor === 'start'
              ? { left: percent(caption.atPercent) }
              : { right: percent(100 - caption.atPercent) }
          }
        >
          <Mark name={caption.mark} className="icon small" />
          {caption.text}
        </span>
      </span>
    </li>
  );
}
