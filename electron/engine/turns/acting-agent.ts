/** Which external agent drives a turn. Pure. FB-03 */
import type { TurnRow } from '../../ports/journal/rows';
import type { SharedMove, SharedTurnRow } from '../../ports/journal/shared';

/** The turn as its run sees it: driven by the agent that took over last, or by its own. */
export function actedTurn(turn: TurnRow): TurnRow {
  const agent = turn.fallbacks?.at(-1)?.agent;
  return agent === undefined || agent === turn.agent
    ? turn
    : { ...turn, agent, ownAgent: turn.agent };
}

/** The agent that a turn and its session belong to, even while another one drives it. */
export const ownAgentOf = ({ agent, ownAgent }: Pick<TurnRow, 'agent' | 'ownAgent'>): string =>
  ownAgent ?? agent;

/** The agent has not driven this turn before, so another agent did everything so far. */
export function isTakenOver(
  { ownAgent, fallbacks }: Pick<TurnRow, 'ownAgent' | 'fallbacks'>,
  steps: readonly { readonly step: number; readonly purity: string }[],
): boolean {
  const after = fallbacks?.at(-1)?.afterStep ?? 0;
  return ownAgent !== undefined && !steps.some((one) => one.purity === 'llm' && one.step > after);
}

/**
 * The turn ran on another computer since its agent was last prompted here, so the agent's own
 * conversation here lacks that part. DW-19
 */
export function isFromElsewhere(
  moves: readonly SharedMove[],
  steps: readonly { readonly step: number; readonly purity: string }[],
): boolean {
  const from = moves.findLast(({ to }) => to === 'here')?.atStep;
  return from !== undefined && !steps.some((one) => one.purity === 'llm' && one.step >= from);
}

/**
 * The previous turn was driven by another agent or ended on another computer, so this agent's own
 * conversation lacks it. `before`: the previous turn of the session.
 */
export function hasMissed(
  turn: TurnRow,
  before: TurnRow | undefined,
  shared?: Pick<SharedTurnRow, 'epoch' | 'machine'>,
): boolean {
  if (before === undefined) return false;
  // A turn that was never granted to this computer ran elsewhere.
  const wasElsewhere = shared !== undefined && (shared.epoch === 0 || shared.machine !== '');
  return wasElsewhere || actedTurn(before).agent !== turn.agent;
}
