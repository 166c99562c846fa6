/** One session of another computer: how it is, and the commands that work with it there. HO-02 */
import { ChevronRight } from 'lucide-react';
import type { ReactElement } from 'react';
import { t } from '../../shared/messages';
import type { FarSession } from '../../shared/types';
import { oneLine } from '../parts/inert-view';
import { At, CommandLine, Inert, NoteLine } from '../parts/texts';
import { hrefOf } from '../route';
import { FarSessionChip, useFarSessions } from './far-sessions';
import { farSessionCommands, farSessionNotes, farSessionTitle } from './far-sessions-view';
import '../turn/turn.css';
import './hosts.css';

export function FarSessionPage({
  host,
  sessionId,
}: {
  host: string;
  sessionId: number;
}): ReactElement {
  const { far, askers } = useFarSessions();
  const there = far.find((one) => one.host.name === host);
  const session =
    there?.host.kind === 'connected' && there.told?.kind === 'told'
      ? there.told.sessions.find(({ id }) => id === sessionId)
      : undefined;
  const name = oneLine(host, 64);
  const title = session === undefined ? t('sessions.far.one', { name }) : farSessionTitle(session);
  const missing =
    there === undefined
      ? [t('sessions.far.noHost', { name })]
      : there.told?.kind === 'told' && there.host.kind === 'connected'
        ? [t('sessions.far.gone', { name })]
        : farSessionNotes(there, false);
  return (
    <div className="page far-session">
      {askers}
      <nav className="crumb" aria-label={t('turn.crumb')}>
        <a href={hrefOf({ kind: 'sessions' })}>{t('nav.sessions')}</a>
        <ChevronRight className="icon small" aria-hidden="true" />
        <span className="ellipsis">{t('computer.on', { name })}</span>
      </nav>
      <header className="page-top turn-top">
        <h1 className="grow turn-title">
          <Inert text={title} />
        </h1>
      </header>
      {session === undefined ? (
        <NoteLine tone="muted" role="status">
          <Inert text={missing.join(' ')} />
        </NoteLine>
      ) : (
        <Facts host={host} session={session} />
      )}
      {there === undefined ? null : (
        <Commands host={host} session={session ?? { id: sessionId, key: '' }} />
      )}
    </div>
  );
}

function Facts({ host, session }: { host: string; session: FarSession }): ReactElement {
  const name = oneLine(host, 64);
  return (
    <>
      <div className="turn-facts">
        <FarSessionChip status={session.status} />
        <span className="chip tone-line">{t('computer.on', { name })}</span>
        {session.stopReason === '' ? null : (
          <span className="t2">
            <Inert text={session.stopReason} />
          </span>
        )}
      </div>
      <dl className="facts">
        <dt>{t('sessions.col.agent')}</dt>
        <dd>
          <Inert text={session.agent} />
        </dd>
        <dt>{t('sessions.far.key')}</dt>
        <dd>
          <Inert text={session.key} />
        </dd>
        <dt>{t('sessions.col.turns')}</dt>
        <dd>{session.turns}</dd>
        <dt>{t('sessions.col.used')}</dt>
        <dd>
          <At atMs={session.lastEventAtMs} />
        </dd>
      </dl>
    </>
  );
}

/** They find it by its ID, too, where this version does not know more of it. */
function Commands({
  host,
  session,
}: {
  host: string;
  session: Pick<FarSession, 'id' | 'key' | 'status'>;
}): ReactElement {
  return (
    <>
      <p className="sm t2">{t('sessions.far.there', { name: oneLine(host, 64) })}</p>
      <dl className="facts far-commands">
        {farSessionCommands(host, session).map(({ what, command }) => (
          <div key={what}>
            <dt>{t(`sessions.far.${what}`)}</dt>
            <dd>
              <CommandLine command={command} />
            </dd>
          </div>
        ))}
      </dl>
    </>
  );
}
