import type { HeldLock } from '../../ports/instance-lock';

const BEAT_EVERY_MS = 30_000;

/**
 * Shows other processes every 30 s that the owner of the data directory is alive. `onLost`: another
 * process has taken the lock.
 */
export function createOwnerHeartbeat(deps: {
  readonly lock: () => Pick<HeldLock, 'touchAlive'>;
  readonly onLost: (error: unknown) => void;
}): { start(): void; stop(): void } {
  let timer: NodeJS.Timeout | undefined;
  const beat = (): void => {
    deps.lock().touchAlive().catch(deps.onLost);
  };
  return {
    start() {
      timer = setInterval(beat, BEAT_EVERY_MS);
      timer.unref();
      beat();
    },
    stop() {
      clearInterval(timer);
    },
  };
}
