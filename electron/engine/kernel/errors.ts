/**
 * The one error class of Holdfast and the registry of its codes.
 *
 * A code is stable: CLI `--json`, IPC and the message catalogue key on it. Every code has a
 * sentence for people and a next step in `shared/messages.ts` (a test proves it).
 */
export const ERROR_CODES = [
  'INPUT_INVALID',
  'VERB_UNKNOWN',
  'SENDER_REFUSED',
  'RATE_LIMITED',
  'REQUEST_STALE',
  'NOT_RUNNING',
  'STARTING',
  'STOPPING',
  'INTERNAL',
  'DATA_DIR_UNUSABLE',
  'DATA_DIR_UNSAFE',
  'DATABASE_NEWER',
  'DATABASE_UNKNOWN',
  'DATABASE_CORRUPT',
  'DATABASE_BUSY',
  'DISK_FULL',
  'DISK_READ_ONLY',
  'DISK_FAILED',
  'NATIVE_MODULE_UNUSABLE',
  'LOCK_HELD',
  'LOCK_OTHER_HOST',
  'LOCK_OTHER_USER',
  'LOCK_UNKILLABLE',
  'LOCK_FILESYSTEM',
  'LOCK_LOST',
  'TURN_UNKNOWN',
  'TURN_STATE',
  'STEP_UNKNOWN',
  'STEP_STATE',
  'SESSION_UNKNOWN',
  'SESSION_EXISTS',
  'AGENT_UNKNOWN',
  'AGENT_EXISTS',
  'AGENT_INVALID',
  'INBOX_UNKNOWN',
  'CONFIG_UNKNOWN_KEY',
  'CONFIG_INVALID',
  'CONFIG_UNREADABLE',
  'CONFIG_WRITE_FAILED',
  'CHANNEL_UNKNOWN',
  'CHANNEL_DOWN',
  'PROVIDER_UNKNOWN',
  'PROVIDER_KEY_MISSING',
  'PROVIDER_KEY_REFUSED',
  'PROVIDER_REQUEST_REFUSED',
  'PROVIDER_UNREACHABLE',
  'PROVIDER_TIMEOUT',
  'PROVIDER_RATE_LIMITED',
  'PROVIDER_QUOTA',
  'PROVIDER_SERVER',
  'PROVIDER_CUT',
  'PROVIDER_MALFORMED',
  'PROVIDER_URL_REFUSED',
  'TOOL_UNKNOWN',
  'TOOL_INPUT_INVALID',
  'TOOL_FAILED',
  'TOOL_TIMEOUT',
  'TOOL_OUTSIDE_WORKSPACE',
  'SECRET_NOT_PERSISTED',
  'SECRET_UNREADABLE',
  'RESULT_MISSING',
  'PAUSED',
  'CONFIRMATION_NEEDED',
  'NOTHING_TO_RESET',
] as const;

/** Stable error code. Source: guide/style 2.4. */
export type ErrorCode = (typeof ERROR_CODES)[number];

/** Facts that belong to an error: names, paths, counts. Never a secret, never a prompt. */
export type ErrorFacts = Readonly<Record<string, string | number | boolean | null | undefined>>;

/** Every expected failure: a stable code, a sentence, the facts, and whether trying again can help. */
export class HoldfastError extends Error {
  readonly code: ErrorCode;
  readonly retryable: boolean;
  readonly facts: ErrorFacts;
  /** What the person can do next; one sentence. */
  readonly hint: string | undefined;

  constructor(
    code: ErrorCode,
    message: string,
    options: {
      readonly hint?: string;
      readonly facts?: ErrorFacts;
      readonly retryable?: boolean;
      readonly cause?: unknown;
    } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'HoldfastError';
    this.code = code;
    this.hint = options.hint;
    this.facts = options.facts ?? {};
    this.retryable = options.retryable ?? false;
  }
}

/** Narrows anything thrown to a HoldfastError; a stranger becomes `INTERNAL` with its cause kept. */
export function toHoldfastError(thrown: unknown): HoldfastError {
  if (thrown instanceof HoldfastError) return thrown;
  const message = thrown instanceof Error ? thrown.message : String(thrown);
  return new HoldfastError('INTERNAL', message, {
    cause: thrown,
    hint: 'Nothing on disk was changed by this error. See the log for its details.',
  });
}
