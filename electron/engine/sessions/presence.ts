/** Tracks sessions that commits in progress are creating, using or deleting. */
export interface Presence {
  /**
   * Until the commit is done, other work with this key waits, so that two first messages create one
   * session.
   */
  announce(key: string, commit: Promise<unknown>): void;
  isBeingMade(key: string): boolean;
  /**
   * Does work with what `look` finds, once no commit is creating or deleting its session; until the
   * work is done, the session cannot be deleted. Nothing is awaited between `look` and the start of
   * the work.
   */
  inSession<T extends { readonly sessionId?: number | undefined }, U>(
    key: string | undefined,
    look: () => T,
    work: (found: T) => Promise<U>,
  ): Promise<U>;
  /** Deletes a session while no work uses it. False, with nothing done, if some does. */
  ending(sessionId: number, work: () => Promise<void>): Promise<boolean>;
}

export function createPresence(): Presence {
  const making = new Map<string, Promise<unknown>>();
  /** Amount of work in progress per session. */
  const used = new Map<number, number>();
  const leaving = new Map<number, Promise<void>>();

  const use = (sessionId: number, more: 1 | -1): void => {
    const count = (used.get(sessionId) ?? 0) + more;
    if (count === 0) used.delete(sessionId);
    else used.set(sessionId, count);
  };

  return {
    announce(key, commit) {
      const done = commit.then(
        () => making.delete(key),
        () => making.delete(key),
      );
      making.set(key, done);
    },
    isBeingMade: (key) => making.has(key),
    async inSession(key, look, work) {
      for (;;) {
        // Checked again after each wait: two that arrive together must not both find nothing.
        while (key !== undefined && making.has(key)) await making.get(key);
        const found = look();
        const { sessionId } = found;
        if (sessionId === undefined) return work(found);
        const end = leaving.get(sessionId);
        if (end !== undefined) {
          await end;
          continue;
        }
        use(sessionId, 1);
        try {
          return await work(found);
        } finally {
          use(sessionId, -1);
        }
      }
    },
    async ending(sessionId, work) {
      if (used.has(sessionId)) return false;
      const done = work();
      leaving.set(
        sessionId,
        done.catch(() => undefined),
      );
      try {
        await done;
      } finally {
        leaving.delete(sessionId);
      }
      return true;
    },
  };
}
