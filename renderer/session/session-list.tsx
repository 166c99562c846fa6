/** Sessions, last used first. */
import { Button } from '@mantine/core';
import { List, Pin, Square } from 'lucide-react';
import { useEffect, useState } from 'react';
import type { ReactElement } from 'react';
import { t } from '../../shared/messages';
import type { SessionView } from '../../shared/types';
import { useCommand } from '../bridge';
import { FarSessionCells } from '../hosts/far-session-cells';
import {
  fitFar,
  joinSessions,
  type FarSessions,
  type SessionRow,
} from '../hosts/far-sessions-view';
import { DoingLine } from '../parts/doing-line';
import { oneLine } from '../parts/inert-view';
import { toolName } from '../parts/tool-name';
import { SessionChip } from '../parts/state-chip';
import { EmptyState, TroubleNote } from '../parts/texts';
import { hrefOf } from '../route';
import { LongList } from './long-list';
import { hasNews, readSeen, type Seen } from '../home/seen-answers';
import { SessionRowCells } from './session-cells';
import { SessionMenuButton, useSessionMenu } from './session-menu';
import type { SessionMenu } from './session-menu';
import { sessionTitle } from './session-title';
import { fitSessions } from './turn-list-view';
import type { SessionFilter } from './turn-list-view';
import type { SessionPages } from './use-session-pages';
import { agentTitle } from '../agents/agent-titles';

const COLUMNS = ['state', 'session', 'agent', 'turns', 'used', 'stop'] as const;

/** Its activity, for users who cannot see the whole line. */
const doingOf = ({ hint, tool }: { readonly hint: string; readonly tool: string }): string =>
  hint === '' ? toolName(tool) : hint;

/** Ids of two computers may be equal. */
const keyOf = (row: SessionRow): number | string =>
  row.kind === 'near' ? row.session.id : `${row.host} ${String(row.session.id)}`;

export function SessionList({
  list,
  far,
  filter,
  search,
}: {
  list: SessionPages;
  /** The sessions known from other computers. */
  far: readonly FarSessions[];
  filter: SessionFilter;
  search: string;
}): ReactElement {
  const menu = useSessionMenu();
  const [seen] = useState(readSeen);
  const { sessions: all, hasMore } = list.held;
  const sessions = fitSessions(all, filter, search);
  const isNarrowed = filter !== 'all' || search !== '';
  const rows = joinSessions(sessions, fitFar(far, filter, search), hasMore && !isNarrowed);
  // None of the loaded sessions matches, but an older one may.
  const { loadOlder } = list;
  const looksFurther = sessions.length === 0 && hasMore;
  useEffect(() => {
    if (looksFurther) loadOlder();
  }, [looksFurther, all, loadOlder]);
  if (!list.isLoading && !list.trouble && !hasMore && rows.length === 0) {
    return (
      <div className="card">
        {search !== '' ? (
          <EmptyState mark={null} sentence={t('sessions.noneFound')} />
        ) : filter === 'all' ? (
          <EmptyState
            mark={<List size={28} />}
            sentence={t('sessions.empty')}
            command={t('home.terminalCommand')}
          />
        ) : (
          <EmptyState
            mark={null}
            sentence={t(filter === 'archived' ? 'sessions.noneArchived' : 'sessions.noneFits')}
          />
        )}
        {menu.element}
      </div>
    );
  }
  return (
    <>
      <LongList
        label={t('sessions.title')}
        name="session-table"
        columns={COLUMNS.map((name) => ({ name, label: t(`sessions.col.${name}`) }))}
        count={rows.length}
        hasMore={hasMore}
        onNearEnd={loadOlder}
        rowKey={(index) => (rows[index] === undefined ? index : keyOf(rows[index]))}
        onRowMenu={(index, place) => {
          const row = rows[index];
          if (row?.kind === 'near') menu.open(row.session, place);
        }}
      >
        {(index) => {
          const row = rows[index];
          if (row === undefined) return null;
          return row.kind === 'near' ? (
            <SessionCells session={row.session} seen={seen} onMenu={menu.open} />
          ) : (
            <FarSessionCells host={row.host} session={row.session} />
          );
        }}
      </LongList>
      {menu.element}
    </>
  );
}

function SessionCells({
  session,
  seen,
  onMenu,
}: {
  session: SessionView;
  seen: Seen;
  onMenu: SessionMenu['open'];
}): ReactElement {
  return (
    <SessionRowCells
      session={session}
      chip={<SessionChip status={session.status} />}
      mark={
        session.isPinned === true ? (
          <Pin className="icon small t3" role="img" aria-label={t('session.pinned')} />
        ) : null
      }
      href={hrefOf({ kind: 'sessions', sessionId: session.id })}
      title={sessionTitle(session)}
      beside={
        session.doing !== undefined ? (
          <span className="sm t2 ellipsis" title={oneLine(doingOf(session.doing), 120)}>
            <DoingLine doing={session.doing} />
          </span>
        ) : hasNews(seen, session) ? (
          <span className="sm m5 ink-kept">{t('sessions.news')}</span>
        ) : null
      }
      agent={
        <>
          {oneLine(agentTitle(session.agent), 64)}
          {session.computer === undefined ? null : (
            <>
              {' '}
              <span className="t3">
                {t('computer.on', { name: oneLine(session.computer, 64) })}
              </span>
            </>
          )}
        </>
      }
      acts={
        <>
          {session.status === 'running' ? <StopSession session={session} /> : null}
          <SessionMenuButton session={session} onOpen={onMenu} />
        </>
      }
    />
  );
}

/** Stops the turn of the session that runs now. */
function StopSession({ session }: { session: SessionView }): ReactElement {
  const stop = useCommand('session.interrupt');
  return (
    <>
      <Button
        size="xs"
        loading={stop.isBusy}
        aria-label={t('stop.session', { name: sessionTitle(session) })}
        leftSection={<Square className="icon small filled" />}
        onClick={() => void stop.run({ session: session.key })}
      >
        {t('stop.short')}
      </Button>
      <TroubleNote trouble={stop.trouble} />
    </>
  );
}
