/**
 * Runs `work` once behind everything that happens together with the first call, however often it is
 * called meanwhile: 50 messages in one commit ask 50 times. `soon` says when that is.
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
