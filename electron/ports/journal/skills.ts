import type { Reason } from '../../../shared/reason';
import type { StoredText } from './stored';

/** Location of a step: a visit of a phase of a skill run. Absent in a turn without skills. */
export interface StepScope {
  readonly runId: number;
  readonly phase: string;
  /** 1-based; a loop back to a phase is a new visit, which executes again (S4-08). */
  readonly visit: number;
}

/** How a run of a skill ended. */
type RunEndState = 'completed' | 'failed' | 'discarded' | 'cancelled';

/**
 * A start's decision about one run; `retry` and `skip` concern its steps with an unknown outcome.
 */
export type RunAction = 'resume' | 'retry' | 'skip' | 'discard';

/** Journal entries about skill runs (kinds 35..44). They share commits with steps. */
export type SkillEntry =
  | {
      readonly kind: 'run.started';
      readonly turnId: number;
      readonly runId: number;
      readonly parentRunId?: number;
      /** First record of the `run_skill` call that started it; absent if the message did. */
      readonly callStep?: number;
      readonly skill: string;
      /** sha256 of the skill's folder. */
      readonly version: string;
      readonly input: StoredText;
    }
  | {
      readonly kind: 'phase.entered';
      readonly turnId: number;
      readonly runId: number;
      readonly phase: string;
      readonly visit: number;
      readonly version: string;
      /**
       * sha256 of everything that the steps of this visit depend on: a resume compares it (S4-+08).
       */
      readonly planKey: string;
    }
  | {
      readonly kind: 'phase.left';
      readonly turnId: number;
      readonly runId: number;
      readonly phase: string;
      readonly visit: number;
      /** The next phase; absent if the run ends. */
      readonly next?: string;
      readonly artifact: StoredText;
    }
  | {
      readonly kind: 'run.ended';
      readonly turnId: number;
      readonly runId: number;
      readonly state: RunEndState;
      readonly reason: Reason;
    }
  /** A start's verdict on one run, next to `turn.recovered` (S4-06). */
  | {
      readonly kind: 'run.planned';
      readonly turnId: number;
      readonly runId: number;
      readonly action: RunAction;
      readonly reason: Reason;
    };

/** One finished visit of a phase. */
export interface PhaseVisit {
  readonly phase: string;
  readonly visit: number;
  readonly next?: string;
  readonly leftAtMs: number;
}

/** A run, read from its table row. */
export interface RunRow {
  readonly id: number;
  readonly turnId: number;
  readonly parentRunId: number | undefined;
  readonly callStep: number | undefined;
  readonly skill: string;
  readonly version: string;
  readonly state: 'running' | RunEndState;
  readonly reason: string;
  /** The current or next phase; empty before the first. */
  readonly phase: string;
  /** 1-based visit of `phase`; 0 if the phase has not been entered yet. */
  readonly visit: number;
  /** Key of the current visit's step plan. */
  readonly planKey: string;
  readonly visits: Readonly<Record<string, number>>;
  readonly history: readonly PhaseVisit[];
  readonly input: StoredText;
  /** Output of the previous phase; absent until the first phase has ended. */
  readonly artifact: StoredText | undefined;
  /** The open item of the inbox that this run waits for. */
  readonly awaitingInboxId: number | undefined;
  readonly action: RunAction | undefined;
  readonly actionReason: string;
  readonly startedAtMs: number;
  readonly endedAtMs: number | undefined;
  /** Why the record of this run is unusable; the run then needs a user's decision (S4-34). */
  readonly damage?: string;
}

/**
 * Reads of runs; indexed, none grows with closed history.
 * Implemented by adapters/sqlite/tables/skills.ts.
 */
export interface SkillReads {
  run(id: number): RunRow | undefined;
  /** All runs of a turn, in the order of their start. */
  runsOfTurn(turnId: number): readonly RunRow[];
  /** Open ones, or with `includeEnded` the newest of all; newest first. */
  runs(filter: { readonly includeEnded: boolean; readonly limit: number }): readonly RunRow[];
}
