import type { VerbOutput } from '../../../shared/contract';
import type { ApprovalReads, RequestRow } from '../../ports/journal/approvals';
import type { Basics } from '../kernel/basics';
import type { InboxReads, StartReads, TurnReads } from '../../ports/journal/reads';
import { HoldfastError } from '../kernel/errors';
import type { Approvals } from '../permissions/approvals';
import { recordedRefusal, unknownRequest } from '../permissions/request-refusals';
import { unknownTurn, type Decisions } from '../recovery/decisions';
import type { LeftProcessesRoom } from '../recovery/left-processes';
import type { SessionsRoom } from '../sessions/intake';
import { inboxItem } from '../status/views';
import { isDecision, settle } from '../inbox/entries';
import type { Families, Handlers } from './handlers';
import type { Summarize } from './turns';

interface DecisionsDeps extends Pick<Basics, 'journal' | 'audit'> {
  readonly reads: ApprovalReads & InboxReads & StartReads & TurnReads;
  readonly approvals: Approvals;
  /** What a call that waits for approval would change in the file that it writes. */
  readonly changeOf: (request: RequestRow) => Promise<VerbOutput<'approvals.diff'>>;
  readonly sessions: Pick<SessionsRoom, 'find'>;
  readonly decisions: Decisions;
  readonly leftProcesses: LeftProcessesRoom;
  readonly summarize: Summarize;
}

/** What a crash left open, and everything else that needs the user's decision. */
export function decisionHandlers(deps: DecisionsDeps): Families['decisions'] {
  const { reads, decisions, leftProcesses, summarize } = deps;
  const after = (turnId: number): VerbOutput<'turns.cancel'> => {
    const turn = reads.turn(turnId);
    if (turn === undefined) throw unknownTurn(turnId);
    return summarize(turn);
  };
  return {
    'recovery.list': async () => {
      const start = reads.starts(1)[0];
      return {
        decisions: [...(await decisions.list())],
        processes: [...(await leftProcesses.open())],
        lastStart: start === undefined ? [] : [...reads.recoveriesOfStart(start.id)],
      };
    },
    'recovery.resume': async ({ turnId, requestHash }, origin) => {
      await decisions.answer({ kind: 'resume', turnId, requestHash }, origin);
      return after(turnId);
    },
    'recovery.confirmStep': async ({ turnId, step, requestHash }, origin) => {
      await decisions.answer({ kind: 'confirm', turnId, step, requestHash }, origin);
      return after(turnId);
    },
    'recovery.skipStep': async ({ turnId, step, requestHash }, origin) => {
      await decisions.answer({ kind: 'skip', turnId, step, requestHash }, origin);
      return after(turnId);
    },
    'recovery.discard': async ({ turnId, requestHash }, origin) => {
      await decisions.answer({ kind: 'discard', turnId, requestHash }, origin);
      return after(turnId);
    },
    'recovery.waitProcess': (about, origin) => leftProcesses.answer('wait', about, origin),
    'recovery.leaveProcess': (about, origin) => leftProcesses.answer('leave', about, origin),
    'recovery.endProcess': (about, origin) => leftProcesses.answer('end', about, origin),
    ...approvalHandlers(deps),
    ...inboxHandlers(deps),
  };
}

/** Calls that wait for permission, and tools with external results. */
function approvalHandlers(
  deps: DecisionsDeps,
): Handlers<
  | 'approvals.list'
  | 'approvals.diff'
  | 'approvals.allow'
  | 'approvals.deny'
  | 'session.customToolResult'
> {
  const { approvals } = deps;
  return {
    'approvals.list': async ({ session, includeAnswered = false, limit = 200 }) => ({
      requests: [
        ...(await approvals.list({
          includeAnswered,
          limit,
          ...(session === undefined ? {} : { sessionId: deps.sessions.find(session).id }),
        })),
      ],
    }),
    'approvals.diff': async ({ requestId }) => {
      const request = deps.reads.request(requestId);
      if (request === undefined) throw unknownRequest(requestId);
      return deps.changeOf(request);
    },
    'approvals.allow': ({ requestId, requestHash, scope = 'once' }, origin) =>
      approvals.answer(requestId, requestHash, { kind: 'allow', scope }, origin),
    'approvals.deny': ({ requestId, requestHash, note }, origin) =>
      approvals.answer(
        requestId,
        requestHash,
        { kind: 'deny', ...(note === undefined ? {} : { note }) },
        origin,
      ),
    'session.customToolResult': async ({ session, requestId, requestHash, output }, origin) => {
      const { sessionId } = await approvals.view(requestId);
      const row = deps.sessions.find(session);
      if (row.id !== sessionId) {
        const wrong = new HoldfastError(
          'REQUEST_UNKNOWN',
          `Request ${String(requestId)} does not belong to the session "${row.key}".`,
          { hint: 'Nothing was changed. List pending requests: holdfast approvals list' },
        );
        throw recordedRefusal(deps.audit, wrong, requestId, { kind: 'result', output }, origin);
      }
      return approvals.answer(requestId, requestHash, { kind: 'result', output }, origin);
    },
  };
}

function inboxHandlers(deps: DecisionsDeps): Handlers<'inbox.list' | 'inbox.dismiss'> {
  return {
    'inbox.list': ({ includeSettled = false, limit = 200 }) =>
      Promise.resolve({ items: deps.reads.inbox({ includeSettled, limit }).map(inboxItem) }),
    'inbox.dismiss': async ({ inboxId }) => {
      const item = deps.reads.inboxItem(inboxId);
      if (item === undefined) {
        throw new HoldfastError('INBOX_UNKNOWN', `There is no notice ${String(inboxId)}.`, {
          hint: 'Nothing was changed.',
        });
      }
      const isOpen = item.settledAtMs === undefined;
      if (isOpen && (isDecision(item) || item.item === 'approval')) {
        throw new HoldfastError(
          'CONFIRMATION_NEEDED',
          'This needs a decision and cannot be dismissed.',
          {
            hint: 'Nothing was changed. Decide it, or cancel the turn.',
          },
        );
      }
      if (isOpen) {
        await deps.journal.commit([settle(inboxId, 'dismissed')]);
      }
      return { ok: true };
    },
  };
}
