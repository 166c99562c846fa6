import {
  type Priority,
  type ActivationSource,
  PRIORITIES,
  ACTIVATION_SOURCES,
} from '../../../shared/activations';

/** A turn that wants to run. */
export interface QueuedTurn {
  readonly turnId: number;
  readonly sessionId: number;
  /** Not before this instant (growing delay of a resume, S0-+04). */
  readonly notBeforeMs: number;
  /** It ran before, so a pause of new turns does not stop it. */
  readonly hasBegun: boolean;
  /** It may have crashed Holdfast: it runs alone until it makes progress (S0-+04). */
  readonly isAlone?: boolean;
  readonly priority?: Priority;
  readonly source?: ActivationSource;
}

/**
 * Picks the queued turns that start now: the first of each session, by priority, source, due time
 * and number (S3-23). Respects the cap, the pause of new turns and provider outages. Turns that
 * wait for a provider follow that queue's order alone (S0-20). An exclusive turn starts first once
 * nothing runs, and holds the others back while its delay runs. Pure except `admits`, which is
 * called in start order.
 */
export function planStarts(facts: {
  /** `dueMs`: when its wait is over by both clocks; the order uses the recorded time. */
  readonly queued: readonly (QueuedTurn & { readonly dueMs?: number })[];
  readonly busySessions: ReadonlySet<number>;
  readonly running: number;
  /** A running turn must run alone. */
  readonly isOneAlone: boolean;
  readonly cap: number;
  readonly isPaused: boolean;
  readonly nowMs: number;
  readonly admits: (turnId: number) => boolean;
  /** Queue position of a turn that waits for its provider. */
  readonly rankOf: (turnId: number) => number | undefined;
}): readonly QueuedTurn[] {
  if (facts.isOneAlone) return [];
  const placeOf = (turn: QueuedTurn): number => facts.rankOf(turn.turnId) ?? turn.turnId;
  // A waiting turn blocks its session: later messages do not overtake it.
  const heads = new Map<number, (typeof facts.queued)[number]>();
  for (const turn of facts.queued) {
    const head = heads.get(turn.sessionId);
    if (head === undefined || placeOf(turn) < placeOf(head)) heads.set(turn.sessionId, turn);
  }
  const ready = [...heads.values()].filter(
    (turn) =>
      !facts.busySessions.has(turn.sessionId) &&
      (!facts.isPaused || turn.hasBegun) &&
      (turn.dueMs ?? turn.notBeforeMs) <= facts.nowMs,
  );
  const classOf = ({
    turnId,
    priority = 'normal',
    source = 'pending_events',
  }: QueuedTurn): number =>
    facts.rankOf(turnId) === undefined
      ? PRIORITIES.indexOf(priority) * ACTIVATION_SOURCES.length +
        ACTIVATION_SOURCES.indexOf(source)
      : WAITED;
  const dueOf = (turn: QueuedTurn): number =>
    facts.rankOf(turn.turnId) === undefined ? turn.notBeforeMs : 0;
  const inOrder = ready.toSorted(
    (a, b) => classOf(a) - classOf(b) || dueOf(a) - dueOf(b) || placeOf(a) - placeOf(b),
  );
  if (facts.running === 0) {
    const alone = inOrder.find((turn) => turn.isAlone === true && facts.admits(turn.turnId));
    if (alone !== undefined) return [alone];
  }
  const isComing = ({ isAlone, notBeforeMs, dueMs }: (typeof facts.queued)[number]): boolean =>
    isAlone === true && (dueMs ?? notBeforeMs) > facts.nowMs;
  if ([...heads.values()].some(isComing)) return [];
  const starts: QueuedTurn[] = [];
  const free = facts.cap - facts.running;
  for (const turn of inOrder) {
    if (starts.length >= free) break;
    if (turn.isAlone !== true && facts.admits(turn.turnId)) starts.push(turn);
  }
  return starts;
}

/** Turns that had to wait rank with ordinary ones. */
const WAITED =
  PRIORITIES.indexOf('normal') * ACTIVATION_SOURCES.length +
  ACTIVATION_SOURCES.indexOf('pending_events');
