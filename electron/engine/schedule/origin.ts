import type { TurnRow } from '../../ports/journal/rows';

/**
 * Where answers of timed turns go: to the place of the request. Undefined for a place without a
 * listener, for example a command line that has ended by then. Pure. S1-02, S1-12
 */
export const originOf = (
  turn: Pick<TurnRow, 'channel' | 'peer'> | undefined,
): Pick<TurnRow, 'channel' | 'peer'> | undefined =>
  turn === undefined || turn.channel === 'cli'
    ? undefined
    : { channel: turn.channel, peer: turn.peer };

/** A person on a channel waits for its end; a person at the window or the command line sees it there. */
export const hasPeer = ({ channel }: Pick<TurnRow, 'channel'>): boolean =>
  channel !== 'window' && channel !== 'cli';
