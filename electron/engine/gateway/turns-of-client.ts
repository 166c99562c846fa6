import { isLlmAgent } from '../../../shared/settings';
import { entryOf } from '../../../shared/table';
import type { JournalReads } from '../../ports/journal/reads';
import type { TurnRow } from '../../ports/journal/rows';
import type { SettingsPort } from '../../ports/settings';

/**
 * Running turns that a client's request may belong to: those of the agent that the client is named
 * after, otherwise all, because the client's agent may be any of them. Empty if no turn runs. In
 * ascending order, so equal sets compare equal. Pure.
 */
export function turnsOfClient(
  client: string,
  running: readonly { readonly id: number; readonly agent: string }[],
  isAgent: (name: string) => boolean,
): readonly number[] {
  return running
    .filter(({ agent }) => !isAgent(client) || agent === client)
    .map(({ id }) => id)
    .toSorted((a, b) => a - b);
}

/** By client, from the running turns of external agents: only these may use the gateway. */
export const turnsOfClients =
  (deps: {
    readonly settings: Pick<SettingsPort, 'get'>;
    readonly reads: Pick<JournalReads, 'turn'>;
    readonly running: () => readonly number[];
  }) =>
  (client: string): readonly number[] => {
    const agents = deps.settings.get('agents');
    const outside = deps.running().flatMap((turnId): TurnRow[] => {
      const turn = deps.reads.turn(turnId);
      const agent = turn === undefined ? undefined : entryOf(agents, turn.agent);
      return turn === undefined || agent === undefined || isLlmAgent(agent) ? [] : [turn];
    });
    return turnsOfClient(client, outside, (name) => Object.hasOwn(agents, name));
  };
