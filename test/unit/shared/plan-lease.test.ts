import { describe, expect, it } from 'vitest';
import { decideLeaseStand, isFresh } from '../../../electron/engine/sharing/plan-lease';

const LEASE = { leaseMs: 30_000 };
const at = (monotonicMs: number, wallMs = monotonicMs) => ({ monotonicMs, wallMs });

describe('the lease of a shared turn', () => {
  it.each([
    [0, { kind: 'holds', renewInMs: 10_000 }],
    [9_999, { kind: 'holds', renewInMs: 1 }],
    [10_000, { kind: 'renew' }],
    [24_999, { kind: 'renew' }],
    [25_000, { kind: 'ending', endsInMs: 5_000 }],
    [29_999, { kind: 'ending', endsInMs: 1 }],
    [30_000, { kind: 'over' }],
    [3_000_000, { kind: 'over' }],
  ] as const)('DW-04 DW-07 %i ms after its renewal was sent: %o', (sinceMs, stand) => {
    expect(decideLeaseStand(at(500), at(500 + sinceMs), LEASE)).toEqual(stand);
  });

  it('DW-05 a clock that is set by 3 h in either direction neither ends a lease nor keeps one alive', () => {
    for (const jumpMs of [10_800_000, -10_800_000]) {
      expect(decideLeaseStand(at(0, 0), at(1_000, jumpMs), LEASE).kind).toBe('holds');
      expect(decideLeaseStand(at(0, 0), at(31_000, jumpMs), LEASE).kind).toBe('over');
    }
  });

  it('DW-17 after a sleep that only the wall clock knows of, the store is asked before anything starts', () => {
    expect(isFresh(at(0, 0), at(100, 100), LEASE)).toBe(true);
    expect(isFresh(at(0, 0), at(100, 60_000), LEASE)).toBe(false);
    // A clock that was set back costs a look too, never a lost turn.
    expect(isFresh(at(0, 60_000), at(100, 0), LEASE)).toBe(false);
    expect(isFresh(at(0, 0), at(25_000, 100), LEASE)).toBe(false);
  });
});
