/** Agents with fallbacks on three providers in this process, any of which can be at its limit. */
import {
  createFakeProvider,
  createFakeTools,
  linesOf,
  resultsSoFar,
} from '../../helpers/fake-world';
import { composeIn, createWorld, writeConfig } from '../../helpers/compose-world';
import { createVirtualClock } from '../../helpers/virtual-clock';
import type { Composition } from '../../../electron/compose/options';
import type { ModelRequest, ProviderOutcome } from '../../../electron/ports/provider';

export const NOON = Date.parse('2026-11-26T12:00:00Z');
export const MINUTE = 60_000;
export const HOUR = 3_600_000;

/** How each provider fails now; those that are left out answer. */
export interface Trouble {
  readonly limitMs?: number;
  readonly isDown?: true;
  readonly refusal?: { readonly status: number; readonly mend?: 'too_long' };
}

function outcomeOf(trouble: Trouble | undefined): ProviderOutcome | undefined {
  if (trouble === undefined) return undefined;
  const failure = { message: 'The service said no.', hint: 'Wait.' };
  if (trouble.limitMs !== undefined)
    return {
      kind: 'failure',
      failure: { ...failure, kind: 'quota', retryAfterMs: trouble.limitMs, isRetryable: false },
    };
  if (trouble.isDown === true)
    return {
      kind: 'failure',
      failure: { ...failure, kind: 'server', status: 503, isRetryable: true },
    };
  const { status = 400, mend } = trouble.refusal ?? {};
  return {
    kind: 'failure',
    failure: {
      ...failure,
      kind: 'config',
      status,
      isRetryable: false,
      ...(mend === undefined ? {} : { mend }),
    },
  };
}

export function createFallbackWorld(config: Record<string, unknown> = {}) {
  const world = createWorld();
  const agent = (fallback: readonly string[]) => ({
    provider: 'one',
    model: 'big',
    workspace: world.workspace,
    fallback,
  });
  writeConfig(world, {
    agents: { main: agent(['two/small', 'three/tiny']), alone: agent([]) },
    fallback: { mode: 'auto' },
    limits: { margin: '0s' },
    approvals: { mode: 'off' },
    work: { requeue_delay: '1s', max_requeues: 5 },
    resilience: { outage_threshold: 2, auto_wait: true },
    retry: { server: { max_attempts: 1 } },
    ...config,
  });
  const clock = createVirtualClock(NOON);
  const trouble = new Map<string, Trouble>();
  const requests: ModelRequest[] = [];
  /** Called with each request before it is answered. */
  const hooks: { onRequest: (request: ModelRequest) => void } = { onRequest: () => undefined };
  const lives: Composition[] = [];
  const tools = createFakeTools({ dir: world.outside });
  const provider = (name: string) =>
    createFakeProvider({
      dir: world.outside,
      name,
      probe: () =>
        trouble.get(name)?.isDown === true
          ? {
              kind: 'failed',
              failure: { kind: 'server', message: 'Down.', hint: '', isRetryable: true },
            }
          : { kind: 'ok' },
      gate(request) {
        requests.push(request);
        hooks.onRequest(request);
        return outcomeOf(trouble.get(name));
      },
      // Two effects, then the answer.
      script: (request) =>
        resultsSoFar(request) < 2
          ? { calls: [{ tool: 'charge', args: { n: resultsSoFar(request) } }] }
          : { text: `done by ${name}` },
    });
  return {
    world,
    clock,
    trouble,
    requests,
    hooks,
    /** Models in the order in which they were asked. */
    asked: () => requests.map(({ model }) => model),
    effects: () => linesOf(tools.log),
    async start(): Promise<Composition> {
      const app = composeIn(world, {
        providers: ['one', 'two', 'three'].map(provider),
        toolHosts: [tools],
        clock,
      });
      lives.push(app);
      const started = await app.lifecycle.start();
      if (started.kind !== 'started') throw new Error(started.kind);
      return app;
    },
    async end() {
      for (const one of lives) await one.lifecycle.stop('stop');
      world.remove();
    },
  };
}
export type FallbackWorld = ReturnType<typeof createFallbackWorld>;

export const send = async (app: Composition, agent = 'main', session = 's'): Promise<number> =>
  (await app.holdfast.call('send', { text: 'work', session, agent }, 'test')).turnId;
