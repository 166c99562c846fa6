/**
 * Home's part for external dependencies: the banner of an outage, waiting turns, the connections.
 */
import { Button } from '@mantine/core';
import { TriangleAlert } from 'lucide-react';
import type { ReactElement } from 'react';
import { t } from '../../shared/messages';
import type { StatusSnapshot } from '../../shared/types';
import { useCommand, useVerb } from '../bridge';
import { useNow } from '../clock';
import { ConnectionLine, connectionsOf, type Connection } from '../outages/connections';
import { titleOf } from '../outages/outages-view';
import { TryButton, TryOutcome, useTry } from '../outages/try-now';
import { OpenSwitch } from '../parts/icons';
import { Row } from '../parts/row';
import { Mark, Tile } from '../parts/state-chip';
import { Countdown, Inert, SectionHead, TroubleNote } from '../parts/texts';
import { hrefOf } from '../route';
import { bannersOf } from './external-view';
import type { Banner, ExternalWait } from './external-view';
import './outside.css';

export function OutageBanners({ status }: { status: StatusSnapshot }): ReactElement {
  return (
    <>
      {bannersOf(status).map((banner) => (
        <OutageBanner key={banner.provider} banner={banner} />
      ))}
    </>
  );
}

/** One line on the soft background of the state, and one action. */
function OutageBanner({ banner }: { banner: Banner }): ReactElement {
  const attempt = useTry(banner.provider);
  const settings = useCommand('app.openSettings');
  const name = titleOf(banner.provider);
  return (
    <section
      className={`aligned flex-wrap outage-banner tone-${banner.tone}`}
      aria-label={t('banner.label', { name })}
    >
      {banner.tone === 'ok' ? (
        <Mark name="check" />
      ) : banner.tone === 'attention' ? (
        <TriangleAlert className="icon" />
      ) : (
        <OpenSwitch className="icon" />
      )}
      <div className="grow wrap">
        <Inert text={banner.text} />{' '}
        {banner.nextTryAtMs === undefined ? null : (
          <span className="nw">
            {t('banner.next')} <Countdown untilMs={banner.nextTryAtMs} />.
          </span>
        )}{' '}
        <a href={hrefOf({ kind: 'outages', provider: banner.provider })}>{t('banner.see')}</a>
        <TryOutcome attempt={attempt} />
        <TroubleNote trouble={settings.trouble} />
      </div>
      {banner.act === 'try' ? (
        <TryButton attempt={attempt} provider={banner.provider} size="xs" />
      ) : banner.act === 'settings' ? (
        <Button size="xs" onClick={() => void settings.run({})}>
          {t('outages.changeKey')}
        </Button>
      ) : null}
    </section>
  );
}

/** A row of the waiting list: all turns of one provider. */
export function ExternalRow({ wait }: { wait: ExternalWait }): ReactElement {
  const tone = wait.mark === 'outage' ? 'outage' : wait.mark === 'clock' ? 'waiting' : 'attention';
  const attempt = useTry(wait.provider);
  const href = hrefOf({ kind: 'outages', provider: wait.provider });
  return (
    <Row
      lead={<Tile tone={tone} mark={wait.mark === 'outage' ? OpenSwitch : wait.mark} />}
      name={<Inert text={wait.title} />}
      {...(wait.canTry ? { href } : {})}
      quiet={<Inert text={wait.about} />}
      {...(attempt.outcome === undefined && attempt.command.trouble === undefined
        ? {}
        : { second: <TryOutcome attempt={attempt} /> })}
    >
      {wait.next === undefined ? null : <span className="sm t2 nw">{wait.next}</span>}
      {wait.nextTryAtMs === undefined ? null : (
        <span className="sm t2 nw">
          {t('home.waits.next')}{' '}
          <strong className="m5">
            <Countdown untilMs={wait.nextTryAtMs} />
          </strong>
        </span>
      )}
      {wait.canTry ? (
        <TryButton attempt={attempt} provider={wait.provider} size="xs" />
      ) : (
        <Button
          component="a"
          href={href}
          size="xs"
          aria-label={t('home.waits.seeOf', { name: titleOf(wait.provider) })}
        >
          {t('home.waits.see')}
        </Button>
      )}
    </Row>
  );
}

/** Further ones are in Outages. */
const SHOWN = 6;

/** Every external dependency, the worst first. */
export function useConnections(): readonly Connection[] {
  const providers = useVerb('provider.status', {});
  const breakers = useVerb('breakers.list', {});
  const servers = useVerb('ext.list', {});
  const nowMs = useNow('minute');
  return connectionsOf(
    breakers.data?.breakers ?? [],
    providers.data?.providers ?? [],
    servers.data?.servers ?? [],
    nowMs,
  );
}

/** Each with its switch and one word. */
export function Connections({
  connections,
}: {
  connections: readonly Connection[];
}): ReactElement | null {
  if (connections.length === 0) return null;
  return (
    <section aria-label={t('connections.title')}>
      <SectionHead title={t('connections.title')} count={connections.length} />
      <ul className="card rows home-connections">
        {connections.slice(0, SHOWN).map((connection) => (
          <li key={connection.breaker.name} className="row">
            <ConnectionLine connection={connection} />
          </li>
        ))}
        {connections.length > SHOWN ? (
          <li className="row">
            <a className="sm" href={hrefOf({ kind: 'outages' })}>
              {t('connections.all')}
            </a>
          </li>
        ) : null}
      </ul>
    </section>
  );
}
