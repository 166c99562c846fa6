/**
 * What a running turn is doing, for a row: the tool, its argument, since when, and its last line of
 * output.
 */
import { useState, type ReactElement } from 'react';
import { t } from '../../shared/messages';
import type { Doing } from '../../shared/types/turns';
import { useEvent } from '../bridge';
import { oneLine } from './inert-view';
import { Elapsed } from './texts';
import { toolName } from './tool-name';

export function DoingLine({ turnId, doing }: { turnId?: number; doing: Doing }): ReactElement {
  const lastLine = useLastLine(turnId, doing);
  return (
    <span className="doing ellipsis">
      {doing.purity === 'llm' ? (
        t('doing.model')
      ) : (
        <>
          {t('doing.runs')}{' '}
          <span className="mono">
            {oneLine(doing.hint === '' ? toolName(doing.tool) : doing.hint, 120)}
          </span>
        </>
      )}
      {', '}
      <Elapsed sinceMs={doing.sinceMs} />
      {lastLine === '' ? null : <span className="t3"> · {oneLine(lastLine, 120)}</span>}
    </span>
  );
}

/** The newest line from an event, or else the one that came with the row. */
function useLastLine(turnId: number | undefined, doing: Doing): string {
  const [newest, setNewest] = useState({ step: 0, line: '' });
  useEvent('step.output', (output) => {
    if (output.turnId === turnId && output.step === doing.step)
      setNewest({ step: output.step, line: output.text.trimEnd().split('\n').at(-1) ?? '' });
  });
  return newest.step === doing.step ? newest.line : (doing.lastLine ?? '');
}
