import type { HoldfastError } from '../engine/kernel/errors';
import { ERROR_MESSAGES } from '../../shared/error-messages';
import type { CliIo } from './io';
import { inert, painter, safeJson } from './render';

/** What went wrong and what to do next: for people on stderr, as JSON on stdout. */
export function reportError(io: CliIo, error: HoldfastError, isJson: boolean): void {
  const hint = error.hint ?? ERROR_MESSAGES[error.code].next;
  if (isJson) {
    io.stdout.write(
      `${safeJson({ error: { code: error.code, message: error.message, hint } }, 2)}\n`,
    );
    return;
  }
  const paint = painter(io.stderr.isTTY, io.env);
  io.stderr.write(`${paint('bad', inert(error.message))}\n${inert(hint)}\n`);
  if (io.env['HOLDFAST_DEBUG'] === '1') io.stderr.write(`${error.code}\n${error.stack ?? ''}\n`);
}
