/** Home: first the answer, then the evidence. */
import './home.css';
import { Button } from '@mantine/core';
import { TriangleAlert } from 'lucide-react';
import { useRef } from 'react';
import type { ReactElement } from 'react';
import { t } from '../../shared/messages';
import type { StatusSnapshot } from '../../shared/types';
import { AskBox } from '../ask-box';
import { useCommand, useVerb } from '../bridge';
import { isUrgent } from '../decisions/decision-view';
import { DayChart } from '../charts/day-chart';
import { useDayChoice, useDayChart } from '../charts/day-chart-data';
import { limitWarnings } from '../outages/limit-view';
import { usePageRows } from '../keys/page-rows';
import { TrayMedal } from '../parts/icons';
import { CommandLine, Inert, SectionHead, TroubleNote } from '../parts/texts';
import { moneyText } from '../parts/time-view';
import { SetupInvite } from '../setup/setup-invite';
import { goTo, hrefOf } from '../route';
import { useStatus } from '../status';
import { Asks } from './asks';
import { WhileAway } from './away';
import { FarNeeds } from './far-needs';
import { Connections, OutageBanners, useConnections } from './outside';
import { NextTasks } from './next-tasks';
import { RestartNote } from './restart-note';
import { WatchedTerminals } from './watched';
import { ForYou } from './for-you';
import { useForYou } from './use-for-you';
import { headline, needsYou, quietProblem, withFinished } from './home-view';
import { Recent, Running, Waiting } from './turn-rows';

const RUNNING = { states: ['running'], limit: 50 } as const;
const WAITING = { states: ['queued', 'waiting'], limit: 50 } as const;
const RECENT = { states: ['completed', 'failed', 'cancelled', 'discarded'], limit: 12 } as const;

/** Home of the recovery window. */
export function HomePage(): ReactElement {
  const page = useRef<HTMLDivElement>(null);
  usePageRows(page);
  const { status, trouble } = useStatus();
  const settings = useCommand('app.openSettings');
  const inbox = useVerb('inbox.list', {});
  const running = useVerb('turns.list', { ...RUNNING, states: [...RUNNING.states] });
  const waiting = useVerb('turns.list', { ...WAITING, states: [...WAITING.states] });
  const recent = useVerb('turns.list', {
    ...RECENT,
    states: [...RECENT.states],
    withAnswers: true,
  });
  const connections = useConnections();
  const forYou = useForYou(recent.data?.turns ?? []);
  const recovery = useVerb('recovery.list', {});
  const approvals = useVerb('approvals.list', {});
  const open = needsYou(
    inbox.data?.items ?? [],
    recovery.data?.decisions ?? [],
    approvals.data?.requests ?? [],
  );
  const asks = open.filter(isUrgent);
  const later = open.filter((entry) => !isUrgent(entry));
  const problem = quietProblem({
    connections,
    later: later.length,
    isUnread: [inbox, running, waiting].some((list) => list.trouble !== undefined),
  });
  const head = status ? headline(status, undefined, problem) : undefined;
  // A turn at a limit is listed under "Needs you", not here as well.
  const asked = new Set(asks.map(({ item }) => item.turnId));
  // Turns that wait for a provider share one row.
  const hasOutside = status?.outside !== undefined;
  const held = useVerb('outage.queue', hasOutside ? { limit: 1000 } : undefined);
  const heldTurns = hasOutside ? (held.data?.items ?? []) : [];
  const heldIds = new Set(heldTurns.map(({ turnId }) => turnId));
  const waits = (waiting.data?.turns ?? []).filter(
    (turn) => !asked.has(turn.id) && !heldIds.has(turn.id),
  );
  const isCalm =
    inbox.data !== undefined &&
    asks.length === 0 &&
    running.data?.turns.length === 0 &&
    waiting.data?.turns.length === 0;

  const [choice, choose] = useDayChoice();
  const day = useDayChart(choice);
  const finishedToday = day.data?.turnsFinishedToday;
  const hasKept = status && (status.kept.stepsReusedToday > 0 || status.kept.savedUsdToday > 0);
  const hasNext = (status?.schedule?.next.length ?? 0) > 0;
  // Problems are in the aside.
  const isPlain = isCalm && !hasKept && !hasNext && problem === undefined;
  const hasNote = status?.restart !== undefined && !status.restart.isDismissed;

  return (
    <div className="page" ref={page}>
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
        {head?.act === 'settings' ? (
          <Button onClick={() => void settings.run({})}>{t('home.openSettings')}</Button>
        ) : null}
      </header>
      <TroubleNote trouble={status ? settings.trouble : trouble} />
      <TroubleNote trouble={day.trouble} />
      {/* Reserves the space while the timeline is loading, so that nothing below it jumps. */}
      <section className="card day-card">
        {day.data ? (
          <DayChart
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
      {limitWarnings(status?.limits).map((sentence) => (
        <section
          key={sentence}
          className="aligned flex-wrap outage-banner tone-attention"
          aria-label={t('banner.limit')}
        >
          <TriangleAlert className="icon" />
          <Inert as="div" className="grow wrap" text={sentence} />
        </section>
      ))}
      <div className={isPlain ? 'stack home-calm' : 'columns'}>
        <div className="stack">
          <FarNeeds hosts={status?.hosts} isFirst={asks.length === 0} />
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
          <WhileAway />
          <Asks entries={asks} title={t('home.needsYou')} isUrgentList />
          <ForYou given={forYou} />
          <Running turns={running.data?.turns ?? []} total={status?.counts.running} />
          <Waiting
            turns={waits}
            running={running.data?.turns ?? []}
            held={heldTurns}
            status={status}
          />
          <WatchedTerminals />
          <Asks entries={later} title={t('decisions.later')} />
          <Recent
            turns={(recent.data?.turns ?? [])
              .filter(({ id }) => !forYou.turnIds.has(id))
              .slice(0, isCalm ? 6 : 3)}
            finishedToday={finishedToday}
          />
          {isCalm ? (
            <p className="sm t3 flex flex-wrap">
              {t('home.terminal')} <CommandLine command={t('home.terminalCommand')} />
            </p>
          ) : null}
        </div>
        {isPlain ? null : (
          <aside className="stack" aria-label={t('kept.title')}>
            {status && hasKept ? <KeptToday kept={status.kept} /> : null}
            <NextTasks />
            <Connections connections={connections} />
          </aside>
        )}
      </div>
    </div>
  );
}

function KeptToday({ kept }: { kept: StatusSnapshot['kept'] }): ReactElement {
  return (
    <section>
      <SectionHead title={t('kept.title')}>
        <a className="sm end" href={hrefOf({ kind: 'usage' })}>
          {t('nav.usage')}
        </a>
      </SectionHead>
      <div className="card padded">
        <strong className="kept-figure">{kept.stepsReusedToday}</strong>
        <span className="sm t3">{t('kept.steps', { count: kept.stepsReusedToday })}</span>
        {/* Without a price for the model there is no total: a zero would be a number without a source. */}
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
