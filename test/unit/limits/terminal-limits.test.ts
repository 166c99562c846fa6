import { describe, expect, it } from 'vitest';
import { createVirtualClock, type VirtualClock } from '../../helpers/virtual-clock';
import {
  continuesAtMs,
  createTerminalLimits,
} from '../../../electron/engine/executors/program/terminal-limits';
import { openedInTerminal, planAdopt } from '../../../electron/engine/executors/program/plan-adopt';
import type { WatchedSession } from '../../../shared/watch-rules';

const HOUR = 3_600_000;
const NOW = 100 * HOUR;
const terminal = (resetsAtMs?: number): WatchedSession => ({
  session: 'ref-1',
  cwd: '/p',
  lastAtMs: NOW - HOUR,
  prompt: '',
  state: 'idle',
  finished: [],
  open: [],
  limit: { atMs: NOW - HOUR, ...(resetsAtMs === undefined ? {} : { resetsAtMs }) },
});

describe('LM-12 a watched terminal at its usage limit', () => {
  it.each<[string, number | undefined, number | undefined]>([
    ['continues after its reset and the margin', NOW + HOUR, NOW + HOUR + 60_000],
    ['at once where that has passed', NOW - HOUR, NOW - HOUR + 60_000],
    ['not without a time', undefined, undefined],
    ['not a day later', NOW - 24 * HOUR - 60_001, undefined],
  ])('%s', (_what, resetsAtMs, atMs) => {
    expect(continuesAtMs(terminal(resetsAtMs), { nowMs: NOW, marginMs: 60_000 })).toBe(atMs);
  });

  function world(facts: {
    isOn: boolean;
    terminals: readonly WatchedSession[];
    taken?: 'busy' | 'elsewhere';
    heard?: string;
  }) {
    const accepted: unknown[] = [];
    const clock = createVirtualClock(NOW);
    const limits = createTerminalLimits({
      settings: {
        get: (key: string) => (key === 'limits.margin' ? '60s' : facts.isOn),
      } as never,
      clock,
      conversations: { terminals: () => Promise.resolve(facts.terminals) },
      adoption: {
        takeOver: () =>
          facts.taken === 'busy'
            ? Promise.reject(new Error('busy'))
            : Promise.resolve(
                facts.taken === 'elsewhere' ? undefined : ({ id: 7, agent: 'c' } as never),
              ),
      },
      sessions: {
        accept: (message) => {
          accepted.push(message);
          return Promise.resolve({} as never);
        },
      },
      reads: { heardMessage: (_channel, id) => (facts.heard === id ? 3 : undefined) },
      audit: { record: () => undefined } as never,
      log: { warn: () => undefined } as never,
      draining: new AbortController().signal,
    });
    return { limits, accepted, clock };
  }

  it('is left alone while the setting is off, and where its conversation is in another session', async () => {
    for (const facts of [{ isOn: false }, { isOn: true, taken: 'elsewhere' } as const]) {
      const { limits, accepted, clock } = world({ ...facts, terminals: [terminal(NOW - HOUR)] });
      await limits.look();
      expect([accepted, clock.pending.sleeps]).toEqual([[], 0]);
    }
  });

  it.each<[string, (clock: VirtualClock) => void, number]>([
    ['when the time has come', () => undefined, HOUR + 60_000],
    [
      'at its time, where the computer slept for 50 min of it',
      (clock) => clock.suspend(50 * 60_000),
      11 * 60_000,
    ],
    [
      'after the same wait, where the clock is set back by a year',
      (clock) => clock.set(-8_760 * HOUR),
      HOUR + 60_000,
    ],
  ])(
    'is continued %s, under an id that is the same after a restart',
    async (_what, meanwhile, waitMs) => {
      const { limits, accepted, clock } = world({ isOn: true, terminals: [terminal(NOW + HOUR)] });
      await limits.look();
      meanwhile(clock);
      // A sleep is noticed within 10 s.
      await clock.advance(waitMs - 11_000);
      expect(accepted).toEqual([]);
      await clock.advance(22_000);
      await expect
        .poll(() => accepted)
        .toMatchObject([{ session: '7', messageId: `terminal-limit:ref-1:${String(NOW - HOUR)}` }]);
    },
  );

  it('is not continued again by a later start', async () => {
    const heard = `terminal-limit:ref-1:${String(NOW - HOUR)}`;
    const { limits, accepted } = world({ isOn: true, terminals: [terminal(NOW - HOUR)], heard });
    await limits.look();
    expect(accepted).toEqual([]);
  });

  it('that cannot be continued yet is tried again after 5 min', async () => {
    const facts: Parameters<typeof world>[0] = {
      isOn: true,
      terminals: [terminal(NOW - HOUR)],
      taken: 'busy',
    };
    const { limits, accepted, clock } = world(facts);
    await limits.look();
    delete facts.taken;
    await clock.advance(299_000);
    expect(accepted).toEqual([]);
    await clock.advance(1_000);
    await expect.poll(() => accepted).toHaveLength(1);
  });

  const watched = { hasEnded: false, lastAtMs: NOW, process: 'alive' } as const;
  const adopt = { ref: 'r', agent: 'c', key: 'k', nowMs: NOW, recordAtMs: NOW, holder: undefined };
  it.each([
    [
      'may be open when it is adopted at its reset',
      { isAtLimit: true },
      { isAtLimit: true } as const,
      'new',
    ],
    ['may not when a person adopts it', {}, { isAtLimit: true } as const, 'refused'],
    ['may not once the user has written there again', { isAtLimit: true }, {}, 'refused'],
  ] as const)('%s', (_what, wanted, stands, kind) => {
    expect(planAdopt({ ...adopt, ...wanted, watched: { ...watched, ...stands } }).kind).toBe(kind);
  });

  it('stops turns of its session only once the user has written there again', () => {
    expect(openedInTerminal({ ...watched, isAtLimit: true })).toBeUndefined();
    expect(openedInTerminal(watched)).toContain('A watched terminal is in this conversation');
  });
});
