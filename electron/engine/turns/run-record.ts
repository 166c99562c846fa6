import type { JsonValue } from '../../ports/provider';
import type { Usage } from '../../../shared/types';
import type { Basics } from '../kernel/basics';
import type { Breakers } from '../../ports/breakers';
import type { CallOutcomes } from '../../ports/call-outcomes';
import type { Journal } from '../../ports/journal/journal';
import type { JournalReads } from '../../ports/journal/reads';
import type { StepRow, TurnRow } from '../../ports/journal/rows';
import type { Frame, JournalEntry, StepEnd, StepStart } from '../../ports/journal/entries';
import type { StoredText } from '../../ports/journal/stored';
import type { KeyOrigin } from '../../ports/journal/shared';
import type { StepScope } from '../../ports/journal/skills';
import type { Message, ModelRequest, Providers } from '../../ports/provider';
import type { CrashPointName } from '../kernel/crash-points';
import type { RetryPolicy } from '../retry/plan-retry';
import { INLINE_CHARS } from '../journal/step-keys';
import type { PortableTexts } from '../journal/portable-text';
import type { LedgerCursor } from '../recovery/ledger';
import type { RecoveryPolicy } from '../recovery/plan-resume';
import { addUsage, NO_USAGE } from '../recovery/plan-resume';
import type { Budgets } from '../budgets/budgets';
import type { Outages } from '../outage/outages';
import type { Approvals } from '../permissions/approvals';
import type { ApprovalRules } from '../permissions/judge-call';
import type { Lease } from './lease-table';
import type { RequeuePolicy } from './plan-requeue';
import type { StepGate } from './quit-when-done';
import type { SkillRuns } from '../skills/runs';
import type { ToolRegistry } from './tool-registry';

/** Characters of a large result that stay readable after the turn ends. */
const START_CHARS = 2_000;

/**
 * Where a run reads and writes the state that must survive a crash, and the clock of its entries.
 */
interface RunStore extends Pick<Basics, 'blobs' | 'hasher' | 'clock' | 'crashPoints' | 'audit'> {
  /**
   * Ours, followed by the store for shared turns.
   * Implemented by engine/sharing/share-gate.ts.
   */
  readonly journal: Journal;
  readonly reads: JournalReads;
}

/** Requests to a provider, and the handling of failed ones. */
interface RunModel {
  readonly providers: Providers;
  readonly breakers: Breakers;
  /**
   * Upper bound of a request's cost; undefined without prices.
   * Implemented by adapters/providers/price.ts.
   */
  readonly mostCostUsd: (request: ModelRequest) => number | undefined;
  /** Retry policy of failed requests. */
  readonly retries: () => RetryPolicy;
  /** Backoff of a turn whose requests failed after all retries. */
  readonly requeue: () => RequeuePolicy;
  /** Random jitter for the waits. */
  readonly random: () => number;
  /** The outcome of each provider call. */
  readonly outcomes: CallOutcomes;
  /** What happens to a turn whose provider is down. */
  readonly outages: Pick<
    Outages,
    | 'afterCall'
    | 'setRetryAt'
    | 'blocks'
    | 'noteRetryAfter'
    | 'quietMs'
    | 'noteLimit'
    | 'noteWindow'
  >;
}

/** The tools that a turn may call, and whether they need approval. */
interface RunTools {
  readonly registry: ToolRegistry;
  /** Which calls need approval; `judgeCall` applies them. */
  readonly rules: () => ApprovalRules;
  readonly approvals: Approvals;
  /**
   * Why an external program's declared shell tool may not run this command, if so (S1-29).
   * Implemented by engine/shell-policy/shell-verdicts.ts.
   */
  readonly refusedCommand: (qualifiedTool: string, args: JsonValue) => string | undefined;
  readonly skills: SkillRuns;
  /**
   * The answer to a message that is a command, such as `/tasks due`; undefined for any other.
   * Implemented by engine/schedule/chat-command.ts.
   */
  readonly commandAnswer: (text: string, turn: TurnRow) => Promise<string | undefined>;
}

/** The limits of a run, and what ends it early. */
interface RunLimits {
  readonly policy: () => RecoveryPolicy;
  readonly ofTurn: () => TurnLimits;
  readonly budgets: Budgets;
  /** Calls the listener when limits change, until the returned function is called. */
  readonly onChange: (listener: () => void) => () => void;
  /**
   * Aborted when the shutdown starts: a run ends at its next step boundary and resumes at the next
   * start.
   */
  readonly draining: AbortSignal;
  /** Passed between two steps; closed while a quit waits for the current step. */
  readonly stepGate: StepGate;
}

/** Who is told about a run's progress. */
interface RunNotices {
  /**
   * Whether the turn's end is reported on its channel.
   * Implemented by engine/replies/timed-answers.ts.
   */
  readonly hasReply: (turn: TurnRow) => boolean;
  /** Its errors end silently, without review. Used by the default heartbeat (S1-38). */
  readonly isForNobody: (turnId: number) => boolean;
  /** An instant formatted for users of this computer. */
  readonly time: (atMs: number) => string;
  /** Provisional text of the answer being written. */
  readonly onText: (turnId: number, delta: string) => void;
  /** The provisional text so far is void: the stream was cut. */
  readonly onTextWithdrawn: (turnId: number) => void;
}

/** Dependencies of a turn's run, by what changes together. */
export interface TurnRunDeps {
  readonly store: RunStore;
  readonly model: RunModel;
  readonly tools: RunTools;
  readonly limits: RunLimits;
  readonly notify: RunNotices;
  /**
   * The frame of an agent as configured now, in this turn's folder. @throws AGENT_UNKNOWN,
   * AGENT_INVALID. Implemented by engine/executors/agents.ts and engine/skills/skills.ts.
   */
  readonly frameOf: (agent: string, turnId: number) => Promise<Frame>;
  /**
   * Path mapping for shared turns whose agent works in this folder.
   * Implemented by engine/journal/portable-folders.ts.
   */
  readonly portable: (workspace: string) => PortableTexts;
}

/** A turn that exceeds one of these pauses and asks. */
interface TurnLimits {
  readonly steps: number;
  readonly timeMs: number;
  readonly costUsd: number;
}

/** Why a run stops before the turn is closed. */
export type RunStop = 'cancelled' | 'shutdown' | 'lease_lost';

/** The phase visit that a conversation belongs to, with the skill whose policy counts. */
export interface RunScope extends StepScope {
  readonly skill: string;
}

/** What a run knows from its start. */
interface RunFacts {
  readonly turn: TurnRow;
  readonly attempt: number;
  /** Work time of earlier runs: limits count the whole turn. */
  readonly ranBeforeMs: number;
  readonly frame: Frame;
  /** The newest question about a call of this turn, from before this run. */
  readonly asked: ReturnType<Approvals['ofTurn']>;
  /** All models that have answered this turn; the last one is the frame's and answers now. FB-03 */
  readonly models: readonly { readonly provider: string; readonly model: string }[];
  /** Path mapping of a shared turn; undefined for a turn of this computer only. DW-18 */
  readonly portable: PortableTexts | undefined;
  /** Basis of the keys of its effects, and its claim if it is shared: a run lives within one. */
  readonly origin: KeyOrigin;
  readonly epoch: number | undefined;
  /** Undefined outside a skill. */
  readonly scope: RunScope | undefined;
  readonly cursor: LedgerCursor;
  readonly messages: Message[];
}

/** The run's lease, and the time it works. */
interface RunTime {
  /** A heartbeat: nothing else renews the lease. `forMs`: how long it is valid. */
  alive(forMs?: number): void;
  /** Continuous heartbeats until the returned function is called. */
  atWork(): () => void;
  /** False once another worker runs this turn. */
  isHeld(): boolean;
  /**
   * Waits with heartbeats and without a time limit: no work happens meanwhile. Held entries are
   * committed before, because an outcome only shares a commit with an intent that follows at once.
   */
  rest(until: Promise<void>): Promise<void>;
  /** The turn's work time, including earlier runs. */
  ranMs(): number;
}

/** The steps, each with its intent on disk before it begins. */
interface RunSteps {
  /** Number of the newest step. */
  step(): number;
  /**
   * Numbers a step and commits its intent together with the previous outcome. Checks the lease
   * before and after the commit, so that a run that was taken over executes nothing. `silentMs`:
   * how long the call may stay silent. `isTold`: the call has already started and is only reported;
   * if the disk rejects the write, the entry waits for the next commit. @throws LEASE_LOST
   */
  begin(
    start: Omit<StepStart, 'turnId' | 'step' | 'attempt'>,
    options?: {
      readonly alongside?: readonly JournalEntry[];
      readonly silentMs?: number;
      readonly isTold?: boolean;
    },
  ): Promise<number>;
  /**
   * Holds an outcome for the next commit; after a takeover the outcome goes only to the audit.
   * @throws LEASE_LOST
   */
  end(step: number, end: StepEnd): void;
  reuse(step: Pick<StepRow, 'step' | 'endedSeq'>, saved: Usage | undefined): void;
  /** True once a repeated read has returned something other than before the restart. */
  hasDrifted(): boolean;
  /** Holds an entry for the next commit. */
  note(entry: JournalEntry): void;
  /** Commits the held entries and `entries`. */
  flush(entries?: readonly JournalEntry[]): Promise<void>;
}

interface RunUsage {
  spent(): Usage;
  /**
   * Counts the usage of a try whose answer could not be used; its own entry records that on disk.
   */
  paid(usage: Usage): void;
}

interface RunTexts {
  /**
   * Inline up to 32 KB, otherwise a content-addressed file that is on disk when this resolves; also
   * inline while the disk accepts no file. A tool's result stays until the turn is over; an answer
   * is part of the session.
   */
  store(text: string, what: 'result' | 'answer'): Promise<StoredText>;
  /** Undefined if the file is missing or damaged. */
  load(text: StoredText): Promise<string | undefined>;
}

/**
 * The durable side of one run: numbers steps, holds a step's outcome until the next intent can
 * share its commit (write rule 2), and writes both.
 */
export interface TurnRun extends RunFacts, RunTime, RunSteps, RunUsage, RunTexts {}

/** The crash point after an entry of this kind is on disk. */
const POINT_AFTER: Partial<Record<JournalEntry['kind'], CrashPointName>> = {
  'turn.started': 'turn.start.after',
  'run.started': 'run.start.after',
  'phase.left': 'phase.end.after',
  'run.ended': 'run.end.after',
};

export function createTurnRun(
  deps: TurnRunDeps,
  init: Omit<RunFacts, 'scope' | 'asked'> & {
    readonly lastStep: number;
    readonly lease: Lease;
    /** Written with the first commit: the frame and the start of this attempt. */
    readonly opening: readonly JournalEntry[];
  },
): TurnRun {
  const { lastStep, lease, opening, turn, attempt, cursor, ranBeforeMs } = init;
  let kept: JournalEntry[] = [...opening];
  let isOutcomeKept = false;
  let step = lastStep;
  let spent = turn.usage;
  let reused: number[] = [];
  let saved: Usage = NO_USAGE;
  /** Steps that started and have not ended: their tool, and whether they may repeat an effect. */
  const begun = new Map<number, { readonly tool: string; readonly mayRepeat: boolean }>();
  let repeatedRead: number | undefined;
  const startedMs = deps.store.clock.monotonicMs();
  let restedMs = 0;
  let hasDrifted = false;

  /** Costs of a run that was taken over still count, although nothing else of it is written. */
  const keepPaid = (lost: readonly JournalEntry[]): void => {
    kept = [];
    const paid = paidOf(lost, deps.store.clock.nowMs());
    // A closed journal has no disk to write to.
    if (paid.length > 0)
      deps.store.journal.commit(paid, { isOutcome: true }).catch(() => undefined);
  };

  const flush = async (entries: readonly JournalEntry[] = []): Promise<void> => {
    const batch = [...kept, ...entries];
    if (reused.length > 0) {
      batch.push({ kind: 'steps.reused', turnId: turn.id, steps: reused, saved });
      reused = [];
      saved = NO_USAGE;
    }
    if (batch.length === 0) return;
    if (!lease.isHeld()) keepPaid(batch);
    lease.assertHeld();
    lease.alive();
    const isOutcome = isOutcomeKept;
    kept = [];
    isOutcomeKept = false;
    await deps.store.journal.commit(batch, { isOutcome });
    if (isOutcome) deps.store.crashPoints.hit('step.result.after');
    for (const { kind } of batch) {
      const point = POINT_AFTER[kind];
      if (point !== undefined) deps.store.crashPoints.hit(point);
    }
  };

  return {
    // By name: a spread would build the record of each turn property by property.
    turn,
    attempt,
    cursor,
    ranBeforeMs,
    frame: init.frame,
    asked: deps.tools.approvals.ofTurn(turn.id),
    models: init.models,
    messages: init.messages,
    portable: init.portable,
    origin: init.origin,
    epoch: init.epoch,
    scope: undefined,
    step: () => step,
    spent: () => spent,
    paid(usage) {
      spent = addUsage(spent, usage);
    },
    alive: (forMs) => {
      lease.alive(forMs);
    },
    atWork: () => lease.atWork(),
    isHeld: () => lease.isHeld(),
    async begin(start, { alongside = [], silentMs = 0, isTold = false } = {}) {
      step += 1;
      const mine = step;
      if (start.purity === 'world' && hasFinished(cursor, start.againOf)) repeatedRead = mine;
      const mayRepeat = !start.isIdempotent && mayHaveHappened(cursor, start.againOf);
      begun.set(mine, { tool: start.tool, mayRepeat });
      const intent: JournalEntry[] = [
        { kind: 'step.started', turnId: turn.id, step: mine, attempt, ...start },
        ...alongside,
      ];
      const before = kept;
      try {
        await flush(intent);
      } catch (error) {
        if (isTold) kept = [...before, ...intent, ...kept];
        throw error;
      }
      // Taken over while the intent was being written: the new worker has seen it on disk.
      lease.assertHeld();
      lease.alive(silentMs);
      return mine;
    },
    end(ended, end) {
      if (!lease.isHeld()) {
        // The new worker closed this step as unknown: its late end is audited, never recorded.
        deps.store.audit.record('late_result_dropped', {
          turnId: turn.id,
          step: ended,
          tool: begun.get(ended)?.tool ?? '',
          state: end.state,
          claim: lease.claimId,
        });
        keepPaid([...kept, { kind: 'step.ended', turnId: turn.id, step: ended, end }]);
        lease.assertHeld();
      }
      lease.alive();
      const isMarked = hasDrifted && end.state === 'completed';
      kept.push({
        kind: 'step.ended',
        turnId: turn.id,
        step: ended,
        end: isMarked ? { ...end, isAfterDrift: true } : end,
      });
      if (ended === repeatedRead && isOtherThanBefore(end)) hasDrifted = true;
      isOutcomeKept = true;
      const isPaid = end.state === 'completed' || end.state === 'failed';
      if (isPaid && end.usage !== undefined) spent = addUsage(spent, end.usage);
      // One line per step: the audit summarizes, the journal has the instants.
      const of = begun.get(ended);
      deps.store.audit.record('step', {
        turnId: turn.id,
        step: ended,
        tool: of?.tool ?? '',
        state: end.state,
        // The effect before the crash may have happened too (S4-24).
        ...(of?.mayRepeat === true ? { possibleDuplicate: true } : {}),
      });
      begun.delete(ended);
    },
    reuse(again, usage) {
      reused.push(again.step);
      if (usage !== undefined) saved = addUsage(saved, usage);
      // The seq of the record that is reused (S4-+02).
      deps.store.audit.record('step_memoized', {
        turnId: turn.id,
        step: again.step,
        ...(again.endedSeq === undefined ? {} : { seq: again.endedSeq }),
      });
    },
    hasDrifted: () => hasDrifted,
    note(entry) {
      kept.push(entry);
    },
    async rest(until) {
      await flush();
      const letGo = lease.atWork();
      const sinceMs = deps.store.clock.monotonicMs();
      try {
        await until;
      } finally {
        restedMs += deps.store.clock.monotonicMs() - sinceMs;
        letGo();
      }
    },
    ranMs: () => ranBeforeMs + deps.store.clock.monotonicMs() - startedMs - restedMs,
    flush,
    async store(text, what) {
      if (text.length <= INLINE_CHARS) return { kind: 'inline', text };
      const chars = text.length;
      try {
        if (what === 'answer')
          return { kind: 'blob', address: await deps.store.blobs.put(text), chars };
        const address = await deps.store.blobs.put(text, turn.id);
        return { kind: 'blob', address, chars, start: text.slice(0, START_CHARS) };
      } catch {
        // It has happened and must not be lost: if its file cannot be written it goes into its row,
        // which waits if the disk rejects that too.
        return { kind: 'inline', text };
      }
    },
    async load(text) {
      return text.kind === 'inline' ? text.text : deps.store.blobs.get(text.address);
    },
  };
}

/**
 * Usage of the steps and tries of a lost run, each recorded as a try whose answer could not be
 * used. External agents report their own usage with the next prompt; counting it here would count
 * it twice.
 */
function paidOf(lost: readonly JournalEntry[], nowMs: number): readonly JournalEntry[] {
  if (lost.some((entry) => entry.kind === 'outside.session' && entry.costUsd !== undefined))
    return [];
  return lost.flatMap((entry): readonly JournalEntry[] => {
    if (entry.kind === 'call.retried') return entry.usage === undefined ? [] : [entry];
    if (entry.kind !== 'step.ended' || !('usage' in entry.end)) return [];
    const { turnId, step } = entry;
    const { usage } = entry.end;
    if (usage === undefined) return [];
    return [
      {
        kind: 'call.retried',
        turnId,
        step,
        tries: [0, 0],
        dueAtMs: nowMs,
        failure: 'cut',
        message: 'Another run had taken over when the answer came. It was billed, but is not used.',
        usage,
      },
    ];
  });
}

/** Only a call that had a result can now return a different one. */
function hasFinished({ lines }: LedgerCursor, root: number | undefined): boolean {
  return lines.some((line) => line.root === root && line.outcome === 'finished');
}

/** An earlier try of this call was interrupted, and its outcome is unknown. */
function mayHaveHappened({ lines }: LedgerCursor, root: number | undefined): boolean {
  return lines.some((line) => line.root === root && line.outcome === 'open');
}

/** A repeated read returned something else: later answers are requested again. */
function isOtherThanBefore(end: StepEnd): boolean {
  return end.state === 'failed' || (end.state === 'completed' && end.drift === 'changed');
}
