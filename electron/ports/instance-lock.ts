/**
 * The instance lock: one process owns a data directory at a time.
 *
 * The authority is a kernel lock on `D/lock.db`. `D/agent.lock` is information for users and for
 * the next start. Rows S2-39..S2-48, R14; security L1..L11.
 */
import type { MachineFacts, ProcessFacts, ProcessIdentity } from './process-facts';

/**
 * What the holder is doing. A holder that starts, migrates or stops may be silent for 60 s. One that
 * is `deciding` is a command that records something while nothing runs: it runs nothing itself.
 */
export type LockPhase = 'starting' | 'migrating' | 'running' | 'stopping' | 'deciding';

/** Who acquires: an app with windows, a start without them, or a command while it runs. */
export type LockMode = 'gui' | 'headless' | 'command';

/** Content of `D/agent.lock` as this version writes it. */
export interface AgentLockRecord {
  readonly pid: number;
  /** Start identity of the process; null if unknown (then it is never signaled). */
  readonly startTicks: string | null;
  readonly bootId: string | null;
  /** Random ID of this ownership; a release removes the file only if it still has this ID. */
  readonly instanceId: string;
  readonly machineId: string | null;
  readonly host: string;
  readonly uid: number | null;
  readonly exe: string | null;
  /**
   * Text that the holder's command line contains; null in a record that must not be used for
   * signaling.
   */
  readonly argvMarker: string | null;
  readonly version: string;
  readonly phase: LockPhase;
  /** Wall ms at which the phase started. */
  readonly phaseAtMs: number;
  /** Why the holder stops, while its phase is `stopping`. */
  readonly stopReason: string | null;
  readonly socketPath: string | null;
  /** SHA-256 (hex) of the control token; never the token. */
  readonly tokenHash: string | null;
  /** Wall ms at which the lock was acquired. */
  readonly startedAtMs: number;
  readonly dataDir: string;
}

/** What was found at the path of `agent.lock`. */
export type LockContent =
  | { readonly kind: 'absent' }
  /** Another program's format: a bare pid. Names a process and proves nothing about it. */
  | { readonly kind: 'bare_pid'; readonly pid: number }
  | { readonly kind: 'unreadable'; readonly reason: string }
  | { readonly kind: 'record'; readonly record: AgentLockRecord };

/**
 * `D/run/takeover.json`: the process that made the holder stop. Written before the first signal.
 */
export interface TakeoverNote {
  readonly byPid: number;
  readonly byInstanceId: string;
  readonly atMs: number;
  /** Instance id of the holder that is asked to exit. */
  readonly targetInstanceId: string;
}

/** What a second start does when the lock is held by a healthy process. Key `instance.on_conflict`. */
export type ConflictPolicy = 'focus' | 'takeover' | 'refuse';

/** The newcomer's request to the holder over its socket. */
export type HolderVerb = 'focus' | 'takeover';

/** The holder's answer. `silent` covers no socket, no connection and no answer in time. */
export type HolderAnswer = 'focused' | 'leaving' | 'silent' | 'refused';

/** All waits of an acquisition, in ms. */
export interface LockTimings {
  /** From the polite stop to SIGKILL. */
  readonly termWaitMs: number;
  readonly pollMs: number;
  /** How long a healthy holder may take to answer `focus`. */
  readonly focusTimeoutMs: number;
  /** How long a holder may take to answer `takeover` before the signal. */
  readonly askTakeoverTimeoutMs: number;
  /** Silence allowed to a holder that starts, migrates or stops. */
  readonly transientSilenceMs: number;
  /** Pause between two `focus` requests to such a holder. */
  readonly askAgainMs: number;
  /** How long facts that are held but unexplained may settle (a holder between lock and record). */
  readonly settleMs: number;
  /** How long the lock may outlive SIGKILL before the holder counts as unkillable. */
  readonly killWaitMs: number;
  /** A holder this young that is still starting counts as a simultaneous start. */
  readonly simultaneousMs: number;
  /** A foreign machine's record with a younger heartbeat refuses the start. */
  readonly foreignHeartbeatMs: number;
}

/** Facts for the newcomer's next decision. */
export interface LockFacts {
  readonly self: {
    readonly pid: number;
    readonly ppid: number;
    readonly uid: number | null;
    readonly machine: MachineFacts;
  };
  readonly dataDir: string;
  readonly policy: ConflictPolicy;
  readonly isExplicitTakeover: boolean;
  readonly timings: LockTimings;
  /** `free` means: this process holds it now. */
  readonly kernelLock: 'free' | 'held';
  readonly content: LockContent;
  /** Facts about the pid in the content; null when it names none. */
  readonly holder: ProcessFacts | null;
  /** The pid that the kernel names as holder of the lock; null if it names none. */
  readonly kernelHolderPid: number | null;
  /** Age of the newest heartbeat in the data directory; null if there is none. */
  readonly heartbeatAgeMs: number | null;
  /** Current wall ms, and the wall ms at which this process started to boot. */
  readonly nowMs: number;
  readonly beganAtMs: number;
  /** Monotonic ms since the lock was first seen held with this content and this holder's life. */
  readonly heldForMs: number;
  /** Last request to the current holder. */
  readonly asked: {
    readonly verb: HolderVerb;
    readonly answer: HolderAnswer;
    readonly agoMs: number;
  } | null;
  /** Monotonic ms since the polite stop (SIGTERM, or the holder's `leaving`); null before it. */
  readonly politeForMs: number | null;
  /** Monotonic ms since SIGKILL; null before it. */
  readonly killedForMs: number | null;
  /** True when the system refused to deliver our signal to the present holder. */
  readonly isSignalRefused: boolean;
}

/** Error codes of a rejected start. All are `ErrorCode`s. */
export type LockRefusalCode =
  'LOCK_HELD' | 'LOCK_OTHER_HOST' | 'LOCK_OTHER_USER' | 'LOCK_UNKILLABLE';

/** The newcomer's next action. */
export type LockAction =
  | { readonly kind: 'acquire' }
  | { readonly kind: 'hand_over' }
  | { readonly kind: 'wait'; readonly delayMs: number }
  | {
      readonly kind: 'ask';
      readonly verb: HolderVerb;
      /** Null: the socket that this data directory's holder would use by default. */
      readonly socketPath: string | null;
      readonly timeoutMs: number;
    }
  | {
      readonly kind: 'signal';
      readonly signal: 'SIGTERM' | 'SIGKILL';
      readonly identity: ProcessIdentity;
      readonly targetInstanceId: string;
    }
  | {
      readonly kind: 'refuse';
      readonly code: LockRefusalCode;
      readonly message: string;
      readonly hint: string;
      readonly facts: Readonly<Record<string, string | number | boolean | null>>;
    };

/**
 * The pure rules, implemented by `engine/instance` and passed to the adapter.
 * Implemented by engine/instance/decide-lock.ts.
 */
export interface LockRules {
  readonly timings: LockTimings;
  /** Never throws; garbage becomes `unreadable`. */
  parse(text: string): LockContent;
  format(record: AgentLockRecord): string;
  /** Never throws; anything but a note becomes null. */
  parseTakeoverNote(text: string): TakeoverNote | null;
  policyOf(options: {
    readonly mode: LockMode;
    readonly takeover: boolean;
    readonly onConflict: ConflictPolicy | null;
  }): ConflictPolicy;
  decide(facts: LockFacts): LockAction;
}

/** Asks the holder over its control socket. Must resolve within `timeoutMs`. */
export type AskHolder = (
  socketPath: string,
  token: string | null,
  verb: HolderVerb,
  timeoutMs: number,
) => Promise<HolderAnswer>;

/** What a start passes to {@link InstanceLock.acquire}. */
export interface AcquireOptions {
  readonly dataDir: string;
  readonly mode: LockMode;
  /** `--takeover`. */
  readonly takeover: boolean;
  /** The setting `instance.on_conflict`; null when it is not set. */
  readonly onConflict: ConflictPolicy | null;
  readonly version: string;
  /** Our own control socket; also the default address of a holder whose record cannot be read. */
  readonly socketPath: string | null;
  /** File (0600) that holds the holder's control token; null if tokens are not used. */
  readonly tokenPath: string | null;
  /** Text that our own command line contains, for instance the entry's path. */
  readonly argvMarker: string;
  /** Wall ms at which this process started. */
  readonly beganAtMs: number;
  readonly askHolder: AskHolder;
  readonly signal?: AbortSignal;
}

/** The holder that had to exit for us. */
export interface ReplacedHolder {
  readonly pid: number;
  readonly instanceId: string;
  readonly version: string;
  readonly host: string;
  /** `left`: it exited after being asked; `killed`: it needed SIGKILL. */
  readonly how: 'left' | 'killed';
  readonly waitedMs: number;
}

/**
 * A lock that is held.
 * Implemented by adapters/instance/held-lock.ts.
 */
export interface HeldLock {
  readonly instanceId: string;
  /** Real path of the data directory. */
  readonly dataDir: string;
  /** The record as last written. */
  record(): AgentLockRecord;
  /** Durable when it returns. @throws HoldfastError LOCK_LOST */
  setPhase(phase: LockPhase, stopReason?: string): void;
  /** Publishes the control socket's address. Durable when it returns. @throws HoldfastError LOCK_LOST */
  announce(control: { readonly socketPath: string; readonly tokenHash: string | null }): void;
  /**
   * Two `lstat` calls, no disk sync: call it before every write that must not happen twice.
   * A removed or garbled `agent.lock` is written again; a replaced `lock.db` or another owner's
   * record is a loss, and a loss is final. Row S2-47. @throws HoldfastError LOCK_LOST
   */
  assertStillOwner(): void;
  /**
   * Writes a heartbeat; call every 30 s. Also checks our lock in the kernel. Rejects with
   * LOCK_LOST.
   */
  touchAlive(): Promise<void>;
  /** The note of the newcomer that made us stop, if it is addressed to this instance. */
  takeoverNote(): TakeoverNote | null;
  /** Idempotent; removes `agent.lock` only if it is still ours (S2-46), then frees the kernel lock. */
  release(): void;
}

/**
 * Facts that the previous owner left in the data directory, read before anything is overwritten.
 */
export interface LeftBehind {
  readonly content: LockContent;
  /** Wall ms of the last heartbeat (mtime of `run/alive`); null if there is none. */
  readonly lastAliveAtMs: number | null;
  readonly takeoverNote: TakeoverNote | null;
  readonly crashNote: CrashNote | null;
}

/** `D/run/crash.json`: last message of a process that died of its own error. */
export interface CrashNote {
  readonly instanceId: string;
  readonly atMs: number;
  readonly summary: string;
}

/** How an acquisition ended, when it did not throw. */
export type AcquireResult =
  | {
      readonly kind: 'acquired';
      readonly lock: HeldLock;
      readonly replaced: ReplacedHolder | null;
      readonly leftBehind: LeftBehind;
    }
  | { readonly kind: 'handed_over'; readonly holderPid: number | null };

/**
 * Port: acquires the data directory.
 * Implemented by adapters/instance/instance-lock.ts.
 */
export interface InstanceLock {
  /**
   * Returns once the lock is held and `agent.lock` is durable, or the holder was focused. Opens
   * nothing else in D and connects only to the holder.
   *
   * @throws HoldfastError LOCK_HELD, LOCK_OTHER_HOST, LOCK_OTHER_USER, LOCK_UNKILLABLE,
   * LOCK_FILESYSTEM, DATA_DIR_UNUSABLE, DATA_DIR_UNSAFE, NATIVE_MODULE_UNUSABLE
   */
  acquire(options: AcquireOptions): Promise<AcquireResult>;
}
