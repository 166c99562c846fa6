import type { ApprovalView } from '../types';

/**
 * Whether the user wants to be notified of this call at any hour: they listed its agent, its tool,
 * or what permission for it covers. What an agent says about itself does not count.
 */
export const isUrgentCall = (
  { agent, tool, covers }: Pick<ApprovalView, 'agent' | 'tool' | 'covers'>,
  urgent: readonly string[],
): boolean => [agent, tool, covers].some((name) => urgent.includes(name));
