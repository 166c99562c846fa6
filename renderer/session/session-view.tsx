/** One session as a chat. */
import { Button } from '@mantine/core';
import { useWindowEvent } from '@mantine/hooks';
import { useCallback, useDeferredValue, useEffect, useMemo, useRef, useState } from 'react';
import type { ReactElement } from 'react';
import { t } from '../../shared/messages';
import type { SessionEvent, TurnSummary } from '../../shared/types';
import type { Doing } from '../../shared/types/turns';
import { AskBox } from '../ask-box';
import { callVerb, useBridge, useEvent, useVerb, troubleOf } from '../bridge';
import type { Trouble } from '../bridge';
import { useRead } from '../home/seen-answers';
import { isMac, placeOfFocus } from '../keys/key-place';
import { keyText } from '../keys/keys-view';
import { isSomethingOpen } from '../keys/own-escape';
import { useRowActions } from '../keys/row-actions';
import { DoingLine } from '../parts/doing-line';
import { oneLine } from '../parts/inert-view';
import { Mark } from '../parts/state-chip';
import { StopButton } from '../parts/stop-button';
import { Markdown } from '../parts/markdown';
import { TroubleNote } from '../parts/texts';
import { placeBelow } from '../parts/row-menu';
import { goTo, hrefOf } from '../route';
import { ApprovalCard } from './approval-card';
import { ChatBlockView } from './chat';
import { ChatBox, useFollow } from './chat-box';
import { SessionAside } from './session-aside';
import { SessionHead } from './session-head';
import { useSessionMenu } from './session-menu';
import {
  applyDelta,
  chatBlocks,
  finishedSentences,
  holdNewest,
  joinPages,
  settleProvisional,
} from './session-rows';
import type { HeldEvents, Provisional } from './session-rows';
import type { ChatPlace } from './tool-row-view';
import { useNewAnswer } from './use-new-answer';
import { HeldCards } from './held-card';
import { WaitCards } from './wait-card';
import { agentTitle } from '../agents/agent-titles';

/** About two screens: fast to render; earlier events are loaded by a button. */
const PAGE = 60;

/** The newest events stay live; older pages are loaded on request and not updated. */
function useEvents(key: string | undefined): {
  readonly events: readonly SessionEvent[];
  readonly hasMore: boolean;
  readonly trouble: Trouble | undefined;
  readonly loadOlder: () => Promise<void>;
} {
  const bridge = useBridge();
  const live = useVerb(
    'session.events',
    key === undefined ? undefined : { session: key, limit: PAGE, life: false },
  );
  const [held, setHeld] = useState<HeldEvents>({ events: [], hasMore: false });
  const [trouble, setTrouble] = useState<Trouble | undefined>(undefined);
  const page = live.data;
  // Events that drop off the live page are kept, so that the chat does not shrink while it grows.
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
      life: false,
    });
    if (answer.ok) {
      const older = answer.value;
      setHeld((before) => ({
        events: joinPages(older.events, before.events),
        hasMore: older.hasMore,
      }));
    } else {
      setTrouble(troubleOf(answer));
    }
  };
  return {
    events: held.events,
    hasMore: held.hasMore,
    trouble: live.trouble ?? trouble,
    loadOlder,
  };
}

/** Text being streamed for the open turns of this session. */
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

/** A turn that waits for its model: nothing else in the chat would show that it is working. */
function modelRequestOf(
  turn: TurnSummary | undefined,
): { readonly id: number; readonly doing: Doing } | undefined {
  return turn?.doing?.purity === 'llm' ? { id: turn.id, doing: turn.doing } : undefined;
}

const ESC_PAIR_MS = 700;
/**
 * Whether Esc closes something before it affects the turn: a menu, a part of the page, a field. An
 * empty prompt does not count, because it has the focus after each message.
 */
function putsAway({ target }: KeyboardEvent): boolean {
  if (isSomethingOpen()) return true;
  if (!placeOfFocus(target).isTyping) return false;
  return !(target instanceof HTMLTextAreaElement && target.value === '' && target.closest('.ask'));
}

/** Esc twice stops the turn of the session. An Esc that closes something does not count. */
function useEscEsc(stop: () => void): void {
  const lastMs = useRef(-ESC_PAIR_MS);
  /** When a key reaches the window, menus and dialogs have already closed on it. */
  const isAway = useRef(false);
  const before = (event: KeyboardEvent): void => {
    isAway.current = putsAway(event);
  };
  useWindowEvent('keydown', before, { capture: true });
  useWindowEvent('keydown', (event) => {
    if (event.key !== 'Escape') return;
    if (event.defaultPrevented || isAway.current) {
      lastMs.current = -ESC_PAIR_MS;
      return;
    }
    if (event.timeStamp - lastMs.current < ESC_PAIR_MS) stop();
    lastMs.current = event.timeStamp;
  });
}

const isPlainPlace = (target: EventTarget): boolean =>
  window.getSelection()?.isCollapsed !== false &&
  target instanceof HTMLElement &&
  target.closest('a, input, textarea, pre, code, [role="dialog"], [role="menu"]') === null;

export function SessionPane({ sessionId }: { sessionId: number }): ReactElement {
  const bridge = useBridge();
  const byNumber = useVerb('session.status', { session: String(sessionId) });
  // A session whose name looks like this number takes precedence; then the list shows which one is
  // meant.
  const isOther = byNumber.data !== undefined && byNumber.data.session.id !== sessionId;
  const list = useVerb('sessions.list', isOther ? { limit: 1000 } : undefined);
  const named = list.data?.sessions.find((candidate) => candidate.id === sessionId);
  const byName = useVerb('session.status', named ? { session: named.key } : undefined);
  const status = isOther ? byName : byNumber;
  const session = status.data?.session;
  useRead(session?.id);
  const agents = useVerb('agents.list', {});
  const menu = useSessionMenu(() => goTo({ kind: 'sessions' }));
  useRowActions(() => {
    const at = document.querySelector('.session-page .session-more');
    if (at === null || session === undefined) return false;
    menu.open(session, placeBelow(at));
    return true;
  });
  const [isAsideOpen, setAsideOpen] = useState(false);
  const closeAside = useCallback(() => {
    setAsideOpen(false);
    document.querySelector<HTMLElement>('.session-page .aside-open')?.focus();
  }, []);
  const log = useEvents(session?.key);
  const openTurns = status.data?.openTurns ?? [];
  const running = openTurns.find((turn) => turn.state === 'running');
  const provisional = useProvisional(openTurns, log.events);
  const asksModel = modelRequestOf(running);
  // Rendered at low priority: pieces of a text arrive faster than a long text can be rendered.
  const writing = useDeferredValue(provisional?.text ?? '');
  const read = useMemo(() => chatBlocks(log.events), [log.events]);
  // Rendered in parts at low priority: rendering a page of a long session at once would block
  // input.
  const blocks = useDeferredValue(read);
  const follow = useFollow();
  const said = useNewAnswer(log.events);
  const key = session?.key;
  const place = useMemo<ChatPlace>(() => ({ kind: 'here', session: key ?? '' }), [key]);
  const asks = openTurns.some((turn) => turn.state === 'requires_action');
  const approvals = useVerb(
    'approvals.list',
    asks && key !== undefined ? { session: key } : undefined,
  );
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
        <TroubleNote
          trouble={status.trouble?.code === 'SESSION_UNKNOWN' ? undefined : status.trouble}
        />
        <p className="t3">
          {byNumber.isLoading || list.isLoading || byName.isLoading
            ? t('common.loading')
            : t('session.gone')}
        </p>
        <a href={hrefOf({ kind: 'sessions' })}>{t('home.allSessions')}</a>
      </div>
    );
  }
  const agent = agents.data?.agents.find((candidate) => candidate.name === session.agent);
  const isScripted = agent?.executor === 'practice';
  return (
    <div
      className="page full session-page"
      data-keeps-escape={running !== undefined}
      onContextMenu={(event) => {
        // Selections, links, and fields keep the system's context menu: copy, paste.
        if (!isPlainPlace(event.target)) return;
        event.preventDefault();
        menu.open(session, { x: event.clientX, y: event.clientY });
      }}
    >
      <SessionHead session={session} running={running} agent={agent} onMenu={menu.open}>
        <Button
          className="aside-open"
          aria-expanded={isAsideOpen}
          aria-controls="session-aside"
          onClick={() => setAsideOpen(!isAsideOpen)}
        >
          {t('session.about')}
        </Button>
      </SessionHead>
      {menu.element}
      <TroubleNote trouble={log.trouble ?? status.trouble ?? approvals.trouble} />
      <div className="columns session-columns">
        <div className="session-main">
          <ChatBox follow={follow} onOlder={log.hasMore ? () => void log.loadOlder() : undefined}>
            {session.turns === 0 && blocks.length === 0 ? (
              <p className="t3">
                {t('chat.empty', { name: oneLine(agentTitle(session.agent), 64) })}
              </p>
            ) : null}
            <ol className="chat-list" ref={follow.setList}>
              {blocks.map((block) => (
                <ChatBlockView
                  key={`${block.kind}-${block.seq}`}
                  block={block}
                  isScripted={isScripted}
                  runningTurn={running?.id}
                  place={place}
                />
              ))}
              <WaitCards turns={openTurns} />
              <HeldCards turns={openTurns} />
              {(approvals.data?.requests ?? []).map((request) => (
                <ApprovalCard
                  key={request.requestId}
                  request={request}
                  onChanged={approvals.reload}
                />
              ))}
              {provisional ? (
                <li className="chat-answer provisional" aria-hidden="true">
                  <Markdown text={writing} />
                  <span className="caret" />
                  <div className="xs t3">{t('chat.provisional')}</div>
                </li>
              ) : asksModel ? (
                <li className="flex sm t2">
                  <Mark name="play" className="icon small ink-working" />
                  <DoingLine turnId={asksModel.id} doing={asksModel.doing} />
                </li>
              ) : null}
            </ol>
            <p className="sr-only" aria-live="polite">
              {provisional ? finishedSentences(provisional.text).slice(-600) : said}
            </p>
          </ChatBox>
          <AskBox
            field={`session/${String(session.id)}`}
            session={session.key}
            fixedAgent={session.agent}
            lines={1}
            placeholder={running ? t('chat.placeholderAfter') : t('chat.placeholder')}
            sendLabel={running ? t('chat.sendAfter') : t('ask.send')}
            onSent={follow.follow}
          >
            {running ? (
              <>
                <span className="xs t3 nw">{keyText('stopTurn', isMac())}</span>
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
        <SessionAside
          turns={openTurns}
          agent={agent}
          sessionId={sessionId}
          sessionKey={key}
          status={status.data}
          isOpen={isAsideOpen}
          onClose={closeAside}
        />
      </div>
    </div>
  );
}
