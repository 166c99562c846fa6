/** Audits rejected requests to the channels' port, and rejected answers. */
import type { Clock } from '../../ports/clock';
import type { Audit } from '../../ports/log';

/** A program that keeps trying is recorded once an hour, not for every try. */
const REFUSED_EVERY_MS = 3_600_000;

/** Answers and links in the audit of one run that are not good; each of them is refused. */
const MAX_ANSWERS = 1_000;

/** Records them up to a limit, because anyone who knows an address can send them. PH-03 */
export function createRefusedAnswers({
  audit,
}: {
  readonly audit: Audit;
}): (facts: Parameters<Audit['record']>[1]) => void {
  let count = 0;
  return (facts) => {
    count += 1;
    if (count <= MAX_ANSWERS) audit.record('press_refused', facts);
  };
}

/**
 * Records requests that never reached a channel: the first of each reason, then one an hour with
 * the number in between. PH-03
 */
export function createRefusedRequests({
  audit,
  clock,
}: {
  readonly audit: Audit;
  readonly clock: Pick<Clock, 'nowMs'>;
}): (reason: string) => void {
  const told = new Map<string, { readonly atMs: number; since: number }>();
  return (reason) => {
    const nowMs = clock.nowMs();
    const last = told.get(reason);
    if (last !== undefined && nowMs >= last.atMs && nowMs - last.atMs < REFUSED_EVERY_MS) {
      last.since += 1;
      return;
    }
    told.set(reason, { atMs: nowMs, since: 0 });
    audit.record('request_refused', { reason, count: (last?.since ?? 0) + 1 });
  };
}
