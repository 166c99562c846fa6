import os from 'node:os';
import path from 'node:path';
import type { VerbInput, VerbOutput } from '../../shared/contract';
import type { AgentSetup } from '../../shared/types';
import {
  durationMs,
  type AcpAgentSettings,
  type AgentSettings,
  type CommandAgentSettings,
} from '../../shared/settings';
import { watchPlace } from '../adapters/triggers/file-state';
import { hookedTurns } from '../adapters/command/hook-records';
import { createAgentQuestions, type AgentQuestions } from '../engine/executors/acp/ask-agent';
import type { CommandExecutor } from '../engine/executors/command/run';
import type { Agents } from '../engine/executors/agents';
import { toHoldfastError } from '../engine/kernel/errors';
import { createAdoption, type Adoption } from '../engine/executors/program/adopt';
import {
  createLazyTerminals,
  type LazyTerminals,
} from '../engine/executors/program/lazy-terminals';
import { createOwnConversations } from '../engine/executors/program/session-refs';
import type { Executor } from '../engine/executors/run-turn';
import type { ShellVerdicts } from '../engine/executors/command/call';
import type { TurnRunDeps } from '../engine/turns/run-record';
import type { SessionsRoom } from '../engine/sessions/intake';
import type { Conversations } from '../ports/conversations';
import type { ExternalAgents } from '../ports/external-agent';
import type { WatchHooks } from '../ports/watch-hooks';
import { watchDir } from '../data-dir';
import type { Core } from './core';
import { spellingsOf } from '../adapters/files/spellings';

/** Maximum wait for processes that an earlier run of a turn left running. */
const ORPHAN_WAIT_MS = 30_000;
const DETECT_MS = 45_000;

/**
 * Agents that are other programs, wired; the code of each kind is loaded with the first of them.
 */
export interface ExternalPart extends AgentQuestions {
  readonly acp: () => Promise<Executor>;
  detect(): Promise<VerbOutput<'agents.detect'>>;
  /** Locates an agent's program and its environment; never runs anything of an unknown program. */
  look(spec: AgentSettings | undefined): Promise<Omit<AgentSetup, 'agent'>>;
  /** Runs the install command of a known agent's adapter, if it is the one that was shown. */
  install(asked: VerbInput<'agents.installAdapter'>): Promise<{ ok: boolean; message: string }>;
  /** The hooks in the user's own terminals. */
  hooks(): Promise<WatchHooks>;
}

export interface CommandPart {
  readonly executor: () => Promise<CommandExecutor>;
  hook(report: VerbInput<'agents.hook'>): Promise<VerbOutput<'agents.hook'>>;
  /** Reads what hooks wrote after Holdfast died; runs before open turns are judged. S4-20 */
  settle(): Promise<void>;
}

/** Shared dependencies of both kinds of programs. */
interface ProgramDeps {
  readonly run: TurnRunDeps;
  readonly shell: ShellVerdicts;
  readonly commandOf: (agent: string) => CommandAgentSettings | undefined;
  readonly agentHosts: () => readonly string[];
  readonly acpOf: (agent: string) => AcpAgentSettings | undefined;
}

export function createPrograms(
  core: Core,
  deps: ProgramDeps,
): { readonly commands: CommandPart; readonly outside: ExternalPart } {
  const conversations = createOwnConversations(core);
  return {
    commands: createCommandPart(core, { ...deps, conversations }),
    outside: createExternalPart(core, { ...deps, conversations }),
  };
}

type WithConversations = ProgramDeps & {
  readonly conversations: ReturnType<typeof createOwnConversations>;
};

function createCommandPart(core: Core, deps: WithConversations): CommandPart {
  const { compose, settings, reads } = core;
  let loading: Promise<CommandExecutor> | undefined;
  const load = async (): Promise<CommandExecutor> => {
    const [{ createCommandExecutor }, { createCommandAgents }] = await Promise.all([
      import('../engine/executors/command/run'),
      import('../adapters/command'),
    ]);
    return createCommandExecutor({
      ...deps.run,
      commands: createCommandAgents({
        ...core,
        dataDir: core.dataDir,
        instanceId: reads.databaseId(),
        self: compose.self,
        maxOutputBytes: () => settings.get('shell.max_output_kb') * 1024,
        orphanWaitMs: () => ORPHAN_WAIT_MS,
        stopping: core.draining,
      }),
      conversations: deps.conversations,
      commandOf: deps.commandOf,
      agentHosts: deps.agentHosts,
      deadlineMs: (agent) => {
        const own = deps.commandOf(agent)?.deadline;
        return own === undefined ? undefined : durationMs(own);
      },
      shell: deps.shell,
    });
  };
  const executor = (): Promise<CommandExecutor> => (loading ??= load());
  return {
    executor,
    hook: async (report) => (await executor()).hook(report),
    async settle() {
      try {
        const left = await hookedTurns(core.dataDir);
        if (left.length > 0) await (await executor()).settleLeft(left);
      } catch (error) {
        // Its calls stay unknown, and no run of the turn starts before the records are read.
        if (toHoldfastError(error).code !== 'RESULT_UNREADABLE') throw error;
        core.log.error('command.records_unreadable', { error });
      }
    },
  };
}

function createExternalPart(core: Core, deps: WithConversations): ExternalPart {
  const { settings, loginEnvironment, ownEnvironment } = core;
  let adapter: Promise<ExternalAgents> | undefined;
  let executor: Promise<Executor> | undefined;
  const loadAdapter = async (): Promise<ExternalAgents> => {
    const { createAcpAgents } = await import('../adapters/acp');
    return createAcpAgents({
      ...core,
      version: core.version,
      instanceId: core.reads.databaseId(),
      recordsDir: path.join(core.dataDir, 'agent-records'),
      orphanWaitMs: () => ORPHAN_WAIT_MS,
    });
  };
  const outside = (): Promise<ExternalAgents> => (adapter ??= loadAdapter());
  const load = async (): Promise<Executor> => {
    const [acp, agents] = await Promise.all([import('../engine/executors/acp/run'), outside()]);
    return acp.createAcpExecutor({
      ...deps.run,
      outside: agents,
      conversations: deps.conversations,
      specOf: deps.acpOf,
      spellingsOf,
      orphanPolicy: () => settings.get('resume.orphans'),
      shell: deps.shell,
    });
  };
  const search = () => ({
    loginEnvironment,
    ownEnvironment,
    cwd: os.tmpdir(),
    signal: AbortSignal.timeout(DETECT_MS),
  });
  return {
    acp: () => (executor ??= load()),
    ...createAgentQuestions(async (start) => (await outside()).start(start)),
    async install(asked) {
      const { installAdapter } = await import('../adapters/acp/install-adapter');
      return installAdapter({ loginEnvironment, ownEnvironment, cwd: os.tmpdir() }, asked);
    },
    async hooks() {
      const { createWatchHooks } = await import('../adapters/command/watch-hooks');
      const { self } = core.compose;
      return createWatchHooks({
        ...core,
        home: core.compose.env['HOME'] ?? os.homedir(),
        watchDir: watchDir(core.dataDir),
        temporaryDir: os.tmpdir(),
        self: self === undefined ? undefined : { ...self, command: self.lasting ?? self.command },
      });
    },
    async detect() {
      const { detectAgents } = await import('../adapters/acp/detect');
      return { agents: [...(await detectAgents(search()))] };
    },
    async look(spec) {
      const { setupOf } = await import('../adapters/acp/detect');
      return setupOf(search(), spec);
    },
  };
}

/** Conversations that began in terminals: taken over on request, or when their limit resets. */
export function createTerminalsPart(
  core: Core,
  rooms: {
    readonly agents: Agents;
    readonly conversations: Conversations;
    readonly sessions: SessionsRoom;
    readonly outside: ExternalPart;
  },
): { readonly adoption: Adoption; readonly terminals: LazyTerminals } {
  const adoption = createAdoption({
    ...core,
    ...rooms,
    askAgent: (...asked) => rooms.outside.conversations(...asked),
  });
  const terminals = createLazyTerminals({
    ...core,
    watchHooks: (onHint) => watchPlace(watchDir(core.dataDir), onHint),
    async load() {
      const { createTerminalLimits } = await import('../engine/executors/program/terminal-limits');
      return createTerminalLimits({ ...core, ...rooms, adoption });
    },
  });
  return { adoption, terminals };
}
