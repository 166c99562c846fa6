/**
 * The newcomer's decisions, one action at a time. The adapter gathers facts, asks for the next
 * action, performs it and returns with new facts.
 *
 * ```
 * kernel lock free ---------------------------> acquire (signal no one, whatever the file says)
 *        |            '- fresh record of another machine -> refuse
 *       held
 *        |-- facts do not name its owner ------> wait (settle) -> [gui: ask focus] -> refuse
 *        |-- other machine / other user -------> refuse
 *        |-- a command that records -----------> wait (60 s), then as below
 *        |-- policy refuse --------------------> refuse
 *        |-- policy focus: ask ----- focused --> hand_over
 *        |            '- silent 2 s (60 s while it starts, migrates or stops)
 *        |                   v
 *        '-- takeover: ask -> SIGTERM -> poll 50 x 100 ms -> identity again -> SIGKILL
 *                   '- leaving ----^                             '- wait for the lock
 * ```
 *
 * Source: seed 002 instance takeover; rows S2-40..S2-47, R14; security L1..L4, L10.
 */
import type {
  AgentLockRecord,
  ConflictPolicy,
  LockAction,
  LockFacts,
  LockMode,
  LockRefusalCode,
  LockRules,
  LockTimings,
} from '../../ports/instance-lock';
import type { MachineFacts, ProcessFacts, ProcessIdentity } from '../../ports/process-facts';
import { formatLockRecord, parseLockRecord, parseTakeoverNote } from './lock-record';

/** The documents' waits (5 s in polls of 100 ms, 2 s, 60 s) and our own small ones. */
export const LOCK_TIMINGS: LockTimings = {
  termWaitMs: 5_000,
  pollMs: 100,
  focusTimeoutMs: 2_000,
  // Short, so that SIGKILL still falls 5 s after the start of the acquisition, not 7.
  askTakeoverTimeoutMs: 300,
  transientSilenceMs: 60_000,
  askAgainMs: 500,
  settleMs: 1_500,
  killWaitMs: 1_500,
  simultaneousMs: 1_000,
  foreignHeartbeatMs: 120_000,
};

/**
 * `--takeover` overrides the setting, the setting overrides the mode's default: a window focuses, a
 * headless start takes over. A command replaces no process. Row R14, security L8.
 */
export function conflictPolicyOf(options: {
  readonly mode: LockMode;
  readonly takeover: boolean;
  readonly onConflict: ConflictPolicy | null;
}): ConflictPolicy {
  if (options.mode === 'command') return 'refuse';
  if (options.takeover) return 'takeover';
  return options.onConflict ?? (options.mode === 'gui' ? 'focus' : 'takeover');
}

/**
 * Whether a record was written on this machine. The same boot id is the same kernel, so containers
 * that change their host name at every deployment stay the same machine.
 */
function isSameMachine(record: AgentLockRecord, machine: MachineFacts): boolean {
  if (record.bootId !== null && record.bootId === machine.bootId) return true;
  if (record.machineId !== null && machine.machineId !== null) {
    return record.machineId === machine.machineId;
  }
  return record.host === '' || record.host === machine.host;
}

/** Why a process must not be signaled, or the identity that permits it. */
type IdentityVerdict =
  | { readonly kind: 'ours'; readonly identity: ProcessIdentity }
  | { readonly kind: 'not_ours'; readonly reason: string }
  | { readonly kind: 'other_user'; readonly uid: number }
  | { readonly kind: 'unknown'; readonly reason: string };

function sameExecutable(recorded: string | null, found: string | null): boolean {
  if (recorded === null || found === null) return true;
  // After an update, Linux adds this suffix to the path of a running program.
  return found.replace(/ \(deleted\)$/, '') === recorded.replace(/ \(deleted\)$/, '');
}

/**
 * Compares a live process with the record that claims it: pid, start time, boot id, uid, program.
 * Anything that differs or cannot be read forbids a signal. Security L2.
 */
function identifyHolder(facts: {
  readonly self: LockFacts['self'];
  readonly record: AgentLockRecord;
  readonly holder: ProcessFacts | null;
  readonly kernelHolderPid: number | null;
}): IdentityVerdict {
  const { record, holder, self } = facts;
  const notOurs = (reason: string): IdentityVerdict => ({ kind: 'not_ours', reason });
  if (record.pid <= 1) return notOurs('the pid is never signaled');
  if (record.pid === self.pid) return notOurs('the record carries our own pid');
  if (record.pid === self.ppid) return notOurs('the record carries the pid of our parent');
  if (holder === null || holder.kind === 'dead') return notOurs('no such process');
  if (holder.kind === 'zombie') return notOurs('that process has ended');
  if (holder.kind === 'unavailable') return { kind: 'unknown', reason: holder.reason };
  if (record.startTicks === null || record.bootId === null || record.argvMarker === null) {
    return { kind: 'unknown', reason: 'the record is incomplete' };
  }
  if (self.machine.bootId === null) return { kind: 'unknown', reason: 'boot id unreadable' };
  if (record.bootId !== self.machine.bootId) return notOurs('the record is from another boot');
  if (record.startTicks !== holder.startTicks) return notOurs('the process started later');
  // A fact that this platform normally has but that cannot be read does not count as a match (L2).
  if (holder.uid === null && self.uid !== null) {
    return { kind: 'unknown', reason: 'its user is unreadable' };
  }
  if (holder.uid !== null && holder.uid !== self.uid) {
    return { kind: 'other_user', uid: holder.uid };
  }
  if (holder.uid !== record.uid) return notOurs('the user differs');
  if (holder.commandLine === null) return { kind: 'unknown', reason: 'command line unreadable' };
  if (!holder.commandLine.includes(record.argvMarker) || !sameExecutable(record.exe, holder.exe)) {
    return notOurs('it is another program');
  }
  if (facts.kernelHolderPid !== null && facts.kernelHolderPid !== record.pid) {
    return notOurs('the kernel names another holder');
  }
  const { pid, startTicks, uid, exe, argvMarker } = record;
  return { kind: 'ours', identity: { pid, startTicks, uid, exe, argvMarker } };
}

function refuse(
  code: LockRefusalCode,
  facts: LockFacts,
  words: { readonly message: string; readonly hint: string },
): LockAction {
  const record = facts.content.kind === 'record' ? facts.content.record : null;
  const pid = facts.content.kind === 'bare_pid' ? facts.content.pid : (record?.pid ?? null);
  return {
    kind: 'refuse',
    code,
    ...words,
    facts: {
      dataDir: facts.dataDir,
      content: facts.content.kind,
      pid,
      kernelHolderPid: facts.kernelHolderPid,
      host: record === null || record.host === '' ? null : record.host,
      phase: record?.phase ?? null,
      version: record?.version ?? null,
      heartbeatAgeMs: facts.heartbeatAgeMs,
    },
  };
}

function refuseOtherHost(facts: LockFacts, record: AgentLockRecord): LockAction {
  return refuse('LOCK_OTHER_HOST', facts, {
    message: `The data directory ${facts.dataDir} is in use by Holdfast on the computer "${record.host}". Nothing was started and nothing was changed.`,
    hint: `Stop Holdfast on "${record.host}" first. If that directory is only a copy, start once with --takeover.`,
  });
}

/**
 * The lock is held, but its owner is not known yet: let the facts settle, then refuse with what is
 * known.
 */
function unexplained(facts: LockFacts, reason: string): LockAction {
  if (facts.heldForMs < facts.timings.settleMs) return { kind: 'wait', delayMs: 20 };
  if (facts.policy === 'focus') {
    if (facts.asked === null) {
      return {
        kind: 'ask',
        verb: 'focus',
        socketPath: null,
        timeoutMs: facts.timings.focusTimeoutMs,
      };
    }
    if (facts.asked.answer === 'focused') return { kind: 'hand_over' };
  }
  const named =
    facts.kernelHolderPid === null
      ? 'a process that cannot be identified'
      : `process ${facts.kernelHolderPid}`;
  return refuse('LOCK_HELD', facts, {
    message: `The data directory ${facts.dataDir} is in use by ${named}, and its lock record does not prove which process that is (${reason}). No process was signaled.`,
    hint: `Quit the Holdfast that uses this directory, or end that process yourself, then start again.`,
  });
}

function isTransient(record: AgentLockRecord): boolean {
  return record.phase !== 'running';
}

/** Focus. Null: the holder counts as silent and may be taken over. */
function focusStep(facts: LockFacts, record: AgentLockRecord): LockAction | null {
  const { asked, timings } = facts;
  const ask: LockAction = {
    kind: 'ask',
    verb: 'focus',
    socketPath: record.socketPath,
    timeoutMs: timings.focusTimeoutMs,
  };
  if (asked === null || asked.verb !== 'focus') return ask;
  switch (asked.answer) {
    case 'focused':
      return { kind: 'hand_over' };
    case 'leaving':
      // It is shutting down: the lock will be free in a moment.
      if (facts.heldForMs < timings.transientSilenceMs) {
        return { kind: 'wait', delayMs: timings.pollMs };
      }
      return null;
    case 'refused':
      return refuse('LOCK_HELD', facts, {
        message: `Holdfast is already running on ${facts.dataDir} (process ${record.pid}) and has no window to show.`,
        hint: 'Use the command line with it, stop it with "holdfast stop", or start with --takeover.',
      });
    case 'silent': {
      const phaseAgeMs = facts.nowMs - record.phaseAtMs;
      // The wall clock may have been set back, so our own waiting counts as well.
      const silentForMs = Math.max(phaseAgeMs, facts.heldForMs);
      if (isTransient(record) && silentForMs < timings.transientSilenceMs) {
        if (asked.agoMs < timings.askAgainMs) return { kind: 'wait', delayMs: timings.pollMs };
        return ask;
      }
      return null;
    }
  }
}

function isLostRace(facts: LockFacts, record: AgentLockRecord): boolean {
  if (record.startedAtMs > facts.nowMs || record.phase === 'deciding') return false;
  if (record.startedAtMs >= facts.beganAtMs) return true;
  const leadMs = facts.beganAtMs - record.startedAtMs;
  return (
    !facts.isExplicitTakeover &&
    record.phase === 'starting' &&
    leadMs < facts.timings.simultaneousMs
  );
}

function takeoverStep(facts: LockFacts, record: AgentLockRecord): LockAction {
  const { timings, asked } = facts;
  if (facts.isSignalRefused) return refuseOtherUser(facts, record);
  const verdict = identifyHolder({ ...facts, record });
  if (verdict.kind === 'other_user') return refuseOtherUser(facts, record);

  if (facts.killedForMs !== null) {
    if (facts.killedForMs < timings.killWaitMs) return { kind: 'wait', delayMs: 20 };
    return refuse('LOCK_UNKILLABLE', facts, {
      message: `Holdfast (process ${record.pid}) holds ${facts.dataDir} and did not exit, even when killed; the system may be waiting for a disk. Its lock was left alone.`,
      hint: 'Wait for the disk or restart the computer, then start again. No work is lost.',
    });
  }
  if (facts.politeForMs !== null && facts.politeForMs < timings.termWaitMs) {
    const leftMs = timings.termWaitMs - facts.politeForMs;
    return { kind: 'wait', delayMs: Math.max(1, Math.min(timings.pollMs, leftMs)) };
  }
  if (verdict.kind === 'not_ours') return unexplained(facts, verdict.reason);
  if (asked === null) {
    const timeoutMs = timings.askTakeoverTimeoutMs;
    return { kind: 'ask', verb: 'takeover', socketPath: record.socketPath, timeoutMs };
  }
  if (verdict.kind === 'unknown') return unexplained(facts, verdict.reason);
  const { identity } = verdict;
  const targetInstanceId = record.instanceId;
  if (facts.politeForMs === null && facts.self.machine.platform !== 'win32') {
    return { kind: 'signal', signal: 'SIGTERM', identity, targetInstanceId };
  }
  if (facts.politeForMs === null && facts.heldForMs < timings.termWaitMs) {
    // Windows has no polite signal; the request over the socket was the polite way.
    return { kind: 'wait', delayMs: timings.pollMs };
  }
  return { kind: 'signal', signal: 'SIGKILL', identity, targetInstanceId };
}

function refuseOtherUser(facts: LockFacts, record: AgentLockRecord): LockAction {
  return refuse('LOCK_OTHER_USER', facts, {
    message: `Holdfast (process ${record.pid}) of another user is using ${facts.dataDir}. It was not touched.`,
    hint: 'Stop it from that account, or choose another directory with --data-dir.',
  });
}

/** The newcomer's next action for these facts. Total: every combination has an answer. */
export function decideLock(facts: LockFacts): LockAction {
  const { content } = facts;
  if (facts.kernelLock === 'free') {
    const isForeign =
      content.kind === 'record' && !isSameMachine(content.record, facts.self.machine);
    const isFresh =
      facts.heartbeatAgeMs !== null && facts.heartbeatAgeMs < facts.timings.foreignHeartbeatMs;
    // A kernel lock does not cover another kernel, so a foreign record counts while it is fresh. An
    // old one is a copied folder.
    if (isForeign && isFresh && !facts.isExplicitTakeover) {
      return refuseOtherHost(facts, content.record);
    }
    return { kind: 'acquire' };
  }
  switch (content.kind) {
    case 'absent':
      return unexplained(facts, 'there is no record');
    case 'unreadable':
      return unexplained(facts, `the record is ${content.reason}`);
    case 'bare_pid':
      return unexplained(facts, 'it holds a bare process number');
    case 'record':
      return heldByRecord(facts, content.record);
  }
}

function heldByRecord(facts: LockFacts, record: AgentLockRecord): LockAction {
  if (!isSameMachine(record, facts.self.machine)) {
    if (facts.heldForMs < facts.timings.settleMs) return { kind: 'wait', delayMs: 20 };
    return refuseOtherHost(facts, record);
  }
  // Stale facts while the lock is held: a new holder may be about to write its record.
  const hasEnded =
    facts.holder === null || facts.holder.kind === 'dead' || facts.holder.kind === 'zombie';
  if (hasEnded) return unexplained(facts, 'its process has ended');
  // A command ends soon and runs nothing; deferring to it would leave no engine running.
  const isSpared = facts.politeForMs === null && facts.killedForMs === null;
  if (record.phase === 'deciding' && isSpared && facts.heldForMs < facts.timings.transientSilenceMs)
    return { kind: 'wait', delayMs: facts.timings.pollMs };
  switch (facts.policy) {
    case 'refuse':
      return refuse('LOCK_HELD', facts, {
        message: `Holdfast is already running on ${facts.dataDir} (process ${record.pid}) and was left alone.`,
        hint: 'Use that one, or stop it with "holdfast stop". To replace it, start with --takeover or change the setting instance.on_conflict.',
      });
    case 'focus':
      if (facts.politeForMs === null && facts.killedForMs === null) {
        const step = focusStep(facts, record);
        if (step !== null) return step;
      }
      return takeoverStep(facts, record);
    case 'takeover':
      if (isLostRace(facts, record)) {
        return refuse('LOCK_HELD', facts, {
          message: `Another Holdfast (process ${record.pid}) took ${facts.dataDir} while this one was starting. Only one runs; it is the other one.`,
          hint: 'Nothing to do. To replace it anyway, start again with --takeover.',
        });
      }
      return takeoverStep(facts, record);
  }
}

/** This folder's rules as the lock adapter needs them. */
export const lockRules: LockRules = {
  timings: LOCK_TIMINGS,
  parse: parseLockRecord,
  format: formatLockRecord,
  parseTakeoverNote,
  policyOf: conflictPolicyOf,
  decide: decideLock,
};
