/**
 * Runs `work` once after everything that happens together with the first call, however many calls
 * follow: 50 messages in one commit call 50 times. `soon` schedules it.
 */
export function createCoalesced(
  work: () => void,
  soon: (work: () => void) => void = queueMicrotask,
): () => void {
  let isDue = false;
  return () => {
    if (isDue) return;
    isDue = true;
    soon(() => {
      isDue = false;
      work();
    });
  };
}
