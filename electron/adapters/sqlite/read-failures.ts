import type { Clock } from '../../ports/clock';
import type { DiskRefusal } from '../../ports/journal/journal';
import { isReadRefusal, withReadErrorNamed } from './damage';
import { isHeadRefused, isStillRefused } from './read-probe';

/** Delay between two checks of a disk that has rejected a read. */
const LOOK_AGAIN_MS = 2_000;

const MESSAGE =
  'The disk reports an error when the data is read. Accepted work is still on it. Holdfast retries automatically; if the error stays, look at the log of your system, and copy the data directory to another disk before you change anything.';

/**
 * Whether the disk delivers its content. Failed writes are reported separately (`Journal.refusal`);
 * only the caller knows of a failed read.
 */
export interface ReadFailures {
  /** Undefined while every read succeeds. Checks with one small read. */
  refusal(): DiskRefusal | undefined;
  /** Reports a failed read. It counts until all of the data is readable again. */
  failed(): DiskRefusal | undefined;
}

export function createReadFailures(deps: {
  readonly file: string;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly onChange: () => void;
}): ReadFailures {
  let found: DiskRefusal | undefined;

  const look = async (): Promise<void> => {
    do await deps.clock.sleep(LOOK_AGAIN_MS, deps.signal);
    while (await isStillRefused(deps.file));
    found = undefined;
    deps.onChange();
  };
  const failed = (): DiskRefusal => {
    if (found !== undefined) return found;
    found = {
      code: 'DISK_FAILED',
      of: 'reads',
      message: MESSAGE,
      sinceMs: deps.clock.nowMs(),
    };
    // Ends with this run if the disk does not recover.
    look().catch(() => undefined);
    deps.onChange();
    return found;
  };

  return {
    refusal: () => found ?? (isHeadRefused(deps.file) ? failed() : undefined),
    failed,
  };
}

/** For a command that reads once and ends: an error is its answer. */
export const noReadFailures: ReadFailures = { refusal: () => undefined, failed: () => undefined };

/**
 * The error of a request, by its public name. An error of the disk is reported as a failed read,
 * too.
 */
export function tellReadError(
  error: unknown,
  file: string,
  readFailures: Pick<ReadFailures, 'failed'> | undefined,
): unknown {
  if (isReadRefusal(error, file)) readFailures?.failed();
  return withReadErrorNamed(error, file);
}
