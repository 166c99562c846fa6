/** Settings of agents: one shape for each executor. */
import { z } from 'zod';
import { once } from '../once';
import { exactObject } from '../exact-object';
import { hostOfAgent } from '../own-hosts';
import { account, duration, name, row, variable } from './base';
import { MAX_FALLBACKS, modelFallback, namedModel, type NamedModel } from './fallbacks';
import { mcpServerName } from './mcp';
import { entryOf } from '../table';

/** Names of environment variables; their values are never in the settings. */
const environmentNames = once(() => z.array(variable()).max(200));
/** Folder an agent works in; absolute. */
const workspace = once(() => z.string().min(1).max(4096));
/** A program and its arguments; never a shell line. */
const program = once(() => z.string().min(1).max(4096));
const programArguments = once(() => z.array(z.string().max(10_000)).max(200));

/** It goes out with every request. */
const MAX_SCHEMA_CHARS = 100_000;

/** A tool whose calls are carried out outside Holdfast. */
const customTool = exactObject(() => ({
  name: z
    .string()
    .regex(
      /^[A-Za-z_][A-Za-z0-9_-]{0,63}$/,
      'start with a letter or underscore; use letters, digits, dashes and underscores',
    ),
  description: z.string().max(4000),
  /** JSON schema of the arguments. Default: any object. */
  input_schema: z
    .record(z.string(), z.json())
    .refine((schema) => JSON.stringify(schema).length <= MAX_SCHEMA_CHARS, {
      // Written only for who reads it: the first number that is grouped loads its rules for 13 ms.
      error: () => `must be at most ${MAX_SCHEMA_CHARS.toLocaleString('en')} characters of JSON`,
    })
    .optional(),
}));

/** False: its turns need your review instead of waiting for their provider. */
const mayWait = once(() => z.boolean().optional());

/** Display name in windows; commands and settings use the name. */
const displayName = once(() => z.string().trim().min(1).max(64));

/** Models that answer in this order while the one of the agent is down or at its limit. FB-01 */
const modelFallbacks = once(() => z.array(modelFallback()).max(MAX_FALLBACKS).optional());
/** External agents that take a turn in this order while this one is down or at its limit. FB-01 */
const agentFallbacks = once(() => z.array(name()).max(MAX_FALLBACKS).optional());

const runsOn = () =>
  z
    .string()
    .regex(
      /^(any|this|repository|label:[\w.:-]{1,64})$/u,
      'use any, this, repository, or label:NAME',
    );

/** One agent of the `llm` executor. */
const llmAgentSettings = exactObject(() => ({
  executor: z.literal('llm').optional(),
  title: displayName().optional(),
  provider: name(),
  model: z.string().min(1).max(200),
  workspace: workspace(),
  instructions: z.string().max(100_000).optional(),
  /** Built-in tools that the agent may use. Default: all. */
  tools: z.array(z.string().min(1).max(128)).max(200).optional(),
  /**
   * MCP servers whose tools the agent gets. Default: all enabled servers; if `tools` is set, only the
   * tools that it lists as `server.tool`.
   */
  mcp_servers: z.array(mcpServerName()).max(100).optional(),
  /** Names of environment variables passed to its shell commands, in addition to the basic ones. */
  env: environmentNames().optional(),
  /**
   * Files that it writes become drafts that you apply (S3-20). Off by default, because its shell
   * commands do not see drafts.
   */
  drafts: z.boolean().optional(),
  /** External tools: a tool call waits until `approvals answer` gives its result (S3-09). */
  custom_tools: z.array(customTool()).max(100).optional(),
  /** Skills that the agent may run. Default: all. */
  skills: z.array(z.string().min(1).max(64)).max(500).optional(),
  /** Models that answer, in this order, while this one is down or at its usage limit. */
  fallback: modelFallbacks(),
  /**
   * Where its shared turns run by default: on `any` computer, on `this` one, on one with a label
   * (`label:gpu`), or on any with the same `repository`, with the files of the agent.
   */
  runs_on: runsOn().optional(),
  wait: mayWait(),
}));

/** An agent that speaks the Agent Client Protocol, started by its command. */
const acpAgentSettings = exactObject(() => ({
  executor: z.literal('acp'),
  title: displayName().optional(),
  command: program(),
  args: programArguments().optional(),
  workspace: workspace(),
  /** Names of environment variables passed to it, such as its keys, in addition to the basic ones. */
  env: environmentNames().optional(),
  /** Model, as the agent lists it. */
  model: z.string().min(1).max(200).optional(),
  /**
   * `always`: you are asked about every permission request. `policy`: your approval rules apply
   * first.
   */
  ask: z.enum(['always', 'policy']).optional(),
  /** ID of the agent's auth method, if it requires one. */
  login: z.string().min(1).max(200).optional(),
  /** ACP agents that take over its turns, in this order, while it is down or at its usage limit. */
  fallback: agentFallbacks(),
  /**
   * Where its shared turns run by default: on `any` computer, on `this` one, on one with a label
   * (`label:gpu`), or on any with the same `repository`, with the files of the agent.
   */
  runs_on: runsOn().optional(),
  wait: mayWait(),
  account: account().optional(),
}));

/** An agent that is one command line per turn. */
const commandAgentSettings = exactObject(() => ({
  executor: z.literal('command'),
  title: displayName().optional(),
  command: program(),
  args: programArguments().optional(),
  workspace: workspace(),
  env: environmentNames().optional(),
  /** How the agent gets its prompt. */
  prompt_mode: z.enum(['stdin', 'argument']).optional(),
  /** Arguments that resume an earlier run. */
  resume_args: programArguments().optional(),
  /** Maximum run time. */
  deadline: duration().optional(),
  wait: mayWait(),
  account: account().optional(),
}));

/** One agent: which executor drives it, and what that one needs. Absent means `llm`. */
export const agentSettings = once(() =>
  z.discriminatedUnion('executor', [
    llmAgentSettings(),
    acpAgentSettings(),
    commandAgentSettings(),
  ]),
);

export type AgentSettings = z.infer<ReturnType<typeof agentSettings>>;
export type LlmAgentSettings = z.infer<ReturnType<typeof llmAgentSettings>>;
export type AcpAgentSettings = z.infer<ReturnType<typeof acpAgentSettings>>;
export type CommandAgentSettings = z.infer<ReturnType<typeof commandAgentSettings>>;

/** True if the built-in executor drives the agent. */
export function isLlmAgent(agent: AgentSettings): agent is LlmAgentSettings {
  return agent.executor === undefined || agent.executor === 'llm';
}

/** Hosts under which rules know what agents of other programs call. */
export const hostsOfAgents = (agents: Readonly<Record<string, AgentSettings>>): readonly string[] =>
  Object.entries(agents).flatMap(([agent, { executor }]) =>
    executor === 'acp' ? [hostOfAgent(agent)] : [],
  );

/** The models that a built-in agent may fall back to, in order. */
export const modelFallbacksOf = ({ fallback = [] }: LlmAgentSettings): readonly NamedModel[] =>
  fallback.map(namedModel);

/** Why an agent cannot fall back to what it names; undefined if it can. FB-01 */
function fallbackProblem(
  agents: Readonly<Record<string, AgentSettings>>,
  own: string,
): string | undefined {
  const agent = entryOf(agents, own);
  if (agent === undefined || agent.executor === 'command') return undefined;
  if (isLlmAgent(agent)) {
    const names = modelFallbacksOf(agent).map(({ provider }) => provider);
    const same = names.find((one, at) => one === agent.provider || names.indexOf(one) !== at);
    return same === undefined
      ? undefined
      : `the fallbacks of "${own}" use the provider "${same}" twice: an outage or a usage limit of that provider stops all of its models. Add a provider with another key, and use that`;
  }
  const names = agent.fallback ?? [];
  for (const [at, one] of names.entries()) {
    if (one === own) return `"${own}" cannot fall back to itself`;
    if (names.indexOf(one) !== at) return `the fallbacks of "${own}" name "${one}" twice`;
    const other = entryOf(agents, one);
    if (other?.executor !== 'acp')
      return other === undefined
        ? `"${own}" falls back to "${one}", which is not one of your agents`
        : `"${own}" falls back to "${one}", which is not an ACP agent: only one ACP agent can take over from another`;
  }
  return undefined;
}

const agentsByName = once(() =>
  z.record(name(), agentSettings()).superRefine((agents, context) => {
    for (const own of Object.keys(agents)) {
      const problem = fallbackProblem(agents, own);
      if (problem !== undefined)
        context.addIssue({
          code: 'custom',
          path: [own, 'fallback'],
          message: `${problem}. Nothing was changed`,
        });
    }
    const hosts = hostsOfAgents(agents);
    const twice = hosts.find((host, at) => hosts.indexOf(host) !== at);
    if (twice === undefined) return;
    context.addIssue({
      code: 'custom',
      message: `two agents have the tools "${twice}.…", so a rule for one would also apply to the other. Nothing was changed. Rename one of them`,
    });
  }),
);

/** Your agents. */
export const AGENT_SETTINGS = {
  agents: row(agentsByName, {}, 'hot', 'Your agents: built-in, external, and command-line'),
};
