import { describe, expect, it } from 'vitest';
import { statusModel, type StatusFacts } from '../../../electron/engine/status/status-rules';

const quiet: StatusFacts = {
  phase: 'running',
  version: '1',
  pid: 1,
  dataDir: '/d',
  startedAtMs: 1,
  nowMs: 2,
  states: {},
  paused: undefined,
  inbound: { accepted: 0, filtered: 0 },
  mode: 'safe_only',
  sideEffectTools: [],
  restoreSkipped: false,
  restart: undefined,
  seq: 3,
  appliedSeq: 3,
  refusal: undefined,
  configProblems: [],
  kept: { steps: 0, savedUsd: 0 },
};
const events = { broker: 'connected' as const, depth: 0, deadLetters: 0, shed: 0 };
const outside = (state: string) => ({
  providers: [{ provider: 'p', state, waiting: 0, sentence: '' }],
  openBreakers: [],
});
const refusal = { code: 'DISK_FULL' as const, message: 'full', sinceMs: 1 };

describe('the tray state is the first that applies', () => {
  it.each([
    ['idle', {}],
    ['working', { states: { running: 1 } }],
    ['paused', { paused: {} }],
    ['working', { paused: {}, states: { running: 1 } }],
    ['attention', { states: { running: 1, held: 1 } }],
    ['attention', { states: { parked: 1 } }],
    ['attention', { states: { waiting: 1 }, refusal }],
    ['degraded', { states: { running: 2 }, refusal }],
    ['degraded', { refusal: { ...refusal, code: 'DISK_FAILED', of: 'reads' } }],
    ['outage', { delivery: { ...events, broker: 'down' }, states: { running: 1 }, refusal }],
    ['attention', { delivery: { ...events, broker: 'down' }, states: { held: 1 } }],
    ['degraded', { delivery: { ...events, deadLetters: 1 }, states: { running: 1 } }],
    ['degraded', { delivery: { ...events, isNearlyFull: true }, paused: {} }],
    ['outage', { outside: outside('down'), states: { running: 1 } }],
    ['outage', { outside: outside('trying') }],
    ['outage', { outside: outside('recovering') }],
    ['attention', { outside: outside('down'), states: { requires_action: 1 } }],
    ['degraded', { outside: outside('key'), states: { running: 1 } }],
    ['idle', { outside: outside('quota') }],
    ['degraded', { configProblems: [{ line: 14, message: 'x' }], paused: {} }],
    ['idle', { configProblems: [{ line: 14, message: 'x', level: 'hint' }] }],
    ['degraded', { lostRuns: 1, states: { running: 1 } }],
    ['attention', { lostRuns: 1, states: { held: 1 } }],
    ['outage', { lostRuns: 1, delivery: { ...events, broker: 'down' } }],
    ['working', { lostRuns: 0, states: { running: 1 } }],
    ['working', { delivery: { ...events, depth: 79, shed: 0 }, states: { running: 1 } }],
    ['idle', { delivery: { ...events, broker: 'connecting', depth: 1 } }],
    ['stopped', { phase: 'starting', states: { held: 1 } }],
    ['stopped', { phase: 'stopping', states: { running: 1 } }],
    ['stopped', { phase: 'silent', states: { running: 1 } }],
  ] as const)('ux 2: %s for %j', (tray, facts) => {
    expect(statusModel({ ...quiet, ...facts } as StatusFacts).tray).toBe(tray);
  });

  it('S4-29 says how many turns were cut off and nobody runs; where there are none it says nothing', () => {
    expect(statusModel({ ...quiet, phase: 'stopped', cutOff: 2 })).toMatchObject({
      cutOff: 2,
      tray: 'stopped',
      counts: { running: 0 },
    });
    expect(statusModel({ ...quiet, cutOff: 0 })).not.toHaveProperty('cutOff');
  });

  it('S0-30 names no process where none holds the data', () => {
    expect(statusModel({ ...quiet, phase: 'stopped', pid: undefined })).not.toHaveProperty('pid');
  });

  it('S4-29 says that the start skipped restoring', () => {
    expect(statusModel({ ...quiet, restoreSkipped: true }).recovery.restoreSkipped).toBe(true);
  });
});
