/** The open approvals that block a turn. */
import { useMemo } from 'react';
import type { VerbOutput } from '../../shared/contract';
import type { ApprovalView, ToolView } from '../../shared/types';
import { useVerb } from '../bridge';
import type { Trouble } from '../bridge';

const NO_ASKS: readonly ApprovalView[] = [];
const NO_TOOLS: readonly ToolView[] = [];

export function useAsks({ turn }: Pick<VerbOutput<'turns.show'>, 'turn'>): {
  readonly requests: readonly ApprovalView[];
  readonly tools: readonly ToolView[];
  readonly trouble: Trouble | undefined;
  readonly reload: () => void;
} {
  const isAsking = turn.state === 'requires_action';
  const list = useVerb('approvals.list', isAsking ? { session: turn.sessionKey } : undefined);
  const tools = useVerb('tools.list', isAsking ? {} : undefined);
  const all = list.data?.requests;
  const requests = useMemo(
    () => all?.filter((request) => request.turnId === turn.id) ?? NO_ASKS,
    [all, turn.id],
  );
  return {
    requests,
    tools: tools.data?.tools ?? NO_TOOLS,
    trouble: list.trouble,
    reload: list.reload,
  };
}
