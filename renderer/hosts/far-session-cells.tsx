import type { ReactElement } from 'react';
import { t } from '../../shared/messages';
import type { FarSession } from '../../shared/types';
import { oneLine } from '../parts/inert-view';
import { Ago, Inert } from '../parts/texts';
import { hrefOf } from '../route';
import { turnsBehind } from '../session/turn-list-view';
import { FarSessionChip } from './far-sessions';
import { farSessionTitle } from './far-sessions-view';

/** The cells of a session of another computer; the host stands beside the title, where no width hides it. */
export function FarSessionCells({
  host,
  session,
}: {
  host: string;
  session: FarSession;
}): ReactElement {
  const behind = turnsBehind(session);
  return (
    <>
      <span role="cell" className="l-state">
        <FarSessionChip status={session.status} />
      </span>
      <span role="cell" className="l-turn">
        <a
          className="row-link m5 ellipsis"
          href={hrefOf({ kind: 'farSession', host, sessionId: session.id })}
        >
          <Inert text={farSessionTitle(session)} />
        </a>
        <span className="chip tone-line far-chip">
          {t('computer.on', { name: oneLine(host, 64) })}
        </span>
        {session.stopReason === '' ? null : (
          <span className="sm t3 ellipsis">{oneLine(session.stopReason, 120)}</span>
        )}
      </span>
      <span role="cell" className="l-agent t2 ellipsis">
        {oneLine(session.agent, 64)}
      </span>
      <span role="cell" className="l-steps t2">
        {session.turns}
        {behind > 0 ? (
          <span className="t3 block">{t('sessions.pending', { count: behind })}</span>
        ) : null}
      </span>
      <span role="cell" className="l-took t3">
        <Ago atMs={session.lastEventAtMs} />
      </span>
      <span role="cell" className="l-stop" />
    </>
  );
}
