import { EventEmitter } from 'node:events';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import type { StopReason } from '../../../electron/lifecycle';
import { watchPower } from '../../../electron/shell/system/power';
import { createQuit, quitLimitMs } from '../../../electron/shell/quit';

function setUp(stop: (reason: StopReason) => Promise<void> = () => Promise.resolve()) {
  const order: string[] = [];
  const emitter = new EventEmitter();
  const exit = vi.fn((code: number) => void order.push(`exit ${code}`));
  const quit = createQuit({
    app: { on: emitter.on.bind(emitter), exit, quit: vi.fn() } as never,
    stop: async (reason) => {
      order.push(`stop ${reason}`);
      await stop(reason);
    },
    disarmRelaunch: () => void order.push('disarm'),
    limitMs: quitLimitMs,
    log: { debug: vi.fn(), info: vi.fn(), warn: vi.fn(), error: vi.fn() },
  });
  const beforeQuit = (): boolean => {
    let isPrevented = false;
    emitter.emit('before-quit', { preventDefault: () => (isPrevented = true) });
    return isPrevented;
  };
  return { quit, order, beforeQuit, exit, emitter };
}

describe('S2-48 quit', () => {
  beforeEach(() => vi.useFakeTimers());

  it('S2-48 disarms first, stops in order, then exits with 0', async () => {
    const { order, beforeQuit, quit } = setUp();
    expect(quit.isQuitting()).toBe(false);
    expect(beforeQuit()).toBe(true);
    expect(quit.isQuitting()).toBe(true);
    await vi.runAllTimersAsync();
    expect(order).toEqual(['disarm', 'stop stop', 'exit 0']);
    expect(beforeQuit()).toBe(false);
  });

  it('S2-48 a second request exits at once, without a second stop', () => {
    const { order, beforeQuit } = setUp(() => new Promise(() => undefined));
    beforeQuit();
    beforeQuit();
    expect(order).toEqual(['disarm', 'stop stop', 'disarm', 'exit 0']);
  });

  it('S2-48 a stop that hangs is cut off after 30 s, after 5 s when the system shuts down', async () => {
    for (const [reason, limitMs] of [
      ['stop', 30_000],
      ['os_shutdown', 5_000],
      ['takeover', 5_000],
    ] as const) {
      const { quit, exit } = setUp(() => new Promise(() => undefined));
      quit.request(reason);
      await vi.advanceTimersByTimeAsync(limitMs - 1);
      expect(exit).not.toHaveBeenCalled();
      await vi.advanceTimersByTimeAsync(1);
      expect(exit).toHaveBeenCalledWith(0);
    }
  });

  it('S2-48 a stop that fails exits with 1', async () => {
    const { quit, exit } = setUp(() => Promise.reject(new Error('x')));
    quit.request('stop');
    await vi.runAllTimersAsync();
    expect(exit).toHaveBeenCalledWith(1);
  });

  it('S2-48 an engine that has stopped by itself ends the process, disarmed', () => {
    const { quit, order } = setUp();
    quit.finish('takeover');
    quit.finish('stop');
    expect(order).toEqual(['disarm', 'exit 0']);
  });

  it('S2-48 an engine that stopped because of its own error ends the process with 1', () => {
    const { quit, order } = setUp();
    quit.finish('crash');
    expect(order).toEqual(['disarm', 'exit 1']);
  });

  it('stays when the last window is closed', () => {
    expect(setUp().emitter.listenerCount('window-all-closed')).toBe(1);
  });
});

describe('power', () => {
  it('tells each sleep, wake and shutdown once, although Electron tells them twice', () => {
    const monitor = new EventEmitter();
    const seen: string[] = [];
    watchPower({
      monitor: monitor as never,
      onSuspend: () => seen.push('suspend'),
      onResume: () => seen.push('resume'),
      onShutdown: () => seen.push('shutdown'),
    });
    monitor.emit('resume');
    for (const event of ['suspend', 'suspend', 'resume', 'resume', 'suspend', 'resume'])
      monitor.emit(event);
    const preventDefault = vi.fn();
    monitor.emit('shutdown', { preventDefault });
    monitor.emit('shutdown', { preventDefault });
    expect(seen).toEqual(['suspend', 'resume', 'suspend', 'resume', 'shutdown']);
    expect(preventDefault).toHaveBeenCalledTimes(2);
  });
});
