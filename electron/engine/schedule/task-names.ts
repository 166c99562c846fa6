import type { TaskChecks } from '../../ports/checks';
import type { TurnPlace } from '../../../shared/runs-on';
import type { WatchedTrigger } from '../../ports/triggers';

/** Agents, channels and checks that a task may name, and the defaults. */
export interface TaskNames {
  readonly hasAgent: (name: string) => boolean;
  readonly defaultAgent: () => string;
  readonly hasChannel: (name: string) => boolean;
  readonly hasBroker: () => boolean;
  readonly defaultChannel: () => string;
  /** Current state of a file or branch. */
  readonly stateOf: (trigger: WatchedTrigger, agent: string) => Promise<string | undefined>;
  /** Why a check would be rejected. */
  readonly checkRefusal: TaskChecks['refusal'];
  /** Why turns of this agent cannot be shared. Undefined if they can. */
  readonly whyNotShared: (agent: string) => string | undefined;
  /** Where shared turns of this agent run. */
  readonly placeOf: (agent: string) => TurnPlace;
}
