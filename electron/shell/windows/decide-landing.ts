/** Which page the main window opens on, and which parts of the first start are done. Pure. */
import type { VerbOutput } from '../../../shared/contract';
import type { InboxItem, RestartNotice } from '../../../shared/types';
import type { ScrollBox } from '../../../shared/scroll-boxes';

/** Where the user was, as the page reports it; `top` is how far its `box` was scrolled. */
export interface PagePlace {
  readonly route: string;
  readonly box?: ScrollBox | undefined;
  readonly top?: number | undefined;
  /** The practice story was about to end this process itself. */
  readonly isOwnKill?: boolean | undefined;
}

export interface LandingFacts {
  /**
   * The route that the window was opened with: `/`, or the route of a link, a notice or a reload.
   */
  readonly asked: string;
  /** The first main window of this process. */
  readonly isFirstOpening: boolean;
  readonly isFirstStartDone: boolean;
  /** Why this start happened; undefined while it is not known. */
  readonly restart: RestartNotice['reason'] | undefined;
  /** Turns that are blocked until the user answers. */
  readonly waiting: readonly Pick<InboxItem, 'id' | 'kind' | 'createdAtMs' | 'sessionId'>[];
  /** The session of the practice; undefined if it was never started. */
  readonly practiceSessionId: number | undefined;
  /** An agent has worked on something other than the practice. */
  readonly hasOtherTurns: boolean;
  readonly place: PagePlace | undefined;
}

export type Landing = VerbOutput<'app.landing'>;

const WELCOME = '/welcome';
/** Unintended ends. A shutdown or an update was intended, and by then the user has moved on. */
const SUDDEN: ReadonlySet<RestartNotice['reason']> = new Set([
  'crash',
  'kill',
  'power_loss',
  'stop_cut_off',
]);
/** What a crash interrupted comes before what is only waiting. */
const URGENCY: Readonly<Partial<Record<InboxItem['kind'], number>>> = {
  replay_decision: 3,
  approval: 2,
  limit: 1,
};

/** Kinds of items that block a turn. */
export const standsStill = ({ kind }: Pick<InboxItem, 'kind'>): boolean =>
  URGENCY[kind] !== undefined;

/** The most urgent item, and the newest of several: the user was working on it. */
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
 *   a requested page > a decision after a sudden end > the practice after its own kill >
 *   where the user was before a sudden end > the first start, while there are no other turns > Home
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
    // If the user opens another page during the first start, the first start ends.
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
