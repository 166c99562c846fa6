/** Answers a permission request and distinguishes the possible outcomes. */
import { useState } from 'react';
import type { Answer } from '../../shared/contract';
import type { ApprovalView } from '../../shared/types';
import { useCommand } from '../bridge';
import type { Trouble } from '../bridge';
import { saidOf } from './approval-view';
import type { Reply } from './approval-view';

/** Why an answer changed nothing, if that is not an error. */
type Missed = 'stale' | 'elsewhere';

interface ApprovalReply {
  readonly answer: (reply: Reply) => Promise<void>;
  readonly isBusy: boolean;
  readonly missed: Missed | undefined;
  readonly trouble: Trouble | undefined;
}

export interface ApprovalEnds {
  /** Called after an answer is on disk, with a sentence about what was done. */
  readonly onSettled: (said: string, kind: Reply['kind']) => void;
  /** Fetches the facts again after they turned out to be outdated. */
  readonly onStale: () => void;
}

const MISSED: Readonly<Record<string, Missed>> = {
  REQUEST_STALE: 'stale',
  REQUEST_ANSWERED: 'elsewhere',
};

export function useApproval(
  request: ApprovalView,
  { onSettled, onStale }: ApprovalEnds,
): ApprovalReply {
  const allow = useCommand('approvals.allow');
  const deny = useCommand('approvals.deny');
  const give = useCommand('session.customToolResult');
  const [missed, setMissed] = useState<Missed | undefined>(undefined);
  const commands = [allow, deny, give];
  const { requestId, requestHash } = request;
  const send = (reply: Reply): Promise<Answer<ApprovalView>> => {
    switch (reply.kind) {
      case 'allow':
        return allow.run({ requestId, requestHash, scope: reply.scope });
      case 'deny': {
        const note = reply.note.trim().slice(0, 4000);
        return deny.run({ requestId, requestHash, ...(note === '' ? {} : { note }) });
      }
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
      const answered = await send(reply);
      if (answered.ok) {
        // The permission may be narrower than requested: a rule's name has a maximum length.
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
    missed,
    trouble: commands
      .map((command) => command.trouble)
      .find((trouble) => trouble !== undefined && MISSED[trouble.code] === undefined),
  };
}
