/** All sessions and all turns, or one session if the route has an id. */
import { Button, SegmentedControl } from '@mantine/core';
import { useState } from 'react';
import type { ReactElement } from 'react';
import { t } from '../../shared/messages';
import { AskBox } from '../ask-box';
import { FarSessionNotes, NoFarTurns, useFarSessions } from '../hosts/far-sessions';
import { fitFar } from '../hosts/far-sessions-view';
import { TroubleNote } from '../parts/texts';
import { SearchField } from '../parts/search-field';
import { useSettled } from '../parts/use-settled';
import { goTo, hrefOf } from '../route';
import { SessionList } from './session-list';
import { SessionPane } from './session-view';
import { TurnList } from './turn-list';
import { SESSION_FILTERS, TURN_FILTERS } from './turn-list-view';
import type { SessionFilter, TurnFilter } from './turn-list-view';
import { useSessionPages } from './use-session-pages';
import '../turn/turn.css';
import './session.css';

export function SessionsPage({ sessionId }: { sessionId?: number }): ReactElement {
  return sessionId === undefined ? (
    <Lists />
  ) : (
    <SessionPane key={sessionId} sessionId={sessionId} />
  );
}

interface Choice {
  readonly kind: 'sessions' | 'turns';
  readonly sessions: SessionFilter;
  readonly turns: TurnFilter;
}
/** The last view: returning from a turn shows the list unchanged. */
let lastChoice: Choice = { kind: 'sessions', sessions: 'all', turns: 'all' };

function Lists(): ReactElement {
  const [choice, setChoice] = useState(lastChoice);
  const isArchived = choice.kind === 'sessions' && choice.sessions === 'archived';
  return (
    <ListsOf
      key={String(isArchived)}
      isArchived={isArchived}
      choice={choice}
      choose={(change) => {
        lastChoice = { ...choice, ...change };
        setChoice(lastChoice);
      }}
    />
  );
}

const subOf = (
  { sessions, hasMore }: ReturnType<typeof useSessionPages>['held'],
  hasHosts: boolean,
): 'sessions.sub' | 'sessions.subMore' | 'sessions.far.noneHere' => {
  if (hasMore) return 'sessions.subMore';
  return hasHosts && sessions.length === 0 ? 'sessions.far.noneHere' : 'sessions.sub';
};

function ListsOf({
  isArchived,
  choice,
  choose,
}: {
  isArchived: boolean;
  choice: Choice;
  choose: (change: Partial<Choice>) => void;
}): ReactElement {
  const list = useSessionPages(isArchived);
  const { far, askers } = useFarSessions();
  const farCount = fitFar(far, 'all').length;
  const [search, setSearch] = useState('');
  const settled = useSettled(search.trim());
  const filters: readonly {
    name: string;
    label: (typeof TURN_FILTERS)[number]['label'] | 'session.idle' | 'filter.archived';
  }[] = choice.kind === 'turns' ? TURN_FILTERS : SESSION_FILTERS;
  return (
    <div className="page full lists-page">
      <header className="page-top">
        <div className="grow">
          <h1>{t('sessions.title')}</h1>
          <p className="sub">
            {list.isLoading
              ? ''
              : t(subOf(list.held, far.length > 0), { count: list.held.sessions.length })}
            {farCount === 0 ? '' : ` ${t('sessions.far.sub', { count: farCount })}`}
          </p>
        </div>
        <Button component="a" href={hrefOf({ kind: 'runs' })}>
          {t('runs.link')}
        </Button>
      </header>
      <AskBox
        field="sessions"
        startsSession
        lines={1}
        placeholder={t('sessions.new')}
        sendLabel={t('sessions.start')}
        onSent={({ sessionId }) => goTo({ kind: 'sessions', sessionId })}
      />
      <div className="list-tools">
        <SegmentedControl
          aria-label={t('lists.what')}
          value={choice.kind}
          onChange={(kind) => choose({ kind: kind === 'turns' ? 'turns' : 'sessions' })}
          data={[
            { value: 'sessions', label: t('sessions.title') },
            { value: 'turns', label: t('turns.list') },
          ]}
        />
        {choice.kind === 'turns' ? null : (
          <SearchField
            className="sessions-search"
            label={t('sessions.search')}
            value={search}
            onSearch={setSearch}
          />
        )}
        <SegmentedControl
          className="end"
          aria-label={t('lists.filter')}
          value={choice.kind === 'turns' ? choice.turns : choice.sessions}
          onChange={(name) =>
            choose(
              choice.kind === 'turns'
                ? { turns: TURN_FILTERS.find((one) => one.name === name)?.name ?? 'all' }
                : { sessions: SESSION_FILTERS.find((one) => one.name === name)?.name ?? 'all' },
            )
          }
          data={filters.map(({ name, label }) => ({ value: name, label: t(label) }))}
        />
      </div>
      <TroubleNote trouble={list.trouble} />
      {choice.kind === 'turns' ? (
        <>
          <NoFarTurns />
          <TurnList filter={choice.turns} />
        </>
      ) : (
        <>
          {askers}
          <FarSessionNotes far={far} isArchived={isArchived} />
          <SessionList list={list} far={far} filter={choice.sessions} search={settled} />
        </>
      )}
    </div>
  );
}
