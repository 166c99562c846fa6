import { describe, expect, it } from 'vitest';
import { decideRestartReason } from '../../../electron/engine/instance/decide-restart-reason';
import { planRelaunch } from '../../../electron/engine/instance/plan-relaunch';
import type {
  PreviousRunMarker,
  RestartFacts,
} from '../../../electron/engine/instance/decide-restart-reason';
import type { LeftBehind } from '../../../electron/ports/instance-lock';
import { aRecord, NOW_MS } from './lock-facts';

const MINUTE_MS = 60_000;
const nothingLeft: LeftBehind = {
  content: { kind: 'absent' },
  lastAliveAtMs: null,
  takeoverNote: null,
  crashNote: null,
};

function facts(
  marker: Partial<PreviousRunMarker> | null,
  leftBehind: Partial<LeftBehind> = {},
  current: Partial<RestartFacts['current']> = {},
): RestartFacts {
  return {
    marker: marker && {
      lastStartedAtMs: NOW_MS - 60 * MINUTE_MS,
      lastCleanStopAtMs: null,
      cleanStopInstanceId: null,
      lastStopReason: null,
      bootId: 'boot-a',
      version: '0.1.0',
      instanceId: 'instance-a',
      machineId: 'machine-a',
      ...marker,
    },
    leftBehind: { ...nothingLeft, ...leftBehind },
    current: {
      bootId: 'boot-a',
      machineId: 'machine-a',
      version: '0.1.0',
      startedAtMs: NOW_MS,
      ...current,
    },
  };
}

const cleanStop = {
  lastCleanStopAtMs: NOW_MS - 10 * MINUTE_MS,
  cleanStopInstanceId: 'instance-a',
  lastStopReason: 'quit',
};
const aliveAtMs = NOW_MS - 5 * MINUTE_MS;
const takeoverNote = {
  byPid: 1,
  byInstanceId: 'instance-b',
  atMs: NOW_MS,
  targetInstanceId: 'instance-a',
};
const crashNote = { instanceId: 'instance-a', atMs: NOW_MS - 2 * MINUTE_MS, summary: 'boom' };

describe('why this start happens', () => {
  it('S0-31 a fresh directory is a first start and has no notice', () => {
    const reason = decideRestartReason(facts(null));
    expect(reason).toEqual({ kind: 'first_start' });
  });

  it.each<[string, RestartFacts, string, boolean, number]>([
    ['a clean quit', facts(cleanStop), 'clean', false, 10],
    ['SIGKILL', facts({}, { lastAliveAtMs: aliveAtMs }), 'kill', true, 5],
    ['its own error', facts({}, { lastAliveAtMs: aliveAtMs, crashNote }), 'crash', true, 2],
    [
      'a takeover that it survived in order',
      facts({ ...cleanStop, lastStopReason: 'takeover' }),
      'takeover',
      false,
      10,
    ],
    [
      'a takeover that needed SIGKILL',
      facts({}, { lastAliveAtMs: aliveAtMs, takeoverNote }),
      'takeover',
      true,
      5,
    ],
    [
      'a shutdown in order',
      facts({ ...cleanStop, lastStopReason: 'os_shutdown' }, {}, { bootId: 'boot-b' }),
      'os_shutdown',
      false,
      10,
    ],
    [
      'a shutdown that cut its stop short',
      facts(
        {},
        {
          lastAliveAtMs: aliveAtMs,
          content: {
            kind: 'record',
            record: aRecord({ phase: 'stopping', stopReason: 'os_shutdown' }),
          },
        },
        { bootId: 'boot-b' },
      ),
      'os_shutdown',
      true,
      5,
    ],
    [
      'a stop that was cut off',
      facts(
        {},
        {
          lastAliveAtMs: aliveAtMs,
          content: { kind: 'record', record: aRecord({ phase: 'stopping', stopReason: 'stop' }) },
        },
      ),
      'stop_cut_off',
      true,
      5,
    ],
    [
      'a stop that was cut off behind its marker',
      facts(cleanStop, {
        content: { kind: 'record', record: aRecord({ phase: 'stopping', stopReason: 'stop' }) },
      }),
      'clean',
      false,
      10,
    ],
    [
      'a stop of another run that was cut off',
      facts(
        {},
        {
          lastAliveAtMs: aliveAtMs,
          content: {
            kind: 'record',
            record: aRecord({ phase: 'stopping', instanceId: 'instance-0' }),
          },
        },
      ),
      'kill',
      true,
      5,
    ],
    [
      'a power loss',
      facts({}, { lastAliveAtMs: aliveAtMs }, { bootId: 'boot-b' }),
      'power_loss',
      true,
      5,
    ],
    ['an update after a quit', facts(cleanStop, {}, { version: '0.2.0' }), 'update', false, 10],
    [
      'a crash, then an update',
      facts({}, { lastAliveAtMs: aliveAtMs, crashNote }, { version: '0.2.0' }),
      'crash',
      true,
      2,
    ],
    [
      'another computer',
      facts(cleanStop, {}, { machineId: 'machine-b', bootId: 'boot-b' }),
      'data_copied',
      false,
      10,
    ],
  ])('S0-30 after %s: %3$s', (_name, given, kind, isUnexpected, downMinutes) => {
    const reason = decideRestartReason(given);
    expect(reason).toMatchObject({ kind, isUnexpected, downMs: downMinutes * MINUTE_MS });
  });

  it('S0-30 a note or a crash of an earlier run explains nothing', () => {
    const old = { lastAliveAtMs: aliveAtMs };
    const otherNote = { ...takeoverNote, targetInstanceId: 'instance-0' };
    const otherCrash = { ...crashNote, instanceId: 'instance-0' };
    expect(
      decideRestartReason(facts({}, { ...old, takeoverNote: otherNote, crashNote: otherCrash })),
    ).toMatchObject({ kind: 'kill', downMs: 5 * MINUTE_MS });
  });

  it('S0-30 a clean stop of an earlier run does not hide a kill of the last one', () => {
    const marker = { ...cleanStop, cleanStopInstanceId: 'instance-0' };
    expect(decideRestartReason(facts(marker))).toMatchObject({ kind: 'kill' });
    const byTime = {
      ...cleanStop,
      cleanStopInstanceId: null,
      lastCleanStopAtMs: NOW_MS - 61 * MINUTE_MS,
    };
    expect(decideRestartReason(facts(byTime))).toMatchObject({ kind: 'kill' });
  });

  it('S0-30 a clock set back between start and stop stays a clean stop', () => {
    const marker = { ...cleanStop, lastCleanStopAtMs: NOW_MS - 120 * MINUTE_MS };
    expect(decideRestartReason(facts(marker))).toMatchObject({ kind: 'clean' });
  });

  it('S0-30 a clock set back gives a downtime of 0, never a negative one', () => {
    const future = NOW_MS + MINUTE_MS;
    const clean = { ...cleanStop, lastCleanStopAtMs: future };
    expect(decideRestartReason(facts(clean))).toMatchObject({ downMs: 0 });
    const killed = facts({ lastStartedAtMs: future }, { lastAliveAtMs: future });
    expect(decideRestartReason(killed)).toMatchObject({ kind: 'kill', downMs: 0 });
  });
});

describe('coming back by itself', () => {
  const ago = (...minutes: number[]) => minutes.map((minute) => NOW_MS - minute * MINUTE_MS);
  it.each([
    ['no restart', ago(), { kind: 'restart', attempt: 1 }],
    ['2 in 10 minutes', ago(9, 1), { kind: 'restart', attempt: 3 }],
    ['3 in 10 minutes', ago(9, 5, 1), { kind: 'stay_down', restarts: 3 }],
    ['3, one of them exactly 10 minutes old', ago(10, 5, 1), { kind: 'restart', attempt: 3 }],
    ['3 and a clock set back by 5 minutes', ago(-5, -4, -3), { kind: 'stay_down', restarts: 3 }],
    ['3 from a clock that ran a day ahead', ago(-1440, -1440, -1440), { kind: 'restart' }],
  ])('stays down after the third: %s', (_name, history, plan) => {
    expect(planRelaunch(history, NOW_MS)).toMatchObject(plan);
  });

  it('says why and from when a restart is allowed again', () => {
    const plan = planRelaunch(ago(1, 9, 5), NOW_MS);
    expect(plan).toMatchObject({ kind: 'stay_down', allowedAtMs: NOW_MS + MINUTE_MS });
    if (plan.kind === 'stay_down') expect(plan.reason).toContain('3 times within 10 minutes');
  });
});
