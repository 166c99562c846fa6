/** A turn in the chat that waits for the user, shown in place of its next line. */
import type { ReactElement } from 'react';
import { t } from '../../shared/messages';
import type { ReplayDecision, TurnSummary } from '../../shared/types';
import { useVerb } from '../bridge';
import { toolName } from '../parts/tool-name';
import { Mark, PurityIcon } from '../parts/state-chip';
import { At, Inert } from '../parts/texts';
import { localClocks } from '../parts/time-view';
import { hrefOf } from '../route';

/** One card per turn that needs a decision; nothing is loaded while there is none. */
export function WaitCards({ turns }: { turns: readonly TurnSummary[] }): ReactElement {
  const waits = turns.some(({ state }) => state !== 'running' && state !== 'queued');
  const recovery = useVerb('recovery.list', waits ? {} : undefined);
  const decisions = (recovery.data?.decisions ?? []).filter(({ turnId }) =>
    turns.some(({ id }) => id === turnId),
  );
  return (
    <>
      {decisions.map((decision) => (
        <WaitCard key={decision.inboxId} decision={decision} />
      ))}
    </>
  );
}

/** The same component as in Decisions: question, facts, and the link to the answers. */
function WaitCard({ decision }: { decision: ReplayDecision }): ReactElement {
  return (
    <li className="card wait-card">
      <div className="aligned flex-wrap wait-head">
        <Mark name={decision.kind === 'limit' ? 'pause' : 'shield'} />
        <Inert className="m5" text={decision.question} />
        <span className="sm t2">
          {t('decide.since')} <At atMs={decision.createdAtMs} withSeconds />
        </span>
        <a className="end sm m5" href={hrefOf({ kind: 'decisions', turnId: decision.turnId })}>
          {t('session.decide')}
        </a>
      </div>
      <div className="wait-body">
        <Inert as="p" className="t2" text={localClocks(decision.reason)} />
        {decision.ambiguous.map((step) => (
          <p key={step.index} className="flex sm">
            <PurityIcon purity={step.purity} withLabel />
            <Inert className="mono" text={toolName(step.tool)} />
            <span className="t3">{t('decide.noAnswer')}</span>
          </p>
        ))}
      </div>
    </li>
  );
}
