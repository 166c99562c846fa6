/** All sessions, the last used first; with an id, that session. */
import { List } from 'lucide-react';
import type { ReactElement } from 'react';
import { t } from '../../shared/messages';
import { AskBox } from '../ask-box';
import { useVerb } from '../bridge';
import { oneLine } from '../parts/inert-model';
import { Row } from '../parts/row';
import { SessionChip, Tile } from '../parts/state-chip';
import { shownSession } from '../parts/state-model';
import { Ago, EmptyState, TroubleNote } from '../parts/texts';
import { goTo, hrefOf } from '../route';
import { SessionPane } from './session-view';
import '../turn/turn.css';
import './session.css';

export function SessionsPage({ sessionId }: { sessionId?: number }): ReactElement {
  return sessionId === undefined ? (
    <SessionList />
  ) : (
    <SessionPane key={sessionId} sessionId={sessionId} />
  );
}

function SessionList(): ReactElement {
  const list = useVerb('sessions.list', { limit: 200 });
  const sessions = list.data?.sessions ?? [];
  return (
    <div className="page">
      <header className="page-top">
        <div className="grow">
          <h1>{t('sessions.title')}</h1>
          <p className="sub">{list.data ? t('sessions.sub', { count: sessions.length }) : ''}</p>
        </div>
      </header>
      <div className="stack session-list">
        <AskBox
          startsSession
          placeholder={t('sessions.new')}
          sendLabel={t('sessions.start')}
          onSent={({ sessionId }) => goTo({ kind: 'sessions', sessionId })}
        />
        <TroubleNote trouble={list.trouble} />
        {list.data && sessions.length === 0 ? (
          <div className="card">
            <EmptyState
              mark={<List size={28} aria-hidden="true" />}
              sentence={t('sessions.empty')}
              command={t('home.terminalCommand')}
            />
          </div>
        ) : null}
        {sessions.length === 0 ? null : (
          <ul className="card rows" aria-label={t('sessions.title')}>
            {sessions.map((session) => {
              const shown = shownSession(session.status);
              return (
                <Row
                  key={session.id}
                  lead={<Tile tone={shown.tone} mark={shown.mark} />}
                  name={oneLine(session.title === '' ? session.key : session.title)}
                  href={hrefOf({ kind: 'sessions', sessionId: session.id })}
                  second={
                    <>
                      {session.agent} · {t('session.turns', { count: session.turns })}
                      {session.stopReason === '' ? '' : ` · ${oneLine(session.stopReason, 100)}`}
                    </>
                  }
                >
                  <SessionChip status={session.status} />
                  <span className="sm t3 row-number" style={{ minWidth: 56 }}>
                    <Ago atMs={session.lastEventAtMs} />
                  </span>
                </Row>
              );
            })}
          </ul>
        )}
      </div>
    </div>
  );
}
