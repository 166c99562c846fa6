import { HoldfastError } from '../../engine/kernel/errors';
import { table } from '../../../shared/table';

const REFUSALS = table<readonly [message: string, hint: string]>({
  HF001: [
    'The shared store does not know this computer.',
    'Ask for a new invitation, and join with "holdfast share join".',
  ],
  HF002: [
    'The access of this computer to the shared store was revoked.',
    'Ask for a new invitation, or leave with "holdfast share leave".',
  ],
  HF003: [
    'This computer was not admitted to the shared store yet.',
    'The person who invited it admits it with "holdfast share admit".',
  ],
  HF005: ['The invitation has expired.', 'Ask for a new one.'],
  HF008: [
    'This turn is for other computers: this one cannot read it.',
    'Nothing to do: the computer that has it continues it.',
  ],
  HF006: [
    'This invitation was used by another data directory.',
    'Each computer needs an invitation of its own.',
  ],
});

/** Wrong password, unknown role, missing permission: the database itself rejects. */
const DENIED = new Set(['28000', '28P01', '42501', '3D000']);

/** Invalid data, a violated rule of a table, a limit of the database; HF009 is a limit of the store. */
const isInvalid = (code: string): boolean => /^(?:22|23|54|HF009)/.test(code);

/** A call's error in the engine's terms. Anything but a rejection has an unknown outcome. */
export function storeError(error: unknown): HoldfastError {
  if (error instanceof HoldfastError) return error;
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  const message = error instanceof Error ? error.message : String(error);
  const known = REFUSALS[code];
  if (known !== undefined)
    return new HoldfastError('SHARE_REFUSED', known[0], { hint: known[1], cause: error });
  if (code === 'HF004' || code === '42883' || code === '3F000')
    return new HoldfastError(
      'SHARE_VERSION',
      'This version of Holdfast and the shared store are not compatible.',
      { hint: 'Update Holdfast on the computer with the older version.', cause: error },
    );
  if (DENIED.has(code))
    return new HoldfastError('SHARE_REFUSED', 'The shared store rejected this computer.', {
      hint: 'Ask for a new invitation, and join with "holdfast share join".',
      cause: error,
    });
  if (isInvalid(code))
    return new HoldfastError(
      'SHARE_REFUSED',
      `The shared store rejected content as invalid or too large: ${message}`,
      { hint: 'Nothing of it was stored. Other turns continue.', cause: error },
    );
  return new HoldfastError('SHARE_UNREACHABLE', `The shared store cannot be reached: ${message}`, {
    hint: 'Shared turns wait; everything else continues. Holdfast tries again automatically.',
    retryable: true,
    cause: error,
  });
}

/** The store lacks this function: its schema is older than this version. */
export const isMissing = (error: unknown): boolean =>
  error instanceof HoldfastError &&
  error.cause instanceof Error &&
  'code' in error.cause &&
  error.cause.code === '42883';
