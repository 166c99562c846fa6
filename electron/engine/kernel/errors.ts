/**
 * The one error class of Holdfast. The list of its codes is `shared/error-codes.ts`, so that the
 * windows know it too; every code has a sentence for users and a next step in
 * `shared/error-messages.ts` (a test checks it).
 */
import type { ErrorCode } from '../../../shared/error-codes';

export { ERROR_CODES } from '../../../shared/error-codes';
export type { ErrorCode } from '../../../shared/error-codes';

/** Facts that belong to an error: names, paths, counts. Never a secret, never a prompt. */
type ErrorFacts = Readonly<Record<string, string | number | boolean | null | undefined>>;

/** Every expected failure: a stable code, a sentence, the facts, and whether a retry can help. */
export class HoldfastError extends Error {
  readonly code: ErrorCode;
  readonly retryable: boolean;
  readonly facts: ErrorFacts;
  /** The user's next step; one sentence. */
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

/** The process is not up yet. `hint` states what happened to the request. */
export const startingError = (hint: string): HoldfastError =>
  new HoldfastError('STARTING', 'Holdfast is still starting.', { hint, retryable: true });

/** The process is stopping and accepts nothing more. `hint` states what happened to the request. */
export const stoppingError = (hint: string): HoldfastError =>
  new HoldfastError('STOPPING', 'Holdfast is stopping and accepts nothing more.', {
    hint,
    retryable: true,
  });

/** No agent has this name. `kept` states what happened to the request, or what to do now. */
export const unknownAgent = (name: string, kept = 'Nothing was changed.'): HoldfastError =>
  new HoldfastError('AGENT_UNKNOWN', `There is no agent "${name.slice(0, 60)}".`, {
    hint: `${kept} List the agents with "holdfast agents list".`.trim(),
  });

/** What was asked for cannot be done as it is written. `hint` says what happened, or what to do. */
export const invalidInput = (message: string, hint = 'Nothing was changed.'): HoldfastError =>
  new HoldfastError('INPUT_INVALID', message, { hint });

/** `what` changed between its review and the answer, which then counts for nothing. */
export const stale = (what: string, facts: ErrorFacts = {}): HoldfastError =>
  new HoldfastError('REQUEST_STALE', `${what} has changed since you saw it.`, {
    hint: 'Nothing was done. Review it again and decide.',
    facts,
  });

/**
 * A part of Holdfast could not be loaded, because its files changed under it: what needs that part
 * was not started. Thrown by `electron/compiled-code.ts`, which knows no other code of Holdfast.
 */
export const isOfProgramFiles = (thrown: unknown): boolean =>
  thrown instanceof Error && (thrown as { code?: unknown }).code === 'PROGRAM_CHANGED';

export const programChanged = (
  message = "Holdfast's program files changed while it was running.",
  cause?: unknown,
): HoldfastError =>
  new HoldfastError('PROGRAM_CHANGED', message, {
    cause,
    hint: 'Your work is safe. Restart Holdfast.',
  });

/**
 * Narrows anything thrown to a HoldfastError; an unknown error becomes `INTERNAL` with its cause.
 */
export function toHoldfastError(thrown: unknown): HoldfastError {
  if (thrown instanceof HoldfastError) return thrown;
  const message = thrown instanceof Error ? thrown.message : String(thrown);
  if (isOfProgramFiles(thrown)) return programChanged(message, thrown);
  return new HoldfastError('INTERNAL', message, {
    cause: thrown,
    hint: 'Nothing on disk was changed by this error. See the log for details.',
  });
}
