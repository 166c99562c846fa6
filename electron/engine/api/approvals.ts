import { HoldfastError } from '../kernel/errors';
import { recordedRefusal } from '../permissions/request-refusals';
import type { Handlers, VerbsDeps } from './deps';

/** Calls that wait for leave, and tools whose result comes from outside. */
export function approvalVerbs(
  deps: VerbsDeps,
): Handlers<'approvals.list' | 'approvals.allow' | 'approvals.deny' | 'session.customToolResult'> {
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
          { hint: 'Nothing was changed. "holdfast approvals list" shows what waits.' },
        );
        throw recordedRefusal(deps.audit, wrong, requestId, { kind: 'result', output }, origin);
      }
      return approvals.answer(requestId, requestHash, { kind: 'result', output }, origin);
    },
  };
}
