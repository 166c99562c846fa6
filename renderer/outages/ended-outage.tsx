/**
 * An outage that is over, shown until the user closes it: its picture to the end, and what became
 * of the queue.
 */
import { Button } from '@mantine/core';
import { X } from 'lucide-react';
import { useState } from 'react';
import type { ReactElement } from 'react';
import { t } from '../../shared/messages';
import type { OutageRecord } from '../../shared/types/outage';
import { useVerb } from '../bridge';
import { QueuePlot } from '../charts/queue-plot';
import { fitOutage } from '../charts/queue-plot-view';
import { oneLine } from '../parts/inert-view';
import { clockText, localClocks } from '../parts/time-view';
import { endedOutage, titleOf } from './outages-view';

const KEY = 'holdfast.outage-closed';
const closedId = (): number => Number(window.localStorage.getItem(KEY) ?? 0) || 0;

type Ended = OutageRecord & { readonly resolvedAtMs: number };

/** Of one provider, or of any. */
export function EndedOutage({
  provider,
  nowMs,
}: {
  provider?: string;
  nowMs: number;
}): ReactElement | null {
  const list = useVerb('outage.list', { limit: 200 });
  const [closed, setClosed] = useState(closedId);
  const outage = endedOutage(list.data?.outages ?? [], { nowMs, closedId: closed, provider });
  if (outage === undefined) return null;
  return (
    <Ended
      key={outage.outageId}
      outage={outage}
      nowMs={nowMs}
      onClose={() => {
        window.localStorage.setItem(KEY, String(outage.outageId));
        setClosed(outage.outageId);
      }}
    />
  );
}

function Ended({
  outage,
  nowMs,
  onClose,
}: {
  outage: Ended;
  nowMs: number;
  onClose: () => void;
}): ReactElement {
  const { provider, startedAtMs, resolvedAtMs, drained, reason } = outage;
  const fit = fitOutage({ sinceMs: startedAtMs, untilMs: resolvedAtMs }, nowMs);
  const plot = useVerb('outage.plot', { provider, range: fit.range });
  const name = titleOf(provider);
  const why = oneLine(localClocks(reason), 160);
  return (
    <section className="ended-outage" aria-label={t('outages.ended.closeOf', { name })}>
      <div className="section-head">
        <h2>
          {t('outages.ended.title', {
            name,
            time: clockText(startedAtMs, nowMs),
            text: clockText(resolvedAtMs, startedAtMs),
          })}
        </h2>
        <Button
          className="end"
          size="xs"
          variant="subtle"
          leftSection={<X className="icon small" />}
          aria-label={t('outages.ended.closeOf', { name })}
          onClick={onClose}
        >
          {t('outages.ended.close')}
        </Button>
      </div>
      <p className="sm t2">
        {t('outages.ended.ran', { count: drained })}
        {why === '' ? '' : ` ${t('outages.ended.why', { text: why })}`}
      </p>
      <QueuePlot
        view={plot.data === undefined ? undefined : { plot: plot.data, nowMs, ...fit }}
        name={name}
      />
    </section>
  );
}
