/** Names and shapes of schedules as plain data: importing them builds no schema. */
import type { Trigger } from './trigger';

/** When something is due, bound to instants: what is stored. */
export type Rule =
  | { readonly kind: 'interval'; readonly everyMs: number; readonly anchorMs: number }
  | { readonly kind: 'once'; readonly atMs: number }
  | { readonly kind: 'cron'; readonly cron: string; readonly zone: string }
  /** Something that happens; runs are due `debounceMs` after the first event. */
  | { readonly kind: 'event'; readonly trigger: Trigger; readonly debounceMs: number };

/** `missed`: a one-shot whose instant passed and that was not caught up; run-now is offered. */
export const TASK_STATES = ['active', 'paused', 'completed', 'missed', 'cancelled'] as const;
export type TaskState = (typeof TASK_STATES)[number];

export const CATCHUP_RULES = ['default', 'always', 'never'] as const;
export type CatchupRule = (typeof CATCHUP_RULES)[number];

/** Why a slot ran, and why it did not. */
const FIRE_REASONS = ['on_time', 'in_window', 'always', 'by_hand'] as const;
const SKIP_REASONS = [
  'window',
  'never',
  'overlap',
  // Decided by the check of the task.
  'unchanged',
  'nothing',
  'check_failed',
] as const;

/** What the check of a task came to. */
export const CHECK_ENDS = ['first', 'changed', 'unchanged', 'nothing', 'failed'] as const;
export type CheckEnd = (typeof CHECK_ENDS)[number];

/** A check as the slot ledger has it. */
export interface CheckSaid {
  readonly end: CheckEnd;
  /** The reason, where the check gave one. */
  readonly detail?: string;
}
export const SLOT_REASONS = [...FIRE_REASONS, ...SKIP_REASONS] as const;
export type FireReason = (typeof FIRE_REASONS)[number];
export type SkipReason = (typeof SKIP_REASONS)[number];

/** The check of a task found nothing to do: the slot was looked at, so it was not missed. Pure. */
export const isNothingToDo = (why: string): boolean => why === 'unchanged' || why === 'nothing';
