/**
 * Sessions of other computers on the sessions page: requests for them, and what is unknown. HO-02
 */
import { useCallback, useEffect, useState } from 'react';
import type { ReactElement } from 'react';
import { t } from '../../shared/messages';
import type { FarSession, HostView } from '../../shared/types';
import { quoted } from '../../shared/shell-quoted';
import { oneLine } from '../parts/inert-view';
import { Chip, Mark, SessionChip } from '../parts/state-chip';
import { Inert } from '../parts/texts';
import { useStatus } from '../status';
import { AwayHosts } from './away-hosts';
import { foldedHosts } from './folded-hosts';
import { farSessionNotes, type FarSessions } from './far-sessions-view';
import { connectionKey, useFollowedFarList } from './use-far-list';
import './hosts.css';

const NO_HOSTS: readonly HostView[] = [];

type HostAnswer = Pick<FarSessions, 'told' | 'trouble'>;

/** Every configured host with its answer, and the elements that must be on the page to ask them. */
export function useFarSessions(): {
  readonly far: readonly FarSessions[];
  readonly askers: ReactElement;
} {
  const hosts = useStatus().status?.hosts ?? NO_HOSTS;
  const [told, setTold] = useState<ReadonlyMap<string, HostAnswer>>(new Map());
  const onTold = useCallback((key: string, one: HostAnswer) => {
    setTold((before) => new Map(before).set(key, one));
  }, []);
  const far = hosts.map((host): FarSessions => ({
    told: undefined,
    trouble: undefined,
    ...told.get(connectionKey(host)),
    host,
  }));
  const askers = (
    <>
      {hosts.map((host) => (
        <Asker key={connectionKey(host)} host={host} onTold={onTold} />
      ))}
    </>
  );
  return { far, askers };
}

/** Each host is asked separately, so a slow one delays no other. */
function Asker({
  host,
  onTold,
}: {
  host: HostView;
  onTold: (key: string, told: HostAnswer) => void;
}): null {
  const { data, trouble } = useFollowedFarList('hosts.sessions', host, { host: host.name });
  const key = connectionKey(host);
  useEffect(() => {
    if (data !== undefined || trouble !== undefined) onTold(key, { told: data, trouble });
  }, [data, trouble, key, onTold]);
  return null;
}

/** What is missing in the list, one line per host. */
export function FarSessionNotes({
  far,
  isArchived,
}: {
  far: readonly FarSessions[];
  isArchived: boolean;
}): ReactElement | null {
  const folded = foldedHosts(far.map(({ host }) => host));
  const all = far
    .map((one) => ({ ...one, notes: farSessionNotes(one, isArchived) }))
    .filter(({ notes }) => notes.length > 0);
  if (all.length === 0 && (far.length === 0 || !isArchived)) return null;
  const lines = all.filter(({ host }) => !folded.has(host.name));
  return (
    <>
      <AwayHosts
        lines={all
          .filter(({ host }) => folded.has(host.name))
          .map(({ host, notes }) => ({ host: host.name, notes }))}
        missing={t('sessions.far.awayUnknown')}
      />
      {lines.length === 0 && !isArchived ? null : (
        <ul className="stack far-notes sm t2" aria-label={t('sessions.far.notes')}>
          {lines.map(({ host, told, notes }) => (
            <li key={host.name}>
              <NoteMark host={host} told={told} />
              <Inert as="span" text={notes.join(' ')} />
            </li>
          ))}
          {isArchived ? (
            <li className="t3">
              {t('sessions.far.archived', { name: hostInCommand(far.map(({ host }) => host)) })}
            </li>
          ) : null}
        </ul>
      )}
    </>
  );
}

/** The host's name in a command if there is only one; otherwise a placeholder. */
const hostInCommand = (hosts: readonly HostView[]): string =>
  hosts.length === 1 && hosts[0] !== undefined ? quoted(oneLine(hosts[0].name, 64)) : 'NAME';

/** The list of turns covers only this computer; shown if hosts are configured. */
export function NoFarTurns(): ReactElement | null {
  const hosts = useStatus().status?.hosts ?? NO_HOSTS;
  return hosts.length === 0 ? null : (
    <p className="sm t3">{t('turns.far', { name: hostInCommand(hosts) })}</p>
  );
}

/** Read, being requested, or unknown. */
function NoteMark({ host, told }: Pick<FarSessions, 'host' | 'told'>): ReactElement {
  if (told?.kind === 'told' && host.kind === 'connected')
    return <Mark name="check" className="icon small t3" />;
  return told === undefined && (host.kind === 'connected' || host.kind === 'connecting') ? (
    <Mark name="clock" className="icon small ink-waiting" />
  ) : (
    <Mark name="cross" className="icon small ink-outage" />
  );
}

/** State of a session there; shows nothing for a state that this version does not know. */
export const FarSessionChip = ({ status }: Pick<FarSession, 'status'>): ReactElement =>
  status === undefined ? (
    <Chip tone="line" mark="diamond">
      {t('sessions.far.state')}
    </Chip>
  ) : (
    <SessionChip status={status} />
  );
