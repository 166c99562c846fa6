/** Exit codes of the command line. */
import type { ErrorCode, HoldfastError } from '../engine/kernel/errors';
import { ERROR_MESSAGES } from '../../shared/error-messages';
import type { CliIo } from './io';
import { inert, painter, safeJson } from './render';

export const EXIT = {
  ok: 0,
  failed: 1,
  usage: 2,
  notRunning: 3,
  refused: 4,
  needsDecision: 5,
  interrupted: 130,
} as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

const BY_CODE: Readonly<Partial<Record<ErrorCode, ExitCode>>> = {
  INPUT_INVALID: EXIT.usage,
  VERB_UNKNOWN: EXIT.usage,
  CONFIG_UNKNOWN_KEY: EXIT.usage,
  CONFIG_INVALID: EXIT.usage,
  AGENT_INVALID: EXIT.usage,
  SCHEDULE_INVALID: EXIT.usage,
  TOOL_INPUT_INVALID: EXIT.usage,
  NOT_RUNNING: EXIT.notRunning,
  HOST_UNREACHABLE: EXIT.notRunning,
  STARTING: EXIT.notRunning,
  STOPPING: EXIT.notRunning,
  UPDATE_ROLLING_BACK: EXIT.notRunning,
  DATABASE_MISSING: EXIT.notRunning,
  CONFIRMATION_NEEDED: EXIT.needsDecision,
  SENDER_REFUSED: EXIT.refused,
  RATE_LIMITED: EXIT.refused,
  REQUEST_STALE: EXIT.refused,
  REQUEST_ANSWERED: EXIT.refused,
  DATA_DIR_UNUSABLE: EXIT.refused,
  DATA_DIR_UNSAFE: EXIT.refused,
  DATABASE_NEWER: EXIT.refused,
  DATABASE_UNKNOWN: EXIT.refused,
  DATABASE_CORRUPT: EXIT.refused,
  DATABASE_BUSY: EXIT.refused,
  NATIVE_MODULE_UNUSABLE: EXIT.refused,
  PROGRAM_CHANGED: EXIT.refused,
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
  TASK_STATE: EXIT.refused,
  TASK_LIMIT: EXIT.refused,
  OUTAGE_QUEUE_FULL: EXIT.refused,
  STEP_STATE: EXIT.refused,
  SESSION_EXISTS: EXIT.refused,
  SESSION_BUSY: EXIT.refused,
  SESSION_LIMIT: EXIT.refused,
  CONVERSATION_BUSY: EXIT.refused,
  AGENT_EXISTS: EXIT.refused,
  AGENT_BUSY: EXIT.refused,
  PROVIDER_BUSY: EXIT.refused,
  PROVIDER_EXISTS: EXIT.refused,
  HOST_EXISTS: EXIT.refused,
  PROVIDER_URL_REFUSED: EXIT.refused,
  CHANNEL_EXISTS: EXIT.refused,
  CHANNEL_REFUSED: EXIT.refused,
  GATEWAY_CLIENT_EXISTS: EXIT.refused,
  SECRET_NOT_PERSISTED: EXIT.refused,
  CONFIG_UNREADABLE: EXIT.refused,
  CONFIG_WRITE_FAILED: EXIT.refused,
  TOOL_OUTSIDE_WORKSPACE: EXIT.refused,
  DRAFT_STATE: EXIT.refused,
  DRAFT_SOURCE_CHANGED: EXIT.needsDecision,
  DRAFT_REFUSED: EXIT.refused,
  EVENT_TOO_LARGE: EXIT.refused,
  QUEUE_FULL: EXIT.refused,
  SHARE_REFUSED: EXIT.refused,
  SHARE_VERSION: EXIT.refused,
  SHARE_OFF: EXIT.refused,
  SHARE_STATE: EXIT.refused,
  UPDATE_REFUSED: EXIT.refused,
  NOTHING_TO_RESET: EXIT.refused,
};

/** The exit code for an error code. */
export function exitCodeOf(code: ErrorCode): ExitCode {
  return BY_CODE[code] ?? EXIT.failed;
}

/** Prints the error and the next step: for users on stderr, as JSON on stdout. */
export function reportError(
  io: CliIo,
  error: HoldfastError,
  isJson: boolean,
  isPlain = false,
): void {
  const hint = error.hint ?? ERROR_MESSAGES[error.code].next;
  if (isJson) {
    io.stdout.write(
      `${safeJson({ error: { code: error.code, message: error.message, hint } }, 2)}\n`,
    );
    return;
  }
  const paint = painter(io.stderr.isTTY && !isPlain, io.env);
  io.stderr.write(`${paint('bad', inert(error.message))}\n${inert(hint)}\n`);
  if (io.env['HOLDFAST_DEBUG'] === '1') io.stderr.write(`${error.code}\n${error.stack ?? ''}\n`);
}
