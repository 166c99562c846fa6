import { describe, expect, it } from 'vitest';
import { createBreakerProbes, type BreakerProbe } from '../../../electron/engine/breaker/probes';
import { createTestRegistry, createKept } from './book';
import { createVirtualTime } from './virtual-time';

const ok: BreakerProbe = () => Promise.resolve({ kind: 'ok' });

function site(trial: BreakerProbe | undefined = ok, kept = createKept()) {
  const time = createVirtualTime();
  const book = createTestRegistry(time.clock, kept);
  let asked = 0;
  const trials = createBreakerProbes({
    breakers: book,
    clock: time.clock,
    trialOf: () =>
      trial === undefined
        ? undefined
        : (signal) => {
            asked += 1;
            return trial(signal);
          },
  });
  trials.start();
  return { time, book, trials, kept, asked: () => asked, mcp: () => book.of('mcp.a', 'mcp') };
}

describe('S2-07 trials without traffic', () => {
  it('S2-07 has no timer while every breaker is closed, 4 failures or not', async () => {
    const { time, mcp } = site();
    for (let n = 0; n < 4; n++) mcp().onFailure(undefined, 'down');
    await time.advance(3_600_000);
    expect(time.sleeps).toEqual([]);
  });

  it('S2-07 an open breaker is tried when its 10 s are over, again at once, and is closed', async () => {
    const { time, mcp, asked } = site();
    mcp().trip('down');
    await time.advance(9_999);
    expect([asked(), mcp().view().state]).toEqual([0, 'open']);
    await time.advance(1);
    expect([asked(), mcp().view().state]).toEqual([2, 'closed']);
    await time.advance(3_600_000);
    expect(asked()).toBe(2);
  });

  it('S2-11 trials that fail come after 10, 20, 40, 80, 120, 120 s, one timer at a time', async () => {
    const { time, mcp, asked } = site(() => Promise.reject(new Error('refused')));
    mcp().trip('down');
    for (const [n, seconds] of [10, 20, 40, 80, 120, 120].entries()) {
      await time.advance(seconds * 1_000 - 1);
      expect(asked()).toBe(n);
      await time.advance(1);
      expect(asked()).toBe(n + 1);
    }
    expect(mcp().view()).toMatchObject({ state: 'open', lastError: 'refused' });
  });

  it('S2-07 a trial that hangs for 30 s has failed, and is stopped', async () => {
    let stopped = 0;
    const { time, mcp } = site(
      (signal) =>
        new Promise(() => {
          signal.addEventListener('abort', () => (stopped += 1));
        }),
    );
    mcp().trip('down');
    await time.advance(40_000);
    expect([stopped, mcp().view().state, mcp().view().backoffMs]).toEqual([1, 'open', 20_000]);
  });

  it('S2-07 one that could not be asked is no failure and is not asked again at once', async () => {
    const { time, mcp, asked } = site(() => Promise.resolve({ kind: 'neither' }));
    mcp().trip('down');
    await time.advance(19_999);
    expect([asked(), mcp().view().state]).toEqual([1, 'half_open']);
    await time.advance(1);
    expect(asked()).toBe(2);
  });

  it('S2-07 where nothing harmless can be asked there is no timer', async () => {
    const { time, mcp } = site(undefined);
    const passive = createBreakerProbes({
      breakers: createTestRegistry(time.clock, createKept()),
      clock: time.clock,
      trialOf: () => undefined,
    });
    passive.start();
    mcp().onFailure();
    await time.advance(1_000_000);
    expect(time.sleeps).toEqual([]);
  });

  it('S2-09 a call that comes first is the trial; the other one is not sent', async () => {
    const { time, mcp, asked } = site();
    mcp().trip('down');
    time.jumpWall(10_000);
    const admission = mcp().allow();
    expect(admission).toMatchObject({ kind: 'allowed', isTrial: true });
    await time.advance(10_000);
    expect(asked()).toBe(0);
    if (admission.kind === 'allowed') mcp().onFailure(admission, 'still down');
    expect(mcp().view().state).toBe('open');
  });

  it('S2-+04 one that was open when the process ended is tried after the rest of its wait', async () => {
    const first = site();
    first.mcp().trip('down');
    await first.time.advance(4_000);
    first.trials.stop();
    await first.time.advance(100_000);
    expect(first.asked()).toBe(0);
    const second = site(ok, first.kept);
    await second.time.advance(9_999);
    expect(second.asked()).toBe(0);
    await second.time.advance(1);
    expect(second.mcp().view().state).toBe('closed');
  });

  it('S2-22 a reset by hand ends its timer', async () => {
    const { time, mcp, asked } = site();
    mcp().trip('down');
    mcp().reset('hand');
    await time.advance(3_600_000);
    expect(asked()).toBe(0);
  });
});
