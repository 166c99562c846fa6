import type { ReactElement } from 'react';
import { t } from '../../shared/messages';
import type { DayMarks } from './day-line-view';

/** Only what the picture shows is explained. */
export function DayLegend({ has }: { has: DayMarks['has'] }): ReactElement {
  return (
    <span className="day-legend" aria-hidden="true">
      <span>
        <i className="day-key-bar" />
        {t('day.steps')}
      </span>
      <span>
        <i className="day-key-run" />
        {t('day.running')}
      </span>
      {has.asleep ? (
        <span>
          <i className="day-key-sleep" />
          {t('day.asleep')}
        </span>
      ) : null}
      {has.stops ? (
        <span>
          <svg width="8" height="11" viewBox="0 0 8 11" className="day-stop">
            <path d="M4 4v7" className="day-stop-line" />
            <path d="M0 0h8L4 6z" />
          </svg>
          {t('day.stop')}
        </span>
      ) : null}
      {has.outages ? (
        <span>
          <i className="day-key-outage" />
          {t('day.outage')}
        </span>
      ) : null}
    </span>
  );
}
