/** Limits of tasks and timers, as plain data. */
export const MAX_TASK_PROMPT = 20_000;
export const MAX_TASK_NAME = 120;
export const MAX_TIMER_MESSAGE = 4_000;
export const MAX_TIMER_ID = 64;
export const SHORTEST_TIMER_SECONDS = 1;
export const MAX_TIMER_SECONDS = 3_600;
/** Timers of one session that wait at the same time. */
export const MAX_TIMERS = 500;
/** Missed slots of an expression are counted up to here. */
export const MAX_COUNTED = 100;
export const SHORTEST_HEARTBEAT_SECONDS = 10;
export const MAX_HEARTBEAT_SECONDS = 3_600;
export const DEFAULT_HEARTBEAT_SECONDS = 60;
