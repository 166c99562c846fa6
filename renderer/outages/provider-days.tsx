/** The last 30 days of each provider: one mark per day, its outages, and its cost. */
import type { ReactElement } from 'react';
import { t } from '../../shared/messages';
import type { ProviderHealth } from '../../shared/types/outage';
import { useVerb } from '../bridge';
import { SectionHead, TroubleNote } from '../parts/texts';
import { dayOf, durationText, moneyText } from '../parts/time-view';
import { providerDays, STRIP_DAYS, type ProviderDaysFacts } from './provider-days-view';
import { titleOf } from './outages-view';

/** Only this many providers get a strip. */
const SHOWN = 8;

/** What the marks mean, from best to worst. */
const LEGEND = ['up', 'unused', 'down'] as const;

export function ProviderDays({
  providers,
  nowMs,
}: {
  providers: readonly Pick<ProviderHealth, 'provider' | 'latency'>[];
  nowMs: number;
}): ReactElement | null {
  const outages = useVerb('outage.list', { limit: 200 });
  const usage = useVerb('usage.list', { days: STRIP_DAYS });
  if (providers.length === 0) return null;
  const strips = providers.slice(0, SHOWN).map((one) => ({
    ...one,
    facts: providerDays(one.provider, outages.data?.outages ?? [], usage.data?.lines ?? [], nowMs),
  }));
  const kinds = new Set(strips.flatMap(({ facts }) => facts.days.map(({ kind }) => kind)));
  return (
    <section aria-label={t('strip.title')}>
      <SectionHead title={t('strip.title')}>
        <span className="end xs t3 days-legend" aria-hidden="true">
          {LEGEND.filter((kind) => kinds.has(kind)).map((kind) => (
            <span key={kind}>
              <span className={`days-mark is-${kind}`} />
              {t(`strip.legend.${kind}`)}
            </span>
          ))}
        </span>
      </SectionHead>
      <TroubleNote trouble={usage.trouble} />
      <ul className="card rows">
        {strips.map(({ provider, latency, facts }) => (
          <Days key={provider} name={titleOf(provider)} latency={latency} facts={facts} />
        ))}
      </ul>
    </section>
  );
}

const dayText = (startMs: number): string => dayOf(startMs, { day: 'numeric', month: 'short' });

function Days({
  name,
  facts,
  latency,
}: {
  name: string;
  facts: ProviderDaysFacts;
  latency: ProviderHealth['latency'];
}): ReactElement {
  const { days, outages, downMs, usedDays, costUsd, tokens } = facts;
  return (
    <li className="aligned flex-wrap provider-days">
      <strong className="m5 ellipsis">{name}</strong>
      <span
        className="days-strip"
        role="img"
        aria-label={t('strip.say', { name, count: outages, days: usedDays })}
      >
        {days.map(({ startMs, kind, downMs: dayDownMs }) => (
          <span
            key={startMs}
            className={`days-mark is-${kind}`}
            title={
              kind === 'down'
                ? t('strip.day.down', { time: dayText(startMs), duration: durationText(dayDownMs) })
                : t(`strip.day.${kind}`, { time: dayText(startMs) })
            }
          />
        ))}
      </span>
      <span className="sm t2 nw">
        {outages === 0
          ? t('strip.none')
          : t('strip.outages', { count: outages, duration: durationText(downMs) })}
      </span>
      <span
        className="sm t3 nw"
        title={latency && t('strip.latencyAbout', { count: latency.responses })}
      >
        {latency === undefined
          ? ''
          : t('strip.latency', { duration: durationText(latency.medianMs) })}
      </span>
      <span className="sm t3 nw end">
        {costUsd !== undefined
          ? t('strip.spend', { cost: moneyText(costUsd) })
          : tokens > 0
            ? t('strip.tokens', { count: tokens })
            : ''}
      </span>
    </li>
  );
}
