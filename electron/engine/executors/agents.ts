import { agentTitleIn } from '../../../shared/agent-title';
import { placeOfAgent, type TurnPlace } from '../../../shared/runs-on';
import type { AgentView, ProviderView } from '../../../shared/types';
import type { Environment } from '../../../shared/types/agents';
import { PRACTICE_AGENT, PRACTICE_PROVIDER } from '../../../shared/practice';
import {
  isLlmAgent,
  type AcpAgentSettings,
  type AgentSettings,
  type CommandAgentSettings,
  type LlmAgentSettings,
} from '../../../shared/settings';
import { toolId } from '../../../shared/tool-id';
import { practiceFiles } from './llm/practice';
import type { ToolRegistry } from '../turns/tool-registry';
import { HoldfastError, unknownAgent } from '../kernel/errors';
import type { Frame } from '../../ports/journal/entries';
import type { AgentFolders } from '../../ports/agent-folders';
import type { Provider, ToolOffer } from '../../ports/provider';
import type { SettingsPort } from '../../ports/settings';
import { entryOf } from '../../../shared/table';

const PRACTICE_TOOLS = ['read_file', 'list_files', 'search_files', 'write_file', 'shell'];
const HOW_EXACT =
  'Exact: completed actions are not repeated, and completed model requests are not billed again.';
const ACP_EXACT =
  'Partial: records the tool calls and permission requests that the agent reports, and resumes it after a restart. If it wants to repeat a completed action, you are asked first, as long as the agent requests permission. If its permission prompts are disabled, Holdfast can only tell it what is already done.';
const COMMAND_EXACT =
  'Exact if its hooks report tool calls; otherwise one decision for the whole run.';
const PRACTICE_EXACT = `A script, not an AI. No key, no network. ${HOW_EXACT}`;

export type ExecutorKind = 'llm' | 'acp' | 'command';

interface AgentsDeps {
  readonly folders: AgentFolders;
  readonly settings: SettingsPort;
  readonly tools: ToolRegistry;
  /** Providers that tests bring; an agent may name them without a setting. */
  readonly extraProviders: readonly Provider[];
  readonly describeProvider: (name: string) => Promise<ProviderView | undefined>;
}

/** Agents of the settings and the demo agent. */
export interface Agents {
  readonly practiceFolder: string;
  has(name: string): boolean;
  names(): readonly string[];
  defaultName(): string;
  /** For its own folder, or `folder` if given. @throws AGENT_UNKNOWN, AGENT_INVALID */
  frameOf(name: string, folder?: string): Frame;
  /** An external agent's settings; undefined for all other agents. */
  acpOf(name: string): AcpAgentSettings | undefined;
  /** MCP servers whose tools the agent may have. */
  mcpServersOf(name: string): readonly string[];
  /** The settings of an agent that is one command line; undefined for all others. */
  commandOf(name: string): CommandAgentSettings | undefined;
  /** What drives its turns. For an unknown agent the model loop, which reports the problem. */
  executorOf(name: string): ExecutorKind;
  view(name: string): Promise<AgentView>;
  /** The agent's working environment; null for an unknown agent. */
  environmentOf(name: string): Environment | null;
  list(): Promise<AgentView[]>;
  /** The agent's settings; undefined if the settings do not list it. */
  specOf(name: string): AgentSettings | undefined;
  /** Where its shared turns run by default. */
  placeOf(name: string): TurnPlace;
}

export function createAgents(deps: AgentsDeps): Agents {
  const { folders } = deps;
  const configured = (name: string): AgentSettings | undefined =>
    entryOf(deps.settings.get('agents'), name);
  const has = (name: string): boolean => name === PRACTICE_AGENT || configured(name) !== undefined;
  const names = (): string[] => [
    ...Object.keys(deps.settings.get('agents')),
    ...(configured(PRACTICE_AGENT) === undefined ? [PRACTICE_AGENT] : []),
  ];
  const specOf = (name: string): AgentSettings => {
    const spec = configured(name);
    if (spec !== undefined) return spec;
    if (name === PRACTICE_AGENT) {
      return {
        title: agentTitleIn({}, PRACTICE_AGENT),
        provider: PRACTICE_PROVIDER,
        model: 'script',
        workspace: folders.practice,
        tools: PRACTICE_TOOLS,
      };
    }
    throw new HoldfastError('AGENT_UNKNOWN', `There is no agent "${name}".`, {
      hint: 'The turn is saved. Add the agent again in the settings, then resume.',
    });
  };

  const view = async (name: string): Promise<AgentView> => {
    if (!has(name)) throw unknownAgent(name);
    const spec = specOf(name);
    if (!isLlmAgent(spec)) return outsideView(folders, name, spec);
    const problem = await problemOf(deps, spec);
    return {
      name,
      ...titleOf(spec),
      ...environment(spec),
      howExact: spec.provider === PRACTICE_PROVIDER ? PRACTICE_EXACT : HOW_EXACT,
      ...(problem === undefined ? {} : { problem }),
      tools: deps.tools.offers(spec.tools, spec.mcp_servers).map((offer) => {
        const tool = deps.tools.find(offer.name);
        return tool?.spec.offeredAs === undefined ? offer.name : tool.qualified;
      }),
    };
  };

  return {
    practiceFolder: folders.practice,
    has,
    names,
    defaultName: () => Object.keys(deps.settings.get('agents'))[0] ?? PRACTICE_AGENT,
    frameOf(name, folder) {
      const spec = specOf(name);
      if (name === PRACTICE_AGENT) folders.prepare(folders.practice, practiceFiles());
      const workspace = needFolder(folders, folder ?? spec.workspace, name);
      if (!isLlmAgent(spec)) return outsideFrame(spec, workspace);
      return {
        provider: spec.provider,
        model: spec.model,
        system: systemText(name, workspace, spec.instructions, spec.drafts === true),
        ...(spec.drafts === true ? { drafts: true as const } : {}),
        tools: withCustom(deps.tools.offers(spec.tools, spec.mcp_servers), spec),
        workspace,
        env: spec.env ?? [],
        ...(spec.custom_tools === undefined || spec.custom_tools.length === 0
          ? {}
          : { custom: spec.custom_tools.map(({ name: custom }) => custom) }),
      };
    },
    acpOf(name) {
      const spec = configured(name);
      return spec?.executor === 'acp' ? spec : undefined;
    },
    mcpServersOf(name) {
      const spec = has(name) ? specOf(name) : undefined;
      if (spec === undefined || !isLlmAgent(spec)) return [];
      const all = Object.keys(deps.settings.get('mcp.servers'));
      if (spec.mcp_servers === undefined && spec.tools === undefined) return all;
      const byTool = (spec.tools ?? []).map((tool) => toolId(tool).host);
      return all.filter((one) => spec.mcp_servers?.includes(one) === true || byTool.includes(one));
    },
    commandOf(name) {
      const spec = configured(name);
      return spec?.executor === 'command' ? spec : undefined;
    },
    executorOf: (name) => configured(name)?.executor ?? 'llm',
    view,
    environmentOf: (name) => (has(name) ? environment(specOf(name)) : null),
    list: () => Promise.all(names().map(view)),
    specOf: configured,
    placeOf: (name) => placeOfAgent(configured(name)),
  };
}

/**
 * Adds the custom tools that the client executes, as the model sees them (S3-09). Without custom
 * tools this returns the registry's own list, so its text is built once, not per turn.
 */
function withCustom(
  offers: readonly ToolOffer[],
  { custom_tools: custom = [] }: LlmAgentSettings,
): readonly ToolOffer[] {
  if (custom.length === 0) return offers;
  return [
    ...offers,
    ...custom.map((tool) => ({
      name: tool.name,
      description: tool.description,
      inputSchema: tool.input_schema ?? { type: 'object' },
    })),
  ];
}

/** The frame of an external agent's turn: the agent brings its own prompt and tools. */
function outsideFrame(spec: AcpAgentSettings | CommandAgentSettings, workspace: string): Frame {
  return {
    provider: spec.executor,
    model: spec.executor === 'acp' ? (spec.model ?? '') : '',
    system: '',
    tools: [],
    workspace,
    env: spec.env ?? [],
  };
}

function environment(spec: AgentSettings): Environment {
  const { workspace } = spec;
  if (!isLlmAgent(spec)) {
    return {
      executor: spec.executor,
      provider: [spec.command, ...(spec.args ?? [])].join(' ').slice(0, 64),
      model: spec.executor === 'acp' ? (spec.model ?? '') : '',
      workspace,
    };
  }
  const executor = spec.provider === PRACTICE_PROVIDER ? 'practice' : 'llm';
  return { executor, provider: spec.provider, model: spec.model, workspace };
}

const titleOf = ({ title }: AgentSettings): { readonly title?: string } =>
  title === undefined ? {} : { title };

function outsideView(
  folders: AgentFolders,
  name: string,
  spec: Exclude<AgentSettings, { readonly provider: string }>,
): AgentView {
  const problem = folders.exists(spec.workspace)
    ? undefined
    : `The folder ${spec.workspace} does not exist.`;
  return {
    name,
    ...titleOf(spec),
    ...environment(spec),
    howExact: spec.executor === 'acp' ? ACP_EXACT : COMMAND_EXACT,
    ...(problem === undefined ? {} : { problem: problem.slice(0, 500) }),
    tools: [],
  };
}

const DRAFTS_TEXT =
  'Files that you write are staged as drafts: the folder is not changed until the user applies them. read_file, list_files and search_files show your drafts; shell commands work on the real folder and do not see them.';

function systemText(
  name: string,
  workspace: string,
  instructions: string | undefined,
  hasDrafts: boolean,
): string {
  return [
    `You are the agent "${name}". Your tools work in the folder ${workspace}.`,
    'Use the tools to do the work; briefly say what you did. Some results may have been recorded before a restart: trust them and do not repeat finished work.',
    ...(hasDrafts ? [DRAFTS_TEXT] : []),
    ...(instructions === undefined || instructions === '' ? [] : [instructions]),
  ].join('\n');
}

function needFolder(folders: AgentFolders, folder: string, agent: string): string {
  const real = folders.usable(folder);
  if (real !== undefined) return real;
  throw new HoldfastError(
    'AGENT_INVALID',
    `The folder of the agent "${agent}" cannot be used: ${folder}`,
    {
      hint: 'The turn is saved. Create the folder or change the agent, then resume.',
      facts: { agent, folder },
    },
  );
}

async function problemOf(deps: AgentsDeps, spec: LlmAgentSettings): Promise<string | undefined> {
  if (spec.provider === PRACTICE_PROVIDER) return undefined;
  if (deps.extraProviders.some((provider) => provider.name === spec.provider)) return undefined;
  const provider = await deps.describeProvider(spec.provider);
  if (provider === undefined) return `There is no provider "${spec.provider}" in the settings.`;
  if (provider.key.problem !== undefined) return provider.key.problem;
  if (!provider.key.present && provider.kind !== 'openai-compatible') {
    return `The provider "${spec.provider}" has no key yet.`;
  }
  if (!deps.folders.exists(spec.workspace)) return `The folder ${spec.workspace} does not exist.`;
  return undefined;
}
