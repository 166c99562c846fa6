/** Home: first the answer, then the evidence. */
import { ActionIcon, Button } from '@mantine/core';
import { Power, X } from 'lucide-react';
import { useState } from 'react';
import type { ReactElement } from 'react';
import { t } from '../../shared/messages';
import type { InboxItem, StatusSnapshot, TurnSummary } from '../../shared/model';
import { AskBox } from '../ask-box';
import { useCommand, useVerb } from '../bridge';
import type { Entry } from '../decisions/decision-model';
import { EntryTile } from '../decisions/entry-tile';
import { useNow } from '../clock';
import { oneLine } from '../parts/inert-model';
import { TrayMedal } from '../parts/icons';
import { Row } from '../parts/row';
import { TurnTile } from '../parts/state-chip';
import { StopButton } from '../parts/stop-button';
import { Ago, At, CommandLine, Inert, SectionHead, TroubleNote } from '../parts/texts';
import { ageText, durationText, moneyText } from '../parts/time-model';
import { goTo, hrefOf } from '../route';
import { useStatus } from '../status';
import { headline, needsYou, pipsOf, restartSentence } from './home-model';

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
  const asks = needsYou(inbox.data?.items ?? [], recovery.data?.decisions ?? []);
  // A turn at a limit stands under "Needs you", not here as well.
  const asked = new Set(asks.map(({ item }) => item.turnId));
  const waits = (waiting.data?.turns ?? []).filter((turn) => !asked.has(turn.id));
  const isCalm =
    inbox.data !== undefined &&
    asks.length === 0 &&
    running.data?.turns.length === 0 &&
    waiting.data?.turns.length === 0;

  return (
    <div className="page">
      <header className="page-top">
        <TrayMedal state={head?.state ?? 'stopped'} />
        <div className="grow">
          <h1>{head?.title ?? t('home.head.asking')}</h1>
          <p className="sub">{head ? <Inert text={head.sub} /> : null}</p>
        </div>
      </header>
      <TroubleNote trouble={status ? undefined : trouble} />
      {status?.restart && !status.restart.isDismissed ? <RestartNote status={status} /> : null}
      <div className="columns">
        <div className="stack">
          {isCalm ? (
            <AskBox
              placeholder={t('ask.placeholder')}
              sendLabel={t('ask.send')}
              onSent={({ sessionId }) => goTo({ kind: 'sessions', sessionId })}
            />
          ) : null}
          <TroubleNote trouble={inbox.trouble ?? running.trouble ?? waiting.trouble} />
          <NeedsYou entries={asks} />
          <Running turns={running.data?.turns ?? []} total={status?.counts.running} />
          <Waiting turns={waits} />
          <Recent turns={recent.data?.turns ?? []} />
          {isCalm ? (
            <p className="sm t3 flex flex-wrap">
              {t('home.terminal')} <CommandLine command={t('home.terminalCommand')} />
            </p>
          ) : null}
        </div>
        <aside className="stack" aria-label={t('kept.title')}>
          {status ? <KeptToday kept={status.kept} /> : null}
        </aside>
      </div>
    </div>
  );
}

function RestartNote({ status }: { status: StatusSnapshot }): ReactElement | null {
  const notice = status.restart;
  const dismiss = useCommand('inbox.dismiss');
  const [isOpen, setOpen] = useState(false);
  const [isGone, setGone] = useState(false);
  const sentence = notice ? restartSentence(notice, status.nowMs) : undefined;
  if (!notice || !sentence || isGone) return null;
  const inboxId = notice.inboxId;
  const hasDetail =
    notice.resumedTurns.length +
      notice.heldTurns.length +
      notice.parkedTurns.length +
      notice.staleTurns.length >
    0;
  return (
    <section className="card" aria-label={t('restart.label')} style={{ marginBottom: 14 }}>
      <div className="note-card">
        <Power className="icon ink-kept" aria-hidden="true" />
        <span className="grow wrap">
          <strong className="m5">{sentence.lead}</strong>{' '}
          <span className="t2">{sentence.rest}</span>
        </span>
        {hasDetail ? (
          <Button
            size="xs"
            variant="subtle"
            aria-expanded={isOpen}
            onClick={() => setOpen((open) => !open)}
          >
            {isOpen ? t('restart.hide') : t('restart.see')}
          </Button>
        ) : null}
        <ActionIcon
          variant="subtle"
          size={26}
          aria-label={t('restart.dismiss')}
          loading={dismiss.isBusy}
          onClick={() => {
            if (inboxId === undefined) setGone(true);
            else void dismiss.run({ inboxId }).then((answer) => setGone(answer.ok));
          }}
        >
          <X className="icon" aria-hidden="true" />
        </ActionIcon>
      </div>
      <TroubleNote trouble={dismiss.trouble} />
      {isOpen ? <LastStart /> : null}
    </section>
  );
}

function LastStart(): ReactElement {
  const recovery = useVerb('recovery.list', {});
  return (
    <div className="last-start">
      <TroubleNote trouble={recovery.trouble} />
      <ul className="rows">
        {(recovery.data?.lastStart ?? []).map((entry) => (
          <Row
            key={entry.turnId}
            name={t('restart.turn', { id: entry.turnId })}
            href={hrefOf({ kind: 'turn', turnId: entry.turnId })}
            quiet={<Inert text={entry.reason} />}
          >
            <span className="sm t2">{t(`planAction.${entry.action}`)}</span>
          </Row>
        ))}
      </ul>
    </div>
  );
}

/** Where the button of an inbox row leads. */
export const inboxHref = (item: InboxItem): string =>
  item.turnId !== undefined
    ? hrefOf({ kind: 'decisions', turnId: item.turnId })
    : item.sessionId !== undefined
      ? hrefOf({ kind: 'sessions', sessionId: item.sessionId })
      : hrefOf({ kind: 'decisions' });

function NeedsYou({ entries }: { entries: readonly Entry[] }): ReactElement | null {
  const nowMs = useNow('minute');
  if (entries.length === 0) return null;
  const oldestMs = Math.min(...entries.map(({ item }) => item.createdAtMs));
  return (
    <section aria-label={t('home.needsYou')}>
      <SectionHead title={t('home.needsYou')} count={entries.length}>
        <span className="end sm t3">{t('home.oldest', { age: ageText(oldestMs, nowMs) })}</span>
      </SectionHead>
      <ul className="card rows">
        {entries.map((entry, index) => (
          <Row
            key={entry.item.id}
            lead={<EntryTile entry={entry} />}
            name={<Inert text={entry.decision?.question ?? entry.item.title} />}
            quiet={entry.decision ? oneLine(entry.decision.promptStart, 80) : undefined}
            second={
              <>
                <Inert text={entry.decision?.reason ?? entry.item.detail} /> ·{' '}
                <At atMs={entry.item.createdAtMs} />
              </>
            }
          >
            <Button
              component="a"
              href={inboxHref(entry.item)}
              size="xs"
              variant={index === 0 ? 'filled' : 'default'}
              aria-label={t('home.reviewOf', {
                title: oneLine(entry.decision?.question ?? entry.item.title, 80),
              })}
            >
              {t('home.review')}
            </Button>
          </Row>
        ))}
      </ul>
    </section>
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
            quiet={
              <>
                {turn.agent}
                {turn.attempt > 1 ? ` · ${t('turn.resumed', { count: turn.attempt - 1 })}` : ''}
              </>
            }
          >
            <span className="pips" aria-hidden="true">
              {pipsOf(turn).map((pip, index) => (
                <span key={index} className={`pip ${pip}`} />
              ))}
            </span>
            <span className="sm t2 row-number">{t('turn.step', { step: turn.steps })}</span>
            <span className="sm t3 row-number only-wide" style={{ minWidth: 74 }}>
              {turn.startedAtMs === undefined ? null : <Elapsed sinceMs={turn.startedAtMs} />}
            </span>
            <StopButton turnId={turn.id} name={turn.promptStart} />
          </Row>
        ))}
      </ul>
    </section>
  );
}

function Waiting({ turns }: { turns: readonly TurnSummary[] }): ReactElement | null {
  if (turns.length === 0) return null;
  return (
    <section aria-label={t('home.waiting')}>
      <SectionHead title={t('home.waiting')} count={turns.length} />
      <ul className="card rows">
        {turns.map((turn) => (
          <Row
            key={turn.id}
            lead={<TurnTile state={turn.state} />}
            name={oneLine(turn.promptStart)}
            href={hrefOf({ kind: 'turn', turnId: turn.id })}
            second={
              <>
                {turn.agent} ·{' '}
                <Inert text={turn.reason === '' ? t('home.waitsForSlot') : turn.reason} />
              </>
            }
          >
            <span className="sm t3 nw">
              {t('home.since')} <At atMs={turn.acceptedAtMs} />
            </span>
            <StopButton turnId={turn.id} name={turn.promptStart} />
          </Row>
        ))}
      </ul>
    </section>
  );
}

function Recent({ turns }: { turns: readonly TurnSummary[] }): ReactElement | null {
  if (turns.length === 0) return null;
  return (
    <section aria-label={t('home.recent')}>
      <SectionHead title={t('home.recent')}>
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
                {turn.reason === '' ? '' : ` · ${oneLine(turn.reason, 90)}`}
              </>
            }
          >
            <span className="sm t3 nw">
              <Ago atMs={turn.endedAtMs ?? turn.acceptedAtMs} />
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
        <div className="kept-second">
          <strong>{moneyText(kept.savedUsdToday)}</strong>
          <span className="sm t3">{t('kept.money')}</span>
        </div>
      </div>
    </section>
  );
}
