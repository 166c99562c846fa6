/** The input and result of a tool call, local or on another computer. All as plain text. */
import { Button } from '@mantine/core';
import { useState, type ReactElement } from 'react';
import { t } from '../../shared/messages';
import { ExactInput } from '../parts/exact-input';
import { ExactText } from '../turn/exact-text';
import { firstLines, shellEnd } from './tool-row-view';

/** A step's texts are cut at this length; `isTruncated` does not say which of the two was. */
const CUT_FROM = 4000;
const FIRST_LINES = 20;

interface Cut {
  readonly args?: string | undefined;
  readonly result?: string | undefined;
  readonly isTruncated?: boolean | undefined;
}

/** The rest of this text is on the computer where the call ran. */
export const isTextCut = (view: Cut, part: 'args' | 'result'): boolean =>
  view.isTruncated === true && (view[part]?.length ?? 0) >= CUT_FROM;

export const ToolInput = ({ view, args }: { view: Cut; args: string }): ReactElement => (
  <>
    <div className="sm t3">{t('step.args')}</div>
    <ExactInput args={args} isTruncated={isTextCut(view, 'args')} label={t('step.args')} />
  </>
);

/** The first lines of a result, and all of it on request. */
export function ToolOutput({
  view,
  result,
  isShell,
  whole,
}: {
  view: Cut;
  result: string;
  isShell: boolean;
  /** All of it, or where to find it. */
  whole: ReactElement;
}): ReactElement {
  const [isOpen, setOpen] = useState(false);
  const isCut = isTextCut(view, 'result');
  const end = isShell && !isCut ? shellEnd(result) : undefined;
  const text = end?.output ?? result;
  const { start, lines } = firstLines(text, FIRST_LINES);
  return (
    <>
      <div className="sm t3">
        {t('tool.output')}
        {end === undefined ? null : (
          <span className={end.exitCode === 0 ? 'tool-exit' : 'tool-exit ink-outage'}>
            {t('tool.exitCode', { number: String(end.exitCode) })}
          </span>
        )}
        {end === undefined || end.note === '' ? null : (
          <span className="tool-exit">{end.note}</span>
        )}
      </div>
      {isOpen ? (
        whole
      ) : text === '' ? (
        <p className="sm t3">{t('tool.noOutput')}</p>
      ) : (
        <ExactText text={start} label={t('tool.output')} />
      )}
      {lines > FIRST_LINES || isCut ? (
        <Button size="xs" variant="subtle" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          {isOpen
            ? t('chat.less')
            : isCut
              ? t('tool.showAll')
              : t('tool.showLines', { count: lines })}
        </Button>
      ) : null}
    </>
  );
}
