import { expect, it, vi } from 'vitest';
import { createReplies } from '../../../electron/engine/replies/replies';
import { replyRule } from '../../../electron/engine/replies/timed-answers';
import { discardedTurn } from '../../../electron/engine/recovery/skill-discard';
import type { JournalEntry } from '../../../electron/ports/journal/entries';
import { NO_REASON } from '../../../shared/reason';
import { turnRow } from '../recovery/step-rows';

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

it.each([
  ['a time started in the window', 'window', 1, true],
  ['a person started in the window', 'window', 2, false],
  ['came from a chat', 'bot', 2, true],
])(
  'S4-26 S1-38 a turn that %s and whose skill is discarded is reported like its own end',
  (_what, channel, id, hasReply) => {
    const rule = replyRule({
      channels: () => [{ name: 'window', timed: {} }] as never,
      scheduleReads: {
        madeBy: (turnId: number) => (turnId === 1 ? { kind: 'wake' } : undefined),
      } as never,
    });
    const turn = turnRow({ id, channel, stepCount: 4 });
    const entries = discardedTurn({ hasReply: rule }, turn, NO_REASON);
    expect(entries.at(-1)).toMatchObject({ kind: 'turn.closed', turnId: id, hasReply });
    expect(entries.map((entry) => entry.kind)).toEqual(
      hasReply ? ['step.started', 'step.ended', 'turn.closed'] : ['turn.closed'],
    );
  },
);
