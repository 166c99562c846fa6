import type { VerbInput, VerbOutput } from '../../../shared/contract';
import { PRACTICE_AGENT } from '../../../shared/practice';
import type { AcpAgentSettings, AgentSettings } from '../../../shared/settings';
import type { AgentSetup, ExtView } from '../../../shared/types';
import type { AgentFolders } from '../../ports/agent-folders';
import type { Basics } from '../kernel/basics';
import type { WatchHooks } from '../../ports/watch-hooks';
import type { Agents } from '../executors/agents';
import {
  changedFields,
  heartbeatsOf,
  openTurnsOf,
  refuseEdit,
  refuseRemoval,
  workOf,
  type AgentRefusal,
  type AgentWorkReads,
} from '../executors/decide-agent-change';
import type { CheckProvider } from '../executors/llm/check-provider';
import { HoldfastError, unknownAgent } from '../kernel/errors';
import type { RecoveryPolicy } from '../recovery/plan-resume';
import type { Heartbeats } from '../schedule/heartbeats';
import type { ToolRegistry } from '../turns/tool-registry';
import type { Families } from './handlers';

interface AgentsDeps extends Pick<Basics, 'settings' | 'audit'> {
  readonly agents: Agents;
  readonly folders: Pick<AgentFolders, 'stored' | 'usable'>;
  readonly work: AgentWorkReads;
  readonly heartbeats: Pick<Heartbeats, 'stop'>;
  readonly programs: AgentPrograms;
  readonly check: CheckProvider;
  readonly tools: ToolRegistry;
  readonly policy: () => RecoveryPolicy;
  readonly mcp: McpServers;
  readonly isRunning: () => boolean;
}

/** The programs of agents that are not driven by the built-in executor. */
export interface AgentPrograms {
  /** The hooks in the user's own terminals. Loaded with the first call that concerns them. */
  readonly hooks: () => Promise<WatchHooks>;
  /** Locates an agent's program and its environment; never runs anything of an unknown program. */
  look(spec: AgentSettings | undefined): Promise<Omit<AgentSetup, 'agent'>>;
  detect(): Promise<VerbOutput<'agents.detect'>>;
  /**
   * Runs the install command of a known agent's adapter, if it is the one that was shown.
   * @throws INPUT_INVALID
   */
  install(asked: VerbInput<'agents.installAdapter'>): Promise<{ ok: boolean; message: string }>;
  /** Starts the agent, opens a session, ends it. */
  test(name: string, spec: AcpAgentSettings): Promise<{ ok: boolean; message: string }>;
  hook(report: VerbInput<'agents.hook'>): Promise<VerbOutput<'agents.hook'>>;
}

/** The servers of the Model Context Protocol. */
interface McpServers {
  views(): readonly ExtView[];
  /** Undefined if the server does not exist. */
  restart(name: string): Promise<ExtView> | undefined;
}

/** Agents, the tools that they have and the servers that bring tools. */
export function agentHandlers(deps: AgentsDeps): Families['agents'] {
  const { agents, programs, check, mcp } = deps;
  return {
    'agents.list': async () => ({ agents: await agents.list() }),
    'agents.show': async ({ name }) => ({
      agent: await agents.view(name),
      ...(await programs.look(agents.specOf(name))),
    }),
    ...changes(deps),
    ...hookHandlers(deps),
    'agents.detect': () => programs.detect(),
    'agents.hook': (report) => programs.hook(report),
    'agents.folder': ({ folder }) => Promise.resolve(folderOf(deps, folder.trim())),
    'agents.installAdapter': (asked, by) => {
      deps.audit.record('adapter_installed', { agent: asked.id, command: asked.command, by });
      return check.timed(() => programs.install(asked));
    },
    'agents.test': async ({ name }) => {
      const spec = agents.acpOf(name);
      if (spec !== undefined) return check.timed(() => programs.test(name, spec));
      if (agents.commandOf(name) !== undefined)
        throw new HoldfastError(
          'INPUT_INVALID',
          `"${name.slice(0, 60)}" runs a command for each turn: there is no connection to test.`,
          {
            hint: `Nothing was changed. Send it a prompt: holdfast send "hello" --agent ${name.slice(0, 60)} --wait`,
          },
        );
      const agent = await agents.view(name);
      return check.ask(agent.provider, agent.model);
    },
    'tools.list': () => Promise.resolve({ tools: [...deps.tools.views(deps.policy())] }),
    'ext.list': () => Promise.resolve({ servers: [...mcp.views()] }),
    'ext.restart': async ({ name }) => {
      if (!mcp.views().some((server) => server.name === name)) throw unknownServer(name);
      if (!deps.isRunning()) {
        throw new HoldfastError(
          'NOT_RUNNING',
          'Holdfast is not running, so no MCP server is running.',
          {
            hint: 'Start Holdfast: it starts its servers.',
          },
        );
      }
      deps.audit.record('ext_restarted', { server: name });
      const restarted = mcp.restart(name);
      if (restarted === undefined) throw unknownServer(name);
      return restarted;
    },
  };
}

/** Adding, changing and removing agents of the settings. */
function changes(
  deps: AgentsDeps,
): Pick<Families['agents'], 'agents.add' | 'agents.edit' | 'agents.remove'> {
  const { agents, audit, settings, work } = deps;
  const need = (name: string): AgentSettings => {
    const spec = agents.specOf(name);
    if (name === PRACTICE_AGENT) {
      throw new HoldfastError(
        'AGENT_EXISTS',
        'The demo agent is built in: it cannot be changed or removed.',
        { hint: 'Nothing was changed. It costs nothing while it is not used.' },
      );
    }
    if (spec === undefined) throw unknownAgent(name);
    return spec;
  };
  const stored = (agent: AgentSettings): AgentSettings => ({
    ...agent,
    workspace: deps.folders.stored(agent.workspace),
  });
  const put = async (name: string, agent: AgentSettings) => {
    if (name === PRACTICE_AGENT) {
      throw new HoldfastError('AGENT_EXISTS', 'The name "practice" belongs to the demo agent.', {
        hint: 'Nothing was changed. Choose another name.',
      });
    }
    await settings.setEntry('agents', name, agent);
    return agents.view(name);
  };
  return {
    'agents.add': async ({ name, agent: written, replace = false }, by) => {
      const agent = stored(written);
      const before = agents.specOf(name);
      if (before !== undefined && changedFields(before, agent).length === 0)
        return agents.view(name); // repeated request, or the first answer was lost
      if (before !== undefined && !replace) throw taken(name);
      if (before !== undefined) refuse(refuseEdit(name, before, agent, openTurnsOf(work, name)));
      const view = await put(name, agent);
      audit.record(before === undefined ? 'agent_added' : 'agent_changed', { agent: name, by });
      return view;
    },
    'agents.edit': async ({ name, agent: written }, by) => {
      const before = need(name);
      const agent = stored(written);
      refuse(refuseEdit(name, before, agent, openTurnsOf(work, name)));
      const fields = changedFields(before, agent);
      if (fields.length === 0) return agents.view(name);
      const view = await put(name, agent);
      audit.record('agent_changed', { agent: name, fields: fields.join(', '), by });
      return view;
    },
    'agents.remove': async ({ name }, by) => {
      need(name);
      refuse(refuseRemoval(name, workOf(work, name)));
      // First: a removed agent's heartbeat would fire forever without effect.
      for (const sessionId of heartbeatsOf(work, name))
        await deps.heartbeats.stop(sessionId, 'agent removed');
      await settings.setEntry('agents', name, undefined);
      audit.record('agent_removed', { agent: name, by });
      return { name, defaultAgent: agents.defaultName() };
    },
  };
}

function folderOf(
  { folders }: Pick<AgentsDeps, 'folders'>,
  written: string,
): VerbOutput<'agents.folder'> {
  let path: string;
  try {
    path = folders.stored(written);
  } catch {
    return { state: 'relative' };
  }
  return { path, state: folders.usable(path) === undefined ? 'missing' : 'found' };
}

/** The hooks in the user's own terminals; what is added or removed was shown before. */
function hookHandlers({
  programs: { hooks },
  audit,
}: Pick<AgentsDeps, 'programs' | 'audit'>): Pick<
  Families['agents'],
  'hooks.show' | 'hooks.install' | 'hooks.remove'
> {
  const viewOf = async (watch: WatchHooks): Promise<VerbOutput<'hooks.show'>> => {
    const { diff, removal, ...view } = await watch.view();
    return { ...view, diff: [...diff], removal: [...removal] };
  };
  return {
    'hooks.show': async () => viewOf(await hooks()),
    'hooks.install': async ({ requestHash }, by) => {
      const watch = await hooks();
      await watch.install(requestHash);
      audit.record('watch_hooks_added', { by });
      return { check: await watch.check(), hooks: await viewOf(watch) };
    },
    'hooks.remove': async ({ requestHash }, by) => {
      const watch = await hooks();
      await watch.remove(requestHash);
      audit.record('watch_hooks_removed', { by });
      return viewOf(watch);
    },
  };
}

const unknownServer = (name: string): HoldfastError =>
  new HoldfastError('EXT_UNKNOWN', `There is no MCP server "${name}".`, {
    hint: 'Nothing was changed. List them: holdfast mcp list',
  });

const taken = (name: string): HoldfastError =>
  new HoldfastError(
    'AGENT_EXISTS',
    `An agent with the name "${name.slice(0, 60)}" already exists.`,
    {
      hint: 'Nothing was changed. Choose another name, change it with "holdfast agents edit", or replace it with "holdfast agents add --replace".',
    },
  );

function refuse(refusal: AgentRefusal | undefined): void {
  if (refusal === undefined) return;
  throw new HoldfastError('AGENT_BUSY', refusal.sentence, { hint: refusal.hint });
}
