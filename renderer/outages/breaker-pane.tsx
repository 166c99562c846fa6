/** The provider's breaker and how its state ends, next to the queue. */
import { Check } from 'lucide-react';
import type { ReactElement } from 'react';
import { Fact } from '../parts/fact';
import { t } from '../../shared/messages';
import type { ProviderHealth } from '../../shared/types/outage';
import { useNow } from '../clock';
import { BreakerPicture } from '../charts/breaker-picture';
import { Countdown, Inert } from '../parts/texts';
import { breakerFacts, howItEnds } from './outages-view';

export function BreakerPane({ health }: { health: ProviderHealth }): ReactElement {
  const { breaker } = health;
  // One sentence, because how the outage ends must be visible without scrolling.
  const { why, rest, nextAtMs } = breakerFacts(health);
  return (
    <section className="card outage-pane" aria-label={t('breaker.title')}>
      <div className="flex flex-wrap outage-pane-head">
        <h2>{t('breaker.title')}</h2>
        <span className="end sm t2">
          <NextTrial isOut={breaker.isTrialOut} atMs={nextAtMs} />
        </span>
      </div>
      <BreakerPicture breaker={breaker} />
      <Inert as="p" className="sm t3 wrap" text={why} />
      <details className="breaker-facts">
        <summary className="sm t2">{t('breaker.table')}</summary>
        {rest === '' ? null : <Inert as="p" className="sm t3 wrap" text={rest} />}
        <dl className="facts sm">
          <Fact name={t('breaker.fact.failures')}>
            {t('breaker.fact.of', {
              count: breaker.failures,
              text: String(breaker.failureThreshold),
            })}
          </Fact>
          <Fact name={t('breaker.fact.successes')}>
            {t('breaker.fact.of', {
              count: breaker.successes,
              text: String(breaker.successThreshold),
            })}
          </Fact>
          <Fact name={t('breaker.fact.calls')}>
            {t('breaker.fact.callsText', {
              count: breaker.counters.allowed,
              text: String(breaker.counters.refused),
            })}
          </Fact>
          <Fact name={t('breaker.fact.last')} text={breaker.lastError} />
        </dl>
      </details>
    </section>
  );
}

function NextTrial({
  isOut,
  atMs,
}: {
  isOut: boolean;
  atMs: number | undefined;
}): ReactElement | null {
  if (isOut) return <>{t('breaker.trialOut')}</>;
  if (atMs === undefined) return null;
  return (
    <>
      {t('breaker.next')}{' '}
      <strong className="outage-figure">
        <Countdown untilMs={atMs} />
      </strong>
    </>
  );
}

export function HowItEnds({ health }: { health: ProviderHealth }): ReactElement | null {
  const nowMs = useNow('minute');
  const steps = howItEnds(health, nowMs);
  if (steps.length === 0) return null;
  return (
    <section className="card outage-pane" aria-label={t('ends.title')}>
      <h2>{t('ends.title')}</h2>
      <ol className="outage-ends">
        {steps.map((step, at) => (
          <li key={step.lead} aria-current={step.state === 'now' ? 'step' : undefined}>
            <span className={`outage-end ${step.state}`}>
              {step.state === 'done' ? (
                <Check className="icon small" role="img" aria-label={t('ends.done')} />
              ) : (
                at + 1
              )}
            </span>
            <span className="wrap">
              <span className="m5">{step.lead}</span> <span className="t2">{step.rest}</span>
            </span>
          </li>
        ))}
      </ol>
    </section>
  );
}
