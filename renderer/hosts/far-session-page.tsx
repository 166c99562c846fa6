/** One session of another computer: its transcript, and the commands for it there. HO-02 */
import { ChevronRight } from 'lucide-react';
import { useDeferredValue, useMemo } from 'react';
import type { ReactElement, ReactNode } from 'react';
import { Fact } from '../parts/fact';
import { t } from '../../shared/messages';
import type { FarSession, HostView } from '../../shared/types';
import { agentTitle } from '../agents/agent-titles';
import { oneLine } from '../parts/inert-view';
import { At, CommandLine, Inert, NoteLine } from '../parts/texts';
import { hrefOf } from '../route';
import { ChatBlockView } from '../session/chat';
import { ChatBox, useFollow } from '../session/chat-box';
import { chatBlocks } from '../session/session-rows';
import type { ChatPlace } from '../session/tool-row-view';
import { useNewAnswer } from '../session/use-new-answer';
import { useStatus } from '../status';
import { FarSessionChip } from './far-sessions';
import { farSessionCommands, farSessionNotes, farSessionTitle } from './far-sessions-view';
import { transcriptNotes, type ReadTranscript } from './far-transcript-view';
import { useFarList } from './use-far-list';
import { useFarTranscript, type FarTranscript } from './use-far-transcript';
import '../session/session.css';
import '../turn/turn.css';
import './hosts.css';

export function FarSessionPage({
  host,
  sessionId,
}: {
  host: string;
  sessionId: number;
}): ReactElement {
  const there = useStatus().status?.hosts?.find((one) => one.name === host);
  if (there !== undefined) return <OfHost host={there} sessionId={sessionId} />;
  const missing = t('sessions.far.noHost', { name: oneLine(host, 64) });
  return (
    <Frame host={host} session={undefined}>
      <Note text={missing} />
    </Frame>
  );
}

function OfHost({ host, sessionId }: { host: HostView; sessionId: number }): ReactElement {
  const log = useFarTranscript(host, sessionId);
  if (log.told?.kind === 'older') return <FromOlder host={host} sessionId={sessionId} />;
  const notes = transcriptNotes({ host, ...log });
  const { read } = log;
  return (
    <Frame host={host.name} session={read?.session}>
      <Note text={notes.join(' ')} />
      {read === undefined ? null : <Conversation host={host.name} read={read} log={log} />}
      <Commands
        host={host.name}
        session={read?.session ?? { id: sessionId, key: '' }}
        isRead={read !== undefined}
      />
    </Frame>
  );
}

/** A Holdfast without transcripts over the link: shows the session's facts from its list. */
function FromOlder({ host, sessionId }: { host: HostView; sessionId: number }): ReactElement {
  const { data, trouble } = useFarList('hosts.sessions', host, { host: host.name });
  const session =
    data?.kind === 'told' ? data.sessions.find(({ id }) => id === sessionId) : undefined;
  const name = oneLine(host.name, 64);
  const missing =
    session !== undefined
      ? []
      : data?.kind === 'told'
        ? [t('sessions.far.gone', { name })]
        : farSessionNotes({ host, told: data, trouble }, false);
  return (
    <Frame host={host.name} session={session}>
      <Note text={[t('chat.far.older', { name }), ...missing].join(' ')} />
      <Commands host={host.name} session={session ?? { id: sessionId, key: '' }} isRead={false} />
    </Frame>
  );
}

function Frame({
  host,
  session,
  children,
}: {
  host: string;
  session: FarSession | undefined;
  children: ReactNode;
}): ReactElement {
  const name = oneLine(host, 64);
  const title = session === undefined ? t('sessions.far.one', { name }) : farSessionTitle(session);
  return (
    <div className="page full session-page far-session">
      <nav className="crumb" aria-label={t('turn.crumb')}>
        <a href={hrefOf({ kind: 'sessions' })}>{t('nav.sessions')}</a>
        <ChevronRight className="icon small" />
        <span className="ellipsis">{t('computer.on', { name })}</span>
      </nav>
      <header className="page-top turn-top">
        <Inert as="h1" className="grow clamp" text={title} />
      </header>
      {session === undefined ? null : <Facts name={name} session={session} />}
      {children}
    </div>
  );
}

const Facts = ({ name, session }: { name: string; session: FarSession }): ReactElement => (
  <div className="turn-facts">
    <FarSessionChip status={session.status} />
    <span className="chip tone-line">{t('computer.on', { name })}</span>
    <Inert as="span" text={agentTitle(session.agent)} />
    <span className="t3 mono ellipsis">{oneLine(session.key, 80)}</span>
    <span className="t3">{t('session.turns', { count: session.turns })}</span>
    <span className="t3">
      {t('sessions.col.used')} <At atMs={session.lastEventAtMs} />
    </span>
    {session.stopReason === '' ? null : <Inert className="t2" text={session.stopReason} />}
  </div>
);

const Note = ({ text }: { text: string }): ReactElement | null =>
  text === '' ? null : (
    <NoteLine tone="muted" role="status">
      <Inert text={text} />
    </NoteLine>
  );

function Conversation({
  host,
  read,
  log,
}: {
  host: string;
  read: ReadTranscript;
  log: FarTranscript;
}): ReactElement {
  const place = useMemo<ChatPlace>(() => ({ kind: 'host', host }), [host]);
  const follow = useFollow();
  const folded = useMemo(() => chatBlocks(read.events), [read.events]);
  // Drawn in pieces between other work, like a local conversation.
  const blocks = useDeferredValue(folded);
  const said = useNewAnswer(read.events);
  return (
    <div className="session-main far-main">
      <ChatBox follow={follow} onOlder={log.onEarlier}>
        {log.isAsking || log.whyNot !== undefined ? (
          <Inert as="p" className="sm t3" role="status" text={log.whyNot ?? t('common.loading')} />
        ) : null}
        {folded.length === 0 && log.onEarlier === undefined ? (
          <p className="t3">{t('chat.far.empty')}</p>
        ) : null}
        <ol className="chat-list" ref={follow.setList}>
          {blocks.map((block) => (
            <ChatBlockView
              key={`${block.kind}-${String(block.seq)}`}
              block={block}
              isScripted={false}
              runningTurn={undefined}
              place={place}
            />
          ))}
        </ol>
        <p className="sr-only" aria-live="polite">
          {said}
        </p>
      </ChatBox>
    </div>
  );
}

/** Commands find it by its ID too, if this version knows no more of it. */
function Commands({
  host,
  session,
  isRead,
}: {
  host: string;
  session: Pick<FarSession, 'id' | 'key' | 'status'>;
  /** The conversation is on the page, so it needs no command to read it. */
  isRead: boolean;
}): ReactElement {
  return (
    <>
      <p className="sm t2">{t('sessions.far.there', { name: oneLine(host, 64) })}</p>
      <dl className="facts far-commands">
        {farSessionCommands(host, session)
          .filter(({ what }) => what !== 'read' || !isRead)
          .map(({ what, command }) => (
            <div key={what}>
              <Fact name={t(`sessions.far.${what}`)}>
                <CommandLine command={command} />
              </Fact>
            </div>
          ))}
      </dl>
    </>
  );
}
