/** Agents of other programs at their usage limit, on a clock that only moves when it is told to. */
import fs from 'node:fs';
import path from 'node:path';
import { expect, vi } from 'vitest';
import type { Composition } from '../../../electron/compose/options';
import { writeConfig } from '../../helpers/compose-world';
import { createVirtualClock, type VirtualClock } from '../../helpers/virtual-clock';
import { createWorkWorld, type WorkWorld } from '../work/work-world';
import { ACP_AGENT } from '../../helpers/acp-agent-program';

export const MINUTE = 60_000;
export const HOUR = 60 * MINUTE;

export interface LimitWorld {
  readonly site: WorkWorld;
  readonly clock: VirtualClock;
  start(): Promise<Composition>;
  /** The agent of the protocol answers every prompt with this error. */
  limit(error: unknown): void;
  lift(): void;
  /** Prompts that reached it. */
  prompts(): number;
  /** The texts of them, in order. */
  asked(): readonly string[];
  advance(byMs: number): Promise<void>;
}

/** `acp` and `acp2` speak the protocol; each is the same program with its own name. */
export function createLimitWorld(
  at: string,
  config: Record<string, unknown> = {},
  agents: Record<string, Record<string, unknown>> = { fake: {} },
): LimitWorld {
  const site = createWorkWorld();
  const clock = createVirtualClock(Date.parse(at));
  const file = (name: string): string => path.join(site.world.outside, name);
  writeConfig(site.world, {
    work: { requeue_delay: '10ms', requeue_max_delay: '20ms' },
    ...config,
    agents: Object.fromEntries(
      Object.entries(agents).map(([name, extra]) => [
        name,
        {
          executor: 'acp',
          command: process.execPath,
          args: [ACP_AGENT, 'plain'],
          workspace: site.world.workspace,
          ...extra,
        },
      ]),
    ),
  });
  const asked = (): readonly string[] =>
    fs.existsSync(file('agent.log'))
      ? fs
          .readFileSync(file('agent.log'), 'utf8')
          .split('\n')
          .filter((line) => line.startsWith('prompt '))
      : [];
  return {
    site,
    clock,
    start: () => site.start({ clock, ticker: clock.ticker }),
    limit: (error) => fs.writeFileSync(file('provider-down'), JSON.stringify(error)),
    lift: () => fs.rmSync(file('provider-down'), { force: true }),
    prompts: () => asked().length,
    asked,
    async advance(byMs) {
      for (let left = byMs; left > 0; left -= MINUTE) await clock.advance(Math.min(left, MINUTE));
    },
  };
}

export const soon = <T>(look: () => T | Promise<T>, timeoutMs = 120_000): Promise<T> =>
  vi.waitFor(look, { timeout: timeoutMs, interval: 20 });

/** Each that waits has started a program of its own, one after the other where two are at work already. */
const ONE_START_MS = 2_000;

export const queue = async (life: Composition) =>
  (await life.holdfast.call('outage.queue', {}, 'test')).items;

/** Waits until so many turns wait. */
export const waiting = (life: Composition, count: number) =>
  soon(
    async () => {
      const items = await queue(life);
      expect(items).toHaveLength(count);
      return items;
    },
    30_000 + count * ONE_START_MS,
  );
