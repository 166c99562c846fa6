import { expect } from 'vitest';
import type { ComposeOptions, Composition } from '../../electron/compose/options';
import type { TurnSummary } from '../../shared/types';
import { createCutProxy, type CutProxy } from './cut-proxy';
import { composeIn, createWorld, writeConfig, type World } from './compose-world';
import {
  createFakeProvider,
  createFakeTools,
  linesOf,
  resultsSoFar,
  type Script,
} from './fake-world';
import type { Postgres } from './postgres';
import type { ToolCall } from '../../electron/ports/tool-call';

/** One of several computers: a data directory and an engine of its own, behind a proxy of its own. */
export interface Computer {
  readonly name: string;
  readonly app: Composition;
  readonly proxy: CutProxy;
  readonly world: World;
  /** What its tools have really done. */
  effects(): readonly {
    readonly tool: string;
    readonly args: { readonly n: number };
    readonly key: string;
  }[];
  requests(): number;
  send(text: string, more?: Record<string, unknown>): Promise<number>;
  turn(turnId: number): Promise<TurnSummary>;
  /** The turn of a session as this computer knows it. */
  turnOf(session: string): Promise<TurnSummary | undefined>;
  stop(): Promise<void>;
}

/** Charges `steps` times, one call after the other, then answers. */
export const charging =
  (steps: number): Script =>
  (request) =>
    resultsSoFar(request) < steps
      ? { calls: [{ tool: 'charge', args: { n: resultsSoFar(request) + 1 } }] }
      : { text: `charged ${String(steps)}` };

export interface ComputerOptions {
  readonly name: string;
  readonly script?: Script;
  readonly config?: Record<string, unknown>;
  readonly gate?: (at: 'before' | 'after', call: ToolCall) => Promise<void> | void;
  readonly crash?: (name: string) => void;
  /** What its provider does instead of answering. */
  readonly model?: NonNullable<Parameters<typeof createFakeProvider>[0]['gate']>;
  /** Made where the engine is: its clock, its channels. */
  readonly extra?: (world: World) => Partial<ComposeOptions>;
  /** What a light request to it comes to. */
  readonly probe?: NonNullable<Parameters<typeof createFakeProvider>[0]['probe']>;
}

/** The first that starts sets up the store and invites the others. */
export function createComputers(postgres: Postgres) {
  const all: Computer[] = [];
  const worlds: World[] = [];

  const ownerUrl = (port: number): string => `postgres://owner@127.0.0.1:${String(port)}/postgres`;

  const start = async (options: ComputerOptions, before?: World): Promise<Computer> => {
    const world = before ?? createWorld();
    worlds.push(world);
    const proxy = await createCutProxy(postgres);
    const { name } = options;
    writeConfig(world, {
      share: { name, lease: '3s', labels: [name] },
      resilience: { recovery: { resume_delay: '10ms' } },
      approvals: { mode: 'off' },
      observability: { enabled: false },
      ...options.config,
    });
    const tools = createFakeTools({
      dir: world.outside,
      ...(options.gate && { gate: options.gate }),
    });
    const provider = createFakeProvider({
      dir: world.outside,
      script: options.script ?? charging(3),
      ...(options.model && { gate: options.model }),
      ...(options.probe && { probe: options.probe }),
    });
    const app = composeIn(world, {
      toolHosts: [tools],
      providers: [provider],
      crashPoints: { hit: (point) => options.crash?.(point) },
      ...options.extra?.(world),
    });
    await app.lifecycle.start();
    const call = app.holdfast.call;
    const turn = async (turnId: number): Promise<TurnSummary> =>
      (await call('turns.show', { turnId }, 'test')).turn;
    let isStopped = false;
    const computer: Computer = {
      name,
      app,
      proxy,
      world,
      effects: () => linesOf(tools.log).map((line) => JSON.parse(line) as never),
      requests: () => linesOf(provider.log).length,
      send: async (text, more = {}) =>
        (await call('share.send', { text, agent: 'fake', ...more }, 'test')).turnId,
      turn,
      async turnOf(session) {
        const { turns } = await call('turns.list', {}, 'test');
        return turns.find(({ sessionKey }) => sessionKey === session);
      },
      async stop() {
        if (isStopped) return;
        isStopped = true;
        await app.lifecycle.stop('stop');
        await proxy.close();
      },
    };
    const [first] = all;
    if (first === undefined) await call('share.host', { address: ownerUrl(proxy.port) }, 'test');
    else {
      const { invitation } = await first.app.holdfast.call('share.invite', { name }, 'test');
      await call('share.join', { invitation: through(invitation, proxy.port) }, 'test');
      await first.app.holdfast.call('share.admit', { name }, 'test');
      await expect
        .poll(async () => (await call('share.status', {}, 'test')).state, { timeout: 120_000 })
        .toBe('connected');
    }
    all.push(computer);
    return computer;
  };

  return {
    start,
    async end(): Promise<void> {
      await Promise.all(all.map((computer) => computer.stop()));
      all.length = 0;
      for (const world of worlds.splice(0)) world.remove();
    },
  };
}

/** The same invitation, by way of another port. */
export function through(invitation: string, port: number): string {
  const prefix = 'holdfast-share:';
  const text = Buffer.from(invitation.slice(prefix.length), 'base64url').toString('utf8');
  const address = { ...(JSON.parse(text) as Record<string, unknown>), p: port };
  return prefix + Buffer.from(JSON.stringify(address)).toString('base64url');
}
