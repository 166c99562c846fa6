/** The last steps before the one in question: what had happened before the crash. */
import type { ReactElement } from 'react';
import { t } from '../../shared/messages';
import { useVerb } from '../bridge';
import { toolName } from '../parts/tool-name';
import { oneLine } from '../parts/inert-view';
import { OutcomeTag } from '../parts/state-chip';
import { Inert } from '../parts/texts';
import { durationText } from '../parts/time-view';
import { stepsBefore } from './decision-view';

export function StepsBefore({
  turnId,
  beforeStep,
}: {
  turnId: number;
  /** Undefined if no step is in question: then the last steps of all. */
  beforeStep: number | undefined;
}): ReactElement | null {
  const shown = useVerb('turns.show', { turnId });
  const agents = useVerb('agents.list', {});
  const isScripted =
    agents.data?.agents.find(({ name }) => name === shown.data?.turn.agent)?.executor ===
    'practice';
  const steps = stepsBefore(shown.data?.steps ?? [], beforeStep);
  if (steps.length === 0) return null;
  return (
    <section className="before" aria-label={t('decide.before')}>
      <h3>{t('decide.before')}</h3>
      <div className="scroll-x">
        <table className="sm before-steps">
          <thead className="sr-only">
            <tr>
              <th>{t('table.step')}</th>
              <th>{t('table.tool')}</th>
              <th>{t('table.what')}</th>
              <th>{t('table.fate')}</th>
              <th>{t('table.took')}</th>
            </tr>
          </thead>
          <tbody>
            {steps.map((step) => (
              <tr key={step.index}>
                <td className="t3">{step.index}</td>
                <td className="mono nw">
                  {isScripted && step.purity === 'llm' ? (
                    t('purity.scripted')
                  ) : (
                    <Inert text={toolName(step.tool)} />
                  )}
                </td>
                <td className="t2">{oneLine(step.hint, 90)}</td>
                <td className="nw">
                  <OutcomeTag step={step} />
                </td>
                <td className="t3 right nw">
                  {step.endedAtMs === undefined
                    ? ''
                    : durationText(step.endedAtMs - step.startedAtMs)}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}
