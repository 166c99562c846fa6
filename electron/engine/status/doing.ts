import type { Doing } from '../../../shared/types/turns';
import type { JournalReads } from '../../ports/journal/reads';
import type { LiveOutput } from '../turns/live-output';

interface DoingDeps {
  readonly reads: Pick<JournalReads, 'newestStep'>;
  readonly live: Pick<LiveOutput, 'of'>;
}

/**
 * What a running turn does now: the step that started last, if it has not ended, with the last line
 * that its command has printed. Only for turns with a runner.
 */
export function doingOf({ reads, live }: DoingDeps, turnId: number): Doing | undefined {
  const step = reads.newestStep(turnId);
  if (step === undefined || step.state !== 'started') return undefined;
  const lastLine = live.of(step)?.trimEnd().split('\n').at(-1)?.slice(0, 200) ?? '';
  return {
    step: step.step,
    tool: step.tool,
    purity: step.purity,
    hint: step.hint.slice(0, 300),
    sinceMs: step.startedAtMs,
    ...(lastLine === '' ? {} : { lastLine }),
  };
}
