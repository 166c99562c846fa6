/**
 * Why an answer to a question is rejected; the question and stored answers stay unchanged. Source:
 * S3-08, S3-11.
 */
import type { RequestRow } from '../../ports/journal/approvals';
import type { Audit } from '../../ports/log';
import { HoldfastError, toHoldfastError } from '../kernel/errors';
import type { RequestReply } from './request-types';

export function refuseAnswered(row: RequestRow): void {
  if (row.answer !== undefined) throw answeredAlready(row, row.answer);
}

export function answeredAlready(row: RequestRow, answer: string): HoldfastError {
  return new HoldfastError(
    'REQUEST_ANSWERED',
    answer === 'cleared'
      ? `Request ${String(row.requestId)} is over: its turn does not wait for it any more.`
      : `Request ${String(row.requestId)} has its answer already: ${answer === 'denied' ? 'refused' : answer}.`,
    {
      hint: 'Nothing was changed. "holdfast approvals list" shows what waits.',
      facts: { requestId: row.requestId, turnId: row.turnId, answer },
    },
  );
}

export function refuseWrongKind(row: RequestRow, reply: RequestReply): void {
  const wanted = row.request === 'custom_tool' ? 'its result' : 'yes or no';
  const fits = row.request === 'custom_tool' ? reply.kind !== 'allow' : reply.kind !== 'result';
  const isEmpty = reply.kind === 'result' && reply.output.trim() === '';
  if (fits && !isEmpty) return;
  throw new HoldfastError(
    'INPUT_INVALID',
    isEmpty
      ? `The result for request ${String(row.requestId)} is empty.`
      : `Request ${String(row.requestId)} waits for ${wanted}.`,
    { hint: 'Nothing was changed. Answer it with what it waits for.' },
  );
}

export function staleRequest(row: RequestRow): HoldfastError {
  return new HoldfastError(
    'REQUEST_STALE',
    `What you answered is not request ${String(row.requestId)} as it stands.`,
    {
      hint: 'Nothing was done. Look at it again and decide then.',
      facts: { requestId: row.requestId, turnId: row.turnId },
    },
  );
}

/** The answer itself is on disk by then, so the error must not claim that nothing changed. */
export function ruleNotSaved(error: unknown): HoldfastError {
  const { code, message, hint, facts } = toHoldfastError(error);
  const why = message.replace(/ Nothing was changed\.$/, '');
  return new HoldfastError(
    code,
    `The call is allowed and the turn goes on; the rule for later calls was not saved: ${why}`,
    { ...(hint === undefined ? {} : { hint }), ...(facts === undefined ? {} : { facts }) },
  );
}

export function unknownRequest(requestId: number): HoldfastError {
  return new HoldfastError('REQUEST_UNKNOWN', `There is no request ${String(requestId)}.`, {
    hint: 'Nothing was changed. "holdfast approvals list" shows what waits.',
    facts: { requestId },
  });
}

const REFUSALS: ReadonlySet<string> = new Set([
  'REQUEST_ANSWERED',
  'REQUEST_STALE',
  'REQUEST_UNKNOWN',
  'INPUT_INVALID',
]);

/**
 * Audits an answer to something other than the open question, so that such answers can be counted.
 * S3-08
 */
export function recordedRefusal(
  audit: Audit,
  error: unknown,
  requestId: number,
  { kind }: RequestReply,
  by: string,
): unknown {
  const { code } = toHoldfastError(error);
  if (REFUSALS.has(code))
    audit.record('answer_refused', { requestId, answer: kind, reason: code, by });
  return error;
}
