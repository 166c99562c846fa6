import os from 'node:os';
import path from 'node:path';
import { once } from '../../shared/once';
import type { AcpAgentSettings, CommandAgentSettings } from '../../shared/settings';
import { watchPlace } from '../adapters/triggers/file-state';
import { hookedTurns } from '../adapters/command/hook-records';
import type { AgentPrograms } from '../engine/api/agents';
import { createAgentQuestions, type AgentQuestions } from '../engine/executors/acp/ask-agent';
import { createLazyCommands, type LazyCommands } from '../engine/executors/command/lazy-commands';
import type { CommandExecutor } from '../engine/executors/command/run';
import type { Agents } from '../engine/executors/agents';
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
import { watchDir } from '../data-dir';
import type { Core } from './core';
import { spellingsOf } from '../adapters/files/spellings';

/** Maximum wait for processes that an earlier run of a turn left running. */
const ORPHAN_WAIT_MS = 30_000;
const DETECT_MS = 45_000;

/**
 * Agents that are other programs, wired; the code of each kind is loaded with the first of them.
 */
export interface ExternalPart
  extends AgentQuestions, Pick<AgentPrograms, 'detect' | 'look' | 'install' | 'hooks'> {
  readonly acp: () => Promise<Executor>;
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
): { readonly commands: LazyCommands; readonly outside: ExternalPart } {
  const conversations = createOwnConversations(core);
  return {
    commands: createCommandPart(core, { ...deps, conversations }),
    outside: createExternalPart(core, { ...deps, conversations }),
  };
}

type WithConversations = ProgramDeps & {
  readonly conversations: ReturnType<typeof createOwnConversations>;
};

function createCommandPart(core: Core, deps: WithConversations): LazyCommands {
  const { compose, settings, reads } = core;
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
      shell: deps.shell,
    });
  };
  return createLazyCommands({ load, hookedTurns: () => hookedTurns(core.dataDir), log: core.log });
}

function createExternalPart(core: Core, deps: WithConversations): ExternalPart {
  const { settings, loginEnvironment, ownEnvironment } = core;
  const outside = once(async (): Promise<ExternalAgents> => {
    const { createAcpAgents } = await import('../adapters/acp');
    return createAcpAgents({
      ...core,
      version: core.version,
      instanceId: core.reads.databaseId(),
      recordsDir: path.join(core.dataDir, 'agent-records'),
      orphanWaitMs: () => ORPHAN_WAIT_MS,
    });
  });
  const acp = once(async (): Promise<Executor> => {
    const [code, agents] = await Promise.all([import('../engine/executors/acp/run'), outside()]);
    return code.createAcpExecutor({
      ...deps.run,
      outside: agents,
      conversations: deps.conversations,
      specOf: deps.acpOf,
      spellingsOf,
      orphanPolicy: () => settings.get('resume.orphans'),
      shell: deps.shell,
    });
  });
  const search = () => ({
    loginEnvironment,
    ownEnvironment,
    cwd: os.tmpdir(),
    signal: AbortSignal.timeout(DETECT_MS),
  });
  return {
    acp,
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
