import { spanText } from '../../../shared/durations';
import type { RestartNotice, RestartReason } from '../../../shared/types';
import type { Clock } from '../../ports/clock';
import type { Journal } from '../../ports/journal/journal';
import type { JournalReads } from '../../ports/journal/reads';
import { openItem, retellItem } from '../inbox/entries';
import type { RestartReason as Restart } from '../instance/decide-restart-reason';
import type { RecoveryReport } from '../recovery/recover-at-start';
import { planRestartItem } from './plan-restart-item';
import type { Replies } from './replies';

/**
 * The restart notice in one or two sentences, as channels send it: what happened, how long it was
 * down, what was resumed, what needs a decision. Source: S0-29, S0-30.
 */
export function restartSentence(notice: RestartNotice): string {
  const held = notice.heldTurns.length + notice.staleTurns.length + notice.parkedTurns.length;
  // A process that dies writes no farewell: only the time of its last heartbeat is known.
  const atMost = DIED.has(notice.reason) ? 'at most ' : '';
  const down = notice.downMs > 0 ? ` (down ${atMost}${spanText(notice.downMs)})` : '';
  const parts = [`${HAPPENED[notice.reason]}${down}.`];
  if (notice.restoreSkipped)
    parts.push('Started without recovery: interrupted turns stay as they are.');
  else if (notice.resumedTurns.length === 0 && held === 0) parts.push('No turns were interrupted.');
  else {
    const resumed = count(notice.resumedTurns.length, 'turn resumed', 'turns resumed');
    const asks = held === 1 ? '1 needs a decision' : `${String(held)} need a decision`;
    parts.push(
      `${held === 0 ? resumed : notice.resumedTurns.length === 0 ? asks : `${resumed}, ${asks}`}.`,
    );
  }
  return parts.join(' ');
}

const DIED: ReadonlySet<RestartReason> = new Set(['crash', 'kill', 'power_loss']);

/** The reasons in words. */
export const HAPPENED: Readonly<Record<RestartReason, string>> = {
  first_start: 'Started for the first time',
  clean: 'Started again',
  crash: 'Restarted after a crash',
  kill: 'Restarted after an unexpected shutdown',
  takeover: 'Restarted: a new start replaced the running instance',
  os_shutdown: 'Started again after the system was shut down',
  power_loss: 'Restarted after the computer crashed or lost power',
  stop_cut_off: 'Started again: the last shutdown was interrupted',
  update: 'Started again after an update',
  data_copied: 'Started with a data directory from another computer',
};

function count(n: number, one: string, many: string): string {
  return `${String(n)} ${n === 1 ? one : many}`;
}

/**
 * Reports that Holdfast is back: in the status, in the inbox if work was interrupted or resumes, on
 * the default channel, and as an event. Nothing at the first start.
 */
export async function announceRestart(
  deps: {
    readonly journal: Journal;
    readonly reads: Pick<JournalReads, 'inbox'>;
    readonly clock: Clock;
    /** Implemented by engine/status/status.ts. */
    readonly setRestart: (notice: RestartNotice | undefined, restoreSkipped: boolean) => void;
    /** Delivers it as a reply; in the app by shell/windows/window-channel.ts, as a notification. */
    readonly replies: Pick<Replies, 'restartNotice'>;
    /** Implemented by engine/api/events.ts. */
    readonly emit: (event: 'restart.noticed', notice: RestartNotice) => void;
  },
  start: {
    readonly startId: number;
    readonly reason: Restart;
    readonly report: RecoveryReport;
    readonly restoreSkipped: boolean;
  },
): Promise<void> {
  const { reason, report, restoreSkipped } = start;
  if (reason.kind === 'first_start') {
    deps.setRestart(undefined, restoreSkipped);
    return;
  }
  const notice: RestartNotice = {
    reason: reason.kind,
    startedAtMs: deps.clock.nowMs(),
    downSinceMs: reason.downSinceMs,
    downMs: reason.downMs,
    resumedTurns: report.resumed.map(({ turn }) => turn.id),
    heldTurns: [...report.held],
    parkedTurns: [...report.parked],
    staleTurns: [...report.stale],
    restoreSkipped,
    isDismissed: false,
  };
  const text = restartSentence(notice);
  const isWorthALine =
    !restoreSkipped && (reason.isUnexpected || report.resumed.length + report.held.length > 0);
  if (isWorthALine) {
    const item = planRestartItem({
      open: deps.reads.inbox({ includeSettled: false, limit: 1000 }),
      reason: reason.kind,
      text,
      words: HAPPENED,
      nowMs: notice.startedAtMs,
    });
    const inboxId = item.inboxId ?? deps.journal.allocate('inbox');
    await deps.journal.commit([
      item.inboxId === undefined
        ? openItem(inboxId, 'restart_notice', item)
        : retellItem(inboxId, item),
    ]);
    deps.setRestart({ ...notice, inboxId }, restoreSkipped);
  } else deps.setRestart(notice, restoreSkipped);
  // Delivery must not hold up the start and may fail without harm: the inbox has the record.
  deps.replies.restartNotice(start.startId, text);
  deps.emit('restart.noticed', notice);
}
