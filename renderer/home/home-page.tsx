/** Home: first the answer, then the evidence. */
import './home.css';
import { Button } from '@mantine/core';
import { Play } from 'lucide-react';
import type { ReactElement } from 'react';
import { t } from '../../shared/messages';
import type { StatusSnapshot, TurnSummary } from '../../shared/types';
import { AskBox } from '../ask-box';
import { useCommand, useVerb } from '../bridge';
import { isUrgent } from '../decisions/decision-view';
import { useNow } from '../clock';
import { DayLine } from '../instruments/day-line';
import { useDayChoice, useDayLine } from '../instruments/day-line-data';
import { DoingLine } from '../parts/doing-line';
import { oneLine } from '../parts/inert-view';
import { TrayMedal } from '../parts/icons';
import { Row } from '../parts/row';
import { TurnTile } from '../parts/state-chip';
import { StopButton } from '../parts/stop-button';
import { At, CommandLine, Inert, SectionHead, TroubleNote } from '../parts/texts';
import { durationText, localClocks, moneyText } from '../parts/time-view';
import { SetupInvite } from '../setup/setup-invite';
import { goTo, hrefOf } from '../route';
import { useStatus } from '../status';
import { Asks } from './asks';
import { Connections, OutageBanners, ExternalRow } from './outside';
import { outsideWaits } from './external-view';
import { NextTasks } from './next-tasks';
import { RestartNote } from './restart-note';
import { WatchedTerminals } from './watched';
import { headline, needsYou, pipsOf, waitOf, withFinished } from './home-view';

const RUNNING = { states: ['running'], limit: 50 } as const;
const WAITING = { states: ['queued', 'waiting'], limit: 50 } as const;
const RECENT = { states: ['completed', 'failed', 'cancelled', 'discarded'], limit: 6 } as const;

/** Home of the recovery window. */
export function HomePage(): ReactElement {
  const { status, trouble } = useStatus();
  const inbox = useVerb('inbox.list', {});
  const running = useVerb('turns.list', { ...RUNNING, states: [...RUNNING.states] });
  const waiting = useVerb('turns.list', { ...WAITING, states: [...WAITING.states] });
  const recent = useVerb('turns.list', { ...RECENT, states: [...RECENT.states] });
  const head = status ? headline(status) : undefined;
  const recovery = useVerb('recovery.list', {});
  const approvals = useVerb('approvals.list', {});
  const open = needsYou(
    inbox.data?.items ?? [],
    recovery.data?.decisions ?? [],
    approvals.data?.requests ?? [],
  );
  const asks = open.filter(isUrgent);
  const later = open.filter((entry) => !isUrgent(entry));
  // A turn at a limit is listed under "Needs you", not here as well.
  const asked = new Set(asks.map(({ item }) => item.turnId));
  // Turns that wait for a provider share one row.
  const hasOutside = status?.outside !== undefined;
  const held = useVerb('outage.queue', hasOutside ? { limit: 1000 } : undefined);
  const heldIds = new Set(hasOutside ? (held.data?.items ?? []).map(({ turnId }) => turnId) : []);
  const waits = (waiting.data?.turns ?? []).filter(
    (turn) => !asked.has(turn.id) && !heldIds.has(turn.id),
  );
  const isCalm =
    inbox.data !== undefined &&
    asks.length === 0 &&
    running.data?.turns.length === 0 &&
    waiting.data?.turns.length === 0;

  const [choice, choose] = useDayChoice();
  const day = useDayLine(choice);
  const finishedToday = day.data?.turnsFinishedToday;
  const hasKept = status && (status.kept.stepsReusedToday > 0 || status.kept.savedUsdToday > 0);
  const hasNext = (status?.schedule?.next.length ?? 0) > 0;
  const hasNote = status?.restart !== undefined && !status.restart.isDismissed;

  return (
    <div className="page">
      <header className="page-top">
        <TrayMedal state={head?.state ?? 'stopped'} />
        <div className="grow">
          <h1>{head?.title ?? t('home.head.asking')}</h1>
          <p className="sub">
            {head ? (
              <Inert text={isCalm ? withFinished(head.sub, finishedToday) : head.sub} />
            ) : null}
          </p>
        </div>
      </header>
      <TroubleNote trouble={status ? undefined : trouble} />
      <TroubleNote trouble={day.trouble} />
      {/* Reserves the space while the timeline is loading, so that nothing below it jumps. */}
      <section className="card day-card">
        {day.data ? (
          <DayLine
            day={day.data}
            nowMs={Math.max(day.data.toMs, status?.nowMs ?? 0)}
            choice={choice}
            onChoose={choose}
            onOpen={(untilMs) => goTo({ kind: 'events', untilMs: Math.round(untilMs) })}
          />
        ) : (
          <div className="day-place" />
        )}
        {hasNote ? <RestartNote status={status} /> : null}
      </section>
      {status ? <OutageBanners status={status} /> : null}
      <div className={isCalm && !hasKept && !hasNext ? 'stack home-calm' : 'columns'}>
        <div className="stack">
          {isCalm ? (
            <AskBox
              field="ask"
              placeholder={t('ask.placeholder')}
              sendLabel={t('ask.send')}
              onSent={({ sessionId }) => goTo({ kind: 'sessions', sessionId })}
            />
          ) : null}
          {isCalm ? <SetupInvite /> : null}
          <TroubleNote trouble={inbox.trouble ?? running.trouble ?? waiting.trouble} />
          <Asks entries={asks} title={t('home.needsYou')} isUrgentList />
          <Running turns={running.data?.turns ?? []} total={status?.counts.running} />
          <Waiting turns={waits} running={running.data?.turns ?? []} status={status} />
          <WatchedTerminals />
          <Asks entries={later} title={t('decisions.later')} />
          <Recent
            turns={(recent.data?.turns ?? []).slice(0, isCalm ? 6 : 3)}
            finishedToday={finishedToday}
          />
          {isCalm ? (
            <p className="sm t3 flex flex-wrap">
              {t('home.terminal')} <CommandLine command={t('home.terminalCommand')} />
            </p>
          ) : null}
        </div>
        {isCalm && !hasKept && !hasNext ? null : (
          <aside className="stack" aria-label={t('kept.title')}>
            {status && hasKept ? <KeptToday kept={status.kept} /> : null}
            <NextTasks />
            <Connections />
          </aside>
        )}
      </div>
    </div>
  );
}

function Elapsed({ sinceMs }: { sinceMs: number }): ReactElement {
  const nowMs = useNow('second');
  return <>{durationText(Math.max(0, Math.floor((nowMs - sinceMs) / 1000) * 1000))}</>;
}

function Running({
  turns,
  total,
}: {
  turns: readonly TurnSummary[];
  total: number | undefined;
}): ReactElement | null {
  if (turns.length === 0) return null;
  return (
    <section aria-label={t('home.running')}>
      <SectionHead title={t('home.running')} count={total ?? turns.length} />
      <ul className="card rows">
        {turns.map((turn) => (
          <Row
            key={turn.id}
            lead={<TurnTile state={turn.state} />}
            name={oneLine(turn.promptStart)}
            href={hrefOf({ kind: 'turn', turnId: turn.id })}
            second={
              <>
                {turn.agent}
                {turn.doing === undefined ? null : (
                  <>
                    {' · '}
                    <DoingLine turnId={turn.id} doing={turn.doing} />
                  </>
                )}
                {turn.attempt > 1 ? ` · ${t('turn.resumed', { count: turn.attempt - 1 })}` : ''}
              </>
            }
          >
            <span className="pips" aria-hidden="true">
              {pipsOf(turn).map((pip, index) => (
                <span key={index} className={`pip ${pip}`} />
              ))}
            </span>
            <span className="sm t2 row-number row-step">
              {t('turn.step', { step: turn.steps })}
            </span>
            <span className="sm t3 row-number row-took only-wide">
              {turn.startedAtMs === undefined ? null : <Elapsed sinceMs={turn.startedAtMs} />}
            </span>
            <StopButton turnId={turn.id} name={turn.promptStart} />
          </Row>
        ))}
      </ul>
    </section>
  );
}

const waitingOf = (status: StatusSnapshot | undefined, provider: string): number =>
  status?.outside?.providers.find((one) => one.provider === provider)?.waiting ?? 0;

/** More are in Sessions; Home answers a question and is no list. */
const WAITING_SHOWN = 6;

function Waiting({
  turns,
  running,
  status,
}: {
  /** Without those that wait for a provider, which have their own rows. */
  turns: readonly TurnSummary[];
  running: readonly TurnSummary[];
  status: StatusSnapshot | undefined;
}): ReactElement | null {
  const resume = useCommand('intake.resume');
  const outside = status === undefined ? [] : outsideWaits(status);
  if (turns.length === 0 && outside.length === 0) return null;
  // The list has at most 50; what is queued is counted by the engine.
  const single = Math.max(turns.length, status?.counts.queued ?? 0);
  const total = single + outside.reduce((sum, one) => sum + waitingOf(status, one.provider), 0);
  return (
    <section aria-label={t('home.waiting')}>
      <SectionHead title={t('home.waiting')} count={total}>
        {status?.paused ? (
          <Button
            size="xs"
            data-size="xs"
            className="end"
            loading={resume.isBusy}
            leftSection={<Play className="icon small" aria-hidden="true" />}
            onClick={() => void resume.run({})}
          >
            {t('home.resume')}
          </Button>
        ) : null}
      </SectionHead>
      <TroubleNote trouble={resume.trouble} />
      <ul className="card rows">
        {outside.map((wait) => (
          <ExternalRow key={wait.provider} wait={wait} />
        ))}
        {turns.slice(0, WAITING_SHOWN).map((turn) => {
          const wait = waitOf(turn, running, status);
          return (
            <Row
              key={turn.id}
              lead={<TurnTile state={turn.state} />}
              name={oneLine(turn.promptStart)}
              href={hrefOf({ kind: 'turn', turnId: turn.id })}
              quiet={turn.agent}
              second={
                <span className="second-line">
                  <span className="ellipsis">
                    <Inert text={oneLine(wait.what, 140)} />
                  </span>{' '}
                  <span className="nw">
                    · {t('home.since')} <At atMs={turn.acceptedAtMs} />
                  </span>
                </span>
              }
            >
              {wait.next === undefined ? null : <span className="sm t2 nw">{wait.next}</span>}
              <StopButton turnId={turn.id} name={turn.promptStart} />
            </Row>
          );
        })}
        {single > WAITING_SHOWN ? (
          <li className="row more-row">
            <a className="sm" href={hrefOf({ kind: 'sessions' })}>
              {t('plan.more', { count: single - WAITING_SHOWN })}
            </a>
          </li>
        ) : null}
      </ul>
    </section>
  );
}

function Recent({
  turns,
  finishedToday = 0,
}: {
  turns: readonly TurnSummary[];
  finishedToday?: number | undefined;
}): ReactElement | null {
  if (turns.length === 0) return null;
  return (
    <section aria-label={t('home.recent')}>
      <SectionHead
        title={t('home.recent')}
        {...(finishedToday > 0 ? { count: t('home.recentCount', { count: finishedToday }) } : {})}
      >
        <a className="end sm" href={hrefOf({ kind: 'sessions' })}>
          {t('home.allSessions')}
        </a>
      </SectionHead>
      <ul className="card rows">
        {turns.map((turn) => (
          <Row
            key={turn.id}
            lead={<TurnTile state={turn.state} />}
            name={oneLine(turn.promptStart)}
            href={hrefOf({ kind: 'turn', turnId: turn.id })}
            quiet={
              <>
                {turn.agent} · {t('turn.steps', { count: turn.steps })}
                {turn.reason === '' ? '' : ` · ${oneLine(localClocks(turn.reason), 90)}`}
              </>
            }
          >
            <span className="sm t3 nw">
              <At atMs={turn.endedAtMs ?? turn.acceptedAtMs} />
            </span>
          </Row>
        ))}
      </ul>
    </section>
  );
}

function KeptToday({ kept }: { kept: StatusSnapshot['kept'] }): ReactElement {
  return (
    <section>
      <SectionHead title={t('kept.title')} />
      <div className="card padded">
        <strong className="kept-figure">{kept.stepsReusedToday}</strong>
        <span className="sm t3">{t('kept.steps', { count: kept.stepsReusedToday })}</span>
        {/* Without a price of the model there is no total: a zero would be a number without a source. */}
        {kept.savedUsdToday > 0 ? (
          <div className="kept-second">
            <strong>{moneyText(kept.savedUsdToday)}</strong>
            <span className="sm t3">{t('kept.money')}</span>
          </div>
        ) : null}
      </div>
    </section>
  );
}
