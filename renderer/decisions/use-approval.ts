/** Answers a permission request and distinguishes the possible outcomes. */
import { useState } from 'react';
import type { Answer } from '../../shared/contract';
import type { ApprovalView } from '../../shared/types';
import { t } from '../../shared/messages';
import { callVerb, useBridge, useCommand } from '../bridge';
import type { Trouble } from '../bridge';
import { oneLine } from '../parts/inert-view';
import { sayRefused } from '../toasts/said';
import { actLater, usePending } from '../toasts/toasts';
import { saidOf } from './approval-view';
import type { Reply } from './approval-view';
import { agentTitle } from '../agents/agent-titles';
import { table } from '../../shared/table';

/** Why an answer changed nothing, if that is not an error. */
type Missed = 'stale' | 'elsewhere';

interface ApprovalReply {
  readonly answer: (reply: Reply) => Promise<void>;
  readonly isBusy: boolean;
  /** Denied here but not sent yet, so Undo can take it back. */
  readonly isDeniedSoon: boolean;
  readonly missed: Missed | undefined;
  readonly trouble: Trouble | undefined;
}

export interface ApprovalEnds {
  /** Called after an answer is on disk, with a sentence about what was done. */
  readonly onSettled: (said: string, kind: Reply['kind']) => void;
  /** Fetches the facts again after they turned out to be outdated. */
  readonly onStale: () => void;
}

const MISSED = table<Missed>({
  REQUEST_STALE: 'stale',
  REQUEST_ANSWERED: 'elsewhere',
});

export function useApproval(
  request: ApprovalView,
  { onSettled, onStale }: ApprovalEnds,
): ApprovalReply {
  const bridge = useBridge();
  const allow = useCommand('approvals.allow');
  const give = useCommand('session.customToolResult');
  const [missed, setMissed] = useState<Missed | undefined>(undefined);
  const commands = [allow, give];
  const denyKey = `deny-${String(request.requestId)}`;
  const isDeniedSoon = usePending().has(denyKey);
  const { requestId, requestHash } = request;
  /**
   * A denied agent continues with the denial at once, so it is sent only when the note with Undo is
   * gone.
   */
  const denySoon = (reply: Extract<Reply, { kind: 'deny' }>): void => {
    const note = reply.note.trim().slice(0, 4000);
    actLater(
      denyKey,
      t('approval.deniedSoon', { name: oneLine(agentTitle(request.agent), 64) }),
      () => {
        void callVerb(bridge, 'approvals.deny', {
          requestId,
          requestHash,
          ...(note === '' ? {} : { note }),
        }).then((answer) => {
          if (answer.ok) onSettled(saidOf(reply), 'deny');
          else sayRefused(answer);
        });
      },
    );
  };
  const send = (reply: Exclude<Reply, { kind: 'deny' }>): Promise<Answer<ApprovalView>> => {
    switch (reply.kind) {
      case 'allow':
        return allow.run({ requestId, requestHash, scope: reply.scope });
      case 'result':
        return give.run({
          session: request.sessionKey,
          requestId,
          requestHash,
          output: reply.output,
        });
    }
  };
  return {
    async answer(reply) {
      setMissed(undefined);
      for (const command of commands) command.clear();
      if (reply.kind === 'deny') {
        denySoon(reply);
        return;
      }
      const answered = await send(reply);
      if (answered.ok) {
        // The permission may be narrower than requested, because a rule's name has a maximum
        // length.
        const { scope } = answered.value;
        onSettled(
          saidOf(reply.kind === 'allow' && scope ? { ...reply, scope } : reply),
          reply.kind,
        );
        return;
      }
      const why = MISSED[answered.code];
      if (why === undefined) return;
      setMissed(why);
      onStale();
    },
    isBusy: commands.some((command) => command.isBusy),
    isDeniedSoon,
    missed,
    trouble: commands
      .map((command) => command.trouble)
      .find((trouble) => trouble !== undefined && MISSED[trouble.code] === undefined),
  };
}
