import type { Clock } from '../../ports/clock';
import type { DiskRefusal } from '../../ports/journal/journal';
import { isReadRefusal, withReadErrorNamed } from './damage';
import { isHeadRefused, isStillRefused } from './read-probe';

/** Between two looks at a disk that has refused a read. */
const LOOK_AGAIN_MS = 2_000;

const MESSAGE =
  'The disk reports an error when the data is read. Accepted work is still on it. Holdfast retries automatically; if the error stays, look at the log of your system, and copy the data directory to another disk before you change anything.';

/**
 * Whether the disk delivers its content. Writes report for themselves (`Journal.refusal`); a failed
 * read is known only to its caller.
 */
export interface ReadFailures {
  /** Undefined while every read succeeds. Checks with one small read. */
  refusal(): DiskRefusal | undefined;
  /** A read has failed. Reported until all of the data is readable again. */
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
    // Ends with the run where the disk stays as it is.
    look().catch(() => undefined);
    deps.onChange();
    return found;
  };

  return {
    refusal: () => found ?? (isHeadRefused(deps.file) ? failed() : undefined),
    failed,
  };
}

/** Where one command reads and ends: what fails is its answer. */
export const noReadFailures: ReadFailures = { refusal: () => undefined, failed: () => undefined };

/** An error of a question by its name outside; one that the disk gave no answer to is told, too. */
export function tellReadError(
  error: unknown,
  file: string,
  readFailures: Pick<ReadFailures, 'failed'> | undefined,
): unknown {
  if (isReadRefusal(error, file)) readFailures?.failed();
  return withReadErrorNamed(error, file);
}
