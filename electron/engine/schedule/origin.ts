import type { TurnRow } from '../../ports/journal/rows';

/**
 * Where a person hears what time makes of a turn: where that was asked. Undefined where nobody would
 * hear it there: the command line that asked is gone by then. Pure. S1-02, S1-12
 */
export const originOf = (
  turn: Pick<TurnRow, 'channel' | 'peer'> | undefined,
): Pick<TurnRow, 'channel' | 'peer'> | undefined =>
  turn === undefined || turn.channel === 'cli'
    ? undefined
    : { channel: turn.channel, peer: turn.peer };
