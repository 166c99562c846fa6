/** Asks the engine what the landing of the main window is decided by. */
import type { Holdfast } from '../engine/api/facade';
import { PRACTICE_SESSION } from '../../shared/practice';
import { decideLanding, standsStill, type Landing, type Place } from './decide-landing';

interface LandingDeps {
  readonly holdfast: Pick<Holdfast, 'call' | 'status'>;
  readonly isFirstStartDone: () => boolean;
  readonly place: () => Place | undefined;
}

/** Sessions used last; more than one of them is enough to know that there is another. */
const FEW = 20;
const MANY = 200;

/** Each call but the first is of a window that is opened again: nothing has crashed since. */
export function createLanding(deps: LandingDeps): (asked: string) => Promise<Landing> {
  let isFirstOpening = true;
  return async (asked) => {
    const isFirst = isFirstOpening;
    isFirstOpening = false;
    // As it was when the window opened: the page says where it is as soon as it knows.
    const place = deps.place();
    const [{ items }, { sessions }] = await Promise.all([
      deps.holdfast.call('inbox.list', { limit: MANY }, 'window'),
      deps.holdfast.call('sessions.list', { limit: FEW }, 'window'),
    ]);
    const practice = sessions.find(({ key }) => key === PRACTICE_SESSION);
    return decideLanding({
      asked,
      isFirstOpening: isFirst,
      isFirstStartDone: deps.isFirstStartDone(),
      restart: deps.holdfast.status().restart?.reason,
      waiting: items.filter(standsStill),
      practiceSessionId: practice?.id,
      hasOtherTurns: sessions.some(({ key, turns }) => key !== PRACTICE_SESSION && turns > 0),
      place,
    });
  };
}
