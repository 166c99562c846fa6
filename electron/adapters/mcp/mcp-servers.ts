import { isDeepStrictEqual } from 'node:util';
import type { McpServerSettings } from '../../../shared/settings/mcp';
import type { AttemptRecord } from '../../ports/attempts';
import type { Breaker } from '../../ports/breakers';
import type { Basics } from '../../engine/kernel/basics';
import type { ToolHost } from '../../ports/tools';
import type { Connect } from './connection';
import type { McpServer, Preparation } from './mcp-server';
import { createMcpServer, START_MARGIN_MS } from './mcp-server';
import type { RespawnLimits } from './plan-respawn';
import { RESPAWN_LIMITS } from './plan-respawn';
import { isSettled, waitsOf } from './server-state';

interface McpServersDeps extends Pick<Basics, 'clock' | 'log'> {
  /** Current `mcp.servers`. */
  readonly settings: () => Readonly<Record<string, McpServerSettings>>;
  readonly version: string;
  /** Resolves what a server needs from the current environment. */
  readonly prepare: (name: string, spec: McpServerSettings) => Promise<Preparation>;
  readonly breakerOf: (name: string) => Breaker;
  readonly attemptsOf: (name: string) => AttemptRecord;
  readonly onChange: () => void;
  /** Removes secrets from the output of a server when it ends. */
  readonly hide?: (text: string) => string;
  /** Default: the documented limits. */
  readonly respawn?: RespawnLimits;
}

/** All configured MCP servers. Nothing is started or loaded before it is needed. */
interface McpServers {
  /** One host per server; the same object while nothing about them changes. */
  hosts(): readonly ToolHost[];
  all(): readonly McpServer[];
  find(name: string): McpServer | undefined;
  /** Starts every enabled server. */
  startAll(): void;
  /** Applies changed settings: stops removed servers, restarts changed ones. */
  reconcile(): Promise<void>;
  /**
   * Starts these if needed and waits until each is up or has failed, at most slightly longer than a
   * handshake takes. Never throws.
   */
  ready(names: readonly string[], signal: AbortSignal): Promise<void>;
  /** Ends all, each within `graceMs` and a second. */
  stop(graceMs: number): Promise<void>;
}

/** The protocol package is loaded with the first connection. */
const connectLazily: Connect = async (options) => (await import('./connect')).connect(options);

export function createMcpServers(deps: McpServersDeps): McpServers {
  let servers = new Map<string, McpServer>();
  let hosts: readonly ToolHost[] = [];
  let isOpen = false;
  let isOver = false;
  let reconciling: Promise<void> = Promise.resolve();

  const make = (name: string, spec: McpServerSettings): McpServer =>
    createMcpServer({
      name,
      spec,
      waits: waitsOf(spec),
      respawn: deps.respawn ?? RESPAWN_LIMITS,
      version: deps.version,
      clock: deps.clock,
      log: deps.log,
      prepare: () => deps.prepare(name, spec),
      connect: (options) => connectLazily({ ...options, hide: deps.hide }),
      breaker: () => deps.breakerOf(name),
      attempts: deps.attemptsOf(name),
      onChange: deps.onChange,
    });

  const take = (next: Map<string, McpServer>): void => {
    servers = next;
    hosts = [...next.values()].map((server) => server.host);
  };

  const reconcileNow = async (): Promise<void> => {
    if (isOver) return;
    const wanted = Object.entries(deps.settings());
    const old = servers;
    const kept = new Map<string, McpServer>();
    const fresh: McpServer[] = [];
    for (const [name, spec] of wanted) {
      const known = old.get(name);
      if (known !== undefined && isDeepStrictEqual(known.spec, spec)) kept.set(name, known);
      else {
        const server = make(name, spec);
        kept.set(name, server);
        fresh.push(server);
      }
    }
    const gone = [...old.values()].filter((server) => kept.get(server.name) !== server);
    take(kept);
    await Promise.all(gone.map((server) => server.stop()));
    const left = gone.filter((server) => !kept.has(server.name));
    await Promise.all(left.map((server) => deps.attemptsOf(server.name).over()));
    // A variable or program may have appeared since: check again. S2-52.
    for (const server of kept.values())
      if (server.state().kind === 'skipped') void server.restart();
    if (isOpen) for (const server of fresh) server.start();
    deps.onChange();
  };

  take(new Map(Object.entries(deps.settings()).map(([name, spec]) => [name, make(name, spec)])));

  return {
    hosts: () => hosts,
    all: () => [...servers.values()],
    find: (name) => servers.get(name),
    startAll() {
      isOpen = true;
      for (const server of servers.values()) server.start();
    },
    reconcile() {
      reconciling = reconciling.then(reconcileNow, reconcileNow);
      return reconciling;
    },
    async ready(names, signal) {
      const needed = names.flatMap((name) => servers.get(name) ?? []);
      await Promise.all(
        needed.map(async (server) => {
          server.start();
          const waitMs = waitsOf(server.spec).handshakeMs + START_MARGIN_MS;
          await server.settled(waitMs, signal, isSettled);
        }),
      );
    },
    async stop(graceMs) {
      isOver = true;
      await reconciling;
      await Promise.all([...servers.values()].map((server) => server.stop(graceMs)));
    },
  };
}
