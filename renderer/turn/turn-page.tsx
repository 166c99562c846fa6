/** One turn: its facts, the outcome of each step, and the decision it waits for. */
import { Button } from '@mantine/core';
import { useWindowEvent } from '@mantine/hooks';
import { ChartNoAxesGantt, ChevronRight, List } from 'lucide-react';
import { useCallback, useMemo, useState } from 'react';
import type { ReactElement } from 'react';
import { answeredSentence } from '../../shared/answered-by';
import { sentenceText, t } from '../../shared/messages';
import type { TurnSummary } from '../../shared/types';
import { useVerb } from '../bridge';
import { useNow } from '../clock';
import { useRead } from '../home/seen-answers';
import { approvalQuestion } from '../decisions/approval-view';
import { ApprovalPane } from '../decisions/approval-pane';
import { DecisionPane } from '../decisions/decision-pane';
import '../decisions/decisions.css';
import { StepTimeline } from '../charts/step-timeline';
import { DENSE_FROM } from '../charts/step-timeline-shapes';
import { planTimeline } from '../charts/step-timeline-plan';
import { oneLine } from '../parts/inert-view';
import { StateChip } from '../parts/state-chip';
import { isClosed } from '../parts/state-view';
import { StopButton } from '../parts/stop-button';
import { CopyText, At, EmptyState, Inert, SectionHead, TroubleNote } from '../parts/texts';
import { ToldLine } from '../parts/told-line';
import { localClocks, moneyText } from '../parts/time-view';
import { hrefOf } from '../route';
import { TurnFiles } from './turn-files';
import { TurnText } from './turn-text';
import { RetryNote } from './retry-note';
import { WhyShared } from './why-shared';
import { StepPane } from './step-pane';
import { StepTable } from './step-table';
import { FIND_FROM, FindStep } from './find-step';
import { findSteps, turnRows } from './turn-view';
import { useAsks } from './use-asks';
import { reasonShown, timelineOf, turnStory, withAsks } from './turn-story-view';
import type { ShownTurn } from './turn-story-view';
import './turn.css';
import { firstSentence } from '../parts/title-view';
import { SessionName } from '../session/session-name';
import { agentTitle } from '../agents/agent-titles';

export function TurnPage({ turnId }: { turnId: number }): ReactElement {
  const shown = useVerb('turns.show', { turnId });
  const agents = useVerb('agents.list', {});
  const [isTable, setTable] = useAsTable();
  useRead(shown.data?.turn.sessionId);
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
    <div className="page turn-page">
      <nav className="crumb" aria-label={t('turn.crumb')}>
        <a href={hrefOf({ kind: 'sessions' })}>{t('nav.sessions')}</a>
        <ChevronRight className="icon small" />
        <a className="ellipsis" href={hrefOf({ kind: 'sessions', sessionId: turn.sessionId })}>
          <SessionName sessionKey={turn.sessionKey} />
        </a>
        <ChevronRight className="icon small" />
        <span className="mono">{t('turn.number', { id: turn.id })}</span>
      </nav>
      <header className="page-top turn-top">
        <h1 className="grow clamp" title={oneLine(turn.promptStart, 400)}>
          {firstSentence(turn.promptStart)}
        </h1>
        {isClosed(turn.state) ? null : (
          <StopButton turnId={turn.id} name={turn.promptStart} size="sm" label={t('stop.turn')} />
        )}
        {shown.data.steps.length === 0 ? null : (
          <Button
            onClick={() => setTable(!isTable)}
            aria-keyshortcuts="T"
            leftSection={
              isTable ? (
                <ChartNoAxesGantt className="icon small" />
              ) : (
                <List className="icon small" />
              )
            }
          >
            {t(isTable ? 'timeline.asTimeline' : 'timeline.asTable')}
          </Button>
        )}
      </header>
      <TurnFacts
        turn={turn}
        isScripted={isScripted}
        hasStops={shown.data.stops.length > 0}
        steps={shown.data.steps.length}
      />
      <TroubleNote trouble={shown.trouble} />
      <TurnBody data={shown.data} isScripted={isScripted} isTable={isTable} reload={shown.reload} />
    </div>
  );
}

const TABLE_KEY = 'holdfast.steps';
const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  target.closest('input, textarea, select, [contenteditable], [role="dialog"], [role="menu"]') !==
    null;

/**
 * Table or timeline: remembered, because users who need the table need it every time. `T` toggles.
 */
function useAsTable(): readonly [boolean, (isTable: boolean) => void] {
  const [isTable, setState] = useState(() => window.localStorage.getItem(TABLE_KEY) === 'table');
  const set = useCallback((next: boolean) => {
    window.localStorage.setItem(TABLE_KEY, next ? 'table' : 'timeline');
    setState(next);
  }, []);
  useWindowEvent('keydown', (event) => {
    if (event.key.toLowerCase() !== 't' || event.ctrlKey || event.metaKey || event.altKey) return;
    if (!isTyping(event.target)) set(!isTable);
  });
  return [isTable, set];
}

function TurnFacts({
  turn,
  isScripted,
  hasStops,
  steps,
}: {
  turn: TurnSummary;
  steps: number;
  isScripted: boolean;
  /** Then the sentence below says what was reused. */
  hasStops: boolean;
}): ReactElement {
  const spent = turn.usage.costUsd;
  const answered = answeredSentence(turn);
  const saved = turn.savedUsage.costUsd;
  return (
    <div className="turn-facts">
      <StateChip state={turn.state} />
      <span>{agentTitle(turn.agent)}</span>
      {turn.computer === undefined ? null : (
        <span className="t2">{t('computer.on', { name: oneLine(turn.computer, 64) })}</span>
      )}
      {isScripted ? <span className="chip tone-line">{t('practice.chip')}</span> : null}
      <span className="t3">
        {turn.startedAtMs === undefined ? t('turn.accepted') : t('turn.started')}{' '}
        <At atMs={turn.startedAtMs ?? turn.acceptedAtMs} withSeconds />
      </span>
      {steps > 1 ? <span className="t3">{t('turn.steps', { count: steps })}</span> : null}
      {turn.attempt > 1 ? (
        <span className="t3">{t('turn.resumed', { count: turn.attempt - 1 })}</span>
      ) : null}
      {turn.reused > 0 && !hasStops ? (
        <span className="ink-kept m5">{t('turn.reused', { count: turn.reused })}</span>
      ) : null}
      {answered === undefined ? null : (
        <span className="t2 inert">{oneLine(sentenceText(answered), 400)}</span>
      )}
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
  isTable,
  reload,
}: {
  data: ShownTurn;
  isScripted: boolean;
  isTable: boolean;
  reload: () => void;
}): ReactElement {
  const [selected, setSelected] = useState<number | undefined>(undefined);
  const [said, setSaid] = useState('');
  const nowMs = useNow(data.turn.state === 'running' ? 'second' : 'minute');
  const asks = useAsks(data);
  const all = useMemo(
    () => withAsks(data, asks.requests, asks.tools),
    [data, asks.requests, asks.tools],
  );
  const [words, setWords] = useState('');
  const drawn = useMemo(() => ({ ...all, steps: findSteps(all.steps, words) }), [all, words]);
  const plan = useMemo(() => planTimeline(timelineOf(drawn, nowMs)), [drawn, nowMs]);
  const isDense = drawn.steps.length > DENSE_FROM;
  const hasTable = isTable || isDense;
  const rows = useMemo(
    () => (hasTable ? turnRows(drawn.steps, drawn.stops, nowMs) : []),
    [hasTable, drawn.steps, drawn.stops, nowMs],
  );
  const toggle = useCallback(
    (index: number) => {
      // Not a step yet: its question is shown below.
      if (drawn.steps.find((step) => step.index === index)?.asks === true)
        document.querySelector<HTMLElement>('.turn-approval')?.focus();
      else setSelected((now) => (now === index ? undefined : index));
    },
    [drawn.steps],
  );
  const row = plan.rows.find(({ calls }) => calls.some((call) => call.step.index === selected));
  const call = row?.calls.find((one) => one.step.index === selected);
  const close = (): void => {
    setSelected(undefined);
    document.querySelector<HTMLElement>('.tl-body-scroll[tabindex]')?.focus();
  };
  return (
    <div
      className="stack turn-body"
      data-decides={data.decision !== undefined || asks.requests.length > 0 || undefined}
    >
      <p className="t2 turn-story">
        {turnStory(data, nowMs)} <Inert text={localClocks(reasonShown(data))} />
      </p>
      <ToldLine said={said} mark={`${data.turn.state} ${String(data.decision?.inboxId)}`} />
      <WhyShared turn={data.turn} />
      <RetryNote turn={data.turn} />
      {all.steps.length < FIND_FROM ? null : (
        <FindStep
          words={words}
          onChange={setWords}
          found={drawn.steps.length}
          total={all.steps.length}
        />
      )}
      {plan.rows.length === 0 ? (
        <div className="card">
          <EmptyState
            mark={null}
            sentence={t(words.trim() === '' ? 'turn.noSteps' : 'turn.found.none')}
          />
        </div>
      ) : (
        <>
          {isTable ? null : (
            <StepTimeline
              zoomKey={`turn ${String(data.turn.id)}`}
              plan={plan}
              isScripted={isScripted}
              openStep={selected}
              onOpen={toggle}
            />
          )}
          {hasTable ? (
            <StepTable rows={rows} selected={selected} isScripted={isScripted} onSelect={toggle} />
          ) : null}
        </>
      )}
      {row && call ? (
        <StepPane
          call={call}
          others={row.calls.filter((one) => one !== call).map((one) => one.step)}
          isScripted={isScripted}
          onPick={setSelected}
          onClose={close}
        />
      ) : null}
      <TroubleNote trouble={asks.trouble} />
      {asks.requests.map((request) => (
        <section
          key={request.requestId}
          className="card turn-decision turn-approval"
          tabIndex={-1}
          aria-label={approvalQuestion(request)}
        >
          <ApprovalPane
            request={request}
            isOnTurnPage
            onStale={asks.reload}
            onSettled={(sentence) => {
              setSaid(sentence);
              asks.reload();
              reload();
            }}
          />
        </section>
      ))}
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
      {data.hasFiles === true ? <TurnFiles key={data.turn.id} turnId={data.turn.id} /> : null}
      <div className="turn-texts">
        <div className="turn-text">
          <SectionHead title={t('turn.prompt')} />
          <TurnText
            key={data.turn.id}
            wanted={{ turnId: data.turn.id, part: 'prompt' }}
            start={data.prompt}
            isTruncated={data.isPromptTruncated}
            label={t('turn.prompt')}
            isMono={false}
          />
        </div>
        {data.answer === undefined ? null : (
          <div className="turn-text">
            <SectionHead title={t('turn.answer')}>
              {data.isAnswerTruncated === true ? null : (
                <CopyText text={data.answer} label={t('markdown.copyAnswer')} />
              )}
            </SectionHead>
            <TurnText
              key={data.turn.id}
              wanted={{ turnId: data.turn.id, part: 'answer' }}
              start={data.answer}
              isTruncated={data.isAnswerTruncated === true}
              label={t('turn.answer')}
              isMono={false}
              isMarkdown
            />
          </div>
        )}
      </div>
    </div>
  );
}
