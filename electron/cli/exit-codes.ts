/** Exit codes of the command line. */
import type { ErrorCode } from '../engine/kernel/errors';

export const EXIT = {
  ok: 0,
  failed: 1,
  usage: 2,
  notRunning: 3,
  refused: 4,
  needsDecision: 5,
} as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

const BY_CODE: Readonly<Partial<Record<ErrorCode, ExitCode>>> = {
  INPUT_INVALID: EXIT.usage,
  VERB_UNKNOWN: EXIT.usage,
  CONFIG_UNKNOWN_KEY: EXIT.usage,
  CONFIG_INVALID: EXIT.usage,
  AGENT_INVALID: EXIT.usage,
  SCHEDULE_INVALID: EXIT.usage,
  NOT_RUNNING: EXIT.notRunning,
  STARTING: EXIT.notRunning,
  STOPPING: EXIT.notRunning,
  CONFIRMATION_NEEDED: EXIT.needsDecision,
  SENDER_REFUSED: EXIT.refused,
  RATE_LIMITED: EXIT.refused,
  REQUEST_STALE: EXIT.refused,
  REQUEST_ANSWERED: EXIT.refused,
  DATA_DIR_UNUSABLE: EXIT.refused,
  DATA_DIR_UNSAFE: EXIT.refused,
  DATABASE_NEWER: EXIT.refused,
  DATABASE_UNKNOWN: EXIT.refused,
  DATABASE_BUSY: EXIT.refused,
  DISK_FULL: EXIT.refused,
  DISK_READ_ONLY: EXIT.refused,
  DISK_FAILED: EXIT.refused,
  LOCK_HELD: EXIT.refused,
  LOCK_OTHER_HOST: EXIT.refused,
  LOCK_OTHER_USER: EXIT.refused,
  LOCK_UNKILLABLE: EXIT.refused,
  LOCK_FILESYSTEM: EXIT.refused,
  LOCK_LOST: EXIT.refused,
  TURN_STATE: EXIT.refused,
  RUN_STATE: EXIT.refused,
  OUTAGE_QUEUE_FULL: EXIT.refused,
  STEP_STATE: EXIT.refused,
  SESSION_EXISTS: EXIT.refused,
  CONVERSATION_BUSY: EXIT.refused,
  AGENT_EXISTS: EXIT.refused,
  AGENT_BUSY: EXIT.refused,
  CHANNEL_EXISTS: EXIT.refused,
  GATEWAY_CLIENT_EXISTS: EXIT.refused,
  SECRET_NOT_PERSISTED: EXIT.refused,
  DRAFT_STATE: EXIT.refused,
  DRAFT_SOURCE_CHANGED: EXIT.needsDecision,
  DRAFT_REFUSED: EXIT.refused,
  EVENT_TOO_LARGE: EXIT.refused,
  QUEUE_FULL: EXIT.refused,
};

/** What a command ends with when it failed with this code. */
export function exitCodeOf(code: ErrorCode): ExitCode {
  return BY_CODE[code] ?? EXIT.failed;
}
