import { describe, expect, it } from 'vitest';
import { createAwake, followWork } from '../../../electron/engine/awake/awake';
import { DUE_SOON_MS, LINGER_MS } from '../../../electron/engine/awake/plan-awake';
import type { PowerSource } from '../../../electron/ports/awake';
import type { SettingKey } from '../../../shared/settings';
import { createVirtualClock } from '../../helpers/virtual-clock';

const HOUR = 3_600_000;

/** The room over a pretended system that notes each hold and each release. */
function world(settings: Record<string, unknown> = {}) {
  const clock = createVirtualClock(1_800_000_000_000);
  const trace: string[] = [];
  const state = {
    turns: 0,
    nextDueAtMs: undefined as number | undefined,
    power: { kind: 'plugged_in', hasBattery: false } as PowerSource,
    reads: 0,
    refuse: (_reason: string): void => undefined,
  };
  const values: Record<string, unknown> = {
    'power.keep_awake': 'plugged_in',
    'power.battery_floor': 30,
    'power.max_awake': '8h',
    ...settings,
  };
  const audited: string[] = [];
  const awake = createAwake({
    clock,
    settings: { get: (key: string) => values[key] } as never,
    holder: {
      hold(why) {
        trace.push(`hold: ${why}`);
        return {
          release: () => void trace.push('release'),
          lost: new Promise((resolve) => {
            state.refuse = (reason) => resolve({ reason });
          }),
        };
      },
    },
    readPower: () => {
      state.reads += 1;
      return Promise.resolve(state.power);
    },
    turnsAtWork: () => state.turns,
    nextDueAtMs: () => state.nextDueAtMs,
    audit: {
      record: (event, { reason }) => void audited.push(`${event} ${String(reason ?? '')}`.trim()),
      flush: () => Promise.resolve(),
    },
    log: { debug() {}, info() {}, warn() {}, error() {} },
    onChange: () => undefined,
  });
  const turns = async (count: number): Promise<void> => {
    state.turns = count;
    awake.look();
    await clock.advance(0);
  };
  awake.start();
  return { awake, clock, trace, state, turns, audited, values };
}

describe('keeping the computer awake', () => {
  it('KA-01 KA-02 10 turns one after another are one hold, released 10 s after the last', async () => {
    const { clock, trace, turns, awake } = world();
    for (let turn = 0; turn < 10; turn += 1) {
      await turns(1);
      await clock.advance(60_000);
      await turns(0);
      await clock.advance(LINGER_MS / 2);
    }
    expect(trace).toEqual(['hold: An agent is working']);
    expect(awake.view()).toMatchObject({ cause: 'turns', turns: 0 });
    await clock.advance(LINGER_MS);
    expect(trace).toEqual(['hold: An agent is working', 'release']);
    expect([awake.view(), clock.pending.sleeps]).toEqual([undefined, 0]);
  });

  it('KA-01 holds from 5 min before a task is due', async () => {
    const { clock, trace, state, awake } = world();
    state.nextDueAtMs = clock.nowMs() + HOUR;
    awake.look();
    await clock.advance(HOUR - DUE_SOON_MS - 1);
    expect(trace).toEqual([]);
    await clock.advance(1_000);
    expect(trace).toEqual(['hold: A task is due within 5 minutes']);
  });

  it('KA-01 neither holds nor asks for the power source while everything waits', async () => {
    const { clock, trace, state, turns } = world();
    await turns(0);
    await clock.advance(HOUR);
    expect([trace, state.reads, clock.pending.sleeps]).toEqual([[], 0, 0]);
  });

  it('KA-03 lets go at 8 h and takes no new hold before the work has ended', async () => {
    const { clock, trace, turns, audited } = world();
    await turns(2);
    await clock.advance(9 * HOUR);
    expect(trace).toEqual(['hold: Agents are working', 'release']);
    expect(audited).toEqual(['awake_held', 'awake_released ceiling']);
    await turns(0);
    await clock.advance(LINGER_MS);
    await turns(1);
    expect(trace.at(-1)).toBe('hold: An agent is working');
  });

  it('KA-03 lets go when the plug is pulled and below the battery floor, and holds again', async () => {
    const { clock, trace, state, turns } = world({ 'power.keep_awake': 'always' });
    state.power = { kind: 'battery', percent: 31 };
    await turns(1);
    state.power = { kind: 'battery', percent: 30 };
    await clock.advance(61_000);
    expect(trace).toEqual(['hold: An agent is working', 'release']);
    state.power = { kind: 'plugged_in', hasBattery: true };
    await clock.advance(61_000);
    expect(trace).toHaveLength(3);
  });

  it('KA-05 "let it sleep" ends the hold now and lasts until the work is over', async () => {
    const { awake, clock, trace, turns, audited } = world();
    expect(awake.letSleep('cli')).toBe(false);
    await turns(1);
    expect(awake.letSleep('cli')).toBe(true);
    await turns(0);
    await turns(1);
    await clock.advance(HOUR);
    expect(trace).toEqual(['hold: An agent is working', 'release']);
    expect(audited).toEqual(['awake_held', 'awake_let_go', 'awake_released let_go']);
    await turns(0);
    await clock.advance(LINGER_MS);
    await turns(1);
    expect(trace).toHaveLength(3);
  });

  it('KA-01 a system that refuses is asked once for one stretch of work, and nothing is claimed', async () => {
    const { awake, clock, trace, state, turns } = world();
    await turns(1);
    state.refuse('Access denied');
    await clock.advance(0);
    expect(awake.view()).toBeUndefined();
    await turns(2);
    await clock.advance(HOUR);
    expect(trace).toEqual(['hold: An agent is working', 'release']);
  });

  it('KA-03 a stop releases', async () => {
    const { awake, clock, trace, turns } = world();
    await turns(1);
    awake.stop();
    await clock.advance(HOUR);
    expect([trace.at(-1), trace.length, clock.pending.sleeps]).toEqual(['release', 2, 0]);
  });
});

describe('when it looks again', () => {
  it('KA-01 50 commits and a change of power.keep_awake within 200 ms are one look; other settings none', async () => {
    const clock = createVirtualClock(1_800_000_000_000);
    let looks = 0;
    let committed: () => void = () => undefined;
    let changed: (keys: readonly SettingKey[]) => void = () => undefined;
    followWork(
      { look: () => void (looks += 1) },
      {
        clock,
        journal: {
          onCommitted(listener) {
            committed = () => listener([], 0, 1);
            return () => undefined;
          },
        },
        settings: {
          onChange(listener) {
            changed = listener;
            return () => undefined;
          },
        },
      },
    );
    for (let commit = 0; commit < 50; commit += 1) committed();
    changed(['power.keep_awake']);
    await clock.advance(199);
    expect(looks).toBe(0);
    await clock.advance(1);
    expect(looks).toBe(1);
    changed(['log.level']);
    await clock.advance(1_000);
    expect(looks).toBe(1);
    changed(['power.battery_floor']);
    await clock.advance(1_000);
    expect(looks).toBe(2);
  });
});
