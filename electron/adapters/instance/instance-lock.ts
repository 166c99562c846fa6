import { randomUUID } from 'node:crypto';
import type { Basics } from '../../engine/kernel/basics';
import { sweepNow } from '../../disk/sweep';
import { writeDurablySync } from '../../disk/durable-file';
import { readSmallFile } from '../../disk/small-file';
import type { CrashPoints } from '../../engine/kernel/crash-points';
import { HoldfastError } from '../../engine/kernel/errors';
import type { Clock } from '../../ports/clock';
import type {
  AcquireOptions,
  AcquireResult,
  AgentLockRecord,
  ConflictPolicy,
  HolderAnswer,
  HolderVerb,
  InstanceLock,
  LockAction,
  LockContent,
  LockFacts,
  LockRules,
  ReplacedHolder,
} from '../../ports/instance-lock';
import type { MachineFacts, ProcessFacts, ProcessTable } from '../../ports/process-facts';
import type { LockPaths } from './data-dir';
import { prepareDataDir, unusable } from './data-dir';
import { createHeldLock, touchFile } from './held-lock';
import { type KernelLock, type OpenKernelLock, openKernelLock } from './kernel-lock';
import { lastSignOfLifeMs, readLeftBehind, readLockContent } from './lock-file';
import { createSystemProcessTable } from './process-table';

/** Dependencies of the lock; the rules come from `engine/instance`. */
interface InstanceLockDeps extends Pick<Basics, 'clock' | 'crashPoints'> {
  readonly rules: LockRules;
  readonly processes: ProcessTable;
  readonly openKernelLock: OpenKernelLock;
  /** This process; a test passes invented pids. */
  readonly self: { readonly pid: number; readonly ppid: number; readonly uid: number | null };
}

/** The steps taken with one holder; a new holder resets them. */
interface Dealing {
  readonly instanceId: string | null;
  asked: { verb: HolderVerb; answer: HolderAnswer; atMs: number } | null;
  politeAtMs: number | null;
  killedAtMs: number | null;
  isSignalRefused: boolean;
}

/** One acquisition from start to end. */
interface Attempt {
  readonly options: AcquireOptions;
  readonly paths: LockPaths;
  readonly kernelLock: KernelLock;
  readonly policy: ConflictPolicy;
  readonly machine: MachineFacts;
  /** Read before the lock is taken, so that the record can be written immediately after it. */
  readonly own: ProcessFacts;
  readonly instanceId: string;
  readonly startedAtMs: number;
  dealing: Dealing;
  /** The last seen content and liveness of the holder, and since when (monotonic). */
  situation: string;
  situationSinceMs: number;
  replaced: ReplacedHolder | null;
}

function newDealing(instanceId: string | null): Dealing {
  return { instanceId, asked: null, politeAtMs: null, killedAtMs: null, isSignalRefused: false };
}

function pidOf(content: LockContent): number | null {
  if (content.kind === 'record') return content.record.pid;
  return content.kind === 'bare_pid' ? content.pid : null;
}

function recordOf(content: LockContent): AgentLockRecord | null {
  return content.kind === 'record' ? content.record : null;
}

/**
 * Acquires the data directory in the documented order: check, ask, SIGTERM, wait, SIGKILL, and
 * always wait for the lock itself. Facts are gathered again for every decision. Rows S2-39..S2-47,
 * R14.
 */
export function createInstanceLock(deps: InstanceLockDeps): InstanceLock {
  const { rules, processes, clock, self } = deps;

  async function gather(attempt: Attempt): Promise<LockFacts> {
    const { options, paths, kernelLock } = attempt;
    const isFree = kernelLock.tryLock() === 'locked';
    const content = readLockContent(paths.agentLock, rules);
    const pid = isFree ? null : pidOf(content);
    const holder: ProcessFacts | null = pid === null ? null : await processes.read(pid);
    const nowMs = clock.monotonicMs();
    noteSituation(attempt, content, holder, nowMs);
    const { dealing } = attempt;
    const lastLifeMs = lastSignOfLifeMs(paths);
    const since = (atMs: number | null) => (atMs === null ? null : nowMs - atMs);
    return {
      self: { ...self, machine: attempt.machine },
      dataDir: paths.dataDir,
      policy: attempt.policy,
      isExplicitTakeover: options.takeover,
      timings: rules.timings,
      kernelLock: isFree ? 'free' : 'held',
      content,
      holder,
      kernelHolderPid: isFree ? null : await kernelLock.holderPid(),
      heartbeatAgeMs: lastLifeMs === null ? null : Math.max(0, clock.nowMs() - lastLifeMs),
      nowMs: clock.nowMs(),
      beganAtMs: options.beganAtMs,
      heldForMs: nowMs - attempt.situationSinceMs,
      asked: dealing.asked && { ...dealing.asked, agoMs: nowMs - dealing.asked.atMs },
      politeForMs: since(dealing.politeAtMs),
      killedForMs: since(dealing.killedAtMs),
      isSignalRefused: dealing.isSignalRefused,
    };
  }

  /** Another holder starts over; a changed view of the same one restarts the settle time. */
  function noteSituation(
    attempt: Attempt,
    content: LockContent,
    holder: ProcessFacts | null,
    nowMs: number,
  ): void {
    const instanceId = recordOf(content)?.instanceId ?? null;
    if (instanceId !== attempt.dealing.instanceId) attempt.dealing = newDealing(instanceId);
    const situation = [content.kind, pidOf(content), instanceId, holder?.kind].join('|');
    if (situation === attempt.situation) return;
    attempt.situation = situation;
    attempt.situationSinceMs = nowMs;
  }

  function tokenFor(options: AcquireOptions): string | null {
    if (options.tokenPath === null) return null;
    const file = readSmallFile(options.tokenPath);
    return file.kind === 'text' ? file.text.trim() : null;
  }

  async function askHolder(
    attempt: Attempt,
    action: Extract<LockAction, { kind: 'ask' }>,
  ): Promise<HolderAnswer> {
    const { options } = attempt;
    const socketPath = action.socketPath ?? options.socketPath;
    if (socketPath === null) return 'silent';
    const stop = new AbortController();
    const late = clock.sleep(action.timeoutMs + 100, stop.signal).then(
      () => 'silent' as const,
      () => 'silent' as const,
    );
    const answer = options
      .askHolder(socketPath, tokenFor(options), action.verb, action.timeoutMs)
      // If the request fails, the holder does not respond; the flow decides from there.
      .catch(() => 'silent' as const);
    try {
      return await Promise.race([answer, late]);
    } finally {
      stop.abort();
    }
  }

  async function ask(
    attempt: Attempt,
    content: LockContent,
    action: Extract<LockAction, { kind: 'ask' }>,
  ): Promise<void> {
    const record = recordOf(content);
    if (action.verb === 'takeover' && record !== null) writeNote(attempt, record.instanceId);
    const askedAtMs = clock.monotonicMs();
    const answer = await askHolder(attempt, action);
    const atMs = clock.monotonicMs();
    attempt.dealing.asked = { verb: action.verb, answer, atMs };
    // The 5 s count from the request, so a late answer has used them up.
    if (action.verb === 'takeover' && answer === 'leaving') {
      attempt.dealing.politeAtMs = askedAtMs;
      noteReplaced(attempt, record, 'left');
    }
  }

  /** Written before the first question or signal, so that the holder knows why it has to go. */
  function writeNote(attempt: Attempt, targetInstanceId: string): void {
    const note = {
      byPid: self.pid,
      byInstanceId: attempt.instanceId,
      atMs: clock.nowMs(),
      targetInstanceId,
    };
    try {
      writeDurablySync(attempt.paths.takeoverNote, `${JSON.stringify(note)}\n`);
    } catch {
      // On a full disk the holder must still be replaced; it then reports its stop as a plain
      // SIGTERM.
    }
  }

  async function signal(
    attempt: Attempt,
    content: LockContent,
    action: Extract<LockAction, { kind: 'signal' }>,
  ): Promise<void> {
    const { dealing } = attempt;
    if (action.signal === 'SIGTERM') writeNote(attempt, action.targetInstanceId);
    const outcome = await processes.signal(action.identity, action.signal);
    switch (outcome) {
      case 'sent':
        if (action.signal === 'SIGTERM') dealing.politeAtMs = clock.monotonicMs();
        else dealing.killedAtMs = clock.monotonicMs();
        noteReplaced(attempt, recordOf(content), action.signal === 'SIGTERM' ? 'left' : 'killed');
        return;
      case 'not_permitted':
        dealing.isSignalRefused = true;
        return;
      case 'gone':
      case 'mismatch':
      case 'unavailable':
        // The facts changed between decision and signal: check again a moment later.
        await clock.sleep(20, attempt.options.signal);
    }
  }

  function ownRecord(attempt: Attempt): AgentLockRecord {
    const { options, machine, paths, own } = attempt;
    const facts = own.kind === 'alive' ? own : null;
    const hasMarker = facts?.commandLine?.includes(options.argvMarker) === true;
    const nowMs = clock.nowMs();
    return {
      pid: self.pid,
      startTicks: facts?.startTicks ?? null,
      bootId: machine.bootId,
      instanceId: attempt.instanceId,
      machineId: machine.machineId,
      host: machine.host,
      uid: self.uid,
      exe: facts?.exe ?? null,
      // A marker that our command line does not contain would make every takeover refuse.
      argvMarker: hasMarker ? options.argvMarker : (facts?.commandLine?.slice(0, 512) ?? null),
      version: options.version,
      phase: options.mode === 'command' ? 'deciding' : 'starting',
      phaseAtMs: nowMs,
      stopReason: null,
      socketPath: options.socketPath,
      tokenHash: null,
      startedAtMs: nowMs,
      dataDir: paths.dataDir,
    };
  }

  function take(attempt: Attempt): AcquireResult {
    const { paths, kernelLock } = attempt;
    const leftBehind = readLeftBehind(paths, rules);
    const record = ownRecord(attempt);
    sweepNow([paths.dataDir, paths.runDir], clock.nowMs());
    const lock = createHeldLock({
      rules,
      kernelLock,
      paths,
      crashPoints: deps.crashPoints,
      nowMs: () => clock.nowMs(),
      record,
    });
    touchFile(paths.alive, clock.nowMs());
    const waitedMs = Math.round(clock.monotonicMs() - attempt.startedAtMs);
    const replaced = attempt.replaced && { ...attempt.replaced, waitedMs };
    return { kind: 'acquired', lock, replaced, leftBehind };
  }

  function noteReplaced(
    attempt: Attempt,
    record: AgentLockRecord | null,
    how: ReplacedHolder['how'],
  ): void {
    if (record === null) return;
    const { pid, instanceId, version, host } = record;
    attempt.replaced = { pid, instanceId, version, host, how, waitedMs: 0 };
  }

  async function runAttempt(attempt: Attempt): Promise<AcquireResult> {
    for (;;) {
      attempt.options.signal?.throwIfAborted();
      const facts = await gather(attempt);
      const action = rules.decide(facts);
      switch (action.kind) {
        case 'acquire':
          return take(attempt);
        case 'hand_over':
          return { kind: 'handed_over', holderPid: pidOf(facts.content) };
        case 'refuse':
          throw new HoldfastError(action.code, action.message, {
            hint: action.hint,
            facts: action.facts,
          });
        case 'wait':
          await clock.sleep(action.delayMs, attempt.options.signal);
          break;
        case 'ask':
          await ask(attempt, facts.content, action);
          break;
        case 'signal':
          await signal(attempt, facts.content, action);
          break;
      }
    }
  }

  return {
    async acquire(options) {
      const paths = prepareDataDir(options.dataDir);
      const kernelLock = deps.openKernelLock(paths.lockDb);
      const [machine, own] = await Promise.all([processes.machine(), processes.read(self.pid)]);
      const startedAtMs = clock.monotonicMs();
      const attempt: Attempt = {
        options,
        paths,
        kernelLock,
        policy: rules.policyOf(options),
        machine,
        own,
        instanceId: randomUUID(),
        startedAtMs,
        dealing: newDealing(null),
        situation: '',
        situationSinceMs: startedAtMs,
        replaced: null,
      };
      try {
        const result = await runAttempt(attempt);
        if (result.kind === 'handed_over') kernelLock.unlock();
        return result;
      } catch (error) {
        kernelLock.unlock();
        if (error instanceof HoldfastError || options.signal?.aborted === true) throw error;
        throw unusable(paths.agentLock, error);
      }
    },
  };
}

/** The lock of this process on this computer. */
export function createSystemInstanceLock(deps: {
  readonly rules: LockRules;
  readonly clock: Clock;
  readonly crashPoints: CrashPoints;
}): InstanceLock {
  return createInstanceLock({
    ...deps,
    processes: createSystemProcessTable(),
    openKernelLock,
    self: { pid: process.pid, ppid: process.ppid, uid: process.getuid?.() ?? null },
  });
}

/** Text in our own command line by which a later start knows the process. */
export function argvMarker(): string {
  return process.argv[1] ?? process.execPath;
}
