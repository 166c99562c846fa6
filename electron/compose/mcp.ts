import { basename } from 'node:path';
import type { ExtView } from '../../shared/types';
import { qualifiedName } from '../../shared/tool-id';
import { createMcpServers } from '../adapters/mcp/mcp-servers';
import { serverOfOffered } from '../adapters/mcp/tool-names';
import type { McpServer } from '../adapters/mcp/mcp-server';
import { breakerNames } from '../engine/breaker/names';
import type { Breakers } from '../ports/breakers';
import type { TurnRow } from '../ports/journal/rows';
import type { ToolHost } from '../ports/tools';
import type { Core } from './core';
import { createMcpLookUp } from '../adapters/mcp/environment';

interface McpDeps {
  readonly learnSecret: (value: string) => void;
  /** Servers that a current agent may use. */
  readonly serversOfAgent: (agent: string) => readonly string[];
  readonly breakers: Pick<Breakers, 'of'>;
  readonly onChange: () => void;
  /** Ends the servers of earlier runs. */
  readonly endLeft: () => Promise<void>;
}

/** The MCP servers of one run, wired. */
export interface Mcp {
  readonly hosts: () => readonly ToolHost[];
  views(): readonly ExtView[];
  /** Undefined if the server does not exist. */
  restart(name: string): Promise<ExtView> | undefined;
  /** From now on every enabled server runs, and follows the settings. */
  start(): void;
  /** Waits, bounded, for the servers that a turn uses; the others are not waited for. */
  ready(turn: TurnRow, signal: AbortSignal): Promise<void>;
  /** A harmless call to a server; undefined if it should not be running. */
  check(name: string): ((signal: AbortSignal) => Promise<'ok' | 'neither'>) | undefined;
  /** Calls in hand end, programs leave: within `graceMs` (S2-49). */
  stop(graceMs: number): Promise<void>;
}

/** Reserved from the part's shutdown time: SIGTERM, SIGKILL, and the check that they worked. */
const LAST_WORDS_MS = 1_500;

export function createMcp(core: Core, deps: McpDeps): Mcp {
  const surroundings = createMcpLookUp({
    instanceId: core.disk.reads.databaseId(),
    runId: core.world.runId,
    ownEnvironment: core.world.ownEnvironment,
    loginEnvironment: core.world.loginEnvironment,
    findSecrets: core.secrets.findSecrets,
    onSecret: deps.learnSecret,
  });
  const servers = createMcpServers({
    settings: () => core.settings.get('mcp.servers'),
    version: core.version,
    clock: core.world.clock,
    log: core.records.log,
    prepare: async (name, spec) => {
      await deps.endLeft();
      return surroundings.prepare(name, spec);
    },
    breakerOf: (name) => deps.breakers.of(breakerNames.mcp(name), 'mcp'),
    attemptsOf: (name) => core.disk.attempts(breakerNames.mcp(name)),
    onChange: deps.onChange,
    hide: (text) => core.secrets.findSecrets(undefined).hide(text),
  });
  let unfollow = (): void => undefined;

  const viewOf = (server: McpServer): ExtView => {
    const { spec } = server;
    const state = server.state();
    const isOff = state.kind === 'stopped' && spec.enabled === false;
    return {
      name: server.name,
      kind: spec.url === undefined ? 'command' : 'url',
      about: (spec.url ?? basename(spec.command ?? '')).slice(0, 500),
      state: isOff ? 'disabled' : state.kind,
      reason: 'reason' in state ? state.reason.slice(0, 1000) : '',
      sinceMs: server.sinceMs(),
      ...(state.kind === 'restarting' ? { nextAtMs: state.nextAtMs } : {}),
      ...(state.kind === 'running' && state.pid !== undefined ? { pid: state.pid } : {}),
      tools: server.host.tools().map((tool) => qualifiedName(server.name, tool.name)),
      env: [...surroundings.declared(spec)],
    };
  };

  const restarted = async (server: McpServer): Promise<ExtView> => {
    surroundings.forget();
    await server.restart();
    await server.comeUp(new AbortController().signal);
    return viewOf(server);
  };

  return {
    hosts: () => servers.hosts(),
    views: () => servers.all().map(viewOf),
    restart(name) {
      const server = servers.find(name);
      return server === undefined ? undefined : restarted(server);
    },
    start() {
      servers.startAll();
      unfollow = core.settings.onChange((keys) => {
        const isOurs = keys.includes('mcp.servers');
        const isSkipped = servers.all().some((server) => server.state().kind === 'skipped');
        if (!isOurs && !isSkipped) return;
        surroundings.forget();
        void servers.reconcile();
      });
    },
    async ready(turn, signal) {
      const frame = turn.frameId === undefined ? undefined : core.disk.reads.frame(turn.frameId);
      // A resumed turn keeps its original tools, whatever its agent may use now.
      const begunWith = (frame?.tools ?? []).flatMap(({ name }) => serverOfOffered(name) ?? []);
      await servers.ready([...new Set([...deps.serversOfAgent(turn.agent), ...begunWith])], signal);
    },
    check(name) {
      const server = servers.find(name);
      const isMeantToRun =
        server !== undefined && ['running', 'starting', 'restarting'].includes(server.state().kind);
      return isMeantToRun ? (signal) => server.check(signal) : undefined;
    },
    async stop(graceMs) {
      unfollow();
      await servers.stop(Math.max(500, graceMs - LAST_WORDS_MS));
    },
  };
}
