/** The outages page: the state of dependencies, the queue in its order, and what comes next. */
import { Button, Menu, SegmentedControl, Select } from '@mantine/core';
import { KeyRound } from 'lucide-react';
import { useRef, useState } from 'react';
import type { ReactElement } from 'react';
import { t } from '../../shared/messages';
import type { ProviderHealth } from '../../shared/types/outage';
import { useCommand, useVerb } from '../bridge';
import { useNow } from '../clock';
import { QueuePlot, type PlotChoice } from '../charts/queue-plot';
import { fitOutage } from '../charts/queue-plot-view';
import { usePageRows } from '../keys/page-rows';
import { TrayMedal } from '../parts/icons';
import { Elapsed, TroubleNote } from '../parts/texts';
import { clockText } from '../parts/time-view';
import { goTo } from '../route';
import { BreakerMenu } from './breaker-menu';
import { EndedOutage } from './ended-outage';
import { ProviderDays } from './provider-days';
import { BreakerPane, HowItEnds } from './breaker-pane';
import { ConnectionList, connectionsOf } from './connections';
import type { Connection } from './connections';
import { byUrgency, calmHead, chosenProvider, providerHead, titleOf } from './outages-view';
import { PastOutages } from './past-outages';
import { WhenDown } from './when-down';
import { TryButton, TryOutcome, useTry } from './try-now';
import { WaitingQueue } from './waiting-queue';
import '../session/session.css';
import './outages.css';

/** States in which a retry makes sense; a usage limit and a recovery continue automatically. */
const ASKS: ReadonlySet<ProviderHealth['state']> = new Set(['down', 'trying', 'failing']);
/** More providers than this do not fit next to each other. */
const BESIDE = 4;

export function OutagesPage({ provider }: { provider?: string }): ReactElement {
  const providers = useVerb('provider.status', {});
  const breakers = useVerb('breakers.list', {});
  const servers = useVerb('ext.list', {});
  const nowMs = useNow('minute');
  const known = providers.data?.providers ?? [];
  const chosen = chosenProvider(known, provider);
  const connections = connectionsOf(
    breakers.data?.breakers ?? [],
    known,
    servers.data?.servers ?? [],
    nowMs,
  );
  const trouble = providers.trouble ?? breakers.trouble;
  if (providers.data === undefined) {
    return (
      <div className="page">
        <header className="page-top">
          <TrayMedal state="stopped" />
          <h1 className="grow">{t('outages.asking')}</h1>
        </header>
        <TroubleNote trouble={trouble} />
      </div>
    );
  }
  return chosen === undefined || (chosen.state === 'answering' && provider === undefined) ? (
    <Calm providers={known} connections={connections} trouble={trouble} />
  ) : (
    <OneProvider
      key={chosen.provider}
      health={chosen}
      others={connections.filter(({ breaker }) => breaker.name !== chosen.breaker.name)}
      switchable={byUrgency(known).filter(
        (one) => one.state !== 'answering' || one.provider === chosen.provider,
      )}
      trouble={trouble}
    />
  );
}

type PageTrouble = ReturnType<typeof useVerb<'provider.status'>>['trouble'];

/** Nothing is wrong: one sentence, the connections, and past outages. */
function Calm({
  providers,
  connections,
  trouble,
}: {
  providers: readonly ProviderHealth[];
  connections: readonly Connection[];
  trouble: PageTrouble;
}): ReactElement {
  const page = useRef<HTMLDivElement>(null);
  usePageRows(page);
  const head = calmHead(providers);
  const nowMs = useNow('minute');
  const isDown = connections.some(({ breaker }) => breaker.state !== 'closed');
  return (
    <div className="page outages-page" ref={page}>
      <header className="page-top">
        <TrayMedal state={isDown ? 'degraded' : head.tray} />
        <div className="grow">
          <h1>{head.title}</h1>
          <p className="sub">{head.sub}</p>
        </div>
      </header>
      <TroubleNote trouble={trouble} />
      <EndedOutage nowMs={nowMs} />
      <div className="stack outages-calm">
        <ProviderDays providers={providers} nowMs={nowMs} />
        <div className="outages-pair">
          {connections.length === 0 ? (
            <p className="sm t3">{t('connections.none')}</p>
          ) : (
            <ConnectionList title={t('connections.title')} connections={connections} />
          )}
          <PastOutages />
        </div>
        <WhenDown providers={providers} />
      </div>
    </div>
  );
}

function OneProvider({
  health,
  others,
  switchable,
  trouble,
}: {
  health: ProviderHealth;
  others: readonly Connection[];
  switchable: readonly ProviderHealth[];
  trouble: PageTrouble;
}): ReactElement {
  const page = useRef<HTMLDivElement>(null);
  usePageRows(page);
  const [choice, setChoice] = useState<PlotChoice>('fit');
  const openSettings = useCommand('app.openSettings');
  // Advances with the clock: a wait gets longer even if nothing happens.
  const nowMs = useNow('minute');
  const fit =
    choice !== 'fit'
      ? { range: choice }
      : health.downSinceMs === undefined
        ? { range: '30m' as const }
        : fitOutage({ sinceMs: health.downSinceMs }, nowMs);
  const plot = useVerb('outage.plot', { provider: health.provider, range: fit.range });
  const attempt = useTry(health.provider);
  const head = providerHead(health, nowMs);
  const name = titleOf(health.provider);
  const isKey = health.state === 'key';
  return (
    <div className="page outages-page" ref={page}>
      <header className="page-top">
        <TrayMedal state={head.tray} />
        <div className="grow">
          <h1>{head.title}</h1>
          <p className="sub">{head.sub}</p>
        </div>
        {isKey ? (
          <Button
            variant="filled"
            leftSection={<KeyRound className="icon small" />}
            loading={openSettings.isBusy}
            onClick={() => void openSettings.run({ at: 'providers' })}
          >
            {t('outages.changeKey')}
          </Button>
        ) : (
          <TryButton
            attempt={attempt}
            provider={health.provider}
            variant={ASKS.has(health.state) ? 'filled' : 'default'}
          />
        )}
        <BreakerMenu breaker={health.breaker} name={name} size={30}>
          <Menu.Divider />
          <Menu.Item onClick={() => void openSettings.run({ at: 'outages' })}>
            {t('outages.settings')}
          </Menu.Item>
        </BreakerMenu>
      </header>
      <Choose providers={switchable} chosen={health.provider} />
      <TroubleNote trouble={trouble ?? plot.trouble ?? openSettings.trouble} />
      <TryOutcome attempt={attempt} />
      {health.state === 'answering' ? (
        <EndedOutage provider={health.provider} nowMs={nowMs} />
      ) : null}
      <QueuePlot
        view={
          plot.data === undefined
            ? undefined
            : {
                plot: plot.data,
                ...fit,
                nowMs: Math.max(nowMs, plot.data.nowMs),
                ...(health.nextTryAtMs === undefined ? {} : { nextTryAtMs: health.nextTryAtMs }),
              }
        }
        name={name}
        choice={choice}
        onChoose={setChoice}
      >
        <SinceOrUntil health={health} nowMs={nowMs} />
      </QueuePlot>
      <div className="outages-columns">
        <div className="stack">
          <WaitingQueue provider={health.provider} />
          <ConnectionList title={t('connections.others')} connections={others} />
          <PastOutages provider={health.provider} />
        </div>
        <aside className="stack" aria-label={t('breaker.title')}>
          <BreakerPane health={health} />
          <HowItEnds health={health} />
        </aside>
      </div>
    </div>
  );
}

/** Since when, or until when. */
function SinceOrUntil({
  health: { state, downSinceMs, quotaUntilMs },
  nowMs,
}: {
  health: ProviderHealth;
  nowMs: number;
}): ReactElement | null {
  if (downSinceMs !== undefined) {
    return (
      <span className="sm t3">
        {t('plot.downFor')}{' '}
        <strong className="m5 outage-since">
          <Elapsed sinceMs={downSinceMs} />
        </strong>
      </span>
    );
  }
  if (state !== 'quota' || quotaUntilMs === undefined) return null;
  return (
    <span className="sm t3">
      {t('plot.quotaUntil')}{' '}
      <strong className="m5 outage-since">{clockText(quotaUntilMs, nowMs)}</strong>
    </span>
  );
}

/** Selects the provider if several are down. */
function Choose({
  providers,
  chosen,
}: {
  providers: readonly ProviderHealth[];
  chosen: string;
}): ReactElement | null {
  if (providers.length < 2) return null;
  const show = (provider: string | null): void => {
    if (provider !== null) goTo({ kind: 'outages', provider });
  };
  const data = providers.map((one) => ({
    value: one.provider,
    label: `${titleOf(one.provider)}: ${t(`connection.${one.state}`)}`,
  }));
  return (
    <div className="outages-choose">
      {providers.length <= BESIDE ? (
        <SegmentedControl
          aria-label={t('outages.choose')}
          value={chosen}
          onChange={show}
          data={data}
        />
      ) : (
        <Select
          aria-label={t('outages.choose')}
          value={chosen}
          onChange={show}
          allowDeselect={false}
          data={data}
        />
      )}
    </div>
  );
}
