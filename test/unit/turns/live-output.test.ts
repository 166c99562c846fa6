import { describe, expect, it } from 'vitest';
import { createLiveOutput, MAX_LIVE_CHARS } from '../../../electron/engine/turns/live-output';
import { createEventQueue } from '../../../electron/ipc/event-queue';

describe('what a running command has printed', () => {
  it('is the newest end of it, and nothing once the command has ended', () => {
    const told: unknown[] = [];
    const live = createLiveOutput((output) => told.push(output));
    const command = { turnId: 7, step: 3 };
    live.take(command, 'one');
    live.take(command, 'one\ntwo');
    expect(live.of(command)).toBe('one\ntwo');
    expect(live.of({ turnId: 7, step: 4 })).toBeUndefined();
    live.take(command, undefined);
    expect(live.of(command)).toBeUndefined();
    expect(told).toEqual([
      { turnId: 7, step: 3, text: 'one' },
      { turnId: 7, step: 3, text: 'one\ntwo' },
    ]);
  });

  it('is bounded in length and in number, and shows hidden characters by their code', () => {
    const live = createLiveOutput(() => undefined);
    for (let turnId = 1; turnId <= 250; turnId += 1)
      live.take({ turnId, step: 1 }, `\u001b[31m${'\u202e'.repeat(MAX_LIVE_CHARS)}`);
    expect(live.of({ turnId: 50, step: 1 })).toBeUndefined();
    const newest = live.of({ turnId: 250, step: 1 }) ?? '';
    expect(newest.length).toBe(MAX_LIVE_CHARS);
    expect(newest).not.toMatch(/[\u001b\u202e]/);
    expect(newest.endsWith('\\u{202e}')).toBe(true);
  });

  it('goes to a window at most 10 times a second, and of one step only the newest', () => {
    const queue = createEventQueue();
    for (let at = 0; at < 50; at += 1) {
      queue.push('step.output', { turnId: 1, step: 1, text: String(at) });
      queue.push('step.output', { turnId: 1, step: 2, text: String(at) });
    }
    expect(queue.take(0).map(({ payload }) => payload)).toEqual([
      { turnId: 1, step: 1, text: '49' },
      { turnId: 1, step: 2, text: '49' },
    ]);
    for (let at = 0; at < 30; at += 1)
      queue.push('step.output', { turnId: 2, step: at + 1, text: '' });
    expect(queue.take(1)).toHaveLength(8);
  });
});
