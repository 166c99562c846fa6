import { createRequire } from 'node:module';
import { createTestRegistry, createKept } from '../../unit/breaker/book';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createSystemClock } from '../../../electron/adapters/clock/system-clock';
import type { McpServer } from '../../../electron/adapters/mcp/mcp-server';
import { createMcpServers } from '../../../electron/adapters/mcp/mcp-servers';
import type { RespawnLimits } from '../../../electron/adapters/mcp/plan-respawn';
import type { McpState } from '../../../electron/adapters/mcp/server-state';
import { createMcpEnvironment } from '../../../electron/adapters/mcp/environment';
import type { AttemptState } from '../../../electron/ports/attempts';
import type { ToolCall, ToolOutcome } from '../../../electron/ports/tool-call';
import type { JsonValue } from '../../../electron/ports/provider';
import type { McpServerSettings } from '../../../shared/settings/mcp';

const require = createRequire(import.meta.url);

/** The entry of one of the real servers. */
export function realServer(name: 'filesystem' | 'memory' | 'everything'): string {
  const manifest = require.resolve(`@modelcontextprotocol/server-${name}/package.json`);
  const { bin } = JSON.parse(readFileSync(manifest, 'utf8')) as { bin: Record<string, string> };
  return join(dirname(manifest), Object.values(bin)[0] ?? '');
}

export const ODD_SERVER = join(import.meta.dirname, 'odd-server.mjs');

/** A server run by this Node. */
export const nodeServer = (
  entry: string,
  args: readonly string[] = [],
  more: Partial<McpServerSettings> = {},
): McpServerSettings => ({ command: process.execPath, args: [entry, ...args], ...more });

/** As fast as the documented bounds, divided by fifty. */
export const FAST: RespawnLimits = { windowMs: 300_000, backoffMs: [20, 40, 80, 160, 320] };

/** Real servers under real supervision, without the engine. */
export function createServersWorld(
  settings: Record<string, McpServerSettings>,
  options: {
    readonly env?: Record<string, string>;
    readonly respawn?: RespawnLimits;
    /** What an earlier world of the same computer has kept; shared by handing it on. */
    readonly attempts?: Map<string, AttemptState>;
  } = {},
) {
  const dir = mkdtempSync(join(tmpdir(), 'holdfast-mcp-'));
  const logged: { readonly event: string; readonly facts: unknown }[] = [];
  const learned: string[] = [];
  const say = (event: string, facts?: unknown): void => void logged.push({ event, facts });
  const own: Record<string, string | undefined> = {
    PATH: process.env['PATH'],
    HOME: dir,
    ...options.env,
  };
  const current = { settings };
  const environment = createMcpEnvironment({
    instanceId: 'test-instance',
    runId: 'test-run',
    ownEnvironment: own,
    loginEnvironment: () => Promise.resolve({ kind: 'own', reason: 'test' }),
    findSecrets: () => ({ has: () => false, hide: (text) => text }),
    onSecret: (value) => void learned.push(value),
  });
  const attempts = options.attempts ?? new Map<string, AttemptState>();
  const breakers = createTestRegistry(createSystemClock(), createKept());
  const servers = createMcpServers({
    settings: () => current.settings,
    version: '0.0.0-test',
    clock: createSystemClock(),
    log: { debug: say, info: say, warn: say, error: say },
    prepare: (name, spec) => environment.prepare(name, spec),
    breakerOf: (name) => breakers.of(`mcp.${name}`, 'mcp'),
    attemptsOf: (name) => ({
      saved: () => attempts.get(name),
      keep: (state) => Promise.resolve(void attempts.set(name, state)),
      over: () => Promise.resolve(void attempts.delete(name)),
    }),
    onChange: () => undefined,
    ...(options.respawn === undefined ? {} : { respawn: options.respawn }),
  });
  const never = new AbortController().signal;
  return {
    dir,
    own,
    logged,
    learned,
    servers,
    breakers,
    attempts,
    current,
    notes: join(dir, 'notes'),
    noted: (): string[] =>
      existsSync(join(dir, 'notes'))
        ? readFileSync(join(dir, 'notes'), 'utf8').split('\n').filter(Boolean)
        : [],
    need(name: string): McpServer {
      const server = servers.find(name);
      if (server === undefined) throw new Error(`no server ${name}`);
      return server;
    },
    async until(name: string, kind: McpState['kind'], waitMs = 60_000): Promise<McpState> {
      const server = servers.find(name);
      await server?.settled(waitMs, never, (state) => state.kind === kind);
      const state = server?.state() ?? { kind: 'stopped' };
      if (state.kind !== kind)
        throw new Error(`${name} is ${JSON.stringify(state)} and not ${kind}`);
      return state;
    },
    call(
      name: string,
      tool: string,
      args: JsonValue = {},
      signal: AbortSignal = never,
    ): Promise<ToolOutcome> {
      const host = servers.find(name)?.host;
      if (host === undefined) throw new Error(`no server ${name}`);
      const call: ToolCall = {
        tool: `${name}__${tool}`,
        args,
        turnId: 1,
        step: 2,
        idempotencyKey: 'key-1',
        workspace: dir,
        env: [],
        signal,
      };
      return host.call(call);
    },
    async end(): Promise<void> {
      await servers.stop(500);
      rmSync(dir, { recursive: true, force: true });
    },
  };
}

export type ServersWorld = ReturnType<typeof createServersWorld>;

/** The number of the process, where the server runs. */
export function pidOf(state: McpState): number {
  if (state.kind !== 'running' || state.pid === undefined) throw new Error('it does not run');
  return state.pid;
}

/** False for a process that is gone or only waits to be reaped. */
export function isAlive(pid: number): boolean {
  try {
    return !/^\d+ \(.*\) [ZX] /s.test(readFileSync(`/proc/${String(pid)}/stat`, 'latin1'));
  } catch {
    return false;
  }
}

export async function waitFor(isTrue: () => boolean, waitMs = 60_000): Promise<void> {
  const deadline = performance.now() + waitMs;
  while (!isTrue()) {
    if (performance.now() > deadline) throw new Error('it did not come to be');
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
