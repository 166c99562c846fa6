import { basename } from 'node:path';
import { qualifiedName } from '../../../shared/tool-id';
import type { ExtView } from '../../../shared/types';
import type { Redactor } from '../../../shared/redact';
import type { AttemptRecord } from '../../ports/attempts';
import type { Breaker } from '../../ports/breakers';
import type { JournalReads } from '../../ports/journal/reads';
import type { TurnRow } from '../../ports/journal/rows';
import type { Basics } from '../../engine/kernel/basics';
import type { ToolHost } from '../../ports/tools';
import { createMcpEnvironment, type McpEnvironmentDeps } from './environment';
import type { McpServer } from './mcp-server';
import { createMcpServers } from './mcp-servers';
import { serverOfOffered } from './tool-names';

interface McpDeps
  extends
    Omit<McpEnvironmentDeps, 'instanceId' | 'onSecret'>,
    Pick<Basics, 'settings' | 'clock' | 'log'> {
  readonly version: string;
  readonly reads: Pick<JournalReads, 'databaseId' | 'frame'>;
  readonly redactor: Pick<Redactor, 'learn'>;
  readonly breakerOf: (server: string) => Breaker;
  readonly attemptsOf: (server: string) => AttemptRecord;
  /** Servers that a current agent may use. */
  readonly serversOfAgent: (agent: string) => readonly string[];
  readonly onChange: () => void;
  /** Ends the servers of earlier runs. */
  readonly endLeft: () => Promise<void>;
}

/** The MCP servers of one run: they follow the settings, and windows and verbs see them by name. */
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

export function createMcp(deps: McpDeps): Mcp {
  const { settings, reads } = deps;
  const environment = createMcpEnvironment({
    ...deps,
    instanceId: reads.databaseId(),
    onSecret: (value) => {
      deps.redactor.learn(value);
    },
  });
  const servers = createMcpServers({
    ...deps,
    settings: () => settings.get('mcp.servers'),
    prepare: async (name, spec) => {
      await deps.endLeft();
      return environment.prepare(name, spec);
    },
    hide: (text) => deps.findSecrets(undefined).hide(text),
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
      env: [...environment.declared(spec)],
    };
  };

  const restarted = async (server: McpServer): Promise<ExtView> => {
    environment.forget();
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
      unfollow = settings.onChange((keys) => {
        const isOurs = keys.includes('mcp.servers');
        const isSkipped = servers.all().some((server) => server.state().kind === 'skipped');
        if (!isOurs && !isSkipped) return;
        environment.forget();
        void servers.reconcile();
      });
    },
    async ready(turn, signal) {
      const frame = turn.frameId === undefined ? undefined : reads.frame(turn.frameId);
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
