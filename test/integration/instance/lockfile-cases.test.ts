/**
 * The behaviour cases of `test/cases/lockfile-cases.json`, every one, through the real acquisition
 * with real files and an invented process table, kernel lock and clock. Where a case gives bare
 * text for a running Holdfast, the record is written in our format, as the cases ask for.
 */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { createInstanceLock } from '../../../electron/adapters/instance/instance-lock';
import { createProcessTable } from '../../../electron/adapters/instance/process-table';
import type { ProcessSource } from '../../../electron/adapters/instance/process-source';
import { noCrashPoints } from '../../../electron/engine/kernel/crash-points';
import { HoldfastError } from '../../../electron/engine/kernel/errors';
import { formatLockRecord } from '../../../electron/engine/instance/lock-record';
import { lockRules } from '../../../electron/engine/instance/decide-lock';
import type { Clock } from '../../../electron/ports/clock';
import type {
  AcquireResult,
  AgentLockRecord,
  HolderAnswer,
} from '../../../electron/ports/instance-lock';
import casesFile from '../../cases/lockfile-cases.json';
import variantsFile from '../../cases/lockfile-variants.json';

interface CaseProcess {
  readonly app: string;
  readonly user: string;
  readonly data_dir?: string;
  readonly exits_after_sigterm_ms?: number | null;
  readonly killable?: boolean;
  readonly zombie?: boolean;
  readonly healthy?: boolean;
}
interface CaseSignal {
  readonly pid: number;
  readonly sig: string;
  readonly not_before_ms?: number;
  readonly not_after_ms?: number;
}
interface LockCase {
  readonly id: string;
  readonly title: string;
  readonly given: {
    readonly platform: string;
    readonly self_pid: number;
    readonly lockfile?: string | null | Readonly<Record<string, unknown>>;
    readonly variants?: readonly string[];
    readonly processes?: Readonly<Record<string, CaseProcess>>;
    readonly action?: string;
    readonly launch?: string;
    readonly data_dir_writable?: boolean;
    readonly simultaneous_starters?: number;
  };
  readonly expect: {
    readonly outcome?: string;
    readonly signals?: readonly CaseSignal[];
    readonly lock_holds?: number;
    readonly min_wait_ms?: number;
    readonly max_wait_ms?: number;
    readonly lockfile_after?: string | null;
    readonly exactly_one_holder?: boolean;
    readonly message_names_path?: boolean;
    readonly message_names_host?: boolean;
  };
}

const cases = casesFile.cases as unknown as readonly LockCase[];
const BOOT = 'boot-1';
const START_WALL_MS = Date.parse('2025-03-01T12:00:00Z');

/** Time that moves only when everybody waits. */
function createVirtualClock() {
  let nowMs = 0;
  let isPumping = false;
  const timers: { atMs: number; fire: () => void }[] = [];
  const pump = () => {
    const next = timers.sort((left, right) => left.atMs - right.atMs).shift();
    if (next === undefined) {
      isPumping = false;
      return;
    }
    nowMs = Math.max(nowMs, next.atMs);
    next.fire();
    // Several turns of the loop, so that everything the timer woke has come to rest.
    setImmediate(() => setImmediate(() => setImmediate(pump)));
  };
  const at = (atMs: number, fire: () => void) => {
    const timer = { atMs, fire };
    timers.push(timer);
    if (!isPumping) {
      isPumping = true;
      setImmediate(() => setImmediate(() => setImmediate(pump)));
    }
    return () => {
      const index = timers.indexOf(timer);
      if (index >= 0) timers.splice(index, 1);
    };
  };
  const clock: Clock = {
    nowMs: () => START_WALL_MS + nowMs,
    monotonicMs: () => nowMs,
    sleep: (delayMs, signal) =>
      new Promise((resolve, reject) => {
        const cancel = at(nowMs + delayMs, resolve);
        signal?.addEventListener('abort', () => {
          cancel();
          reject(new Error('aborted'));
        });
      }),
  };
  return { clock, at, now: () => nowMs };
}

const directories: string[] = [];
afterEach(() => {
  for (const directory of directories.splice(0)) fs.rmSync(directory, { recursive: true });
});

/** One machine with invented processes and a data directory on a real disk. */
function createWorld(given: LockCase['given']) {
  const base = fs.mkdtempSync(path.join(os.tmpdir(), 'holdfast-case-'));
  directories.push(base);
  const dataDir = path.join(base, 'D');
  const agentLock = path.join(dataDir, 'agent.lock');
  const time = createVirtualClock();
  const signals: { pid: number; sig: string; atMs: number }[] = [];
  const processes = new Map(
    Object.entries(given.processes ?? {}).map(([pid, facts]) => [
      Number(pid),
      { ...facts, isAlive: true },
    ]),
  );
  let lockOwner: number | null = null;
  for (const [pid, facts] of processes) {
    const isHolder = facts.app === 'holdfast' && facts.data_dir === 'same' && facts.zombie !== true;
    if (isHolder && !isForeign(given)) lockOwner = pid;
  }
  const end = (pid: number) => {
    const facts = processes.get(pid);
    if (facts === undefined) return;
    facts.isAlive = false;
    if (lockOwner === pid) lockOwner = null;
    afterEnd(pid);
  };
  let afterEnd: (pid: number) => void = () => undefined;
  /** Another newcomer takes the lock in the very instant in which `ended` goes. */
  const letSucceed = (ended: number, successor: number) => {
    afterEnd = (pid) => {
      if (pid !== ended) return;
      processes.set(successor, { app: 'holdfast', user: 'same', healthy: true, isAlive: true });
      lockOwner = successor;
      fs.writeFileSync(agentLock, recordOf(successor, { startedAtMs: time.clock.nowMs() }));
    };
  };
  const kill = (pid: number, sig: NodeJS.Signals) => {
    signals.push({ pid, sig, atMs: time.now() });
    const facts = processes.get(pid);
    if (facts === undefined) return;
    const afterMs = facts.exits_after_sigterm_ms;
    if (sig === 'SIGKILL' && facts.killable !== false) end(pid);
    if (sig === 'SIGTERM' && typeof afterMs === 'number') {
      time.at(time.now() + afterMs, () => {
        end(pid);
      });
    }
  };
  const source: ProcessSource = {
    bootId: () => Promise.resolve(BOOT),
    rawMachineId: () => Promise.resolve('this-machine'),
    read: (pid) => {
      const facts = processes.get(pid);
      if (facts?.isAlive !== true) return Promise.resolve({ kind: 'dead' });
      if (facts.zombie === true) return Promise.resolve({ kind: 'zombie' });
      return Promise.resolve({
        kind: 'alive',
        startTicks: `ticks-${pid}`,
        ppid: 1,
        uid: facts.user === 'same' ? (process.getuid?.() ?? 0) : 65_534,
        exe: null,
        commandLine: `/opt/${facts.app} start`,
      });
    },
  };
  const table = createProcessTable({ source, kill });
  const machine = { platform: given.platform, host: 'here', machineId: 'm-here', bootId: BOOT };

  const lockFor = (pid: number) => {
    processes.set(pid, { app: 'holdfast', user: 'same', isAlive: true });
    return createInstanceLock({
      rules: lockRules,
      processes: { ...table, machine: () => Promise.resolve(machine) },
      openKernelLock: () => ({
        tryLock: () => {
          lockOwner ??= pid;
          return lockOwner === pid ? 'locked' : 'busy';
        },
        isSameFile: () => lockOwner === pid,
        holderPid: () => Promise.resolve(null),
        unlock: () => {
          if (lockOwner === pid) lockOwner = null;
        },
      }),
      clock: time.clock,
      crashPoints: noCrashPoints,
      self: { pid, ppid: 2, uid: process.getuid?.() ?? null },
    });
  };
  const start = (pid: number): Promise<AcquireResult> =>
    lockFor(pid).acquire({
      dataDir,
      mode: given.launch === 'user_icon' ? 'gui' : 'headless',
      takeover: false,
      onConflict: null,
      version: '0.1.0',
      socketPath: '/nowhere/control.sock',
      tokenPath: null,
      argvMarker: '/opt/holdfast',
      beganAtMs: time.clock.nowMs(),
      askHolder: (_socket, _token, verb, timeoutMs): Promise<HolderAnswer> => {
        const holder = lockOwner === null ? undefined : processes.get(lockOwner);
        if (verb === 'focus' && holder?.healthy === true) return Promise.resolve('focused');
        // A hung holder costs the whole wait; the others have no socket at all.
        if (holder?.healthy !== false) return Promise.resolve('silent');
        return time.clock.sleep(timeoutMs).then(() => 'silent' as const);
      },
    });
  return { dataDir, agentLock, time, signals, start, letSucceed };
}

function isForeign(given: LockCase['given']): boolean {
  return typeof given.lockfile === 'object' && given.lockfile !== null && 'host' in given.lockfile;
}

function recordOf(pid: number, change: Partial<AgentLockRecord> = {}): string {
  return formatLockRecord({
    pid,
    startTicks: `ticks-${pid}`,
    bootId: BOOT,
    instanceId: `instance-${pid}`,
    machineId: 'm-here',
    host: 'here',
    uid: process.getuid?.() ?? null,
    exe: null,
    argvMarker: '/opt/holdfast',
    version: '0.1.0',
    phase: 'running',
    phaseAtMs: START_WALL_MS - 600_000,
    stopReason: null,
    socketPath: '/nowhere/control.sock',
    tokenHash: null,
    startedAtMs: START_WALL_MS - 600_000,
    dataDir: '/D',
    ...change,
  });
}

function layOut(world: ReturnType<typeof createWorld>, given: LockCase['given'], text?: string) {
  if (given.data_dir_writable === false) {
    fs.writeFileSync(world.dataDir, 'a file where the folder should be');
    return;
  }
  fs.mkdirSync(world.dataDir, { mode: 0o700 });
  const content = text ?? given.lockfile;
  if (content === null || content === undefined) return;
  if (typeof content === 'object') {
    if (content['directory'] === true) {
      fs.mkdirSync(world.agentLock);
      return;
    }
    const change = isForeign(given)
      ? { host: String(content['host']), machineId: 'm-there', bootId: 'boot-there' }
      : {};
    fs.writeFileSync(world.agentLock, recordOf(Number(content['pid']), change));
    const ageMs = Number(content['heartbeat_age_ms'] ?? 0);
    const atSeconds = (START_WALL_MS - ageMs) / 1_000;
    fs.utimesSync(world.agentLock, atSeconds, atSeconds);
    return;
  }
  const runs = given.processes?.[content];
  const isRunningHoldfast = runs?.app === 'holdfast' && runs.zombie !== true;
  fs.writeFileSync(world.agentLock, isRunningHoldfast ? recordOf(Number(content)) : content);
}

const holderIn = (agentLock: string): number =>
  (JSON.parse(fs.readFileSync(agentLock, 'utf8')) as AgentLockRecord).pid;

async function runAcquisition(one: LockCase, variant?: string): Promise<void> {
  const world = createWorld(one.given);
  layOut(world, one.given, variant);
  const wanted = one.expect;
  let outcome: string;
  let message = '';
  try {
    outcome = (await world.start(one.given.self_pid)).kind;
  } catch (error) {
    if (!(error instanceof HoldfastError)) throw error;
    outcome = error.code.startsWith('LOCK_') ? 'refused' : 'error';
    message = `${error.message} ${error.hint ?? ''}`;
    expect(error.hint).toBeTruthy();
  }
  const waitedMs = world.time.now();
  expect(outcome).toBe(wanted.outcome);
  const sent = world.signals.map(({ pid, sig }) => ({ pid, sig }));
  expect(sent).toEqual((wanted.signals ?? []).map(({ pid, sig }) => ({ pid, sig })));
  for (const [index, signal] of (wanted.signals ?? []).entries()) {
    const atMs = world.signals[index]?.atMs ?? Number.NaN;
    if (signal.not_before_ms !== undefined)
      expect(atMs).toBeGreaterThanOrEqual(signal.not_before_ms);
    if (signal.not_after_ms !== undefined) expect(atMs).toBeLessThanOrEqual(signal.not_after_ms);
  }
  if (wanted.lock_holds !== undefined) expect(holderIn(world.agentLock)).toBe(wanted.lock_holds);
  if (wanted.min_wait_ms !== undefined) expect(waitedMs).toBeGreaterThanOrEqual(wanted.min_wait_ms);
  if (wanted.max_wait_ms !== undefined) expect(waitedMs).toBeLessThanOrEqual(wanted.max_wait_ms);
  if (wanted.message_names_path === true) expect(message).toContain(world.dataDir);
  if (wanted.message_names_host === true) expect(message).toContain('other-machine');
  if (outcome === 'handed_over') {
    // The loser leaves nothing behind but what was there: no database, no note, no new record.
    expect(fs.readdirSync(world.dataDir).sort()).toEqual(['agent.lock', 'run']);
    expect(fs.readdirSync(path.join(world.dataDir, 'run'))).toEqual([]);
  }
}

async function runRelease(one: LockCase): Promise<void> {
  const world = createWorld(one.given);
  fs.mkdirSync(world.dataDir, { mode: 0o700 });
  const result = await world.start(one.given.self_pid);
  if (result.kind !== 'acquired') throw new Error(`not acquired: ${result.kind}`);
  const { lockfile } = one.given;
  if (typeof lockfile !== 'string') throw new Error('a release case names its file as text');
  if (lockfile !== String(one.given.self_pid)) fs.writeFileSync(world.agentLock, lockfile);
  result.lock.release();
  if (one.given.action === 'release_twice') result.lock.release();
  const after = fs.existsSync(world.agentLock) ? fs.readFileSync(world.agentLock, 'utf8') : null;
  expect(after).toBe(one.expect.lockfile_after);
}

async function runRace(one: LockCase): Promise<void> {
  const world = createWorld(one.given);
  layOut(world, one.given);
  const count = one.given.simultaneous_starters ?? 0;
  const results = await Promise.allSettled(
    Array.from({ length: count }, (_unused, index) => world.start(5_000 + index)),
  );
  expect(results.filter((result) => result.status === 'fulfilled')).toHaveLength(1);
  for (const result of results) {
    if (result.status === 'rejected') expect(result.reason).toMatchObject({ code: 'LOCK_HELD' });
  }
  expect(world.signals).toEqual([]);
}

describe('lockfile cases', () => {
  it('S2-39 drives all 17 cases of the file', () => {
    expect(cases).toHaveLength(17);
  });

  const more = variantsFile.cases as unknown as readonly LockCase[];
  for (const one of [...cases, ...more]) {
    const name = more.includes(one)
      ? `S2-39 S2-41 ${one.id} ${one.title}`
      : `${one.id} ${one.title}`;
    const { variants, action, simultaneous_starters: starters } = one.given;
    if (starters !== undefined) {
      it(name, () => runRace(one));
    } else if (action !== undefined) {
      it(name, () => runRelease(one));
    } else {
      for (const variant of variants ?? [undefined]) {
        const suffix = variant === undefined ? '' : `: ${JSON.stringify(variant)}`;
        it(`${name}${suffix}`, () => runAcquisition(one, variant));
      }
    }
  }
});

describe('L4 a third process', () => {
  const holder = { app: 'holdfast', user: 'same', data_dir: 'same', healthy: false };
  const given = (launch: string, exitsAfterMs: number | null): LockCase['given'] => ({
    platform: 'linux',
    self_pid: 5000,
    lockfile: '4321',
    processes: { '4321': { ...holder, exits_after_sigterm_ms: exitsAfterMs } },
    launch,
  });

  it.each([300, null])(
    'S2-47 that follows a silent holder (gone %s ms after SIGTERM) is focused, not robbed',
    async (exitsAfterMs) => {
      const facts = given('user_icon', exitsAfterMs);
      const world = createWorld(facts);
      layOut(world, facts);
      world.letSucceed(4321, 6000);
      const result = await world.start(5000);
      expect(result).toEqual({ kind: 'handed_over', holderPid: 6000 });
      expect(world.signals.every((signal) => signal.pid === 4321)).toBe(true);
      expect(world.signals.length).toBeGreaterThan(0);
      expect(holderIn(world.agentLock)).toBe(6000);
    },
  );

  it.each([300, null])(
    'S2-47 that follows the holder (gone %s ms after SIGTERM) stays the one owner',
    async (exitsAfterMs) => {
      const facts = given('shell', exitsAfterMs);
      const world = createWorld(facts);
      layOut(world, facts);
      world.letSucceed(4321, 6000);
      await expect(world.start(5000)).rejects.toMatchObject({ code: 'LOCK_HELD' });
      expect(world.signals.every((signal) => signal.pid === 4321)).toBe(true);
      expect(holderIn(world.agentLock)).toBe(6000);
    },
  );
});
