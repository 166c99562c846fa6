/** The tries of a call that failed and were repeated: when, what each met, how long the next waited. */
import type { ReactElement } from 'react';
import { t } from '../../shared/messages';
import { metText, triesOf } from '../instruments/step-tries';
import type { Call } from '../instruments/step-timeline-plan';
import { At, Inert } from '../parts/texts';
import { clockText, durationText } from '../parts/time-view';

/** Absent if the call was tried once. S2-02, S2-25. */
export function StepTries({ call }: { call: Call }): ReactElement | null {
  const tries = triesOf(call);
  if (tries.length === 0) return null;
  return (
    <div className="step-tries">
      <div className="sm t3">{t('step.triesTitle')}</div>
      <ol className="sm" aria-label={t('step.tries', { step: call.step.index })}>
        {tries.map((one) => (
          <li key={one.number}>
            <span className="t3">{t('try.number', { count: one.number })}</span>
            <At atMs={one.toMs} withSeconds />
            <span className="wrap">
              <span className="m5">{metText(one)}</span>{' '}
              <span className="t2">
                <Inert text={one.error} />
              </span>
            </span>
            <span className="t3">
              {one.wasRepeated
                ? t('try.waited', { duration: durationText(one.waitMs) })
                : t('try.waits', {
                    time: clockText(one.toMs + one.waitMs, one.toMs + one.waitMs, undefined, true),
                  })}
            </span>
          </li>
        ))}
      </ol>
    </div>
  );
}
