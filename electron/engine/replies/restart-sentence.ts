import { spanText } from '../../../shared/durations';
import type { RestartNotice, RestartReason } from '../../../shared/types';

/**
 * The restart notice in one or two sentences, as channels send it: what happened, how long it was
 * down, what was resumed, what needs a decision. Source: S0-29, S0-30.
 */
export function restartSentence(notice: RestartNotice): string {
  const held = notice.heldTurns.length + notice.staleTurns.length + notice.parkedTurns.length;
  const down = notice.downMs > 0 ? ` (down ${spanText(notice.downMs)})` : '';
  const parts = [`${HAPPENED[notice.reason]}${down}.`];
  if (notice.restoreSkipped)
    parts.push('Started without restoring: turns in flight stay as they are.');
  else if (notice.resumedTurns.length === 0 && held === 0) parts.push('Nothing was cut off.');
  else {
    const resumed = count(notice.resumedTurns.length, 'turn resumed', 'turns resumed');
    const asks = held === 1 ? '1 needs a decision' : `${String(held)} need a decision`;
    parts.push(
      `${held === 0 ? resumed : notice.resumedTurns.length === 0 ? asks : `${resumed}, ${asks}`}.`,
    );
  }
  return parts.join(' ');
}

const HAPPENED: Readonly<Record<RestartReason, string>> = {
  first_start: 'Started for the first time',
  clean: 'Started again',
  crash: 'Restarted after a crash',
  kill: 'Restarted after an unexpected stop',
  takeover: 'Restarted: another start took over',
  os_shutdown: 'Started again after the system was shut down',
  power_loss: 'Restarted after the computer stopped without warning',
  stop_cut_off: 'Started again: the last stop was cut off before it was finished',
  update: 'Started again after an update',
  data_copied: 'Started with a data folder from another computer',
};

function count(n: number, one: string, many: string): string {
  return `${String(n)} ${n === 1 ? one : many}`;
}
