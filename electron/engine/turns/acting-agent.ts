/** Which external agent drives a turn. Pure. FB-03 */
import type { TurnRow } from '../../ports/journal/rows';

/** The turn as its run sees it: of the agent that took over last, or of its own. */
export function actedTurn(turn: TurnRow): TurnRow {
  const agent = turn.fallbacks?.at(-1)?.agent;
  return agent === undefined || agent === turn.agent
    ? turn
    : { ...turn, agent, ownAgent: turn.agent };
}

/** The agent that a turn and its session belong to, whoever drives it. */
export const ownAgentOf = ({ agent, ownAgent }: Pick<TurnRow, 'agent' | 'ownAgent'>): string =>
  ownAgent ?? agent;

/** The agent has not driven this turn before: what was done so far, another one has done. */
export function isTakenOver(
  { ownAgent, fallbacks }: Pick<TurnRow, 'ownAgent' | 'fallbacks'>,
  steps: readonly { readonly step: number; readonly purity: string }[],
): boolean {
  const after = fallbacks?.at(-1)?.afterStep ?? 0;
  return ownAgent !== undefined && !steps.some((one) => one.purity === 'llm' && one.step > after);
}

/**
 * The turn before was driven by another agent, so the conversation that this one keeps lacks it.
 * `before` is the turn before in the session.
 */
export function hasMissed(turn: TurnRow, before: TurnRow | undefined): boolean {
  return before !== undefined && actedTurn(before).agent !== turn.agent;
}
