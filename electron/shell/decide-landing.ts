/** Which page the main window opens on, and what of the first start is over. Pure. */
import type { InboxItem, RestartNotice } from '../../shared/types';
import type { ScrollBox } from '../../shared/scroll-boxes';

/** Where the person was, as the page says it; `top` is how far its `box` was scrolled. */
export interface Place {
  readonly route: string;
  readonly box?: ScrollBox | undefined;
  readonly top?: number | undefined;
  /** The practice story was about to end this process itself. */
  readonly isOwnKill?: boolean | undefined;
}

export interface LandingFacts {
  /** Where the window stands by itself: `/`, or what a link, a notice or a reload has brought. */
  readonly asked: string;
  /** No main window of this process has asked before. */
  readonly isFirstOpening: boolean;
  readonly isFirstStartDone: boolean;
  /** Why this start happened; undefined while it is not known. */
  readonly restart: RestartNotice['reason'] | undefined;
  /** Turns that stand still until a person answers. */
  readonly waiting: readonly Pick<InboxItem, 'id' | 'kind' | 'createdAtMs' | 'sessionId'>[];
  /** The session of the practice story; undefined where it was never begun. */
  readonly practiceSessionId: number | undefined;
  /** Something was asked of an agent besides the practice story. */
  readonly hasOtherTurns: boolean;
  readonly place: Place | undefined;
}

export interface Landing {
  readonly route: string;
  readonly box?: ScrollBox;
  readonly top?: number;
  /** Nobody is led through the first start any more, although its setting does not say so yet. */
  readonly isStoryOver: boolean;
}

const WELCOME = '/welcome';
/** Ends that nobody meant. A shutdown or an update was meant, and the person has gone elsewhere. */
const SUDDEN: ReadonlySet<RestartNotice['reason']> = new Set([
  'crash',
  'kill',
  'power_loss',
  'stop_cut_off',
]);
/** What a crash has cut off comes before what has merely waited. */
const URGENCY: Readonly<Partial<Record<InboxItem['kind'], number>>> = {
  replay_decision: 3,
  approval: 2,
  limit: 1,
};

/** Kinds of items for which a turn stands still. */
export const standsStill = ({ kind }: Pick<InboxItem, 'kind'>): boolean =>
  URGENCY[kind] !== undefined;

/** The most urgent, and of those the newest: it is what the person was at. */
export function decisionToOpen(
  waiting: LandingFacts['waiting'],
): LandingFacts['waiting'][number] | undefined {
  return waiting
    .filter(standsStill)
    .toSorted(
      (a, b) =>
        (URGENCY[b.kind] ?? 0) - (URGENCY[a.kind] ?? 0) ||
        b.createdAtMs - a.createdAtMs ||
        b.id - a.id,
    )[0];
}

/**
 *   a page that was asked for > a decision after a sudden end > the practice story after its own kill >
 *   where the person was before a sudden end > the first start, while nothing else was ever asked > Home
 */
export function decideLanding(facts: LandingFacts): Landing {
  const { asked, place, isFirstStartDone, hasOtherTurns } = facts;
  const isBack = facts.isFirstOpening && facts.restart !== undefined && SUDDEN.has(facts.restart);
  const isStoryOver = !isFirstStartDone && hasOtherTurns;
  const scrolled = (route: string): Partial<Landing> =>
    place?.route === route && place.box !== undefined && place.top !== undefined
      ? { box: place.box, top: place.top }
      : {};
  if (asked !== '/') {
    // Whoever stood in the story and comes in by another door has left it.
    const hasLeft = !isFirstStartDone && asked !== WELCOME && place?.route === WELCOME;
    return { route: asked, ...scrolled(asked), isStoryOver: isStoryOver || hasLeft };
  }
  if (isBack) {
    const isOwnKill = place?.route === WELCOME && place.isOwnKill === true;
    const waiting = isOwnKill
      ? facts.waiting.filter(({ sessionId }) => sessionId !== facts.practiceSessionId)
      : facts.waiting;
    const decision = decisionToOpen(waiting);
    if (decision !== undefined)
      return { route: `/decisions/item-${String(decision.id)}`, isStoryOver };
    if (isOwnKill) return { route: WELCOME, isStoryOver: false };
    if (place !== undefined && place.route !== WELCOME)
      return { route: place.route, ...scrolled(place.route), isStoryOver };
  }
  if (!isFirstStartDone && !hasOtherTurns) return { route: WELCOME, isStoryOver: false };
  return { route: '/', ...scrolled('/'), isStoryOver };
}
