/** The cells of a session in a list, of this or another computer. */
import type { ReactElement, ReactNode } from 'react';
import { t } from '../../shared/messages';
import type { FarSession } from '../../shared/types';
import { oneLine } from '../parts/inert-view';
import { Ago, Inert } from '../parts/texts';
import { turnsBehind } from './turn-list-view';

export function SessionRowCells({
  session,
  chip,
  mark,
  href,
  title,
  beside,
  agent,
  acts,
}: {
  session: Pick<FarSession, 'stopReason' | 'turns' | 'pendingEvents' | 'lastEventAtMs'>;
  chip: ReactNode;
  /** Before the title. */
  mark?: ReactNode;
  href: string;
  title: string;
  /** Between the title and why its last turn ended. */
  beside: ReactNode;
  agent: ReactNode;
  acts?: ReactNode;
}): ReactElement {
  const behind = turnsBehind(session);
  return (
    <>
      <span role="cell" className="l-state">
        {chip}
      </span>
      <span role="cell" className="l-turn">
        {mark}
        <a className="row-link m5 ellipsis" href={href}>
          <Inert text={title} />
        </a>
        {beside}
        {session.stopReason === '' ? null : (
          <span className="sm t3 ellipsis" title={oneLine(session.stopReason, 300)}>
            {oneLine(session.stopReason, 120)}
          </span>
        )}
      </span>
      <span role="cell" className="l-agent t2 ellipsis">
        {agent}
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
      <span role="cell" className="l-stop">
        {acts}
      </span>
    </>
  );
}
