/** Delivery to the broker: its state, the disk queue, and undelivered events. */
import { Button, Select } from '@mantine/core';
import { TriangleAlert } from 'lucide-react';
import { useState } from 'react';
import type { ReactElement } from 'react';
import { Fact } from '../parts/fact';
import { t } from '../../shared/messages';
import type { DeadLetter, QueueStatus } from '../../shared/types/delivery';
import { useCommand, useVerb } from '../bridge';
import { useNow } from '../clock';
import { Tile } from '../parts/state-chip';
import { Ago, Inert, NoteLine, SectionHead, TroubleNote } from '../parts/texts';
import { clockText } from '../parts/time-view';
import { DeadLetterRow } from './dead-letter';
import type { PurgeTarget } from './dead-letter-acts';
import { PurgeQuestion, useReplay } from './dead-letter-acts';
import { bytesText, countText, deliveryHead, fillTone, topicsOf } from './delivery-view';
import './delivery.css';

const ALL = 'all topics';
const PAGE = 50;
/** The contract's page size; one page is enough here. */
const MAX_SHOWN = 1000;

export function DeliveryPart(): ReactElement {
  const queue = useVerb('queue.status', {});
  return (
    <div className="stack delivery">
      <TroubleNote trouble={queue.trouble} />
      {queue.data ? (
        <>
          <Broker status={queue.data} />
          <ShedNote shed={queue.data.shed} />
          {queue.data.refused === 0 ? null : (
            <NoteLine tone="outage" role="status" mark={<TriangleAlert className="icon small" />}>
              {t('delivery.refused', { count: queue.data.refused })}
            </NoteLine>
          )}
        </>
      ) : null}
      <DeadLetters />
      {queue.data?.broker === 'local' ? <Topics /> : null}
    </div>
  );
}

/** Topics of Holdfast's own events; agents and tasks publish more. */
const OWN_TOPICS = [
  'turn.accepted',
  'turn.completed',
  'turn.held',
  'outage.declared',
  'started',
] as const;

/** What a broker would receive: without a broker the page has nothing else to show. */
function Topics(): ReactElement {
  return (
    <section aria-label={t('delivery.topics')}>
      <SectionHead title={t('delivery.topics')} />
      <ul className="card rows">
        {OWN_TOPICS.map((topic) => (
          <li key={topic} className="row delivery-topic">
            <code>holdfast.{topic}</code>
            <span className="t2 wrap">{t(`delivery.topic.${topic}`)}</span>
          </li>
        ))}
      </ul>
      <p className="sm t3 delivery-topics-about">{t('delivery.topics.about')}</p>
    </section>
  );
}

function Broker({ status }: { status: QueueStatus }): ReactElement {
  const nowMs = useNow('minute');
  const openSettings = useCommand('app.openSettings');
  const head = deliveryHead(status);
  const percent = Math.round(status.fill * 100);
  return (
    <section className="card delivery-broker" aria-label={t('delivery.broker')}>
      <div className="flex">
        <Tile tone={head.tone} mark={head.mark} />
        <div className="grow wrap">
          <h2>{head.text}</h2>
          {status.broker === 'local' ? (
            <p className="sm t2">{t('delivery.head.localAbout')}</p>
          ) : null}
          {status.problem === undefined ? null : (
            <Inert as="p" className="sm t2" text={status.problem} />
          )}
          {status.broker === 'down' ? (
            <p className="sm t2">{t('delivery.head.downAbout')}</p>
          ) : null}
        </div>
        {status.broker === 'local' || status.broker === 'down' ? (
          <Button onClick={() => void openSettings.run({ at: 'delivery' })}>
            {t(status.broker === 'local' ? 'delivery.setUp' : 'delivery.settings')}
          </Button>
        ) : null}
      </div>
      <TroubleNote trouble={openSettings.trouble} />
      <dl className="facts sm delivery-facts">
        {status.broker === 'local' ? null : (
          <Fact name={t('delivery.broker')}>
            {t(`delivery.broker.${status.broker}`)}
            {status.sinceMs === undefined ? null : (
              <span className="t3">
                {' '}
                {t('delivery.since', { time: clockText(status.sinceMs, nowMs) })}
              </span>
            )}
          </Fact>
        )}
        <Fact name={t('delivery.server')} className="mono" text={status.server} />
        {status.broker === 'local' ? null : (
          <>
            <Fact name={t('delivery.depth')}>
              {t('delivery.depthText', {
                count: countText(status.depth),
                text: countText(status.maxPending),
                what: bytesText(status.bytes),
              })}
              <span
                className="delivery-fill"
                role="meter"
                aria-label={t('delivery.full')}
                aria-valuemin={0}
                aria-valuemax={100}
                aria-valuenow={percent}
              >
                <span
                  className={`delivery-level tone-${fillTone(status.fill)}`}
                  style={{ width: `${String(percent)}%` }}
                />
              </span>
            </Fact>
            {status.oldestAtMs === undefined ? null : (
              <Fact name={t('delivery.oldest')}>
                <Ago atMs={status.oldestAtMs} />
              </Fact>
            )}
            <Fact
              name={t('delivery.slowdown')}
              className={status.slowdownMs > 0 ? 'ink-attention' : undefined}
            >
              {status.slowdownMs > 0
                ? t('delivery.slowdown.by', { count: Math.round(status.slowdownMs) })
                : t('delivery.slowdown.none')}
            </Fact>
          </>
        )}
        <Fact name={t('delivery.counts')}>
          {status.broker === 'local'
            ? t('delivery.countsLocal', { count: countText(status.published) })
            : t('delivery.countsText', {
                count: countText(status.published),
                text: countText(status.delivered),
              })}
        </Fact>
      </dl>
    </section>
  );
}

/** Nothing is lost silently: dropped events are counted here and listed below. S2-38. */
function ShedNote({ shed }: { shed: QueueStatus['shed'] }): ReactElement | null {
  if (shed.total === 0) return null;
  return (
    <NoteLine tone="attention" role="status" mark={<TriangleAlert className="icon small" />}>
      <strong className="m5">{t('delivery.shed', { count: shed.total })}</strong>{' '}
      {t('delivery.shed.kept', { count: shed.kept })}
      {shed.summarised === 0 ? null : (
        <> {t('delivery.shed.summarised', { count: shed.summarised })}</>
      )}
    </NoteLine>
  );
}

function DeadLetters(): ReactElement {
  const [topic, setTopic] = useState(ALL);
  const [shown, setShown] = useState(PAGE);
  const [asked, setAsked] = useState<PurgeTarget>();
  const of = topic === ALL ? {} : { topic };
  const list = useVerb('dlq.list', { ...of, limit: shown });
  const replay = useReplay();
  const letters = list.data?.letters ?? [];
  const total = list.data?.total ?? 0;
  const topics = useTopics(letters);
  const scope = topic === ALL ? { all: true } : { topic };
  return (
    <section aria-label={t('delivery.dead')}>
      <SectionHead title={t('delivery.dead')} count={list.data ? total : undefined}>
        {topics.length < 2 ? null : (
          <Select
            size="xs"
            className="end"
            aria-label={t('delivery.topic')}
            value={topic}
            onChange={(value) => setTopic(value ?? ALL)}
            allowDeselect={false}
            data={[{ value: ALL, label: t('delivery.topic.all') }, ...topics]}
          />
        )}
      </SectionHead>
      {total === 0 ? null : (
        <div className="flex flex-wrap delivery-acts">
          <Button size="xs" loading={replay.command.isBusy} onClick={() => replay.run(scope)}>
            {topic === ALL
              ? t('delivery.replayAll', { count: total })
              : t('delivery.replayTopic', { count: total, name: topic })}
          </Button>
          <Button
            size="xs"
            className="destructive"
            onClick={() => setAsked({ input: scope, count: total })}
          >
            {topic === ALL ? t('delivery.purgeAll') : t('delivery.purgeTopic', { name: topic })}
          </Button>
        </div>
      )}
      <TroubleNote trouble={list.trouble ?? replay.command.trouble} />
      {list.data === undefined ? null : total === 0 ? (
        <p className="sm t3">
          {topic === ALL ? t('delivery.dead.none') : t('delivery.dead.noneTopic')}
        </p>
      ) : (
        <ul className="card rows">
          {letters.map((letter) => (
            <DeadLetterRow
              key={letter.id}
              letter={letter}
              isBusy={replay.command.isBusy}
              onReplay={() => replay.run({ id: letter.id })}
              onPurge={() => setAsked({ input: { id: letter.id }, count: 1 })}
            />
          ))}
          {list.data.hasMore && shown < MAX_SHOWN ? (
            <li className="row delivery-more">
              <Button size="xs" onClick={() => setShown(Math.min(MAX_SHOWN, shown * 2))}>
                {t('delivery.more')}
              </Button>
            </li>
          ) : null}
        </ul>
      )}
      {asked === undefined ? null : (
        <PurgeQuestion asked={asked} onClose={() => setAsked(undefined)} />
      )}
    </section>
  );
}

/**
 * Every topic seen while the page is open: choosing one must not remove the others from the list.
 */
function useTopics(letters: readonly DeadLetter[]): readonly string[] {
  const [seen, setSeen] = useState<readonly string[]>([]);
  const now = topicsOf(letters);
  if (now.some((topic) => !seen.includes(topic))) {
    setSeen([...new Set([...seen, ...now])].toSorted());
  }
  return seen;
}
