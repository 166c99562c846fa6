/** One run: its position, input and output, what a resume would do, and its end. */
import { ChevronRight } from 'lucide-react';
import { useState } from 'react';
import type { ReactElement } from 'react';
import { t } from '../../shared/messages';
import type { RunPlan, RunView } from '../../shared/types';
import { useVerb } from '../bridge';
import { oneLine } from '../parts/inert-view';
import { Chip, PurityIcon } from '../parts/state-chip';
import { StopButton } from '../parts/stop-button';
import { Ago, At, Inert, InertBlock, NoteLine, SectionHead, TroubleNote } from '../parts/texts';
import { toolName } from '../parts/tool-name';
import { hrefOf } from '../route';
import { DiscardRun } from './discard-run';
import { phaseRows, phaseText, planSentences, runLook } from './runs-view';
import { IdDetails } from '../parts/id-details';
import { SessionName } from '../session/session-name';

export function RunPane({ runId }: { runId: number }): ReactElement {
  const shown = useVerb('runs.show', { runId });
  const plan = useVerb('runs.plan', { runId });
  const [said, setSaid] = useState('');
  const run = shown.data;
  return (
    <div className="page runs-page">
      <nav className="crumb" aria-label={t('turn.crumb')}>
        <a href={hrefOf({ kind: 'sessions' })}>{t('nav.sessions')}</a>
        <ChevronRight className="icon small" aria-hidden="true" />
        <a href={hrefOf({ kind: 'runs' })}>{t('runs.title')}</a>
        <ChevronRight className="icon small" aria-hidden="true" />
        <span>{t('runs.run', { id: runId })}</span>
      </nav>
      <header className="page-top turn-top">
        <h1 className="grow turn-title">
          {run ? oneLine(run.skill, 80) : t('runs.run', { id: runId })}
        </h1>
        {/* What a run has started ends with the turn, too. */}
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
        <div className="columns">
          <div className="stack">
            <RunFacts run={run} />
            <Phases run={run} plan={plan.data} />
            <Text title={t('runs.input')} text={run.input} />
            {run.artifact === undefined ? null : (
              <Text title={t('runs.artifact')} text={run.artifact} />
            )}
            {run.isTruncated ? <p className="sm t3">{t('common.truncated')}</p> : null}
          </div>
          <aside className="stack">{plan.data ? <Plan plan={plan.data} run={run} /> : null}</aside>
        </div>
      ) : shown.isLoading ? (
        <p className="t3">{t('common.loading')}</p>
      ) : null}
    </div>
  );
}

function RunFacts({ run }: { run: RunView }): ReactElement {
  const look = runLook(run);
  return (
    <section className="card padded">
      <p className="flex flex-wrap run-lead">
        <Chip tone={look.tone} mark={look.mark}>
          {look.text}
        </Chip>
        <span className="m5">{oneLine(phaseText(run), 120)}</span>
        {run.attempt > 1 ? (
          <span className="t3">{t('runs.attempts', { count: run.attempt - 1 })}</span>
        ) : null}
      </p>
      <dl className="facts sm">
        {run.awaiting === undefined ? null : (
          <>
            <dt>{t('runs.awaiting')}</dt>
            <dd>
              <a href={hrefOf({ kind: 'decisions', itemId: run.awaiting.inboxId })}>
                {oneLine(run.awaiting.title, 200)}
              </a>
            </dd>
          </>
        )}
        {run.reason === '' ? null : (
          <>
            <dt>{t('runs.reason')}</dt>
            <dd>
              <Inert text={run.reason} />
            </dd>
          </>
        )}
        <dt>{t('runs.turn')}</dt>
        <dd>
          <a href={hrefOf({ kind: 'turn', turnId: run.turnId })}>
            {t('turn.title', { id: run.turnId })}
          </a>{' '}
          <span className="t3">
            <SessionName sessionKey={run.sessionKey} />
          </span>
        </dd>
        <dt>{t('runs.agent')}</dt>
        <dd>
          <Inert text={run.agent} />
        </dd>
        {run.parentRunId === undefined ? null : (
          <>
            <dt>{t('runs.parent')}</dt>
            <dd>
              {run.isOrphan ? (
                t('runs.orphan')
              ) : (
                <a href={hrefOf({ kind: 'runs', runId: run.parentRunId })}>
                  {t('runs.run', { id: run.parentRunId })}
                </a>
              )}
            </dd>
          </>
        )}
        <dt>{t('runs.started')}</dt>
        <dd>
          <At atMs={run.startedAtMs} withSeconds />{' '}
          <span className="t3">
            <Ago atMs={run.startedAtMs} />
          </span>
        </dd>
        {run.endedAtMs === undefined ? null : (
          <>
            <dt>{t('runs.ended')}</dt>
            <dd>
              <At atMs={run.endedAtMs} withSeconds />
            </dd>
          </>
        )}
      </dl>
      <IdDetails
        ids={[
          { label: t('runs.version'), value: run.version },
          { label: t('session.key'), value: run.sessionKey },
        ]}
      />
    </section>
  );
}

function Phases({ run, plan }: { run: RunView; plan: RunPlan | undefined }): ReactElement | null {
  const rows = phaseRows(run, plan);
  if (rows.length === 0) return null;
  return (
    <section>
      <SectionHead title={t('runs.phases')} />
      <div className="card scroll-x">
        <table className="grid">
          <thead>
            <tr>
              <th scope="col">{t('runs.col.phase')}</th>
              <th scope="col">{t('runs.col.visit')}</th>
              <th scope="col">{t('runs.col.state')}</th>
              <th scope="col">{t('runs.col.left')}</th>
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <tr key={`${row.phase} ${String(row.visit)} ${row.state}`}>
                <td className="m5">
                  <Inert text={row.phase} />
                </td>
                <td>{row.visit}</td>
                <td>{t(`runs.phaseState.${row.state}`)}</td>
                <td className="t3">
                  {row.leftAtMs === undefined ? '' : <At atMs={row.leftAtMs} withSeconds />}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
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
    <section className="card padded sm run-plan" aria-label={t('runs.plan')}>
      <h2>{t(isOver ? 'runs.planOver' : 'runs.plan')}</h2>
      <p>
        {plan.action === 'resume' && plan.reason !== '' ? null : (
          <>
            <span className="t3">{t('runs.onResume')}</span> {t(`runs.action.${plan.action}`)}
          </>
        )}
        {plan.reason === '' ? null : (
          <span className="block t2 wrap">
            <Inert text={plan.reason} />
          </span>
        )}
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
          <summary>{t('runs.steps')}</summary>
          <ol className="plan-steps">
            {plan.steps.slice(0, MOST_STEPS).map((step) => (
              <li key={step.index}>
                <span className="flex">
                  <PurityIcon purity={step.purity} />
                  <span className="mono grow ellipsis">
                    {step.index} {oneLine(toolName(step.tool), 60)}
                  </span>
                  <span className="nw">{t(`runs.step.${step.action}`)}</span>
                </span>
                <span className="block t3 wrap">
                  <Inert text={step.reason} />
                </span>
              </li>
            ))}
          </ol>
        </details>
      )}
    </section>
  );
}
/** The page of the turn shows all of them. */
const MOST_STEPS = 200;
