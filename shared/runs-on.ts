/** Where shared turns of an agent run that say nothing of it. Pure. DW-20, DW-22 */
import type { AgentSettings } from './settings';

/** Where one shared turn may run. */
export interface TurnPlace {
  readonly needs: readonly string[];
  /** On its own computer alone. */
  readonly isHere: boolean;
  /** On any computer with the repository of its agent, in the files as they are now. */
  readonly isWithFiles: boolean;
}

/** As `runs_on` of the agent says; anywhere for an agent that says nothing. */
export function placeOfAgent(spec: AgentSettings | undefined): TurnPlace {
  const runsOn = spec !== undefined && 'runs_on' in spec ? spec.runs_on : undefined;
  return {
    needs: runsOn?.startsWith('label:') === true ? [runsOn] : [],
    isHere: runsOn === 'this',
    isWithFiles: runsOn === 'repository',
  };
}
