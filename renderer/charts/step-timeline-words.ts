/** Texts of the timeline for screen readers and tooltips. Pure. */
import { t } from '../../shared/messages';
import type { MessageKey } from '../../shared/messages';
import { oneLine } from '../parts/inert-view';
import { purityLabel, shownStep } from '../parts/state-view';
import { clockText, durationText } from '../parts/time-view';
import { toolName } from '../parts/tool-name';
import type { Break } from './step-timeline-shapes';
import { tookMsOf } from './step-timeline-plan';
import { triedText } from './step-tries';
import type { Call, RowPlan } from './step-timeline-plan';

const KNOWN_REASONS = [
  'crash',
  'kill',
  'power_loss',
  'stop_cut_off',
  'clean',
  'takeover',
  'os_shutdown',
  'update',
] as const;

/** Why Holdfast stopped, as text; an unknown reason is shown as unknown. */
export function stopReasonText(reason: string): string {
  return t(`stopReason.${KNOWN_REASONS.find((known) => known === reason) ?? 'other'}`);
}

const timeOf = (atMs: number): string => clockText(atMs, atMs, undefined, true);

/** Tool and hint of a call; the demo agent's answers are scripted, never a model. */
function callName(call: Call, isScripted: boolean): string {
  const { step } = call;
  const tool =
    isScripted && step.purity === 'llm' ? t('purity.scripted') : oneLine(toolName(step.tool), 80);
  const hint = oneLine(step.hint, 120);
  return hint === '' ? tool : `${tool} ${hint}`;
}

const outcomeOf = (call: Call): string => {
  const { step } = call;
  const outcome = t(shownStep(step).label as Extract<MessageKey, 'fate.done'>);
  const by = step.approvedBy === undefined ? '' : t('approval.approvedByYou');
  return [outcome, by, triedText(call)].filter((part) => part !== '').join(', ');
};

/** Example: `send_email t.okafor, external, started 14:07:25, result unknown, waits for you`. */
export function rowName(row: RowPlan, isScripted: boolean): string {
  const { step } = row.last;
  const purity =
    isScripted && step.purity === 'llm'
      ? t('purity.scripted')
      : t(purityLabel(step.purity) as Extract<MessageKey, 'purity.pure'>);
  const name = t('timeline.rowName', {
    name: callName(row.last, isScripted),
    what: purity,
    time: timeOf(step.startedAtMs),
    outcome: outcomeOf(row.last),
  });
  return row.needsYou ? t('timeline.rowWaits', { name }) : name;
}

/** Tooltip of a bar. */
export function callTitle(call: Call, row: RowPlan, isScripted: boolean): string {
  const name = rowName({ ...row, last: call, needsYou: false }, isScripted);
  const tookMs = tookMsOf(call);
  return tookMs === undefined
    ? name
    : t('timeline.barTook', { name, duration: durationText(tookMs) });
}

/** Tooltip of a break. */
export function breakTitle(gap: Break): string {
  const duration = durationText(gap.toMs - gap.fromMs);
  return gap.kind === 'idle'
    ? t('timeline.idleTitle', { duration })
    : t('timeline.stopTitle', {
        time: timeOf(gap.fromMs),
        what: stopReasonText(gap.reason),
        duration,
      });
}
