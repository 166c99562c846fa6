import type { Check } from '../../shared/schedule/check';

/** How a look ended. */
export type CheckResult =
  /** `exitCode` of a command only. */
  | { readonly kind: 'output'; readonly text: string; readonly exitCode?: number }
  /** It could not be made, was not allowed, or took too long. */
  | { readonly kind: 'failed'; readonly why: string };

/** For whom a check is made. */
export interface CheckOwner {
  readonly agent: string;
  /** Who wrote it: commands of agents need the same approval as their tool calls. */
  readonly by: 'user' | 'agent';
}

/** Looks that decide whether a task has anything to do. */
export interface TaskChecks {
  /** Why a check of this owner would not be made, as a sentence; undefined if it would. */
  refusal(check: Check, owner: CheckOwner): Promise<string | undefined>;
  /** Makes it once, within its time limit. Never throws; aborted, it has failed. */
  run(check: Check, owner: CheckOwner, signal: AbortSignal): Promise<CheckResult>;
}
