/**
 * Runs `work` once behind everything that happens together with the first call, however often it is
 * called meanwhile: 50 messages in one commit ask 50 times.
 */
export function createSoonOnce(work: () => void): () => void {
  let isDue = false;
  return () => {
    if (isDue) return;
    isDue = true;
    queueMicrotask(() => {
      isDue = false;
      work();
    });
  };
}
