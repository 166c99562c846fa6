/** What a turn waits for in the shared queue, as the shared store knows it now. DW-21 */
import type { ReactElement } from 'react';
import type { TurnSummary } from '../../shared/types';
import { useVerb } from '../bridge';
import { Inert } from '../parts/texts';
import { useStatus } from '../status';

/** Absent where the turn waits for something else, or the store is out of reach. */
export function WhyShared({
  turn,
}: {
  turn: Pick<TurnSummary, 'id' | 'state'>;
}): ReactElement | null {
  const isShared = useStatus().status?.shared !== undefined && turn.state === 'waiting';
  const { data } = useVerb('machines.list', isShared ? {} : undefined);
  const row = data?.waiting.find(({ turnId }) => turnId === turn.id);
  return row === undefined ? null : (
    <p className="t2 wrap" role="status">
      <Inert text={row.why} />
    </p>
  );
}
