import { cutText } from '../../../shared/cut-text';
import { because, NO_REASON, type Reason } from '../../../shared/reason';
import { plainName } from '../../../shared/tool-id';
/** A question's journal entries, and which of a turn's questions are still open. Pure. */
import type { ApprovalReads, RequestFacts, RequestRow } from '../../ports/journal/approvals';
import type { JournalReads, TurnReads } from '../../ports/journal/reads';
import type { TurnRow } from '../../ports/journal/rows';
import type { JournalEntry } from '../../ports/journal/entries';
import type { NewRequest } from './request-types';
import { MAX_REASON, settle } from '../inbox/entries';

/** Ends the questions that a turn leaves open. */
export function clearing(
  reads: Pick<JournalReads, 'requestsOfTurn'>,
  turn: Pick<TurnRow, 'id' | 'sessionId'>,
  by: string,
): readonly JournalEntry[] {
  return reads
    .requestsOfTurn(turn.id)
    .filter((row) => row.answer === undefined)
    .map((row) => cleared(row, by));
}

/**
 * Closes the questions that a turn leaves open when it ends, on every list: an external agent may
 * end its turn without waiting for an answer, and no answer can reach it afterward.
 */
export function questionsLeft(
  reads: Pick<JournalReads, 'requestsOfTurn'>,
  turn: Pick<TurnRow, 'id' | 'sessionId'>,
  by: string,
): readonly JournalEntry[] {
  return clearing(reads, turn, by).flatMap((entry): readonly JournalEntry[] =>
    entry.kind === 'approval.answered' ? [entry, settle(entry.requestId, 'over')] : [entry],
  );
}

/** The turn's question about the same call whose run is gone: it was interrupted while waiting. */
export function leftOpen(
  reads: Pick<JournalReads, 'requestsOfTurn'>,
  request: Pick<NewRequest, 'turn' | 'request' | 'tool' | 'inputKey'>,
  asking: ReadonlySet<number>,
): RequestRow | undefined {
  return reads
    .requestsOfTurn(request.turn.id)
    .find(
      (row) =>
        row.answer === undefined &&
        row.request === request.request &&
        row.tool === request.tool &&
        row.inputKey === request.inputKey &&
        !asking.has(row.requestId),
    );
}

/** The user must see the current reason for the question, which may have changed meanwhile. */
export function isSameQuestion(row: RequestRow, { reason, grant }: NewRequest): boolean {
  return row.reason === cutText(reason, MAX_REASON) && row.grant === grant;
}

export const asksAgain = (row: RequestRow): JournalEntry => ({
  kind: 'turn.state',
  turnId: row.turnId,
  state: 'requires_action',
  reason: waitsFor(row),
});

/** The entry that ends a question without an answer to it. */
export const cleared = (row: RequestRow, by: string): JournalEntry => ({
  kind: 'approval.answered',
  requestId: row.requestId,
  turnId: row.turnId,
  sessionId: row.sessionId,
  answer: 'cleared',
  scope: 'once',
  grant: row.grant,
  by,
});

/** The entries that replace a question with a more specific one. */
export const replaced = (row: RequestRow): readonly JournalEntry[] => [
  cleared(row, 'requested again'),
  settle(row.requestId, 'over'),
];

export function waitsFor(facts: Pick<RequestFacts, 'request' | 'tool'>): Reason {
  const plain = plainName(facts.tool);
  return facts.request === 'approval'
    ? because('reason.approval', { tool: plain })
    : because('reason.result', { tool: plain });
}

const WAITS_FOR_MORE: ReadonlySet<string> = new Set(['held', 'parked', 'waiting']);

/**
 * After the last answer the turn resumes: in the run that waits for it, or in a new one. A turn
 * that also waits for a decision or its provider resumes with that, and a working run uses the
 * stored answer when it reaches the call.
 */
export function goingOn(
  reads: ApprovalReads & TurnReads,
  row: RequestRow,
  isWaitedFor: (requestId: number) => boolean,
): readonly JournalEntry[] {
  const state = reads.turn(row.turnId)?.state ?? '';
  if (WAITS_FOR_MORE.has(state)) return [];
  const others = reads
    .requestsOfTurn(row.turnId)
    .filter((other) => other.requestId !== row.requestId && other.answer === undefined);
  const { turnId } = row;
  if (isWaitedFor(row.requestId)) {
    // A question that an earlier run left open blocks nothing.
    return others.some(({ requestId }) => isWaitedFor(requestId))
      ? []
      : [{ kind: 'turn.state', turnId, state: 'running', reason: NO_REASON }];
  }
  return state === 'running' || others.length > 0
    ? []
    : [{ kind: 'turn.state', turnId, state: 'queued', reason: because('reason.answered') }];
}
