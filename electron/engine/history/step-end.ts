import type { StepEnd } from '../../ports/journal/entries';

/** The message for each end of a step, with its outcome and error. */
export function stepEnd(end: StepEnd | undefined) {
  switch (end?.state) {
    case 'failed':
      return end.isCutOff
        ? ({ outcome: 'cut_off', key: 'event.step.cutOff', error: end.error } as const)
        : ({ outcome: 'failed', key: 'event.step.failed', error: end.error } as const);
    case 'ambiguous':
      return { outcome: 'ambiguous', key: 'event.step.ambiguous', error: end.error } as const;
    case 'skipped':
    case 'confirmed':
      return { outcome: end.state, key: `event.step.${end.state}`, error: '' } as const;
    case 'completed':
    case undefined:
      return end?.isError === true
        ? ({ outcome: 'error', key: 'event.step.error', error: '' } as const)
        : ({ outcome: 'completed', key: 'event.step.completed', error: '' } as const);
  }
}
