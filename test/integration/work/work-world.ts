import fs from 'node:fs';
import path from 'node:path';
import { expect } from 'vitest';
import type { Composition } from '../../../electron/compose/options';
import type { ProviderFailure, ProviderOutcome } from '../../../electron/ports/provider';
import type { ActivationEvent, SessionStatus } from '../../../shared/types/work';
import { composeIn, createWorld, type World } from '../../helpers/compose-world';

export const failing = (extra: Partial<ProviderFailure> = {}): ProviderOutcome => ({
  kind: 'failure',
  failure: {
    kind: 'server',
    message: 'The provider failed (500).',
    hint: 'Try again.',
    isRetryable: true,
    ...extra,
  },
});

/** One data directory and the lives of Holdfast on it. */
export interface WorkWorld {
  readonly world: World;
  start(extra?: Parameters<typeof composeIn>[1]): Promise<Composition>;
  end(): Promise<void>;
  audit(): { event: string; [key: string]: unknown }[];
}

/** What is tested here begins where a chain of calls has failed: a chain is one call. */
const ONE_CALL = {
  retry: { rate_limited: { max_attempts: 1 }, server: { max_attempts: 1 } },
  breakers: { failure_threshold: 1000 },
};

export function createWorkWorld(config: Record<string, unknown> = {}): WorkWorld {
  const world = createWorld({ ...ONE_CALL, ...config });
  const lives: Composition[] = [];
  return {
    world,
    async start(extra = {}) {
      const life = composeIn(world, extra);
      lives.push(life);
      expect(await life.lifecycle.start()).toEqual({ kind: 'started' });
      return life;
    },
    async end() {
      for (const life of lives) await life.lifecycle.stop('stop');
      world.remove();
    },
    audit() {
      const dir = path.join(world.dataDir, 'audit');
      return fs
        .readdirSync(dir)
        .flatMap((file) => fs.readFileSync(path.join(dir, file), 'utf8').trim().split('\n'))
        .map((line) => JSON.parse(line) as { event: string });
    },
  };
}

export const statusOf = (life: Composition, session = 's'): Promise<SessionStatus> =>
  life.holdfast.call('session.status', { session }, 'test');

export const historyOf = async (
  life: Composition,
  input: { session?: string; claimId?: string } = {},
): Promise<ActivationEvent[]> =>
  (await life.holdfast.call('activations.events', { ...input, limit: 500 }, 'test')).events;

export const kindsOf = async (life: Composition, session = 's'): Promise<string[]> =>
  (await historyOf(life, { session })).map((event) => event.kind);

export const send = async (life: Composition, text: string, session = 's'): Promise<number> =>
  (await life.holdfast.call('send', { text, session, agent: 'fake' }, 'test')).turnId;
