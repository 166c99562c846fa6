/** One run: its position, input and output, what a resume would do, and how to end it. */
import { ChevronRight } from 'lucide-react';
import { useState } from 'react';
import type { ReactElement } from 'react';
import { t } from '../../shared/messages';
import type { RunPlan, RunView } from '../../shared/types';
import { useVerb } from '../bridge';
import { useNow } from '../clock';
import { oneLine } from '../parts/inert-view';
import { Chip, PurityIcon } from '../parts/state-chip';
import { StopButton } from '../parts/stop-button';
import { At, Inert, InertBlock, NoteLine, SectionHead, TroubleNote } from '../parts/texts';
import { toolName } from '../parts/tool-name';
import { hrefOf } from '../route';
import { DiscardRun } from './discard-run';
import { PhaseBar } from './phase-bar';
import { phaseCells, runStory } from './run-phases-view';
import { RunSteps } from './run-steps';
import { planSentences, runLook } from './runs-view';
import { IdDetails } from '../parts/id-details';
import { SessionName } from '../session/session-name';
import { agentTitle } from '../agents/agent-titles';

export function RunPane({ runId }: { runId: number }): ReactElement {
  const shown = useVerb('runs.show', { runId });
  const plan = useVerb('runs.plan', { runId });
  const [said, setSaid] = useState('');
  const run = shown.data;
  return (
    <div className="page turn-page runs-page run-page">
      <nav className="crumb" aria-label={t('turn.crumb')}>
        <a href={hrefOf({ kind: 'sessions' })}>{t('nav.sessions')}</a>
        <ChevronRight className="icon small" />
        <a href={hrefOf({ kind: 'runs' })}>{t('runs.title')}</a>
        <ChevronRight className="icon small" />
        <span>{t('runs.run', { id: runId })}</span>
      </nav>
      <header className="page-top turn-top">
        <h1 className="grow clamp">
          {run ? oneLine(run.skill, 80) : t('runs.run', { id: runId })}
        </h1>
        {/* The runs that this one started end with the turn, too. */}
        {run?.state === 'running' && run.depth === 0 ? (
          <StopButton turnId={run.turnId} name={run.skill} size="sm" label={t('stop.turn')} />
        ) : null}
        {run?.state === 'running' ? (
          <DiscardRun
            run={run}
            onDone={() => {
              setSaid(t('runs.discarded', { id: runId }));
              shown.reload();
              plan.reload();
            }}
          />
        ) : null}
      </header>
      <TroubleNote trouble={shown.trouble ?? plan.trouble} />
      <p role="status" className={said === '' ? 'sr-only' : 'note-line tone-ok'}>
        {said}
      </p>
      {run ? (
        <RunBody run={run} plan={plan.data} />
      ) : shown.isLoading ? (
        <p className="t3">{t('common.loading')}</p>
      ) : null}
    </div>
  );
}

function RunBody({ run, plan }: { run: RunView; plan: RunPlan | undefined }): ReactElement {
  const turn = useVerb('turns.show', { turnId: run.turnId });
  const nowMs = useNow('minute');
  const cells = phaseCells(run, plan, turn.data, nowMs);
  return (
    <>
      <RunFacts run={run} />
      <div className="stack run-body">
        <p className="t2 run-story">
          {runStory(run, cells)} {run.reason === '' ? null : <Inert text={run.reason} />}
          {run.awaiting === undefined ? null : (
            <a href={hrefOf({ kind: 'decisions', itemId: run.awaiting.inboxId })}>
              {oneLine(run.awaiting.title, 200)}
            </a>
          )}
        </p>
        <PhaseBar cells={cells} />
        <TroubleNote trouble={turn.trouble} />
        {turn.data ? <RunSteps run={run} data={turn.data} /> : null}
        <div className="columns">
          <div className="stack">
            <Text title={t('runs.input')} text={run.input} />
            {run.artifact === undefined ? null : (
              <Text title={t('runs.artifact')} text={run.artifact} />
            )}
            {run.isTruncated ? <p className="sm t3">{t('common.truncated')}</p> : null}
            <IdDetails
              ids={[
                { label: t('runs.version'), value: run.version },
                { label: t('session.key'), value: run.sessionKey },
              ]}
            />
          </div>
          <aside className="stack">{plan ? <Plan plan={plan} run={run} /> : null}</aside>
        </div>
      </div>
    </>
  );
}

/** One line under the headline, as on the page of a turn. */
function RunFacts({ run }: { run: RunView }): ReactElement {
  const look = runLook(run);
  return (
    <div className="turn-facts">
      <Chip tone={look.tone} mark={look.mark}>
        {look.text}
      </Chip>
      <Inert as="span" text={agentTitle(run.agent)} />
      <span className="t3">
        {t('turn.started')} <At atMs={run.startedAtMs} withSeconds />
      </span>
      {run.endedAtMs === undefined ? null : (
        <span className="t3">
          {t('runs.ended')} <At atMs={run.endedAtMs} withSeconds />
        </span>
      )}
      {run.attempt > 1 ? (
        <span className="t3">{t('runs.attempts', { count: run.attempt - 1 })}</span>
      ) : null}
      <span>
        <a href={hrefOf({ kind: 'turn', turnId: run.turnId })}>
          {t('turn.title', { id: run.turnId })}
        </a>{' '}
        <span className="t3">
          <SessionName sessionKey={run.sessionKey} />
        </span>
      </span>
      {run.parentRunId === undefined ? null : run.isOrphan ? (
        <span className="t3">{t('runs.orphan')}</span>
      ) : (
        <span className="t3">
          {t('runs.parent')}{' '}
          <a href={hrefOf({ kind: 'runs', runId: run.parentRunId })}>
            {t('runs.run', { id: run.parentRunId })}
          </a>
        </span>
      )}
    </div>
  );
}

const Text = ({ title, text }: { title: string; text: string }): ReactElement | null =>
  text === '' ? null : (
    <section>
      <SectionHead title={title} />
      <InertBlock text={text} label={title} />
    </section>
  );

function Plan({ plan, run }: { plan: RunPlan; run: RunView }): ReactElement {
  const isOver = run.state !== 'running';
  const unknown = plan.ambiguous.slice(0, 12).join(', ');
  return (
    <section className="card padded stack sm run-plan" aria-label={t('runs.plan')}>
      <h2>{t(isOver ? 'runs.planOver' : 'runs.plan')}</h2>
      <p>
        {plan.action === 'resume' && plan.reason !== '' ? null : (
          <>
            <span className="t3">{t('runs.onResume')}</span> {t(`runs.action.${plan.action}`)}
          </>
        )}
        {plan.reason === '' ? null : <Inert className="block t2 wrap" text={plan.reason} />}
      </p>
      {planSentences(plan).map((sentence) => (
        <NoteLine key={sentence} tone="attention">
          <Inert text={sentence} />
        </NoteLine>
      ))}
      <ul className="plan-counts">
        <li>
          <span className="ink-kept m5">{t('runs.planReused', { count: plan.reused })}</span>
          <span className="block t2">{t('runs.planReusedAbout')}</span>
        </li>
        {plan.ambiguous.length === 0 ? null : (
          <li>
            <span className="ink-ambiguous m5">
              {t('runs.planUnknown', { count: plan.ambiguous.length })}
            </span>
            <span className="block t2">{t('runs.planUnknownAbout', { text: unknown })}</span>
          </li>
        )}
        <li>
          <span className="ink-working m5">{t('runs.planToRun', { count: plan.toRun })}</span>
          <span className="block t2">{t('runs.planToRunAbout')}</span>
        </li>
      </ul>
      {plan.steps.length === 0 ? null : (
        <details className="claims">
          <summary>{t('runs.planSteps')}</summary>
          <ol className="plan-steps">
            {plan.steps.slice(0, MAX_STEPS).map((step) => (
              <li key={step.index}>
                <span className="flex">
                  <PurityIcon purity={step.purity} />
                  <span className="mono grow ellipsis">
                    {step.index} {oneLine(toolName(step.tool), 60)}
                  </span>
                  <span className="nw">{t(`runs.step.${step.action}`)}</span>
                </span>
                <Inert className="block t3 wrap" text={step.reason} />
              </li>
            ))}
          </ol>
        </details>
      )}
    </section>
  );
}
/** The page of the turn shows all of them. */
const MAX_STEPS = 200;
