import { Button } from '@mantine/core';
import type { ReactElement } from 'react';
import { Fact } from '../parts/fact';
import { t } from '../../shared/messages';
import type { HistoryEvent } from '../../shared/types';
import { IdDetails } from '../parts/id-details';
import { Tile } from '../parts/state-chip';
import { Inert, InertBlock } from '../parts/texts';
import { clockText, fullTimeText } from '../parts/time-view';
import { hrefOf } from '../route';
import { eventDetail, eventLook, eventText, isAuditLine, rowText, toldFacts } from './events-view';
import type { EventRow } from './events-view';

/** Everything known about one event. Its texts are displayed as plain text only. */
export function EventPane({ row }: { row: EventRow | undefined }): ReactElement {
  if (row === undefined) return <p className="empty">{t('events.pick')}</p>;
  const { event, stages } = row;
  const shown = eventLook(event);
  const detail = isAuditLine(event) ? undefined : eventDetail(event);
  const { turnId, sessionId } = event;
  return (
    <article className="stack event-pane" aria-label={t('events.pane')}>
      <div className="event-title">
        <Tile tone={shown.tone} mark={shown.mark} />
        <Inert as="h2" className="wrap" text={rowText(row)} />
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
        <Fact name={t('events.detail.when')}>
          <time dateTime={new Date(event.atMs).toISOString()}>{fullTimeText(event.atMs)}</time>
        </Fact>
        <Fact name={t('events.detail.step')}>{event.step}</Fact>
        {sessionId === undefined ? null : (
          <Fact name={t('events.detail.session')}>
            <a href={hrefOf({ kind: 'sessions', sessionId })}>{t('events.openSession')}</a>
            <br />
            <a href={hrefOf({ kind: 'events', sessionId })}>{t('events.onlyThisSession')}</a>
          </Fact>
        )}
        {toldFacts(event).map(({ name, label, text }) => (
          <Fact key={name} name={label} className="wrap" text={text} />
        ))}
      </dl>
      {detail === undefined ? null : (
        <>
          <h3>{t('events.detail.detail')}</h3>
          <InertBlock text={detail} label={t('events.more')} />
        </>
      )}
      {stages === undefined ? null : <Stages stages={stages} />}
      <AsRecorded event={event} />
    </article>
  );
}

/** The stages of a start or stop, in execution order. */
function Stages({ stages }: { stages: readonly HistoryEvent[] }): ReactElement {
  return (
    <ol className="event-stages sm" aria-label={t('events.stages')}>
      {stages.toReversed().map((stage) => (
        <li key={stage.id}>
          <time className="t3" dateTime={new Date(stage.atMs).toISOString()}>
            {clockText(stage.atMs, stage.atMs, undefined, true)}
          </time>{' '}
          <Inert text={eventText(stage)} />
        </li>
      ))}
    </ol>
  );
}

/** Names and codes as stored: for looking them up in a log, or quoting them in a report. */
function AsRecorded({ event }: { event: HistoryEvent }): ReactElement {
  const { kind, outcome, id, detail } = event;
  return (
    <IdDetails
      ids={[
        { label: t('events.detail.kind'), value: kind },
        ...(outcome === undefined ? [] : [{ label: t('events.detail.outcome'), value: outcome }]),
        { label: t('events.detail.id'), value: id },
        ...(isAuditLine(event) && detail !== undefined
          ? [{ label: t('events.detail.facts'), value: detail }]
          : []),
      ]}
    />
  );
}
