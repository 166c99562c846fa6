import type { ReactElement } from 'react';
import { t } from '../../shared/messages';
import type { FarSession } from '../../shared/types';
import { oneLine } from '../parts/inert-view';
import { hrefOf } from '../route';
import { SessionRowCells } from '../session/session-cells';
import { FarSessionChip } from './far-sessions';
import { farSessionTitle } from './far-sessions-view';

/**
 * The cells of a session on another computer; the host is next to the title, where no width hides
 * it.
 */
export const FarSessionCells = ({
  host,
  session,
}: {
  host: string;
  session: FarSession;
}): ReactElement => (
  <SessionRowCells
    session={session}
    chip={<FarSessionChip status={session.status} />}
    href={hrefOf({ kind: 'farSession', host, sessionId: session.id })}
    title={farSessionTitle(session)}
    beside={
      <span className="chip tone-line far-chip">
        {t('computer.on', { name: oneLine(host, 64) })}
      </span>
    }
    agent={oneLine(session.agent, 64)}
  />
);
