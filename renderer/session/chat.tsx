/** The chat of a session: messages, answers, tool calls between them. All text is inert. */
import { memo } from 'react';
import type { ReactElement } from 'react';
import { t } from '../../shared/messages';
import type { SessionEvent } from '../../shared/types';
import { toolName } from '../parts/tool-name';
import { HMark } from '../parts/icons';
import { oneLine } from '../parts/inert-view';
import { OutcomeTag, PurityIcon } from '../parts/state-chip';
import { CopyText } from '../parts/markdown';
import { LongText } from '../parts/long-text';
import { At, Inert } from '../parts/texts';
import { hrefOf } from '../route';
import type { ChatBlock, ToolLine } from './session-rows';

/** One block; not rendered again while its event is unchanged. */
export const ChatBlockView = memo(function DrawnBlock({
  block,
  isScripted,
}: {
  block: ChatBlock;
  isScripted: boolean;
}): ReactElement {
  switch (block.kind) {
    case 'message':
      return <Message event={block.event} />;
    case 'answer':
      return (
        <li className="chat-answer">
          <span className="sr-only">{t('chat.answer')}</span>
          <LongText text={block.event.text} isTruncated={block.event.isTruncated} isMarkdown />
          {/* Part of an answer would pass for the whole of it; the turn page has that. */}
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
      return <Tools lines={block.lines} isScripted={isScripted} />;
  }
});

function Message({ event }: { event: SessionEvent }): ReactElement {
  return (
    <li className="card chat-message">
      <span className="sr-only">{t('chat.you')}</span>
      {event.type === 'user.define_outcome' ? <div className="sm t3">{t('chat.goal')}</div> : null}
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
    </li>
  );
}

function Tools({
  lines,
  isScripted,
}: {
  lines: readonly ToolLine[];
  isScripted: boolean;
}): ReactElement {
  return (
    <li>
      <ul className="card rows chat-tools" aria-label={t('chat.tools')}>
        {lines.map((line) => (
          <li key={line.seq} className="chat-tool">
            {line.purity ? <PurityIcon purity={line.purity} isScripted={isScripted} /> : <span />}
            <span className="mono ellipsis" id={`tool-${String(line.seq)}`}>
              <Inert text={line.tool === undefined ? t('chat.unknownTool') : toolName(line.tool)} />
            </span>
            <span className="ellipsis t2 grow">{oneLine(line.text, 200)}</span>
            <span className="t3 chat-class">
              {line.purity
                ? t(`purityShort.${isScripted && line.purity === 'llm' ? 'scripted' : line.purity}`)
                : ''}
            </span>
            {line.stepState ? (
              <OutcomeTag
                step={{ state: line.stepState, fate: line.stepFate ?? 'fresh', reusedCount: 0 }}
              />
            ) : (
              <span />
            )}
            <span className="t3 nw">
              {line.turnId === undefined ? (
                <At atMs={line.atMs} withSeconds withDay={false} />
              ) : (
                // On its own it would be one time among thirty: the label says whose it is.
                <a
                  className="t3"
                  href={hrefOf({ kind: 'turn', turnId: line.turnId })}
                  aria-describedby={`tool-${String(line.seq)}`}
                >
                  <At atMs={line.atMs} withSeconds withDay={false} />
                </a>
              )}
            </span>
          </li>
        ))}
      </ul>
    </li>
  );
}
