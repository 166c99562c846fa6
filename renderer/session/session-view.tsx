/** One session as a chat. */
import { Button } from '@mantine/core';
import { ArrowDown, ChevronRight } from 'lucide-react';
import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import type { ReactElement } from 'react';
import { t } from '../../shared/messages';
import type { AgentView, SessionEvent, SessionView, TurnSummary } from '../../shared/model';
import { AskBox } from '../ask-box';
import { callVerb, useBridge, useEvent, useVerb } from '../bridge';
import type { Trouble } from '../bridge';
import { oneLine } from '../parts/inert-model';
import { SessionChip, StateChip } from '../parts/state-chip';
import { StopButton } from '../parts/stop-button';
import { At, Inert, SectionHead, TroubleNote } from '../parts/texts';
import { moneyText } from '../parts/time-model';
import { hrefOf } from '../route';
import { ChatBlockView } from './chat';
import {
  applyDelta,
  chatBlocks,
  finishedSentences,
  holdNewest,
  joinPages,
  settleProvisional,
} from './session-model';
import type { Held, Provisional } from './session-model';

const PAGE = 120;

/** Newest events stay live; older pages are asked for by hand and stay as they were. */
function useEvents(key: string | undefined): {
  readonly events: readonly SessionEvent[];
  readonly hasMore: boolean;
  readonly trouble: Trouble | undefined;
  readonly loadOlder: () => Promise<void>;
} {
  const bridge = useBridge();
  const live = useVerb(
    'session.events',
    key === undefined ? undefined : { session: key, limit: PAGE },
  );
  const [held, setHeld] = useState<Held>({ events: [], hasMore: false });
  const [trouble, setTrouble] = useState<Trouble | undefined>(undefined);
  const page = live.data;
  // What leaves the live page at its front stays, so the chat does not shrink while it grows.
  useEffect(() => {
    if (page) setHeld((before) => holdNewest(before, page));
  }, [page]);
  const loadOlder = async (): Promise<void> => {
    const first = held.events[0]?.seq;
    if (key === undefined || first === undefined) return;
    const answer = await callVerb(bridge, 'session.events', {
      session: key,
      limit: PAGE,
      beforeSeq: first,
    });
    if (answer.ok) {
      const older = answer.value;
      setHeld((before) => ({
        events: joinPages(older.events, before.events),
        hasMore: older.hasMore,
      }));
    } else {
      setTrouble({ code: answer.code, message: answer.message });
    }
  };
  return {
    events: held.events,
    hasMore: held.hasMore,
    trouble: live.trouble ?? trouble,
    loadOlder,
  };
}

/** Follows the end of the chat, also while it grows, until somebody scrolls up. */
function useFollow(): {
  readonly setBox: (element: HTMLElement | null) => void;
  readonly setList: (element: HTMLElement | null) => void;
  readonly isFollowing: boolean;
  readonly onScroll: () => void;
  readonly follow: () => void;
} {
  // As state, so that following starts when the chat appears after its session was read.
  const [box, setBox] = useState<HTMLElement | null>(null);
  const [list, setList] = useState<HTMLElement | null>(null);
  const lastTop = useRef(0);
  const [isFollowing, setFollowing] = useState(true);
  useEffect(() => {
    if (!isFollowing || !list || !box) return undefined;
    const toEnd = (): void => box.scrollTo({ top: box.scrollHeight });
    toEnd();
    const watch = new ResizeObserver(toEnd);
    watch.observe(list);
    watch.observe(box);
    return () => watch.disconnect();
  }, [isFollowing, list, box]);
  const onScroll = useCallback(() => {
    if (!box) return;
    const isUp = box.scrollTop < lastTop.current - 2;
    const isAtEnd = box.scrollHeight - box.scrollTop - box.clientHeight < 48;
    lastTop.current = box.scrollTop;
    // Growth below does not move the view: only a person moves it up.
    if (isAtEnd) setFollowing(true);
    else if (isUp) setFollowing(false);
  }, [box]);
  const follow = useCallback(() => setFollowing(true), []);
  return { setBox, setList, isFollowing, onScroll, follow };
}

/** Text that is being written for the open turns of this session. */
function useProvisional(
  turns: readonly TurnSummary[],
  events: readonly SessionEvent[],
): Provisional | undefined {
  const [provisional, setProvisional] = useState<Provisional | undefined>(undefined);
  const newestSeq = events.at(-1)?.seq ?? 0;
  useEvent('turn.delta', (delta) => {
    if (!turns.some((turn) => turn.id === delta.turnId)) return;
    setProvisional((before) => applyDelta(settleProvisional(before, events), delta, newestSeq));
  });
  const shown = settleProvisional(provisional, events);
  return shown && turns.some((turn) => turn.id === shown.turnId) ? shown : undefined;
}

const ESC_PAIR_MS = 700;
/** Esc twice stops the turn of the session. */
function useEscEsc(stop: () => void): void {
  const lastMs = useRef(0);
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (event.key !== 'Escape' || event.defaultPrevented) return;
      if (event.timeStamp - lastMs.current < ESC_PAIR_MS) stop();
      lastMs.current = event.timeStamp;
    };
    window.addEventListener('keydown', onKey);
    return () => window.removeEventListener('keydown', onKey);
  }, [stop]);
}

export function SessionPane({ sessionId }: { sessionId: number }): ReactElement {
  const bridge = useBridge();
  const list = useVerb('sessions.list', { limit: 1000 });
  const session = list.data?.sessions.find((candidate) => candidate.id === sessionId);
  const status = useVerb('session.status', session ? { session: session.key } : undefined);
  const agents = useVerb('agents.list', {});
  const log = useEvents(session?.key);
  const openTurns = status.data?.openTurns ?? [];
  const running = openTurns.find((turn) => turn.state === 'running');
  const provisional = useProvisional(openTurns, log.events);
  const blocks = useMemo(() => chatBlocks(log.events), [log.events]);
  const follow = useFollow();
  const key = session?.key;
  useEscEsc(
    useCallback(() => {
      if (running && key !== undefined)
        void callVerb(bridge, 'session.interrupt', { session: key });
    }, [bridge, key, running]),
  );

  if (!session) {
    return (
      <div className="page">
        <h1>{t('session.title')}</h1>
        <TroubleNote trouble={list.trouble} />
        <p className="t3">{list.isLoading ? t('common.loading') : t('session.gone')}</p>
        <a href={hrefOf({ kind: 'sessions' })}>{t('home.allSessions')}</a>
      </div>
    );
  }
  const agent = agents.data?.agents.find((candidate) => candidate.name === session.agent);
  const isScripted = agent?.executor === 'practice';
  return (
    <div className="page full">
      <SessionHead session={session} running={running} isScripted={isScripted} />
      <TroubleNote trouble={log.trouble ?? status.trouble} />
      <div className="columns session-columns">
        <div className="session-main">
          <div
            className="chat"
            ref={follow.setBox}
            onScroll={follow.onScroll}
            tabIndex={0}
            role="region"
            aria-label={t('chat.label')}
          >
            {log.hasMore ? (
              <Button size="xs" variant="subtle" onClick={() => void log.loadOlder()}>
                {t('chat.older')}
              </Button>
            ) : null}
            <ol className="chat-list" ref={follow.setList}>
              {blocks.map((block) => (
                <ChatBlockView
                  key={`${block.kind}-${block.seq}`}
                  block={block}
                  isScripted={isScripted}
                />
              ))}
              {provisional ? (
                <li className="chat-answer provisional" aria-hidden="true">
                  <div className="inert">
                    <Inert text={provisional.text} />
                    <span className="caret" />
                  </div>
                  <div className="xs t3">{t('chat.provisional')}</div>
                </li>
              ) : null}
            </ol>
            <p className="sr-only" aria-live="polite">
              {provisional ? finishedSentences(provisional.text).slice(-600) : ''}
            </p>
          </div>
          {follow.isFollowing ? null : (
            <Button
              className="chat-follow"
              size="xs"
              onClick={follow.follow}
              leftSection={<ArrowDown className="icon small" aria-hidden="true" />}
            >
              {t('chat.follow')}
            </Button>
          )}
          <AskBox
            session={session.key}
            fixedAgent={session.agent}
            placeholder={running ? t('chat.placeholderAfter') : t('chat.placeholder')}
            sendLabel={running ? t('chat.sendAfter') : t('ask.send')}
            onSent={follow.follow}
          >
            {running ? (
              <>
                <span className="xs t3 nw">{t('chat.escEsc')}</span>
                <StopButton
                  turnId={running.id}
                  name={running.promptStart}
                  size="sm"
                  label={t('stop.turn')}
                />
              </>
            ) : null}
          </AskBox>
        </div>
        <SessionAside turns={openTurns} agent={agent} />
      </div>
    </div>
  );
}

function SessionHead({
  session,
  running,
  isScripted,
}: {
  session: SessionView;
  running: TurnSummary | undefined;
  isScripted: boolean;
}): ReactElement {
  return (
    <>
      <nav className="crumb" aria-label={t('turn.crumb')}>
        <a href={hrefOf({ kind: 'sessions' })}>{t('nav.sessions')}</a>
        <ChevronRight className="icon small" aria-hidden="true" />
        <span className="ellipsis mono">{oneLine(session.key, 60)}</span>
      </nav>
      <h1>{oneLine(session.title === '' ? session.key : session.title)}</h1>
      <div className="turn-facts">
        <SessionChip status={session.status} />
        <span>{session.agent}</span>
        {isScripted ? <span className="chip tone-line">{t('practice.chip')}</span> : null}
        <span className="t3">{t('session.turns', { count: session.turns })}</span>
        {running?.startedAtMs === undefined ? null : (
          <span className="t3">
            {t('turn.started')} <At atMs={running.startedAtMs} withSeconds />
          </span>
        )}
        {session.stopReason === '' ? null : (
          <span className="t2">
            <Inert text={session.stopReason} />
          </span>
        )}
      </div>
    </>
  );
}

function SessionAside({
  turns,
  agent,
}: {
  turns: readonly TurnSummary[];
  agent: AgentView | undefined;
}): ReactElement {
  return (
    <aside className="stack session-aside" aria-label={t('session.aside')}>
      {turns.map((turn) => (
        <section key={turn.id}>
          <SectionHead title={t('turn.title', { id: turn.id })}>
            <span className="end">
              <StateChip state={turn.state} />
            </span>
          </SectionHead>
          <div className="card padded sm">
            <dl className="facts">
              <dt>{t('session.steps')}</dt>
              <dd>{turn.steps}</dd>
              <dt>{t('session.reused')}</dt>
              <dd>{turn.attempt > 1 ? turn.reused : t('session.notResumed')}</dd>
              {turn.usage.costUsd === undefined ? null : (
                <>
                  <dt>{t('session.cost')}</dt>
                  <dd>{moneyText(turn.usage.costUsd)}</dd>
                </>
              )}
              {turn.reason === '' ? null : (
                <>
                  <dt>{t('session.why')}</dt>
                  <dd>
                    <Inert text={turn.reason} />
                  </dd>
                </>
              )}
            </dl>
            <p className="session-links">
              <a href={hrefOf({ kind: 'turn', turnId: turn.id })}>{t('session.openTurn')}</a>
              {turn.state === 'held' ||
              turn.state === 'parked' ||
              turn.state === 'requires_action' ? (
                <a href={hrefOf({ kind: 'decisions', turnId: turn.id })}>{t('session.decide')}</a>
              ) : null}
            </p>
          </div>
        </section>
      ))}
      {agent ? (
        <section className="card quiet padded sm">
          <h2>{t('session.ifCrash')}</h2>
          <p className="t2">
            <Inert text={agent.howExact} />
          </p>
        </section>
      ) : null}
    </aside>
  );
}
