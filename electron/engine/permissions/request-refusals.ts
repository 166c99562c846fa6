/**
 * Why an answer to a question is rejected; the question and stored answers stay unchanged. Source:
 * S3-08, S3-11.
 */
import type { RequestRow } from '../../ports/journal/approvals';
import type { Audit } from '../../ports/log';
import { HoldfastError, stale, toHoldfastError } from '../kernel/errors';
import type { RequestReply } from './request-types';

export function refuseAnswered(row: RequestRow): void {
  if (row.answer !== undefined) throw answeredAlready(row, row.answer);
}

export function answeredAlready(row: RequestRow, answer: string): HoldfastError {
  return new HoldfastError(
    'REQUEST_ANSWERED',
    answer === 'cleared'
      ? `Request ${String(row.requestId)} is closed: its turn is no longer waiting for it.`
      : `Request ${String(row.requestId)} was already answered: ${answer === 'denied' ? 'refused' : answer}.`,
    {
      hint: 'Nothing was changed. List pending requests: holdfast approvals list',
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
    { hint: 'Nothing was changed. Submit the kind of answer that it waits for.' },
  );
}

export function staleRequest(row: RequestRow): HoldfastError {
  const { requestId, turnId } = row;
  return stale(`Request ${String(requestId)}`, { requestId, turnId });
}

/** The answer itself is on disk by then, so the error must not claim that nothing changed. */
export function ruleNotSaved(error: unknown): HoldfastError {
  const { code, message, hint, facts } = toHoldfastError(error);
  const why = message.replace(/ Nothing was changed\.$/, '');
  return new HoldfastError(
    code,
    `The tool call is allowed and the turn continues; the rule for later tool calls was not saved: ${why}`,
    { ...(hint === undefined ? {} : { hint }), ...(facts === undefined ? {} : { facts }) },
  );
}

export function unknownRequest(requestId: number): HoldfastError {
  return new HoldfastError('REQUEST_UNKNOWN', `There is no request ${String(requestId)}.`, {
    hint: 'Nothing was changed. List pending requests: holdfast approvals list',
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
