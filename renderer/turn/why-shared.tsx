/** What a turn in the shared queue waits for, as reported by the shared store. DW-21 */
import type { ReactElement } from 'react';
import type { TurnSummary } from '../../shared/types';
import { useVerb } from '../bridge';
import { Inert } from '../parts/texts';
import { useStatus } from '../status';

/** Absent if the turn waits for something else, or the store cannot be reached. */
export function WhyShared({
  turn,
}: {
  turn: Pick<TurnSummary, 'id' | 'state'>;
}): ReactElement | null {
  const isShared = useStatus().status?.shared !== undefined && turn.state === 'waiting';
  const { data } = useVerb('machines.list', isShared ? {} : undefined);
  const row = data?.waiting.find(({ turnId }) => turnId === turn.id);
  return row === undefined ? null : (
    <Inert as="p" className="t2 wrap" role="status" text={row.why} />
  );
}
