import { ERROR_MESSAGES } from '../../../shared/error-messages';
import { table } from '../../../shared/table';
import { HoldfastError } from './errors';

const REFUSALS = table<'DISK_FULL' | 'DISK_READ_ONLY' | 'DISK_FAILED'>({
  ENOSPC: 'DISK_FULL',
  EDQUOT: 'DISK_FULL',
  EROFS: 'DISK_READ_ONLY',
  EACCES: 'DISK_READ_ONLY',
  EPERM: 'DISK_READ_ONLY',
  EIO: 'DISK_FAILED',
  EFBIG: 'DISK_FAILED',
});

/**
 * Gives every rejected file write the same error, whatever was written; any other error stays
 * unchanged.
 */
export function asDiskRefusal(error: unknown): unknown {
  if (error instanceof HoldfastError || !(error instanceof Error)) return error;
  const code = REFUSALS[String((error as { code?: unknown }).code)];
  if (code === undefined) return error;
  const { sentence, next } = ERROR_MESSAGES[code];
  return new HoldfastError(code, sentence, { hint: next, retryable: true, cause: error });
}
