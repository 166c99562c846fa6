/**
 * The chat of a session: messages, answers, and the tool calls between them, all as plain text or
 * safe Markdown.
 */
import { memo } from 'react';
import type { ReactElement } from 'react';
import { t } from '../../shared/messages';
import type { SessionEvent } from '../../shared/types';
import { HMark } from '../parts/icons';
import { LongText } from '../parts/long-text';
import { CopyText, At, Inert } from '../parts/texts';
import type { ChatBlock, ToolLine } from './session-rows';
import { ToolRow } from './tool-row';
import type { ChatPlace } from './tool-row-view';

/** One block; memoized on its event. */
export const ChatBlockView = memo(function DrawnBlock({
  block,
  isScripted,
  runningTurn,
  place,
}: {
  block: ChatBlock;
  isScripted: boolean;
  /** The turn that runs now, if any. */
  runningTurn: number | undefined;
  place: ChatPlace;
}): ReactElement {
  switch (block.kind) {
    case 'message':
      return <Message event={block.event} />;
    case 'answer':
      return (
        <li className="chat-answer">
          <span className="sr-only">{t('chat.answer')}</span>
          <LongText text={block.event.text} isTruncated={block.event.isTruncated} isMarkdown />
          {/* Part of an answer could be mistaken for all of it; the turn page has the rest. */}
          {block.event.isTruncated ? null : (
            <div className="answer-acts">
              <CopyText text={block.event.text} label={t('markdown.copyAnswer')} />
            </div>
          )}
        </li>
      );
    case 'interrupt':
      return (
        <li className="sm t3">
          {t('chat.interrupt')} <At atMs={block.event.atMs} withSeconds />{' '}
          {block.event.text === '' ? null : <Inert text={block.event.text} />}
        </li>
      );
    case 'tools':
      return (
        <Tools
          lines={block.lines}
          isScripted={isScripted}
          runningTurn={runningTurn}
          place={place}
        />
      );
  }
});

function Message({ event }: { event: SessionEvent }): ReactElement {
  return (
    <li>
      <div className="card chat-message">
        <span className="sr-only">{t('chat.you')}</span>
        {event.type === 'user.define_outcome' ? (
          <div className="sm t3">{t('chat.goal')}</div>
        ) : null}
        <LongText text={event.text} isTruncated={event.isTruncated} />
        <div className="chat-mark">
          <span className="ink-kept fate" title={t('chat.onDiskAbout')}>
            <HMark size={11} />
            {t('chat.onDisk')}
          </span>
          <span className="t3">
            {event.isPending ? `${t('chat.notYet')} · ` : ''}
            <At atMs={event.atMs} withSeconds />
          </span>
        </div>
      </div>
    </li>
  );
}

const Tools = ({
  lines,
  isScripted,
  runningTurn,
  place,
}: {
  lines: readonly ToolLine[];
  isScripted: boolean;
  runningTurn: number | undefined;
  place: ChatPlace;
}): ReactElement => (
  <li>
    <ul className="card rows chat-tools" aria-label={t('chat.tools')}>
      {lines.map((line) => (
        <ToolRow
          key={`${String(line.turnId ?? 0)}:${String(line.stepIndex ?? line.seq)}`}
          line={line}
          isScripted={isScripted}
          isTurnRunning={runningTurn !== undefined && runningTurn === line.turnId}
          place={place}
        />
      ))}
    </ul>
  </li>
);
