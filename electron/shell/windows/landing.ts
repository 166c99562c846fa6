/** Collects from the engine the facts that decide which page the main window opens on. */
import type { Holdfast } from '../../engine/api/facade';
import { PRACTICE_SESSION } from '../../../shared/practice';
import { decideLanding, standsStill, type Landing, type PagePlace } from './decide-landing';

interface LandingDeps {
  readonly holdfast: Pick<Holdfast, 'call' | 'status'>;
  readonly isFirstStartDone: () => boolean;
  readonly place: () => PagePlace | undefined;
}

/** Number of recently used sessions to read; two are enough to know that there is another one. */
const FEW = 20;
const MANY = 200;

/** Every call after the first is for a window that is opened again: nothing has crashed since. */
export function createLanding(deps: LandingDeps): (asked: string) => Promise<Landing> {
  let isFirstOpening = true;
  return async (asked) => {
    const isFirst = isFirstOpening;
    isFirstOpening = false;
    // Read when the window opens, because the page soon reports its own place.
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
