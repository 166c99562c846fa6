/** One turn: what it is, what became of each step, and the decision it waits for. */
import { Button } from '@mantine/core';
import { ChevronRight } from 'lucide-react';
import { useMemo, useState } from 'react';
import type { ReactElement } from 'react';
import { t } from '../../shared/messages';
import type { StepView, TurnSummary } from '../../shared/model';
import type { VerbOutput } from '../../shared/contract';
import { useVerb } from '../bridge';
import { useNow } from '../clock';
import { DecisionPane } from '../decisions/decision-pane';
import '../decisions/decisions.css';
import { toolName } from '../parts/tool-name';
import { oneLine } from '../parts/inert-model';
import { LongText } from '../parts/long-text';
import { StateChip } from '../parts/state-chip';
import { isClosed } from '../parts/state-model';
import { StopButton } from '../parts/stop-button';
import { At, EmptyState, Inert, InertBlock, SectionHead, TroubleNote } from '../parts/texts';
import { moneyText } from '../parts/time-model';
import { hrefOf } from '../route';
import { StepTable } from './step-table';
import { turnRows } from './turn-model';
import './turn.css';

export function TurnPage({ turnId }: { turnId: number }): ReactElement {
  const shown = useVerb('turns.show', { turnId });
  const agents = useVerb('agents.list', {});
  if (!shown.data) {
    return (
      <div className="page">
        <h1>{t('turn.title', { id: turnId })}</h1>
        <TroubleNote trouble={shown.trouble} />
        {shown.isLoading ? <p className="t3">{t('common.loading')}</p> : null}
      </div>
    );
  }
  const { turn } = shown.data;
  const isScripted =
    agents.data?.agents.find((agent) => agent.name === turn.agent)?.executor === 'practice';
  return (
    <div className="page">
      <nav className="crumb" aria-label={t('turn.crumb')}>
        <a href={hrefOf({ kind: 'sessions' })}>{t('nav.sessions')}</a>
        <ChevronRight className="icon small" aria-hidden="true" />
        <a className="ellipsis" href={hrefOf({ kind: 'sessions', sessionId: turn.sessionId })}>
          {oneLine(turn.sessionKey, 60)}
        </a>
        <ChevronRight className="icon small" aria-hidden="true" />
        <span className="mono">{t('turn.number', { id: turn.id })}</span>
      </nav>
      <header className="page-top turn-top">
        <h1 className="grow">{oneLine(turn.promptStart)}</h1>
        {isClosed(turn.state) ? null : (
          <StopButton turnId={turn.id} name={turn.promptStart} size="sm" label={t('stop.turn')} />
        )}
      </header>
      <TurnFacts turn={turn} isScripted={isScripted} />
      <TroubleNote trouble={shown.trouble} />
      <TurnBody data={shown.data} isScripted={isScripted} reload={shown.reload} />
    </div>
  );
}

function TurnFacts({ turn, isScripted }: { turn: TurnSummary; isScripted: boolean }): ReactElement {
  const spent = turn.usage.costUsd;
  const saved = turn.savedUsage.costUsd;
  return (
    <div className="turn-facts">
      <StateChip state={turn.state} />
      {turn.reason === '' ? null : (
        <span className="t2">
          <Inert text={turn.reason} />
        </span>
      )}
      <span>{turn.agent}</span>
      {isScripted ? <span className="chip tone-line">{t('practice.chip')}</span> : null}
      <span className="t3">
        {turn.startedAtMs === undefined ? t('turn.accepted') : t('turn.started')}{' '}
        <At atMs={turn.startedAtMs ?? turn.acceptedAtMs} withSeconds />
      </span>
      {turn.attempt > 1 ? (
        <span className="t3">{t('turn.resumed', { count: turn.attempt - 1 })}</span>
      ) : null}
      {turn.reused > 0 ? (
        <span className="ink-kept m5">{t('turn.reused', { count: turn.reused })}</span>
      ) : null}
      {spent === undefined ? null : (
        <span className="t2">{t('turn.spent', { cost: moneyText(spent) })}</span>
      )}
      {saved === undefined || saved === 0 ? null : (
        <span className="ink-kept m5">{t('turn.saved', { cost: moneyText(saved) })}</span>
      )}
    </div>
  );
}

function TurnBody({
  data,
  isScripted,
  reload,
}: {
  data: VerbOutput<'turns.show'>;
  isScripted: boolean;
  reload: () => void;
}): ReactElement {
  const [selected, setSelected] = useState<number | undefined>(undefined);
  const [said, setSaid] = useState('');
  const isLive = data.turn.state === 'running';
  const tick = useNow(isLive ? 'second' : 'minute');
  const rows = useMemo(
    () => turnRows(data.steps, data.stops, tick),
    [data.steps, data.stops, tick],
  );
  const step = data.steps.find((candidate) => candidate.index === selected);
  return (
    <div className="stack turn-body">
      <p role="status" className={said === '' ? 'sr-only' : 'note-line tone-ok'}>
        {said}
      </p>
      {data.decision ? (
        <section className="card turn-decision" aria-label={t('decisions.replay')}>
          <DecisionPane
            key={data.decision.requestHash}
            decision={data.decision}
            isOnTurnPage
            onStale={reload}
            onSettled={(sentence) => {
              setSaid(sentence);
              reload();
            }}
          />
        </section>
      ) : null}
      <section className="turn-steps" aria-label={t('turn.steps.label')}>
        <SectionHead title={t('turn.steps.title')} count={data.steps.length} />
        {rows.length === 0 ? (
          <div className="card">
            <EmptyState mark={null} sentence={t('turn.noSteps')} />
          </div>
        ) : (
          <StepTable
            rows={rows}
            selected={selected}
            isScripted={isScripted}
            onSelect={(index) => setSelected((now) => (now === index ? undefined : index))}
          />
        )}
      </section>
      {step ? <StepDetail step={step} onClose={() => setSelected(undefined)} /> : null}
      <div className="turn-text">
        <SectionHead title={t('turn.prompt')} />
        <InertBlock text={data.prompt} label={t('turn.prompt')} />
        {data.isPromptTruncated ? <p className="sm t3">{t('common.truncated')}</p> : null}
      </div>
      {data.answer === undefined ? null : (
        <div className="turn-text">
          <SectionHead title={t('turn.answer')} />
          <div
            className="card padded answer-text"
            tabIndex={0}
            role="region"
            aria-label={t('turn.answer')}
          >
            <LongText text={data.answer} isTruncated={false} />
          </div>
        </div>
      )}
    </div>
  );
}

function StepDetail({ step, onClose }: { step: StepView; onClose: () => void }): ReactElement {
  return (
    <section className="card padded" aria-label={t('step.label', { step: step.index })}>
      <SectionHead
        title={t('step.label', { step: step.index })}
        count={<span className="mono">{oneLine(toolName(step.tool))}</span>}
      >
        <Button size="xs" variant="subtle" className="end" onClick={onClose}>
          {t('common.close')}
        </Button>
      </SectionHead>
      <dl className="facts">
        {step.againOf === undefined ? null : (
          <>
            <dt>{t('step.againOf')}</dt>
            <dd>{t('step.number', { step: step.againOf })}</dd>
          </>
        )}
        <dt>{t('step.reusedCount')}</dt>
        <dd>{t('step.reusedTimes', { count: step.reusedCount })}</dd>
        {step.isListed ? (
          <>
            <dt>{t('step.listed')}</dt>
            <dd>{t('step.listedAbout')}</dd>
          </>
        ) : null}
        {step.idempotencyKey === undefined ? null : (
          <>
            <dt>{t('step.key')}</dt>
            <dd className="mono">{step.idempotencyKey}</dd>
          </>
        )}
        {step.usage === undefined ? null : (
          <>
            <dt>{t('step.tokens')}</dt>
            <dd>
              {t('step.tokensText', {
                input: step.usage.inputTokens,
                output: step.usage.outputTokens,
              })}
            </dd>
          </>
        )}
        {step.error === undefined ? null : (
          <>
            <dt>{t('step.error')}</dt>
            <dd className="inert">
              <Inert text={step.error} />
            </dd>
          </>
        )}
      </dl>
      {step.args === undefined ? null : (
        <>
          <div className="sm t3 decision-input-label">{t('step.args')}</div>
          <InertBlock text={step.args} label={t('step.args')} />
        </>
      )}
      {step.result === undefined ? null : (
        <>
          <div className="sm t3 decision-input-label">{t('step.result')}</div>
          <InertBlock text={step.result} label={t('step.result')} />
        </>
      )}
      {step.isTruncated ? <p className="sm t3">{t('common.truncated')}</p> : null}
    </section>
  );
}
