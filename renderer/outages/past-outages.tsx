/** Past outages, newest first: when, how long, why, and what ran after each. */
import { Button } from '@mantine/core';
import { useState } from 'react';
import type { ReactElement } from 'react';
import { t } from '../../shared/messages';
import { useVerb } from '../bridge';
import { At, Inert, SectionHead, TroubleNote } from '../parts/texts';
import { durationText, localClocks } from '../parts/time-view';
import { hrefOf } from '../route';
import { titleOf } from './outages-view';

const SHOWN = 20;

/** Of one provider, or of all. */
export function PastOutages({ provider }: { provider?: string }): ReactElement | null {
  const list = useVerb('outage.list', { limit: 200 });
  const [isAll, setAll] = useState(false);
  const outages = (list.data?.outages ?? [])
    .filter((one) => provider === undefined || one.provider === provider)
    // The current outage is shown by the page itself.
    .filter((one) => one.resolvedAtMs !== undefined);
  if (list.data === undefined && list.trouble === undefined) return null;
  if (outages.length === 0 && provider !== undefined) return null;
  return (
    <section aria-label={t('past.title')}>
      <SectionHead
        title={t('past.title')}
        count={outages.length === 0 ? undefined : outages.length}
      />
      <TroubleNote trouble={list.trouble} />
      {outages.length === 0 ? (
        <p className="sm t3">{t('past.none')}</p>
      ) : (
        <div className="card scroll-x">
          <table className="grid past-outages">
            <thead>
              <tr>
                <th scope="col">{t('past.column.provider')}</th>
                <th scope="col">{t('past.column.from')}</th>
                <th scope="col">{t('past.column.took')}</th>
                <th scope="col">{t('past.column.ran')}</th>
                <th scope="col">{t('past.column.why')}</th>
              </tr>
            </thead>
            <tbody>
              {outages.slice(0, isAll ? outages.length : SHOWN).map((one) => (
                <tr key={one.outageId}>
                  <td className="m5">{titleOf(one.provider)}</td>
                  <td className="nw">
                    <a
                      className="row-link"
                      href={hrefOf({
                        kind: 'events',
                        untilMs: one.resolvedAtMs ?? one.startedAtMs,
                      })}
                    >
                      <At atMs={one.startedAtMs} />
                    </a>
                  </td>
                  <td className="nw">
                    {one.resolvedAtMs === undefined
                      ? t('past.open')
                      : durationText(one.resolvedAtMs - one.startedAtMs)}
                  </td>
                  <td className="nw">{t('past.ran', { count: one.drained })}</td>
                  <Inert as="td" className="t2 wrap" text={localClocks(one.reason)} />
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      {outages.length > SHOWN && !isAll ? (
        <Button size="xs" variant="subtle" onClick={() => setAll(true)}>
          {t('past.all', { count: outages.length })}
        </Button>
      ) : null}
    </section>
  );
}
