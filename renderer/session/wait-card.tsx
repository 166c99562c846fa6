/** A turn of the chat that waits for the user, in the place of its next line. */
import type { ReactElement } from 'react';
import { t } from '../../shared/messages';
import type { ReplayDecision } from '../../shared/types';
import { toolName } from '../parts/tool-name';
import { Mark, PurityIcon } from '../parts/state-chip';
import { At, Inert } from '../parts/texts';
import { localClocks } from '../parts/time-view';
import { hrefOf } from '../route';

/** The same object as in Decisions: question, facts, and the way to the answers. */
export function WaitCard({ decision }: { decision: ReplayDecision }): ReactElement {
  return (
    <li className="card wait-card">
      <div className="wait-head">
        <Mark name={decision.kind === 'limit' ? 'pause' : 'shield'} />
        <span className="m5">
          <Inert text={decision.question} />
        </span>
        <span className="sm t2">
          {t('decide.since')} <At atMs={decision.createdAtMs} withSeconds />
        </span>
        <a className="end sm m5" href={hrefOf({ kind: 'decisions', turnId: decision.turnId })}>
          {t('session.decide')}
        </a>
      </div>
      <div className="wait-body">
        <p className="t2">
          <Inert text={localClocks(decision.reason)} />
        </p>
        {decision.ambiguous.map((step) => (
          <p key={step.index} className="flex sm">
            <PurityIcon purity={step.purity} withLabel />
            <span className="mono">
              <Inert text={toolName(step.tool)} />
            </span>
            <span className="t3">{t('decide.noAnswer')}</span>
          </p>
        ))}
      </div>
    </li>
  );
}
