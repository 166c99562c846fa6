import { describe, expect, it, test, vi } from 'vitest';
import { createLazyUpdates, isCheckDue } from '../../../electron/engine/updates/lazy-updates';
import type { Updates } from '../../../electron/engine/updates/updates';
import type { SettingKey } from '../../../shared/settings';

const DAY_MS = 86_400_000;

test.each([
  ['off', undefined, 0, false],
  ['check', undefined, 0, true],
  ['check', 0, DAY_MS - 1, false],
  ['install', 0, DAY_MS, true],
  ['off', 0, 2 * DAY_MS, false],
] as const)('UP-02 in mode %s, checked at %s, at %s ms a check is due: %s', (mode, at, now, is) => {
  expect(isCheckDue({ mode, checkedMs: at, nowMs: now })).toBe(is);
});

function world({ isOneReady = false } = {}) {
  const state = { mode: 'off', nowMs: 0, loads: 0, checks: 0, changes: 0 };
  const ticks: (() => void)[] = [];
  const draining = new AbortController();
  let changed: (keys: readonly SettingKey[]) => void = () => undefined;
  const stopTicks = vi.fn();
  const part = createLazyUpdates({
    load() {
      state.loads += 1;
      const check = (): Promise<void> => Promise.resolve(void (state.checks += 1));
      return Promise.resolve({ check, brief: () => undefined } as unknown as Updates);
    },
    settings: {
      get: () => state.mode as never,
      onChange(listener) {
        changed = listener;
        return () => undefined;
      },
    },
    journal: { onCommitted: () => () => undefined },
    clock: { monotonicMs: () => state.nowMs },
    isReadOnly: false,
    draining: draining.signal,
    isOneReady: () => isOneReady,
    ticks(work) {
      ticks.push(work);
      return { stop: stopTicks };
    },
    onChange: () => void (state.changes += 1),
  });
  const setMode = (mode: string): void => {
    state.mode = mode;
    changed(['updates.mode']);
  };
  return { part, state, ticks, setMode, draining, stopTicks };
}

describe('when updates are loaded', () => {
  it('UP-02 while they are off nothing ticks and nothing is loaded', () => {
    const { part, state, ticks } = world();
    part.start();
    expect([ticks.length, state.loads]).toEqual([0, 0]);
  });

  it('UP-02 switched on twice they tick once, load with the first tick and check once a day', async () => {
    const { part, state, ticks, setMode, stopTicks } = world();
    part.start();
    setMode('check');
    setMode('install');
    expect([ticks.length, state.loads]).toEqual([1, 0]);
    for (const hour of [0, 1, 23, 24, 47, 48]) {
      state.nowMs = hour * 3_600_000;
      ticks[0]?.();
    }
    await vi.waitFor(() => expect(state.checks).toBe(3), { timeout: 60_000 });
    expect(state.loads).toBe(1);
    part.stop();
    expect(stopTicks).toHaveBeenCalledOnce();
  });

  it('UP-02 once Holdfast stops a change of the setting starts nothing', () => {
    const { part, ticks, setMode, draining } = world();
    part.start();
    draining.abort();
    setMode('check');
    expect(ticks).toEqual([]);
  });

  it('UP-02 a version that waits from before is shown without a check', async () => {
    const { part, state } = world({ isOneReady: true });
    part.start();
    await vi.waitFor(() => expect(state.changes).toBe(1), { timeout: 60_000 });
    expect([state.loads, state.checks]).toEqual([1, 0]);
  });
});
