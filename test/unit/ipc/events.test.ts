import { describe, expect, it, vi } from 'vitest';
import { createEventFeed } from '../../../electron/ipc/event-feed';
import { MAX_WAITING, createEventQueue } from '../../../electron/ipc/event-queue';
import { quietSnapshot } from '../../helpers/snapshot';

const turn = (turnId: number, state = 'running') => ({ turnId, state, sessionId: 1 }) as never;

describe('I6 event queue', () => {
  it('I6 keeps the newest of many snapshots', () => {
    const queue = createEventQueue();
    for (let pid = 1; pid <= 50; pid += 1) queue.push('status.changed', quietSnapshot({ pid }));
    expect(queue.take(0)).toEqual([
      { event: 'status.changed', payload: quietSnapshot({ pid: 50 }) },
    ]);
    expect(queue.take(0)).toEqual([]);
  });

  it('I6 sends at most 10 of one event in any second, and the others later', () => {
    const queue = createEventQueue();
    for (let id = 1; id <= 25; id += 1) queue.push('turn.changed', turn(id));
    queue.push('inbox.changed', { open: 1 });
    expect(queue.take(0)).toHaveLength(11);
    expect(queue.take(500)).toHaveLength(0);
    expect(queue.nextAtMs(500)).toBe(1000);
    expect(queue.take(1000)).toHaveLength(10);
    expect(queue.take(2000)).toHaveLength(5);
    expect(queue.nextAtMs(2000)).toBeUndefined();
  });

  it('I6 keeps at most 100 different items and counts what it drops', () => {
    const queue = createEventQueue();
    for (let id = 1; id <= MAX_WAITING + 5; id += 1) queue.push('turn.changed', turn(id));
    expect(queue.dropped).toBe(5);
    expect(queue.take(0)[0]?.payload).toMatchObject({ turnId: 6 });
  });

  it('I6 joins text, and a withdrawal takes what was not sent yet with it', () => {
    const queue = createEventQueue();
    queue.push('turn.delta', { turnId: 1, text: 'a', isWithdrawn: false });
    queue.push('turn.delta', { turnId: 1, text: 'b', isWithdrawn: false });
    queue.push('turn.delta', { turnId: 2, text: 'x', isWithdrawn: false });
    queue.push('turn.delta', { turnId: 2, text: '', isWithdrawn: true });
    queue.push('turn.delta', { turnId: 2, text: 'y', isWithdrawn: false });
    queue.push('turn.delta', { turnId: 2, text: 'z', isWithdrawn: false });
    expect(queue.take(0).map(({ payload }) => payload)).toEqual([
      { turnId: 1, text: 'ab', isWithdrawn: false },
      { turnId: 2, text: '', isWithdrawn: true },
      { turnId: 2, text: 'yz', isWithdrawn: false },
    ]);
  });

  it('I6 unites the keys of changed settings', () => {
    const queue = createEventQueue();
    queue.push('config.changed', { keys: ['a', 'b'] });
    queue.push('config.changed', { keys: ['b', 'c'] });
    expect(queue.take(0)[0]?.payload).toEqual({ keys: ['a', 'b', 'c'] });
  });
});

describe('I6 event feed', () => {
  function setUp(isVisible = true) {
    const listeners = new Map<string, (payload: never) => void>();
    const send = vi.fn();
    const later: (() => void)[] = [];
    const target = { id: 1, isVisible: () => isVisible, send };
    let nowMs = 0;
    const feed = createEventFeed({
      holdfast: {
        on: (event, listener) => {
          listeners.set(event, listener as never);
          return () => listeners.delete(event);
        },
        status: () => quietSnapshot(),
      },
      targets: () => [target],
      nowMs: () => nowMs,
      later: (delayMs, run) => void later.push(() => ((nowMs += delayMs), run())),
    });
    const drain = (): void => {
      for (let run = later.shift(); run !== undefined; run = later.shift()) run();
    };
    return { feed, send, listeners, drain, target, elapsedMs: () => nowMs };
  }

  it('I6 sends 200 snapshots of one moment as one', () => {
    const { send, listeners, drain } = setUp();
    for (let pid = 1; pid <= 200; pid += 1)
      listeners.get('status.changed')!(quietSnapshot({ pid }) as never);
    drain();
    expect(send).toHaveBeenCalledTimes(1);
    expect(send).toHaveBeenCalledWith(
      'holdfast:event:status.changed',
      expect.objectContaining({ pid: 200 }),
    );
  });

  it('I6 sends nothing to a hidden window and the present state when it comes back', () => {
    const { feed, send, listeners, drain, target } = setUp(false);
    listeners.get('status.changed')!(quietSnapshot() as never);
    drain();
    expect(send).not.toHaveBeenCalled();
    feed.refresh(target);
    expect(send).toHaveBeenCalledWith('holdfast:event:status.changed', quietSnapshot());
  });

  it('I6 spreads 25 turns over more than 2 s and loses none', () => {
    const { send, listeners, drain, elapsedMs } = setUp();
    for (let id = 1; id <= 25; id += 1) listeners.get('turn.changed')!(turn(id));
    drain();
    expect(send).toHaveBeenCalledTimes(25);
    expect(elapsedMs()).toBeGreaterThanOrEqual(2000);
  });

  it('takes its listeners back when it stops', () => {
    const { feed, listeners } = setUp();
    feed.stop();
    expect(listeners.size).toBe(0);
  });
});
