import { openItem } from '../inbox/entries';
import type { Basics } from '../kernel/basics';
import type { EventQueue } from '../../ports/event-queue';
import type { JournalEntry } from '../../ports/journal/entries';

/** Minimum interval between searches for an open notice. */
const EVERY_MS = 60_000;

/** An open notice is found by this title, so that there is one and not one per event. */
const TITLE = 'Events were dropped: the event queue is full';

export const isShedNotice = (one: { readonly item: string; readonly title: string }): boolean =>
  one.item === 'problem' && one.title === TITLE;

/**
 * At most one open notice, however many events are dropped; its commit marks them as reported.
 * S2-38
 */
export const shedNotice = (inboxId: number): JournalEntry =>
  openItem(inboxId, 'problem', {
    title: TITLE,
    detail:
      'The event broker is down and the event queue is full: the oldest events become dead letters. ' +
      'They are stored and can be sent again: holdfast dlq list',
  });

interface ShedNoticeDeps extends Pick<Basics, 'clock' | 'log'> {
  readonly queue: Pick<EventQueue, 'shedUntold' | 'markShedTold'>;
  /** True if such a notice is open now. */
  readonly isOpen: () => boolean;
  /** Opens the notice and marks dropped events as reported, in one commit. */
  readonly open: () => Promise<void>;
}

/** The one notice about dropped events. S2-38 */
export interface ShedNotice {
  /** Reports dropped events that were not reported yet, now or as soon as possible. */
  request(): void;
  stop(): void;
}

/**
 * Its progress is on disk with the notice: what went unreported, because of a disk error or a crash,
 * is reported at the next check or the next start, and nothing is reported twice.
 *
 *   quiet --events dropped--> checks --reported--> quiet
 *                               \--not reported, or just reported--> checks again within a minute
 */
export function createShedNotice(deps: ShedNoticeDeps): ShedNotice {
  const { clock, queue } = deps;
  const stopping = new AbortController();
  let notBeforeMs = Number.NEGATIVE_INFINITY;
  let isLooking = false;
  let isScheduled = false;

  const tell = async (): Promise<void> => {
    notBeforeMs = clock.monotonicMs() + EVERY_MS;
    // An open notice already covers it.
    await (deps.isOpen() ? queue.markShedTold() : deps.open());
  };

  const requestIn = (delayMs: number): void => {
    isScheduled = true;
    clock.sleep(delayMs, stopping.signal).then(
      () => {
        isScheduled = false;
        request();
      },
      () => undefined, // Stopping: the next start reports it.
    );
  };

  const request = (): void => {
    if (stopping.signal.aborted || isLooking || isScheduled) return;
    if (queue.shedUntold() <= 0) return;
    const delayMs = notBeforeMs - clock.monotonicMs();
    if (delayMs > 0) {
      requestIn(delayMs);
      return;
    }
    isLooking = true;
    tell()
      .catch((error: unknown) => {
        deps.log.error('delivery.announce', { error });
      })
      .finally(() => {
        isLooking = false;
        request();
      });
  };

  return {
    request,
    stop() {
      stopping.abort();
    },
  };
}
