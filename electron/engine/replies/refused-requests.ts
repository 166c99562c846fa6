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
 * Records the first of its kind, then one an hour with the number in between. Kinds beyond the limit
 * are recorded when an earlier one is an hour old.
 */
function createSeldom(
  clock: Pick<Clock, 'nowMs'>,
): (kind: string, record: (count: number) => void) => void {
  const told = new Map<string, { readonly atMs: number; since: number }>();
  const isFresh = (atMs: number, nowMs: number): boolean =>
    nowMs >= atMs && nowMs - atMs < REFUSED_EVERY_MS;
  return (kind, record) => {
    const nowMs = clock.nowMs();
    const last = told.get(kind);
    if (last !== undefined && isFresh(last.atMs, nowMs)) {
      last.since += 1;
      return;
    }
    const [oldest] = told;
    if (last === undefined && told.size >= MAX_ANSWERS && oldest !== undefined) {
      if (isFresh(oldest[1].atMs, nowMs)) return;
      told.delete(oldest[0]);
    }
    told.delete(kind);
    told.set(kind, { atMs: nowMs, since: 0 });
    record((last?.since ?? 0) + 1);
  };
}

/** Records presses that decide nothing: a person presses an old button as often as they like. PH-03 */
export function createRefusedPresses({
  audit,
  clock,
}: {
  readonly audit: Audit;
  readonly clock: Pick<Clock, 'nowMs'>;
}): (facts: Parameters<Audit['record']>[1]) => void {
  const seldom = createSeldom(clock);
  return (facts) =>
    seldom(JSON.stringify(facts), (count) =>
      audit.record('press_refused', { ...facts, ...(count === 1 ? {} : { count }) }),
    );
}

/** Records requests that never reached a channel. PH-03 */
export function createRefusedRequests({
  audit,
  clock,
}: {
  readonly audit: Audit;
  readonly clock: Pick<Clock, 'nowMs'>;
}): (reason: string) => void {
  const seldom = createSeldom(clock);
  return (reason) => seldom(reason, (count) => audit.record('request_refused', { reason, count }));
}
