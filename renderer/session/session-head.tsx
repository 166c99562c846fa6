/** Which session this is, what it does now, and its agent. */
import { Button } from '@mantine/core';
import { ChevronRight, Pin } from 'lucide-react';
import type { ReactElement, ReactNode } from 'react';
import { t } from '../../shared/messages';
import type { AgentView, SessionView, TurnSummary } from '../../shared/types';
import { useVerb } from '../bridge';
import { useNow } from '../clock';
import { oneLine } from '../parts/inert-view';
import { SessionChip } from '../parts/state-chip';
import { At, Inert } from '../parts/texts';
import { durationText } from '../parts/time-view';
import { hrefOf } from '../route';
import { SessionMenuButton } from './session-menu';
import type { SessionMenu } from './session-menu';
import { sessionTitle } from './session-title';
import { agentTitle } from '../agents/agent-titles';

const Elapsed = ({ sinceMs }: { sinceMs: number }): ReactElement => (
  <span className="t2">
    {t('session.for', { duration: durationText(useNow('second') - sinceMs) })}
  </span>
);

export function SessionHead({
  session,
  running,
  agent,
  onMenu,
  children,
}: {
  session: SessionView;
  running: TurnSummary | undefined;
  agent: AgentView | undefined;
  onMenu: SessionMenu['open'];
  /** Additional buttons of the page. */
  children?: ReactNode;
}): ReactElement {
  const newest = useVerb('turns.list', { session: session.key, limit: 1 });
  const turnId = running?.id ?? newest.data?.turns[0]?.id;
  const title = sessionTitle(session);
  const isScripted = agent?.executor === 'practice';
  return (
    <>
      <nav className="crumb" aria-label={t('turn.crumb')}>
        <a href={hrefOf({ kind: 'sessions' })}>{t('nav.sessions')}</a>
        <ChevronRight className="icon small" />
        <span className="ellipsis" title={oneLine(session.key, 200)}>
          {title}
        </span>
      </nav>
      <header className="page-top turn-top">
        <h1
          className="grow clamp"
          title={session.title === '' ? undefined : oneLine(session.title, 400)}
        >
          {title}
        </h1>
        {turnId === undefined ? null : (
          <Button component="a" href={hrefOf({ kind: 'turn', turnId })}>
            {t('session.openTurn')}
          </Button>
        )}
        {children}
        <SessionMenuButton session={session} onOpen={onMenu} />
      </header>
      <div className="turn-facts">
        <SessionChip status={session.status} />
        {session.isPinned === true ? (
          <Pin className="icon small t3" role="img" aria-label={t('session.pinned')} />
        ) : null}
        {session.isArchived === true ? (
          <span className="chip tone-line">{t('session.archived')}</span>
        ) : null}
        {session.fork === undefined ? null : (
          <span className="t3 ellipsis">
            {t('session.forkOf')}{' '}
            <a href={hrefOf({ kind: 'sessions', sessionId: session.fork.sessionId })}>
              {oneLine(session.fork.title, 60)}
            </a>{' '}
            {t('session.forkAfter', { id: session.fork.turnId })}
          </span>
        )}
        {running?.startedAtMs === undefined ? null : <Elapsed sinceMs={running.startedAtMs} />}
        <span>{agentTitle(session.agent)}</span>
        {isScripted ? <span className="chip tone-line">{t('practice.chip')}</span> : null}
        {agent && !isScripted ? <Inert className="t3" text={agent.model} /> : null}
        {agent ? (
          <span className="t3 ellipsis" title={agent.workspace}>
            {t('session.in')} <span className="mono">{oneLine(agent.workspace, 80)}</span>
          </span>
        ) : null}
        <span className="t3">{t('session.turns', { count: session.turns })}</span>
        {running?.startedAtMs === undefined ? null : (
          <span className="t3">
            {t('turn.started')} <At atMs={running.startedAtMs} withSeconds />
          </span>
        )}
        {session.stopReason === '' ? null : <Inert className="t2" text={session.stopReason} />}
      </div>
    </>
  );
}
