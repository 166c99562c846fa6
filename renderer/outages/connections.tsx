/** Every external dependency that Holdfast calls, each with its switch and a one-word state. */
import './connections.css';
import type { ReactElement, ReactNode } from 'react';
import { t } from '../../shared/messages';
import type { ExtView } from '../../shared/types';
import type { BreakerView, ProviderHealth } from '../../shared/types/outage';
import { useNow } from '../clock';
import { BreakerSwitch } from '../charts/breaker-switch';
import { Countdown, Inert, SectionHead } from '../parts/texts';
import { hrefOf } from '../route';
import { BreakerMenu } from './breaker-menu';
import { limitText } from './limit-view';
import { connectionLook, isOwnWindow, isThere } from './outages-view';
import type { ConnectionLook } from './outages-view';

export interface Connection {
  readonly breaker: BreakerView;
  readonly health: ProviderHealth | undefined;
  readonly look: ConnectionLook;
}

/** Breakers combined with the state of their providers, worst first. */
export function connectionsOf(
  breakers: readonly BreakerView[],
  providers: readonly ProviderHealth[],
  servers: readonly ExtView[],
  nowMs: number,
): readonly Connection[] {
  const healthOf = new Map(providers.map((health) => [health.breaker.name, health]));
  // A provider whose breaker was not used yet is listed as well.
  const known = new Set(breakers.map(({ name }) => name));
  const all = [
    ...breakers,
    ...providers.map(({ breaker }) => breaker).filter(({ name }) => !known.has(name)),
  ];
  return all
    .filter((breaker) => !isOwnWindow(breaker) || breaker.state !== 'closed')
    .filter((breaker) => isThere(breaker, servers))
    .map((breaker) => {
      const health = healthOf.get(breaker.name);
      return { breaker, health, look: connectionLook(breaker, health, nowMs) };
    })
    .toSorted(
      (one, other) =>
        one.look.rank - other.look.rank || one.look.name.localeCompare(other.look.name),
    );
}

/** Switch, name, and label: the layout of every list of connections. */
export function ConnectionLine({
  connection: { breaker, health, look },
  children,
}: {
  connection: Connection;
  children?: ReactNode;
}): ReactElement {
  return (
    <>
      <BreakerSwitch
        state={breaker.state}
        lever={look.lever}
        isQuota={look.isQuota}
        tone={look.tone}
      />
      {health === undefined ? (
        <Inert className="ellipsis connection-name" text={look.name} />
      ) : (
        <a
          className="row-link ellipsis connection-name"
          href={hrefOf({ kind: 'outages', provider: health.provider })}
        >
          <Inert text={look.name} />
        </a>
      )}
      {children}
      <span className={`sm nw end ${look.tone === 'ok' ? 't3' : `m5 ink-${look.tone}`}`}>
        {look.word}
      </span>
    </>
  );
}

export function ConnectionList({
  title,
  connections,
}: {
  title: string;
  connections: readonly Connection[];
}): ReactElement | null {
  const nowMs = useNow('minute');
  if (connections.length === 0) return null;
  return (
    <section aria-label={title}>
      <SectionHead title={title} count={connections.length} />
      <ul className="card rows connections">
        {connections.map((connection) => (
          <li key={connection.breaker.name} className="row">
            <ConnectionLine connection={connection}>
              <Second connection={connection} nowMs={nowMs} />
            </ConnectionLine>
            {connection.health === undefined || connection.health.state === 'answering' ? null : (
              <a
                className="sm nw"
                href={hrefOf({ kind: 'outages', provider: connection.health.provider })}
              >
                {t('connections.show')}
              </a>
            )}
            <BreakerMenu breaker={connection.breaker} name={connection.look.name} />
          </li>
        ))}
      </ul>
    </section>
  );
}

/** Its kind, what waits for it, and when it is tried again. */
function Second({
  connection: { breaker, health },
  nowMs,
}: {
  connection: Connection;
  nowMs: number;
}): ReactElement {
  const waits = health?.waiting ?? 0;
  const isDue =
    breaker.state !== 'closed' &&
    breaker.nextTrialAtMs !== undefined &&
    breaker.nextTrialAtMs > nowMs;
  return (
    <span className="sm t3 ellipsis connection-second">
      {t(`connections.kind.${breaker.dependency}`)}
      {waits > 0 ? <> · {t('connections.waits', { count: waits })}</> : null}
      {health?.limit === undefined ? null : (
        <span className={health.limit.isWarning ? 'ink-attention m5' : undefined}>
          {' · '}
          {limitText(health.limit, nowMs)}
        </span>
      )}
      {isDue && breaker.nextTrialAtMs !== undefined ? (
        <>
          {' · '}
          {t('breaker.next')} <Countdown untilMs={breaker.nextTrialAtMs} />
        </>
      ) : null}
      {breaker.state !== 'closed' && breaker.lastError !== undefined ? (
        <>
          {' · '}
          <Inert text={breaker.lastError} />
        </>
      ) : null}
    </span>
  );
}
