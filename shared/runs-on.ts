/** Where shared turns of an agent run by default. Pure. DW-20, DW-22 */
import type { AgentSettings } from './settings';

/** Where one shared turn may run. */
export interface TurnPlace {
  readonly needs: readonly string[];
  /** Only on its own computer. */
  readonly isHere: boolean;
  /** On any computer with its agent's repository, in the current files. */
  readonly isWithFiles: boolean;
}

/** The agent's `runs_on`; anywhere by default. */
export function placeOfAgent(spec: AgentSettings | undefined): TurnPlace {
  const runsOn = spec !== undefined && 'runs_on' in spec ? spec.runs_on : undefined;
  return {
    needs: runsOn?.startsWith('label:') === true ? [runsOn] : [],
    isHere: runsOn === 'this',
    isWithFiles: runsOn === 'repository',
  };
}
