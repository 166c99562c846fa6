/** Cost by day and agent as bars, and next to each day what recovery saved. */
import { useElementSize } from '@mantine/hooks';
import type { ReactElement } from 'react';
import { t } from '../../shared/messages';
import { scaledPicture } from '../charts/text-scale';
import { oneLine } from '../parts/inert-view';
import { dayOf } from '../parts/time-view';
import { amountText, chartModel, chartSentence, dayReading, type UsageFacts } from './usage-view';

const HEIGHT = 168;
const HEAD = 8;
const FOOT = 22;
const LEFT = 62;
const RIGHT = 16;

const dateText = (startMs: number): string => dayOf(startMs, { day: 'numeric', month: 'short' });

export function UsageChart({ facts }: { facts: UsageFacts }): ReactElement {
  const { ref, width: widthPx } = useElementSize();
  const { width, scale } = scaledPicture(widthPx);
  const model = chartModel(facts, { width, height: HEIGHT, left: LEFT, right: RIGHT });
  const whole = HEAD + HEIGHT + FOOT;
  return (
    <>
      <div ref={ref} className="usage-plot">
        <svg
          role="img"
          aria-label={chartSentence(facts)}
          width={width * scale}
          height={whole * scale}
          viewBox={`0 ${-HEAD} ${width} ${whole}`}
        >
          {model.lines.map(({ y, value }) => (
            <g key={value}>
              <path d={`M${LEFT} ${y}H${width}`} className="usage-line" />
              <text x={LEFT - 8} y={y + 4} textAnchor="end">
                {amountText(value, facts.measure)}
              </text>
            </g>
          ))}
          {model.days.map(({ day, slot, parts, saved }) => (
            <g key={day.day} className="usage-day">
              <title>{oneLine(dayReading(day, facts, dateText(day.startMs)), 400)}</title>
              <rect {...slot} className="usage-slot" />
              {parts.map(({ series, ...bar }) => (
                <rect key={series} {...bar} className={`usage-bar of-${series}`} />
              ))}
              {saved === undefined ? null : <rect {...saved} className="usage-bar is-saved" />}
            </g>
          ))}
          {model.ticks.map(({ x, startMs }) => (
            <text key={startMs} x={x} y={HEIGHT + 16} textAnchor="middle">
              {dateText(startMs)}
            </text>
          ))}
        </svg>
      </div>
      <ul className="sm t2 usage-legend" aria-hidden="true">
        {facts.series.map((name, at) => (
          <li key={name}>
            <i className={`usage-key of-${at}`} />
            {oneLine(name, 60)}
          </li>
        ))}
        {facts.days.some(({ saved }) => saved > 0) ? (
          <li>
            <i className="usage-key is-saved" />
            {t('usage.legend.saved')}
          </li>
        ) : null}
      </ul>
    </>
  );
}
