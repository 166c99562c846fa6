/** Names and shapes of schedules as plain data: importing them builds no schema. */
import type { Trigger } from './trigger';

/** When something is due, bound to instants: the stored form. */
export type Rule =
  | { readonly kind: 'interval'; readonly everyMs: number; readonly anchorMs: number }
  | { readonly kind: 'once'; readonly atMs: number }
  | { readonly kind: 'cron'; readonly cron: string; readonly zone: string }
  /** An event; runs are due `debounceMs` after the first one. */
  | { readonly kind: 'event'; readonly trigger: Trigger; readonly debounceMs: number };

/** `missed`: a one-time task whose time passed without being caught up; can be run now. */
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
  // Decided by the task's check.
  'unchanged',
  'nothing',
  'check_failed',
] as const;

/** Result of a task's check. */
export const CHECK_ENDS = ['first', 'changed', 'unchanged', 'nothing', 'failed'] as const;
export type CheckEnd = (typeof CHECK_ENDS)[number];

/** A check in the slot ledger. */
export interface CheckSaid {
  readonly end: CheckEnd;
  /** The reason, if the check gave one. */
  readonly detail?: string;
}
export const SLOT_REASONS = [...FIRE_REASONS, ...SKIP_REASONS] as const;
export type FireReason = (typeof FIRE_REASONS)[number];
export type SkipReason = (typeof SKIP_REASONS)[number];

/** The task's check found nothing to do: the slot was checked, so it was not missed. Pure. */
export const isNothingToDo = (why: string): boolean => why === 'unchanged' || why === 'nothing';
