import type { VerbOutput } from '../../../shared/contract';
import { HoldfastError } from '../kernel/errors';
import { unknownTurn } from '../recovery/decisions';
import { inboxItem } from '../status/views';
import { type Handlers, type VerbsDeps, summary } from './deps';

/** What a crash left open, and everything else that waits for a person. */
export function recoveryVerbs(
  deps: VerbsDeps,
): Handlers<
  | 'recovery.list'
  | 'recovery.resume'
  | 'recovery.confirmStep'
  | 'recovery.skipStep'
  | 'recovery.discard'
  | 'recovery.waitProcess'
  | 'recovery.leaveProcess'
  | 'recovery.endProcess'
  | 'inbox.list'
  | 'inbox.dismiss'
> {
  const { reads, decisions, leftProcesses } = deps;
  const after = (turnId: number): VerbOutput<'turns.cancel'> => {
    const turn = reads.turn(turnId);
    if (turn === undefined) throw unknownTurn(turnId);
    return summary(deps, turn);
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
    'inbox.list': ({ includeSettled = false, limit = 200 }) =>
      Promise.resolve({ items: reads.inbox({ includeSettled, limit }).map(inboxItem) }),
    'inbox.dismiss': async ({ inboxId }) => {
      const item = reads.inboxItem(inboxId);
      if (item === undefined) {
        throw new HoldfastError('INBOX_UNKNOWN', `There is no notice ${String(inboxId)}.`, {
          hint: 'Nothing was changed.',
        });
      }
      if (item.item === 'replay_decision' || item.item === 'limit' || item.item === 'approval') {
        throw new HoldfastError(
          'CONFIRMATION_NEEDED',
          'This waits for a decision and cannot be put away.',
          {
            hint: 'Nothing was changed. Decide it, or stop the turn.',
          },
        );
      }
      if (item.settledAtMs === undefined) {
        await deps.journal.commit([{ kind: 'inbox.settled', inboxId, outcome: 'dismissed' }]);
      }
      return { ok: true };
    },
  };
}
