/** The title of a session, for a page that has only its key. */
import type { ReactElement } from 'react';
import { useVerb } from '../bridge';
import { keyTitle } from '../parts/title-view';
import { sessionTitle } from './session-title';

export function SessionName({ sessionKey }: { sessionKey: string }): ReactElement {
  const { data } = useVerb('session.status', { session: sessionKey });
  return <>{data === undefined ? keyTitle(sessionKey) : sessionTitle(data.session)}</>;
}
