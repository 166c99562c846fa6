import { Button } from '@mantine/core';
import type { ReactElement } from 'react';
import { t } from '../../shared/messages';
import type { HistoryEvent } from '../../shared/types';
import { Mark } from '../parts/state-chip';
import { Inert, InertBlock } from '../parts/texts';
import { fullTimeText } from '../parts/time-view';
import { hrefOf } from '../route';
import { eventDetail, eventLook, eventText } from './events-view';

/** Everything that is known about one event. Its texts are shown inert. */
export function EventPane({ event }: { event: HistoryEvent | undefined }): ReactElement {
  if (event === undefined) return <p className="empty">{t('events.pick')}</p>;
  const shown = eventLook(event);
  const detail = eventDetail(event);
  const { turnId, sessionId } = event;
  return (
    <article className="event-pane" aria-label={t('events.pane')}>
      <div className="event-title">
        <span className={`tile tone-${shown.tone}`}>
          <Mark name={shown.mark} />
        </span>
        <h2 className="wrap">
          <Inert text={eventText(event)} />
        </h2>
      </div>
      {turnId === undefined ? null : (
        <div className="flex flex-wrap event-ways">
          <Button component="a" size="xs" href={hrefOf({ kind: 'turn', turnId })}>
            {t('events.openTurn', { id: turnId })}
          </Button>
          <Button
            component="a"
            size="xs"
            variant="subtle"
            href={hrefOf({ kind: 'events', turnId })}
          >
            {t('events.onlyThisTurn')}
          </Button>
        </div>
      )}
      <dl className="facts">
        <dt>{t('events.detail.when')}</dt>
        <dd>
          <time dateTime={new Date(event.atMs).toISOString()}>{fullTimeText(event.atMs)}</time>
        </dd>
        {event.step === undefined ? null : (
          <>
            <dt>{t('events.detail.step')}</dt>
            <dd>{event.step}</dd>
          </>
        )}
        {sessionId === undefined ? null : (
          <>
            <dt>{t('events.detail.session')}</dt>
            <dd>
              <a href={hrefOf({ kind: 'sessions', sessionId })}>{t('events.openSession')}</a>
              <br />
              <a href={hrefOf({ kind: 'events', sessionId })}>{t('events.onlyThisSession')}</a>
            </dd>
          </>
        )}
        {event.outcome === undefined ? null : (
          <>
            <dt>{t('events.detail.outcome')}</dt>
            <dd className="mono">
              <Inert text={event.outcome} />
            </dd>
          </>
        )}
        <dt>{t('events.detail.kind')}</dt>
        <dd className="mono">
          <Inert text={event.kind} />
        </dd>
        <dt>{t('events.detail.id')}</dt>
        <dd className="mono">{event.id}</dd>
      </dl>
      {detail === undefined ? null : (
        <>
          <h3>{t('events.detail.detail')}</h3>
          <InertBlock text={detail} label={t('events.more')} />
        </>
      )}
    </article>
  );
}
