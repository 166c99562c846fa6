/** One tool call in a chat: a row that expands in place. */
import { ChevronRight } from 'lucide-react';
import { useId, useState, type ReactElement } from 'react';
import { t } from '../../shared/messages';
import { useEvent, useVerb } from '../bridge';
import { FarToolDetail } from '../hosts/far-tool-detail';
import { oneLine } from '../parts/inert-view';
import { OutcomeTag, PurityIcon } from '../parts/state-chip';
import { Elapsed, Inert } from '../parts/texts';
import { durationText } from '../parts/time-view';
import { toolName } from '../parts/tool-name';
import type { ToolLine } from './session-rows';
import { ToolDetail } from './tool-detail';
import { callTime, type ChatPlace } from './tool-row-view';

export function ToolRow({
  line,
  isScripted,
  isTurnRunning,
  place,
}: {
  line: ToolLine;
  isScripted: boolean;
  /** Otherwise a call without an end was interrupted, or waits for the user. */
  isTurnRunning: boolean;
  place: ChatPlace;
}): ReactElement {
  const [isOpen, setOpen] = useState(false);
  const detail = useId();
  const { turnId, stepIndex } = line;
  const step = turnId === undefined || stepIndex === undefined ? undefined : { turnId, stepIndex };
  const time = callTime(line, isTurnRunning);
  const isRunning = time.kind === 'runs';
  const isShell = line.tool !== undefined && toolName(line.tool) === 'shell';
  return (
    <li>
      <button
        type="button"
        className="chat-tool"
        aria-expanded={isOpen}
        aria-controls={isOpen ? detail : undefined}
        disabled={step === undefined}
        onClick={() => setOpen(!isOpen)}
      >
        {line.purity ? <PurityIcon purity={line.purity} isScripted={isScripted} /> : <span />}
        <Inert
          className="mono ellipsis"
          text={line.tool === undefined ? t('chat.unknownTool') : toolName(line.tool)}
        />
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
        <span className="t3 nw chat-took">
          <CallTimeText time={time} />
          {step === undefined ? null : <ChevronRight className="icon small chat-turn" />}
        </span>
      </button>
      {step !== undefined && isRunning && !isOpen && isShell ? (
        <LiveOutput turnId={step.turnId} step={step.stepIndex} />
      ) : null}
      {step !== undefined && isOpen ? (
        <div id={detail}>
          {place.kind === 'here' ? (
            <ToolDetail turnId={step.turnId} step={step.stepIndex} session={place.session} />
          ) : (
            <FarToolDetail host={place.host} turnId={step.turnId} step={step.stepIndex} />
          )}
          {isRunning && isShell ? <LiveOutput turnId={step.turnId} step={step.stepIndex} /> : null}
        </div>
      ) : null}
    </li>
  );
}

function CallTimeText({ time }: { time: ReturnType<typeof callTime> }): ReactElement | null {
  switch (time.kind) {
    case 'took':
      return <>{durationText(time.tookMs)}</>;
    case 'runs':
      return <Elapsed sinceMs={time.sinceMs} />;
    case 'none':
      return null;
  }
}

/** The last lines that a running command printed. */
function LiveOutput({ turnId, step }: { turnId: number; step: number }): ReactElement | null {
  // Loads what a page opened in the middle has missed; after that, each event brings the newest
  // lines.
  const before = useVerb('turns.step', { turnId, step });
  const [newest, setNewest] = useState<string | undefined>(undefined);
  useEvent('step.output', (output) => {
    if (output.turnId === turnId && output.step === step) setNewest(output.text);
  });
  const shown = newest ?? before.data?.output ?? '';
  if (shown === '') return null;
  return (
    <pre
      className="live-output"
      tabIndex={0}
      role="log"
      aria-live="off"
      aria-label={t('tool.live')}
    >
      <Inert text={shown} />
    </pre>
  );
}
