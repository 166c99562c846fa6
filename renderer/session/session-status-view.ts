/** The history of a session's leases as text: who owned it, when, and how it ended. Pure. S3-22. */
import { t } from '../../shared/messages';
import type { ActivationEvent, SessionStatus } from '../../shared/types/work';
import type { Look, MarkName, Tone } from '../parts/state-view';
import { durationText } from '../parts/time-view';

/** One line of the history. */
interface ClaimLine extends Look {
  readonly seq: number;
  readonly atMs: number;
  readonly text: string;
  /** Host and process; absent if there was no owner. */
  readonly owner?: string;
  /** External text, shown as plain text. */
  readonly detail: string;
  readonly turnId?: number;
  readonly attempt: number;
}

/** What happened, with a text for each reason. */
function claimText(event: ActivationEvent): string {
  switch (event.kind) {
    case 'acked':
      return event.stopReason === undefined || ['', 'completed'].includes(event.stopReason)
        ? t('activation.acked')
        : t('activation.ackedAs', { what: event.stopReason });
    case 'blocked':
      return event.blockedReason === undefined
        ? t('activation.blocked')
        : t(`blocked.${event.blockedReason}`);
    case 'abandoned':
      return event.abandonReason === undefined
        ? t('activation.abandoned')
        : t(`abandoned.${event.abandonReason}`);
    case 'ready':
    case 'leased':
    case 'requeued':
      return t(`activation.${event.kind}`);
  }
}

const LOOKS: Readonly<Record<ActivationEvent['kind'], readonly [Tone, MarkName]>> = {
  ready: ['waiting', 'clock'],
  leased: ['working', 'play'],
  blocked: ['attention', 'pause'],
  acked: ['ok', 'check'],
  requeued: ['waiting', 'loop'],
  abandoned: ['outage', 'cut'],
};

/** One event as a line. */
export function claimLine(event: ActivationEvent): ClaimLine {
  const [tone, mark] = LOOKS[event.kind];
  return {
    seq: event.seq,
    atMs: Date.parse(event.createdAt),
    text: claimText(event),
    ...(event.leaseOwner === undefined ? {} : { owner: event.leaseOwner }),
    detail: event.errorMessage ?? event.note,
    ...(event.turnId === undefined ? {} : { turnId: event.turnId }),
    attempt: event.attempt,
    tone,
    mark,
  };
}

/** Newest first, up to the limit; the line "ready" is omitted if a claim follows. */
export function claimLines(
  history: readonly ActivationEvent[],
  limit: number,
): readonly ClaimLine[] {
  return history
    .filter((event) => event.kind !== 'ready' || event === history.at(-1))
    .slice(-limit)
    .toReversed()
    .map(claimLine);
}

/** The waits between tries, from the current settings. S3-15. */
export const policyText = ({ policy }: SessionStatus['retryPosture']): string =>
  t('sessionStatus.policy', {
    what: durationText(policy.requeueDelayMs),
    duration: durationText(policy.requeueMaxDelayMs),
    count: policy.maxRequeues,
  });
