import { describe, expect, it } from 'vitest';
import type { StatusFacts } from '../../../electron/engine/status/status-facts';
import { statusModel } from '../../../electron/engine/status/status-model';

const quiet: StatusFacts = {
  phase: 'running',
  nowMs: 2,
  self: { version: '1', pid: 1, dataDir: '/d', startedAtMs: 1 },
  turns: { states: {} },
  rooms: { inbound: { accepted: 0, filtered: 0 } },
  recovery: { mode: 'safe_only', sideEffectTools: [], restoreSkipped: false },
  restart: undefined,
  journal: { seq: 3, appliedSeq: 3, refusal: undefined },
  configProblems: [],
  kept: { steps: 0, savedUsd: 0 },
};

/** What is said of the day, the rest as on a quiet one. */
interface Said {
  readonly phase?: StatusFacts['phase'];
  readonly turns?: Partial<StatusFacts['turns']>;
  readonly rooms?: Partial<StatusFacts['rooms']>;
  readonly refusal?: StatusFacts['journal']['refusal'];
  readonly configProblems?: StatusFacts['configProblems'];
}
const factsOf = ({ phase, turns, rooms, refusal, configProblems }: Said): StatusFacts => ({
  ...quiet,
  phase: phase ?? quiet.phase,
  turns: { ...quiet.turns, ...turns },
  rooms: { ...quiet.rooms, ...rooms },
  journal: { ...quiet.journal, refusal },
  configProblems: configProblems ?? [],
});
const events = { broker: 'connected' as const, depth: 0, deadLetters: 0, shed: 0 };
const outside = (state: string) => ({
  providers: [{ provider: 'p', state, waiting: 0, sentence: '' }],
  openBreakers: [],
});
const refusal = { code: 'DISK_FULL' as const, message: 'full', sinceMs: 1 };

const host = (needsYou: number) => ({
  kind: 'connected' as const,
  name: 'box',
  sinceMs: 1,
  version: '1',
  phase: 'running' as const,
  needsYou,
  running: 0,
});
const away = { kind: 'unreachable' as const, name: 'b', sinceMs: 1, why: 'x', nextTryAtMs: 2 };

describe('the tray state is the first that applies', () => {
  it.each([
    ['idle', {}],
    ['idle', { rooms: { hosts: [host(0), { kind: 'connecting', name: 'new' }] } }],
    ['attention', { rooms: { hosts: [host(1)] }, turns: { states: { running: 1 } } }],
    ['degraded', { rooms: { hosts: [away] }, turns: { states: { running: 1 } } }],
    ['degraded', { rooms: { hosts: [{ ...host(0), phase: 'stopped' }] } }],
    ['degraded', { rooms: { hosts: [{ ...host(0), problem: 'It hangs.' }] } }],
    [
      'degraded',
      { rooms: { hosts: [{ kind: 'connecting', name: 'b', failed: { sinceMs: 1, why: 'x' } }] } },
    ],
    ['working', { turns: { states: { running: 1 } } }],
    ['paused', { rooms: { paused: {} } }],
    ['working', { rooms: { paused: {} }, turns: { states: { running: 1 } } }],
    ['attention', { turns: { states: { running: 1, held: 1 } } }],
    ['attention', { turns: { states: { parked: 1 } } }],
    ['attention', { turns: { states: { waiting: 1 } }, refusal }],
    ['degraded', { turns: { states: { running: 2 } }, refusal }],
    ['degraded', { refusal: { ...refusal, code: 'DISK_FAILED', of: 'reads' } }],
    [
      'outage',
      {
        rooms: { delivery: { ...events, broker: 'down' } },
        turns: { states: { running: 1 } },
        refusal,
      },
    ],
    [
      'attention',
      { rooms: { delivery: { ...events, broker: 'down' } }, turns: { states: { held: 1 } } },
    ],
    [
      'degraded',
      { rooms: { delivery: { ...events, deadLetters: 1 } }, turns: { states: { running: 1 } } },
    ],
    ['degraded', { rooms: { paused: {}, delivery: { ...events, isNearlyFull: true } } }],
    ['outage', { rooms: { outside: outside('down') }, turns: { states: { running: 1 } } }],
    ['outage', { rooms: { outside: outside('trying') } }],
    ['outage', { rooms: { outside: outside('recovering') } }],
    [
      'attention',
      { rooms: { outside: outside('down') }, turns: { states: { requires_action: 1 } } },
    ],
    ['degraded', { rooms: { outside: outside('key') }, turns: { states: { running: 1 } } }],
    ['idle', { rooms: { outside: outside('quota') } }],
    ['degraded', { rooms: { paused: {} }, configProblems: [{ line: 14, message: 'x' }] }],
    ['idle', { configProblems: [{ line: 14, message: 'x', level: 'hint' }] }],
    ['degraded', { turns: { lostRuns: 1, states: { running: 1 } } }],
    ['degraded', { rooms: { programChanged: true }, turns: { states: { queued: 2 } } }],
    ['attention', { turns: { lostRuns: 1, states: { held: 1 } } }],
    ['outage', { rooms: { delivery: { ...events, broker: 'down' } }, turns: { lostRuns: 1 } }],
    ['working', { turns: { lostRuns: 0, states: { running: 1 } } }],
    [
      'working',
      { rooms: { delivery: { ...events, depth: 79, shed: 0 } }, turns: { states: { running: 1 } } },
    ],
    ['idle', { rooms: { delivery: { ...events, broker: 'connecting', depth: 1 } } }],
    ['stopped', { phase: 'starting', turns: { states: { held: 1 } } }],
    ['stopped', { phase: 'stopping', turns: { states: { running: 1 } } }],
    ['stopped', { phase: 'silent', turns: { states: { running: 1 } } }],
  ] as const)('ux 2: %s for %j', (tray, facts) => {
    expect(statusModel(factsOf(facts as Said)).tray).toBe(tray);
  });

  it('S4-29 says how many turns were cut off and nobody runs; where there are none it says nothing', () => {
    expect(statusModel(factsOf({ phase: 'stopped', turns: { cutOff: 2 } }))).toMatchObject({
      cutOff: 2,
      tray: 'stopped',
      counts: { running: 0 },
    });
    expect(statusModel(factsOf({ turns: { cutOff: 0 } }))).not.toHaveProperty('cutOff');
  });

  it('S0-30 names no process where none holds the data', () => {
    expect(statusModel({ ...quiet, self: { ...quiet.self, pid: undefined } })).not.toHaveProperty(
      'pid',
    );
  });

  it('S4-29 says that the start skipped restoring', () => {
    expect(
      statusModel({ ...quiet, recovery: { ...quiet.recovery, restoreSkipped: true } }).recovery
        .restoreSkipped,
    ).toBe(true);
  });
});
