import { expect, it, vi } from 'vitest';
import { createReplies } from '../../../electron/engine/replies/replies';
import type { JournalEntry } from '../../../electron/ports/journal/entries';
import { NO_REASON } from '../../../shared/reason';

/** Replies over a journal without rows, and which channels are asked for what waits. */
function world() {
  let committed = (_entries: readonly JournalEntry[]): void => undefined;
  const pendingChannels = vi.fn(() => []);
  const replies = createReplies({
    journal: { onCommitted: (listener: typeof committed) => (committed = listener) },
    reads: { pendingChannels, inbox: () => [], originOf: () => 'db' },
    questions: () => ({ visit: () => undefined }),
    clock: { nowMs: () => 0, monotonicMs: () => 0, sleep: () => new Promise(() => undefined) },
    breakers: { onMoved: () => () => undefined },
    attempts: () => ({ saved: () => undefined, keep: vi.fn(), over: () => Promise.resolve() }),
    channels: { list: () => [], defaultName: () => 'window', isQuiet: () => false },
    timed: {},
  } as never);
  const close = (hasReply: boolean): void =>
    committed([
      {
        kind: 'turn.closed',
        turnId: 1,
        sessionId: 1,
        state: 'discarded',
        reason: NO_REASON,
        hasReply,
      },
    ]);
  return { replies, pendingChannels, close };
}

it('S1-02 an answer goes out with the commit that closes its turn, whoever closed it: a run or a takeover', () => {
  const { replies, pendingChannels, close } = world();
  replies.flush();
  pendingChannels.mockClear();
  close(false);
  expect(pendingChannels).not.toHaveBeenCalled();
  close(true);
  expect(pendingChannels).toHaveBeenCalledTimes(1);
});

it('S1-02 what a start closes waits until that start opens the channels', () => {
  const { replies, pendingChannels, close } = world();
  close(true);
  expect(pendingChannels).not.toHaveBeenCalled();
  replies.flush();
  expect(pendingChannels).toHaveBeenCalledTimes(1);
});
