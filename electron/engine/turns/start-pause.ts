import type { Clock } from '../../ports/clock';
import type { Pause, PauseStore } from '../../ports/pause';
import { waitUntil } from '../kernel/wait-until';

/** The pause of new starts: on disk before it is confirmed, and it ends automatically. */
export function createPause(clock: Clock, store: PauseStore) {
  let pause = store.read();
  let endMs = waitUntil(clock, pause?.untilMs ?? 0);
  return {
    /** What is left of it at this instant. */
    at(nowMs: number): Pause | undefined {
      if (pause?.untilMs !== undefined && endMs() <= nowMs) pause = undefined;
      return pause;
    },
    known: () => pause,
    /** Undefined where no instant ends it. */
    endMs: () => (pause?.untilMs === undefined ? undefined : endMs()),
    set(untilMs: number | undefined): void {
      const wanted = untilMs === undefined ? {} : { untilMs };
      store.write(wanted);
      pause = wanted;
      endMs = waitUntil(clock, untilMs ?? 0);
    },
    lift(): void {
      store.write(undefined);
      pause = undefined;
    },
  };
}
