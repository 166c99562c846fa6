/** Work of one topic runs one after the other, in the order it came; topics do not wait for each other. */
interface TopicQueues {
  /** Rejects as the work does; what comes after it runs all the same. */
  inOrder<T>(topic: string, work: () => Promise<T>): Promise<T>;
  /** Resolves when nothing that was there at the call is at work any more. */
  settled(): Promise<void>;
}

export function createTopicQueues(): TopicQueues {
  /** The last work of each topic that has any. */
  const last = new Map<string, Promise<void>>();
  return {
    inOrder(topic, work) {
      const before = last.get(topic);
      const mine = before === undefined ? work() : before.then(work);
      const done = mine.then(
        () => undefined,
        () => undefined,
      );
      last.set(topic, done);
      void done.then(() => {
        if (last.get(topic) === done) last.delete(topic);
      });
      return mine;
    },
    async settled() {
      await Promise.all(last.values());
    },
  };
}
