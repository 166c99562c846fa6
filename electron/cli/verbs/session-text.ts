/** The seven things to see about a session, as text. S3-30 */
import type { SessionStatus } from '../../../shared/types/work';
import type { Run } from '../command';
import { facts, inert, inertLine, spanText, whenText } from '../render';
import { activationRow } from './activations';

const at = (iso: string | null, run: Run): string => {
  if (iso === null) return '-';
  const ms = Date.parse(iso);
  return ms > run.nowMs ? `in ${spanText(ms - run.nowMs)} (${iso})` : whenText(ms, run.nowMs);
};

/** Blocks below the facts of the session; those that have nothing to say are one line. */
export function statusBlocks(status: SessionStatus, run: Run): readonly string[] {
  const { retryPosture: retry, activeLease: lease, resilience } = status;
  const rows: [string, string][] = [
    [
      'retries',
      retry.isRetrying
        ? `${String(retry.streak)} in a row, again ${at(retry.nextRetryAt, run)}: ${inertLine(retry.lastError ?? '')}`
        : retry.streak > 0
          ? `${String(retry.streak)} in a row, now: ${inertLine(retry.lastError ?? '')}`
          : 'none',
    ],
    [
      'policy',
      `first wait ${spanText(resilience.requeueDelayMs)}, at most ${spanText(resilience.requeueMaxDelayMs)}, parked after ${String(resilience.maxRequeues)}; lease renewed every ${spanText(resilience.leaseRenewMs)}, stale after ${spanText(resilience.leaseStaleMs)}`,
    ],
    ['requests', status.pendingRequests.length === 0 ? 'none wait' : 'see below'],
    [
      'wakes',
      status.queuedWakeBacklog.length === 0
        ? 'none queued'
        : `${String(status.queuedWakeBacklog.length)}, next ${at(status.nextQueuedWakeAt, run)}`,
    ],
    [
      'worker',
      lease === null
        ? 'nobody'
        : `${inertLine(lease.owner)} on turn ${String(lease.turnId)}, since ${at(lease.acquiredAt, run)}${lease.isAlive ? '' : '; its process is gone, the next start takes over at once'}`,
    ],
    [
      'last outcome',
      status.latestOutcome === null
        ? '-'
        : activationRow(status.latestOutcome, run).slice(1).join('  '),
    ],
    [
      'drafts',
      status.stagedDrafts.count === 0
        ? 'none'
        : status.stagedDrafts.drafts
            .map((draft) => `${inertLine(draft.path)} (${inertLine(draft.status)})`)
            .join(', '),
    ],
  ];
  const requests = status.pendingRequests.map((request) =>
    [
      `Request ${String(request.requestId)}: ${inertLine(request.tool)}, ${inertLine(request.reason)}`,
      ...inert(request.input)
        .split('\n')
        .map((line) => `  ${line}`),
      ...request.answerWith.map((line) => `  ${inertLine(line)}`),
    ].join('\n'),
  );
  const wakes = run.table(
    ['WAKE DUE', 'KEY', 'BY', 'NOTE'],
    status.queuedWakeBacklog.map((wake) => [
      wake.dueAt,
      inertLine(wake.dedupeKey).slice(0, 40),
      inertLine(wake.queuedBy),
      inertLine(wake.note),
    ]),
  );
  const history = run.table(
    ['SEQ', 'WHEN', 'KIND', 'SESSION', 'TURN', 'WOKEN BY', 'CLAIM', 'WHY'],
    status.claimHistory.map((event) => activationRow(event, run)),
  );
  return [facts(rows), ...requests, wakes, history].filter((block) => block !== '');
}
