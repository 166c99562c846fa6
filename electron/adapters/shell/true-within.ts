import { setTimeout as delay } from 'node:timers/promises';

const POLL_MS = 50;

/** True as soon as `test` is; false if it is not within this time. */
export async function isTrueWithin(
  waitMs: number,
  test: () => boolean | Promise<boolean>,
): Promise<boolean> {
  const deadlineMs = performance.now() + waitMs;
  for (;;) {
    if (await test()) return true;
    if (performance.now() >= deadlineMs) return false;
    await delay(POLL_MS);
  }
}
