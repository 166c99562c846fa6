import type { VerbInput, VerbOutput } from '../../../../shared/contract';
import { once } from '../../../../shared/once';
import type { Log } from '../../../ports/log';
import { toHoldfastError } from '../../kernel/errors';
import type { CommandExecutor } from './run';

/** Agents that are one command line a turn. Their code is loaded with the first of them. */
export interface LazyCommands {
  readonly executor: () => Promise<CommandExecutor>;
  hook(report: VerbInput<'agents.hook'>): Promise<VerbOutput<'agents.hook'>>;
  /** Reads what hooks wrote after Holdfast died; runs before open turns are judged. S4-20 */
  settle(): Promise<void>;
}

export function createLazyCommands(deps: {
  readonly load: () => Promise<CommandExecutor>;
  /** Turns whose hooks have left records. */
  readonly hookedTurns: () => Promise<readonly number[]>;
  readonly log: Log;
}): LazyCommands {
  const executor = once(deps.load);
  return {
    executor,
    hook: async (report) => (await executor()).hook(report),
    async settle() {
      try {
        const left = await deps.hookedTurns();
        if (left.length > 0) await (await executor()).settleLeft(left);
      } catch (error) {
        // Its calls stay unknown, and no run of the turn starts before the records are read.
        if (toHoldfastError(error).code !== 'RESULT_UNREADABLE') throw error;
        deps.log.error('command.records_unreadable', { error });
      }
    },
  };
}
