import { PRACTICE_AGENT } from '../../../shared/practice';
import { isLlmAgent, type AgentSettings } from '../../../shared/settings';
import type { Frame } from '../../ports/journal/entries';
import type { SettingsPort } from '../../ports/settings';
import type { SkillFinding } from '../../ports/skills';
import { unknownAgent } from '../kernel/errors';
import { RUN_SKILL, skillOffer } from './plan';
import { createSkillRuns, type SkillRuns, type SkillRunsDeps } from './runs';
import { entryOf } from '../../../shared/table';

interface SkillsDeps {
  readonly settings: SettingsPort;
  readonly agents: { readonly defaultName: () => string; readonly practiceFolder: string };
  readonly runs: Omit<SkillRunsDeps, 'allowed'>;
}

/** Skills of agents, and their runs. */
export interface Skills {
  readonly runs: SkillRuns;
  /** The skills in an agent's folders. @throws AGENT_UNKNOWN */
  look(agent?: string): Promise<readonly SkillFinding[]>;
  /** An agent's frame plus `run_skill` if it has skills; otherwise the same frame. */
  frame(agent: string, frame: Frame): Promise<Frame>;
}

export function createSkills(deps: SkillsDeps): Skills {
  const specOf = (agent: string): AgentSettings | undefined =>
    entryOf(deps.settings.get('agents'), agent);
  const runs = createSkillRuns({
    ...deps.runs,
    allowed(agent) {
      const spec = specOf(agent);
      return spec !== undefined && isLlmAgent(spec) ? spec.skills : undefined;
    },
  });
  return {
    runs,
    async look(agent = deps.agents.defaultName()) {
      const spec = specOf(agent);
      if (spec === undefined && agent !== PRACTICE_AGENT) throw unknownAgent(agent, '');
      return runs.look(spec?.workspace ?? deps.agents.practiceFolder);
    },
    async frame(agent, frame) {
      const spec = specOf(agent);
      if (spec !== undefined && !isLlmAgent(spec)) return frame;
      const offer = skillOffer(await runs.ready(agent, frame.workspace));
      if (offer === undefined) return frame;
      return { ...frame, tools: [...frame.tools.filter((one) => one.name !== RUN_SKILL), offer] };
    },
  };
}
