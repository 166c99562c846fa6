import type { Check } from '../../shared/schedule/check';

/** Result of a check. */
export type CheckResult =
  /** `exitCode` only for a command. */
  | { readonly kind: 'output'; readonly text: string; readonly exitCode?: number }
  /** It could not run, was not allowed, or took too long. */
  | { readonly kind: 'failed'; readonly why: string };

/** The owner of a check. */
export interface CheckOwner {
  readonly agent: string;
  /** Its author: agents' commands need the same approval as their tool calls. */
  readonly by: 'user' | 'agent';
}

/**
 * Checks that decide whether a task has anything to do.
 * Implemented by engine/turns/task-checks.ts.
 */
export interface TaskChecks {
  /** Why this owner's check would be rejected, as a sentence; undefined if it would run. */
  refusal(check: Check, owner: CheckOwner): Promise<string | undefined>;
  /** Runs it once, within its time limit. Never throws; an aborted check has failed. */
  run(check: Check, owner: CheckOwner, signal: AbortSignal): Promise<CheckResult>;
}
