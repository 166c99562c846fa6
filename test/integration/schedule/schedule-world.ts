import Database from 'better-sqlite3';
import path from 'node:path';
import { createSystemClock } from '../../../electron/adapters/clock/system-clock';
import type { ComposeOptions, Composition } from '../../../electron/compose/options';
import type { Desktop } from '../../../electron/engine/api/desktop';
import type { Channel } from '../../../electron/ports/channel';
import type { Clock } from '../../../electron/ports/clock';
import { composeIn, createWorld, writeConfig, type World } from '../../helpers/compose-world';
import { createFakeProvider, promptOf, type Script } from '../../helpers/fake-world';

/** How far it is to the next 12:00 here: for a test of what falls on which hour of the day. */
export function untilNoonMs(nowMs: number): number {
  const noon = new Date(nowMs);
  noon.setHours(12, 0, 0, 0);
  if (noon.getTime() < nowMs) noon.setDate(noon.getDate() + 1);
  return noon.getTime() - nowMs;
}

/** The clock of the computer, set forward by what the test says: how long it was switched off. */
function createShiftedClock(): Clock & { shiftMs: number } {
  const clock = createSystemClock();
  const shifted = {
    shiftMs: 0,
    nowMs: () => clock.nowMs() + shifted.shiftMs,
    monotonicMs: () => clock.monotonicMs(),
    sleep: (delayMs: number, signal?: AbortSignal) => clock.sleep(delayMs, signal),
  };
  return shifted;
}

export interface ScheduleWorld {
  readonly world: World;
  readonly clock: Clock & { shiftMs: number };
  /** Prompts that the model was asked, in order. */
  readonly asked: string[];
  start(extra?: Partial<ComposeOptions>): Promise<Composition>;
  stop(life: Composition): Promise<void>;
  config(settings: Record<string, unknown>): void;
  rows<T>(query: string): T[];
  end(): Promise<void>;
}

/** A desktop that has this channel, and nothing else that is asked for. */
export const desktopWith = (channel: Channel): Desktop => ({
  storeClass: { load: async () => (await import('conf')).default },
  keyring: {
    backend: () => 'unknown',
    isEncrypting: () => false,
    problem: () => undefined,
    encrypt: () => Promise.reject(new Error('not asked')),
    decrypt: () => Promise.reject(new Error('not asked')),
  },
  channel,
  handle: () => Promise.reject(new Error('not asked')),
  owned: () => undefined,
  settlePages: () => Promise.resolve(),
  disarmRelaunch: () => undefined,
});

export function createScheduleWorld(
  settings: Record<string, unknown> = {},
  script: Script = (request) => ({ text: `done: ${promptOf(request)}` }),
): ScheduleWorld {
  const world = createWorld(settings);
  const clock = createShiftedClock();
  const asked: string[] = [];
  const lives = new Set<Composition>();
  const recorded: Script = (request) => {
    asked.push(promptOf(request));
    return script(request);
  };
  return {
    world,
    clock,
    asked,
    async start(extra = {}) {
      const life = composeIn(world, {
        clock,
        providers: [createFakeProvider({ dir: world.outside, script: recorded })],
        ...extra,
      });
      lives.add(life);
      await life.lifecycle.start();
      return life;
    },
    async stop(life) {
      lives.delete(life);
      await life.lifecycle.stop('stop');
    },
    config: (more) => {
      writeConfig(world, more);
    },
    rows<T>(query: string): T[] {
      const db = new Database(path.join(world.dataDir, 'holdfast.db'), { readonly: true });
      try {
        return db.prepare(query).all() as T[];
      } finally {
        db.close();
      }
    },
    async end() {
      for (const life of lives) await life.lifecycle.stop('stop');
      world.remove();
    },
  };
}
