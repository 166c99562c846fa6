import type { RecoveryPolicy } from '../recovery/plan-resume';
import type { ToolRegistry } from '../turns/tool-registry';
import type { Handlers } from './handlers';

interface AgentsDeps {
  readonly tools: ToolRegistry;
  readonly policy: () => RecoveryPolicy;
}

/** Agents and the tools that they have. */
export function agentHandlers(deps: AgentsDeps): Handlers<'tools.list'> {
  return {
    'tools.list': () => Promise.resolve({ tools: [...deps.tools.views(deps.policy())] }),
  };
}
