/** The legend: line weights for purity always, outcomes and lines only if this turn has them. */
import { useMemo } from 'react';
import type { ReactElement } from 'react';
import { t } from '../../shared/messages';

import { BarMark } from './step-timeline-row';
import { lookOf } from './step-timeline-bars';
import type { Bar, BarLook, Frame } from './step-timeline-shapes';
import type { TimelinePlan } from './step-timeline-plan';

const FATES = [
  { look: 'reused', label: 'fate.reused', tone: 'kept' },
  { look: 'ring', label: 'fate.askedAgain', tone: 'reissued' },
  { look: 'unknown', label: 'fate.unknown', tone: 'ambiguous' },
  { look: 'cut', label: 'timeline.legend.cutOff', tone: 'line' },
  { look: 'failed', label: 'fate.failed', tone: 'outage' },
  { look: 'working', label: 'fate.running', tone: 'working' },
  { look: 'recorded', label: 'fate.recorded', tone: 'ok' },
  { look: 'hollow', label: 'fate.skipped', tone: 'muted' },
] as const satisfies readonly { look: BarLook; label: string; tone: string }[];

const PURITIES = ['pure', 'world', 'llm', 'side_effect', 'external'] as const;

const TRIED_AGAIN = [
  { kind: 'failed', x: 6.5 },
  { kind: 'attempt', x: 10.5 },
] as const;

const Sample = ({
  look,
  purity,
  notches = [],
}: {
  look: BarLook;
  purity: (typeof PURITIES)[number];
  notches?: Bar['notches'];
}): ReactElement => (
  <svg className="tl-sample" width={18} height={26} viewBox="0 0.5 18 26" aria-hidden="true">
    <BarMark
      bar={{ step: 0, purity, look, x: 3, widthPx: 11, hasTip: purity === 'external', notches }}
      title=""
    />
  </svg>
);

export function Legend({ plan, frame }: { plan: TimelinePlan; frame: Frame }): ReactElement {
  const looks = useMemo(() => {
    const found = new Set<BarLook>();
    for (const { calls } of plan.rows)
      calls.forEach((call, at) => found.add(lookOf(call, calls[at + 1])));
    return found;
  }, [plan]);
  const isTriedAgain = useMemo(
    () => plan.rows.some(({ calls }) => calls.some(({ step }) => step.tries !== undefined)),
    [plan],
  );
  const hasStop = frame.breaks.some((gap) => gap.kind === 'stop');
  const hasRestart = frame.marks.some((mark) => mark.kind === 'restart');
  return (
    <ul className="aligned flex-wrap tl-legend xs" aria-label={t('timeline.legend')}>
      {PURITIES.map((purity) => (
        <li key={purity} className="t3">
          <Sample look="plain" purity={purity} />
          {t(`purityShort.${purity}`)}
        </li>
      ))}
      <li className="grow" aria-hidden="true" />
      {FATES.filter(({ look }) => looks.has(look)).map(({ look, label, tone }) => (
        <li key={look} className={`ink-${tone}`}>
          <Sample look={look} purity="llm" />
          {t(label)}
        </li>
      ))}
      {isTriedAgain ? (
        <li className="t2">
          <Sample look="plain" purity="llm" notches={TRIED_AGAIN} />
          {t('timeline.legend.tried')}
        </li>
      ) : null}
      {hasStop ? (
        <li className="ink-outage tl-stop">
          <svg width={9} height={12} aria-hidden="true">
            <path d="M0 0h9L4.5 6z" />
            <line x1={4.5} x2={4.5} y1={4} y2={12} />
          </svg>
          {t('timeline.legend.stop')}
        </li>
      ) : null}
      {hasRestart ? (
        <li className="ink-kept tl-restart">
          <svg width={9} height={12} aria-hidden="true">
            <circle cx={4.5} cy={4} r={3} />
            <line x1={4.5} x2={4.5} y1={7} y2={12} />
          </svg>
          {t('timeline.legend.restart')}
        </li>
      ) : null}
    </ul>
  );
}
