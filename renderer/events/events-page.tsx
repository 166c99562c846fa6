/** The events page: journal and audit, newest first, with infinite scrolling. */
import './events.css';
import { Button, CloseButton, SegmentedControl, Select, Splitter } from '@mantine/core';
import { useWindowEvent } from '@mantine/hooks';
import { Activity } from 'lucide-react';
import { useCallback, useMemo, useRef, useState } from 'react';
import type { ReactElement } from 'react';
import { t } from '../../shared/messages';
import { useNow } from '../clock';
import { placeOfFocus } from '../keys/key-place';
import { isKey } from '../keys/keys-view';
import { useSettled } from '../parts/use-settled';
import { SearchField } from '../parts/search-field';
import { EmptyState, TroubleNote } from '../parts/texts';
import { clockText } from '../parts/time-view';
import { goTo } from '../route';
import type { Route } from '../route';
import { DeliveryPart } from './delivery-part';
import { EventPane } from './event-pane';
import { useEvents } from './events-data';
import type { EventFilter, Events } from './events-data';
import { EventsList } from './events-list';
import type { ListHandle } from './events-list';
import { groupsOf, kindsOf, listRows, rowOf } from './events-view';
import type { Source } from './events-view';
import { readSplit, splitKey, writeSplit } from '../parts/split-sizes';

type EventsRoute = Extract<Route, { kind: 'events' }>;

const ALL = 'all';
/**
 * The divider keeps its position from other pages; here the pane next to the list has a set width.
 */
const PANE_KEY = splitKey('events', false);

export function EventsPage({ route }: { route: EventsRoute }): ReactElement {
  const { turnId, sessionId, untilMs } = route;
  const [source, setSource] = useState<Source>(() => {
    const asked = cameTo;
    cameTo = 'journal';
    return asked;
  });
  const [group, setGroup] = useState<string>(ALL);
  const [text, setText] = useState('');
  const words = useSettled(text.trim().slice(0, 200));
  const kinds = kindsOf(source, group);
  const filter: EventFilter = {
    source,
    ...(kinds === undefined ? {} : { kinds: [...kinds] }),
    ...(turnId === undefined ? {} : { turnId }),
    ...(sessionId === undefined ? {} : { sessionId }),
    ...(untilMs === undefined ? {} : { untilMs }),
    ...(words === '' ? {} : { text: words }),
  };
  const isFiltered = group !== ALL || words !== '' || Object.keys(route).length > 1;

  return (
    <div className="page full events-page">
      <header className="page-top">
        <div className="grow">
          <h1>{t('events.title')}</h1>
          <p className="sub">{t(`events.sub.${source}`)}</p>
        </div>
      </header>
      <div className="flex flex-wrap events-bar">
        <Sources
          shown={source}
          onShow={(value) => {
            setSource(value);
            setGroup(ALL);
          }}
        />
        <Select
          aria-label={t('events.kind')}
          value={group}
          onChange={(value) => setGroup(value ?? ALL)}
          allowDeselect={false}
          w="12rem"
          data={[
            { value: ALL, label: t('events.kind.all') },
            ...groupsOf(source).map(({ value, label }) => ({
              value,
              label: t(label),
            })),
          ]}
        />
        <FilterChips route={route} />
        <SearchField
          className="events-search"
          label={t('events.search')}
          value={text}
          onSearch={setText}
        />
      </div>
      <FoundEvents
        key={JSON.stringify(filter)}
        filter={filter}
        isFiltered={isFiltered}
        isSearch={words !== ''}
      />
    </div>
  );
}

/** The three parts of the page. Delivery has its own route, so that notices can link to it. */
function Sources({
  shown,
  onShow,
}: {
  shown: Source | 'delivery';
  onShow: (source: Source) => void;
}): ReactElement {
  return (
    <SegmentedControl
      aria-label={t('events.source')}
      value={shown}
      onChange={(value) => {
        if (value === 'delivery') goTo({ kind: 'delivery' });
        else onShow(value);
      }}
      data={[
        { value: 'journal', label: t('events.journal') },
        { value: 'audit', label: t('events.audit') },
        { value: 'delivery', label: t('delivery.tab') },
      ]}
    />
  );
}

/** The part to return to from delivery. */
let cameTo: Source = 'journal';

export function DeliveryPage(): ReactElement {
  return (
    <div className="page events-page">
      <header className="page-top">
        <div className="grow">
          <h1>{t('events.title')}</h1>
          <p className="sub">{t('delivery.sub')}</p>
        </div>
      </header>
      <div className="flex flex-wrap events-bar">
        <Sources
          shown="delivery"
          onShow={(source) => {
            cameTo = source;
            goTo({ kind: 'events' });
          }}
        />
      </div>
      <DeliveryPart />
    </div>
  );
}

/** The filters from the URL; each can be removed. */
function FilterChips({ route }: { route: EventsRoute }): ReactElement | null {
  const nowMs = useNow('minute');
  const label =
    route.turnId !== undefined
      ? t('events.onlyTurn', { id: route.turnId })
      : route.sessionId !== undefined
        ? t('events.onlySession', { id: route.sessionId })
        : route.untilMs !== undefined
          ? t('events.until', { time: clockText(route.untilMs, nowMs) })
          : undefined;
  if (label === undefined) return null;
  return (
    <span className="chip tone-kept events-chip">
      {label}
      <CloseButton
        size={18}
        iconSize={12}
        aria-label={t('events.clear', { what: label })}
        onClick={() => goTo({ kind: 'events' })}
      />
    </span>
  );
}

/** List and pane for one filter. Another filter starts at the top with nothing selected. */
function FoundEvents({
  filter,
  isFiltered,
  isSearch,
}: {
  filter: EventFilter;
  isFiltered: boolean;
  isSearch: boolean;
}): ReactElement {
  const nowMs = useNow('minute');
  const list = useRef<ListHandle>(null);
  const isAtTop = useCallback(() => list.current?.isAtTop() ?? true, []);
  const found = useEvents(filter, isAtTop);
  const [chosen, setChosen] = useState<string | undefined>(undefined);
  const rows = useMemo(() => listRows(found.events, nowMs), [found.events, nowMs]);
  const row = rowOf(rows, chosen);

  useWindowEvent('keydown', (pressed) => {
    const place = placeOfFocus(pressed.target);
    if (pressed.defaultPrevented || place.isTyping || place.isInDialog) return;
    // Arrows scroll the focused element; J and K move through the list from anywhere.
    if (pressed.key.startsWith('Arrow')) return;
    const step = isKey('next', pressed) ? 1 : isKey('previous', pressed) ? -1 : undefined;
    if (step === undefined) return;
    pressed.preventDefault();
    list.current?.step(step);
  });

  if (found.isReady && !found.isLoading && rows.length === 0 && found.nextBefore === undefined) {
    return (
      <>
        <TroubleNote trouble={found.trouble} />
        {found.trouble ? null : <Empty isFiltered={isFiltered} isSearch={isSearch} />}
      </>
    );
  }
  return (
    <>
      <TroubleNote trouble={found.trouble} />
      <div className="events-place">
        <Splitter
          className="events-split"
          lineSize={1}
          withHandle={false}
          step="1rem"
          attributes={{ handle: { 'aria-label': t('events.handle') } }}
          onResizeEnd={(_handle, sizes) => writeSplit(PANE_KEY, sizes[1])}
        >
          <Splitter.Pane defaultSize={100} min={30}>
            <div className="events-found">
              {found.hasNewer ? (
                <Button
                  size="xs"
                  className="events-newer"
                  onClick={() => {
                    found.reload();
                    list.current?.toTop();
                  }}
                >
                  {t('events.newer')}
                </Button>
              ) : null}
              <EventsList
                handle={list}
                rows={rows}
                chosen={row?.event.id}
                onChoose={setChosen}
                onEnd={found.searchedBackToMs === undefined ? found.more : NOT_BY_ITSELF}
                isWhole={found.nextBefore === undefined}
                foot={<Foot found={found} nowMs={nowMs} />}
              />
            </div>
          </Splitter.Pane>
          <Splitter.Pane defaultSize={readSplit(PANE_KEY, 'wide')} min="13.75rem" max="32rem">
            <div className="card events-side">
              <EventPane row={row} />
            </div>
          </Splitter.Pane>
        </Splitter>
      </div>
    </>
  );
}

/** A search that used up its rounds continues only when the user asks for it. */
const NOT_BY_ITSELF = (): void => undefined;

function Foot({ found, nowMs }: { found: Events; nowMs: number }): ReactElement {
  return (
    <div className="aligned events-foot sm t3" role="presentation">
      {found.isLoading ? (
        <span role="status">
          {t('events.loading')}
          {found.searchedBackToMs === undefined
            ? ''
            : ` · ${t('events.searchedBack', { time: clockText(found.searchedBackToMs, nowMs) })}`}
        </span>
      ) : found.searchedBackToMs !== undefined && found.nextBefore !== undefined ? (
        <>
          <span role="status">
            {t('events.searchedBack', { time: clockText(found.searchedBackToMs, nowMs) })}
          </span>
          <Button size="xs" onClick={found.more}>
            {t('events.searchOn')}
          </Button>
        </>
      ) : found.nextBefore === undefined && found.isReady ? (
        t('events.start')
      ) : null}
    </div>
  );
}

function Empty({ isFiltered, isSearch }: { isFiltered: boolean; isSearch: boolean }): ReactElement {
  const mark = <Activity size={28} strokeWidth={1.5} />;
  if (isSearch) return <EmptyState mark={mark} sentence={t('events.noneFound')} />;
  if (isFiltered) return <EmptyState mark={mark} sentence={t('events.none')} />;
  return <EmptyState mark={mark} sentence={t('events.empty')} command={t('events.emptyCommand')} />;
}
