import { describe, expect, it } from 'vitest';
import fc from 'fast-check';
import {
  conflictPolicyOf,
  decideLock,
  LOCK_TIMINGS,
} from '../../../electron/engine/instance/decide-lock';
import type {
  AgentLockRecord,
  LockContent,
  LockFacts,
} from '../../../electron/ports/instance-lock';
import type { ProcessFacts } from '../../../electron/ports/process-facts';
import { aHolder, aRecord, NOW_MS, someFacts } from './lock-facts';

const recorded = (change: Partial<AgentLockRecord>): LockContent => ({
  kind: 'record',
  record: aRecord(change),
});
const silentTakeover = { verb: 'takeover', answer: 'silent', agoMs: 10 } as const;
const settled = { heldForMs: LOCK_TIMINGS.settleMs };

describe('the documents’ waits', () => {
  it('S2-43 S2-44 R14 are 5 s in polls of 100 ms, 2 s for the window, 60 s in transition', () => {
    expect(LOCK_TIMINGS).toMatchObject({
      termWaitMs: 5_000,
      pollMs: 100,
      focusTimeoutMs: 2_000,
      transientSilenceMs: 60_000,
    });
  });
});

describe('policy', () => {
  it.each([
    ['gui', false, null, 'focus'],
    ['headless', false, null, 'takeover'],
    ['gui', true, null, 'takeover'],
    ['gui', true, 'refuse', 'takeover'],
    ['gui', false, 'refuse', 'refuse'],
    ['gui', false, 'takeover', 'takeover'],
    ['headless', false, 'focus', 'focus'],
    ['command', false, null, 'refuse'],
  ] as const)('L8 %s, takeover %s, setting %s gives %s', (mode, takeover, onConflict, policy) => {
    expect(conflictPolicyOf({ mode, takeover, onConflict })).toBe(policy);
  });
});

describe('free kernel lock', () => {
  it.each<[string, LockContent]>([
    ['nothing', { kind: 'absent' }],
    ['a bare pid', { kind: 'bare_pid', pid: 4321 }],
    ['garbage', { kind: 'unreadable', reason: 'not a lock record' }],
    ['a record of a live Holdfast', recorded({})],
    ['a record of an earlier boot', recorded({ bootId: 'boot-b' })],
  ])('L1 S2-41 is acquired over %s, signaling nobody', (_name, content) => {
    expect(decideLock(someFacts({ kernelLock: 'free', content }))).toEqual({ kind: 'acquire' });
  });

  const foreign = recorded({ host: 'there', machineId: 'machine-b', bootId: 'boot-b' });
  it.each([
    ['fresh (1 s)', { heartbeatAgeMs: 1_000 }, 'refuse'],
    ['119.999 s old', { heartbeatAgeMs: 119_999 }, 'refuse'],
    ['120 s old', { heartbeatAgeMs: 120_000 }, 'acquire'],
    ['without any sign of life', { heartbeatAgeMs: null }, 'acquire'],
    ['fresh, with --takeover', { heartbeatAgeMs: 0, isExplicitTakeover: true }, 'acquire'],
  ] as const)('L25 another machine’s record %s: %s', (_name, change, kind) => {
    const action = decideLock(someFacts({ kernelLock: 'free', content: foreign, ...change }));
    expect(action.kind).toBe(kind);
    if (action.kind === 'refuse') {
      expect(action.code).toBe('LOCK_OTHER_HOST');
      expect(action.message).toContain('"there"');
      expect(action.hint).toContain('--takeover');
    }
  });

  it('L25 a container with a new host name on the same boot is the same machine', () => {
    const content = recorded({ host: 'container-1', machineId: 'machine-b' });
    expect(decideLock(someFacts({ kernelLock: 'free', content })).kind).toBe('acquire');
  });
});

describe('takeover by the seed flow', () => {
  const step = (change: Partial<LockFacts>) => decideLock(someFacts(change));

  it('L3 asks over the socket first, for 300 ms', () => {
    expect(step({})).toEqual({
      kind: 'ask',
      verb: 'takeover',
      socketPath: '/d/run/control.sock',
      timeoutMs: 300,
    });
  });

  it('S2-42 sends SIGTERM to the very process that the record names', () => {
    expect(step({ asked: silentTakeover })).toMatchObject({
      kind: 'signal',
      signal: 'SIGTERM',
      identity: { pid: 4321, startTicks: '777', uid: 1000 },
      targetInstanceId: 'instance-a',
    });
  });

  it.each([
    [0, { kind: 'wait', delayMs: 100 }],
    [4_850, { kind: 'wait', delayMs: 100 }],
    [4_950, { kind: 'wait', delayMs: 50 }],
    [5_000, { kind: 'signal', signal: 'SIGKILL' }],
  ])('S2-43 S2-44 %i ms after SIGTERM: %j', (politeForMs, action) => {
    expect(step({ asked: silentTakeover, politeForMs, heldForMs: 5_000 })).toMatchObject(action);
  });

  it('S2-42 a holder that says it leaves gets its 5 s without a signal', () => {
    const asked = { verb: 'takeover', answer: 'leaving', agoMs: 10 } as const;
    expect(step({ asked, politeForMs: 20 })).toEqual({ kind: 'wait', delayMs: 100 });
  });

  it.each([
    [0, 'wait'],
    [1_499, 'wait'],
    [1_500, 'refuse'],
  ])('S2-44 %i ms after SIGKILL with the lock still held: %s', (killedForMs, kind) => {
    const action = step({ asked: silentTakeover, politeForMs: 5_010, killedForMs });
    expect(action.kind).toBe(kind);
    if (action.kind === 'refuse') expect(action.code).toBe('LOCK_UNKILLABLE');
  });

  it('L10 Windows has no polite signal: it waits 5 s after the question, then kills', () => {
    const { self } = someFacts();
    const windows = { ...self, uid: null, machine: { ...self.machine, platform: 'win32' } };
    const common = {
      self: windows,
      content: recorded({ uid: null }),
      holder: aHolder({ uid: null }),
      asked: silentTakeover,
    };
    expect(step({ ...common, heldForMs: 4_999 }).kind).toBe('wait');
    expect(step({ ...common, heldForMs: 5_000 })).toMatchObject({ signal: 'SIGKILL' });
  });
});

describe('nobody is signaled who is not the holder', () => {
  const self = someFacts().self;
  const machine = self.machine;
  const table: readonly [string, Partial<LockFacts>][] = [
    ['pid reused: another start time', { holder: aHolder({ startTicks: '778' }) }],
    ['another program', { holder: aHolder({ commandLine: 'sleep 60' }) }],
    ['another executable', { holder: aHolder({ exe: '/usr/bin/sleep' }) }],
    ['another boot', { content: recorded({ bootId: 'boot-b' }) }],
    ['our boot id unreadable', { self: { ...self, machine: { ...machine, bootId: null } } }],
    ['record without a start time', { content: recorded({ startTicks: null }) }],
    ['record without a boot id', { content: recorded({ bootId: null }) }],
    ['record without a marker', { content: recorded({ argvMarker: null }) }],
    ['record without a uid', { content: recorded({ uid: null }) }],
    ['facts unavailable', { holder: { kind: 'unavailable', reason: 'ps is not available' } }],
    ['command line hidden', { holder: aHolder({ commandLine: null }) }],
    ['kernel names another holder', { kernelHolderPid: 4322 }],
    ['zombie', { holder: { kind: 'zombie' } }],
    ['dead', { holder: { kind: 'dead' } }],
    ['own pid', { content: recorded({ pid: 5000 }) }],
    ['own parent', { content: recorded({ pid: 4999 }) }],
    ['pid 1', { content: recorded({ pid: 1 }) }],
    ['pid 0', { content: recorded({ pid: 0 }) }],
    ['negative pid', { content: recorded({ pid: -4321 }) }],
    ['bare pid', { content: { kind: 'bare_pid', pid: 4321 } }],
    ['no record', { content: { kind: 'absent' }, holder: null }],
    ['garbage', { content: { kind: 'unreadable', reason: 'empty' }, holder: null }],
  ];

  it.each(table)('L2 held, %s: settles for 1.5 s, then refuses with facts', (_name, change) => {
    const base = { asked: silentTakeover, ...change };
    expect(decideLock(someFacts({ ...base, heldForMs: 1_499 })).kind).toBe('wait');
    const action = decideLock(someFacts({ ...base, ...settled }));
    expect(action).toMatchObject({ kind: 'refuse', code: 'LOCK_HELD' });
    if (action.kind === 'refuse') expect(action.hint.length).toBeGreaterThan(10);
  });

  it.each(table)('L2 and never SIGKILL after SIGTERM: %s', (_name, change) => {
    const facts = someFacts({ asked: silentTakeover, politeForMs: 5_000, ...settled, ...change });
    expect(decideLock(facts).kind).toBe('refuse');
  });

  it('L2 another user’s Holdfast: LOCK_OTHER_USER, no signal', () => {
    const holder = aHolder({ uid: 1001 });
    const content = recorded({ uid: 1001 });
    expect(decideLock(someFacts({ holder, content }))).toMatchObject({ code: 'LOCK_OTHER_USER' });
  });

  it('S2-42 a signal that the system refuses (EPERM): LOCK_OTHER_USER', () => {
    const facts = someFacts({ asked: silentTakeover, isSignalRefused: true });
    expect(decideLock(facts)).toMatchObject({ code: 'LOCK_OTHER_USER' });
  });

  it('L25 held, other host: LOCK_OTHER_HOST after settling, never a signal', () => {
    const content = recorded({ host: 'there', machineId: 'machine-b', bootId: 'boot-b' });
    expect(decideLock(someFacts({ content })).kind).toBe('wait');
    expect(decideLock(someFacts({ content, ...settled }))).toMatchObject({
      code: 'LOCK_OTHER_HOST',
    });
  });

  it('L2 over random facts, a signal goes out only when every fact agrees', () => {
    const pick = <T>(...values: T[]) => fc.constantFrom(...values);
    const record = fc.record({
      pid: pick(4321, 0, 1, -1, 5000, 4999),
      startTicks: pick<string | null>('777', '778', null),
      bootId: pick<string | null>('boot-a', 'boot-b', null),
      uid: pick<number | null>(1000, 1001, null),
      argvMarker: pick<string | null>('holdfast start', 'other', null),
      phase: pick('starting' as const, 'running' as const, 'stopping' as const),
    });
    const alive = fc.record({
      startTicks: pick('777', '778'),
      uid: pick<number | null>(1000, 1001, null),
      commandLine: pick<string | null>('holdfast start', 'sleep 1', null),
    });
    const holder = fc.oneof(
      alive.map((change): ProcessFacts => aHolder(change)),
      pick<ProcessFacts>({ kind: 'dead' }, { kind: 'zombie' }, { kind: 'unavailable', reason: '' }),
    );
    const ages = pick(null, 0, 5_000, 70_000);
    fc.assert(
      fc.property(
        record,
        holder,
        pick<'focus' | 'takeover' | 'refuse'>('focus', 'takeover', 'refuse'),
        pick(null, 4321, 9999),
        pick('free' as const, 'held' as const),
        ages,
        pick(0, 2_000, 70_000),
        (change, found, policy, kernelHolderPid, kernelLock, politeForMs, heldForMs) => {
          const content = recorded(change);
          const action = decideLock(
            someFacts({
              content,
              holder: found,
              policy,
              kernelHolderPid,
              kernelLock,
              politeForMs,
              heldForMs,
              asked: { verb: 'focus', answer: 'silent', agoMs: 600 },
            }),
          );
          if (action.kind !== 'signal') return;
          expect(kernelLock).toBe('held');
          expect(policy).not.toBe('refuse');
          expect(change).toMatchObject({ pid: 4321, bootId: 'boot-a', uid: 1000 });
          expect(change.startTicks).not.toBeNull();
          expect(change.argvMarker).toBe('holdfast start');
          expect(found).toMatchObject({ kind: 'alive', startTicks: change.startTicks, uid: 1000 });
          expect(found).toMatchObject({ commandLine: expect.stringContaining('holdfast start') });
          expect(kernelHolderPid).not.toBe(9999);
        },
      ),
      { numRuns: 20_000 },
    );
  });
});

describe('window starts', () => {
  const gui = (change: Partial<LockFacts>) => decideLock(someFacts({ policy: 'focus', ...change }));
  const answered = (answer: 'focused' | 'silent' | 'refused' | 'leaving', agoMs = 10) => ({
    asked: { verb: 'focus', answer, agoMs } as const,
  });

  it('R14 asks the holder to show itself, for 2 s', () => {
    expect(gui({})).toMatchObject({ kind: 'ask', verb: 'focus', timeoutMs: 2_000 });
  });
  it('R14 hands over to a healthy holder', () => {
    expect(gui(answered('focused'))).toEqual({ kind: 'hand_over' });
  });
  it('R14 takes over a silent running holder: SIGTERM next', () => {
    expect(gui(answered('silent'))).toMatchObject({ kind: 'signal', signal: 'SIGTERM' });
  });
  it('L31 and SIGKILL after 5 s', () => {
    expect(gui({ ...answered('silent', 5_000), politeForMs: 5_000 })).toMatchObject({
      signal: 'SIGKILL',
    });
  });
  it('R14 a holder without a window refuses with the way out', () => {
    expect(gui(answered('refused'))).toMatchObject({ kind: 'refuse', code: 'LOCK_HELD' });
  });
  it('R14 a holder that is leaving is waited for', () => {
    expect(gui(answered('leaving'))).toEqual({ kind: 'wait', delayMs: 100 });
  });

  it.each(['starting', 'migrating', 'stopping'] as const)(
    'R14 a silent holder that is %s is asked again for 60 s, then taken over',
    (phase) => {
      const young = { content: recorded({ phase, phaseAtMs: NOW_MS - 59_999 }) };
      expect(gui({ ...young, ...answered('silent', 100) })).toEqual({ kind: 'wait', delayMs: 100 });
      expect(gui({ ...young, ...answered('silent', 500) })).toMatchObject({
        kind: 'ask',
        verb: 'focus',
      });
      const old = { content: recorded({ phase, phaseAtMs: NOW_MS - 60_000 }) };
      expect(gui({ ...old, ...answered('silent') })).toMatchObject({ signal: 'SIGTERM' });
    },
  );

  it('R14 a wall clock that was set back cannot make that wait endless', () => {
    const content = recorded({ phase: 'starting', phaseAtMs: NOW_MS + 3_600_000 });
    const facts = { content, ...answered('silent') };
    expect(gui({ ...facts, heldForMs: 59_999 }).kind).toBe('wait');
    expect(gui({ ...facts, heldForMs: 60_000 })).toMatchObject({ signal: 'SIGTERM' });
  });

  it('R14 a held lock without a readable record is asked at the default socket, then refused', () => {
    const facts = { content: { kind: 'absent' as const }, holder: null, ...settled };
    expect(gui(facts)).toMatchObject({ kind: 'ask', socketPath: null });
    expect(gui({ ...facts, ...answered('focused') })).toEqual({ kind: 'hand_over' });
    expect(gui({ ...facts, ...answered('silent') })).toMatchObject({ code: 'LOCK_HELD' });
  });

  it('L8 policy refuse names the holder and does not ask', () => {
    const action = decideLock(someFacts({ policy: 'refuse' }));
    expect(action).toMatchObject({ kind: 'refuse', code: 'LOCK_HELD', facts: { pid: 4321 } });
  });
});

describe('simultaneous starts', () => {
  it.each([
    ['took the lock after we began', { startedAtMs: NOW_MS - 10 }, 'refuse'],
    ['is still starting, 0.9 s old', { startedAtMs: NOW_MS - 900, phase: 'starting' }, 'refuse'],
    ['is still starting, 2 s old', { startedAtMs: NOW_MS - 2_000, phase: 'starting' }, 'ask'],
    ['runs since 0.9 s', { startedAtMs: NOW_MS - 900, phase: 'running' }, 'ask'],
  ] as const)('L7 S2-40 a holder that %s: %s', (_name, change, kind) => {
    expect(decideLock(someFacts({ content: recorded(change) })).kind).toBe(kind);
  });

  it.each(['focus', 'takeover', 'refuse'] as const)(
    'S2-40 a command that records something is waited for, 60 s long, by policy %s: it runs nothing',
    (policy) => {
      const content = recorded({ phase: 'deciding', socketPath: null, startedAtMs: NOW_MS - 10 });
      const facts = someFacts({ content, policy });
      expect(decideLock({ ...facts, heldForMs: 59_999 })).toEqual({ kind: 'wait', delayMs: 100 });
      const after = { focus: 'ask', takeover: 'ask', refuse: 'refuse' }[policy];
      expect(decideLock({ ...facts, heldForMs: 60_000 }).kind).toBe(after);
    },
  );

  it('L7 --takeover does not lose to a holder that was there before it', () => {
    const content = recorded({ startedAtMs: NOW_MS - 900, phase: 'starting' });
    expect(decideLock(someFacts({ content, isExplicitTakeover: true })).kind).toBe('ask');
  });
});
