/**
 * The right to write one file. Holdfast is the only process that writes for its agents, so a queue
 * in memory is enough: a draft and a tool, or two drafts, never write a file at once.
 * Changes by other programs are detected by content, not prevented. S3-20
 */
export interface PathLeases {
  /** Runs `work` while no other call of this process writes `path` (a real path). */
  hold<T>(path: string, work: () => Promise<T>): Promise<T>;
}

export function createPathLeases(): PathLeases {
  const queues = new Map<string, Promise<unknown>>();
  return {
    async hold(path, work) {
      const before = queues.get(path) ?? Promise.resolve();
      const mine = before.then(work, work);
      const settled = mine.catch(() => undefined);
      queues.set(path, settled);
      try {
        return await mine;
      } finally {
        if (queues.get(path) === settled) queues.delete(path);
      }
    },
  };
}
