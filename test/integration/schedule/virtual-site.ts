/** One Holdfast after the other on a clock that only moves when it is told to. */
import { expect } from 'vitest';
import type { Composition } from '../../../electron/compose/options';
import type { VerbInput } from '../../../shared/contract';
import type { TaskRun } from '../../../shared/schedule/model';
import type { Script } from '../../helpers/fake-world';
import { createVirtualClock, type VirtualClock } from '../../helpers/virtual-clock';
import { createScheduleWorld, type ScheduleWorld } from './schedule-world';

export const MINUTE = 60_000;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;

/** What the tests of one file have; `begin` makes it new. */
export const virtual = {} as { site: ScheduleWorld; clock: VirtualClock };

export const begin = async (
  at: string,
  settings: Record<string, unknown> = {},
  script?: Script,
): Promise<Composition> => {
  virtual.site = createScheduleWorld(settings, script);
  virtual.clock = createVirtualClock(Date.parse(at));
  const life = await startLife();
  // Dates are loaded with the first expression that needs them: here, so that no later wait is real.
  await life.holdfast.call('schedule.parse', { expr: '0 0 * * *' }, 'test');
  return life;
};

export const startLife = (
  extra: Parameters<ScheduleWorld['start']>[0] = {},
): Promise<Composition> => {
  const { site, clock } = virtual;
  return site.start({ clock, ticker: clock.ticker, ...extra });
};

/** A stop, so long nothing, and a start; `meanwhile` is what a person does before it. */
export const again = async (
  life: Composition,
  downMs: number,
  meanwhile: () => void = () => undefined,
): Promise<Composition> => {
  await virtual.site.stop(life);
  virtual.clock.suspend(downMs);
  meanwhile();
  return startLife();
};

export const add = (life: Composition, wish: Partial<VerbInput<'tasks.add'>>) =>
  life.holdfast.call(
    'tasks.add',
    { prompt: 'look', schedule: 'every 1h', agent: 'fake', zone: 'Europe/Berlin', ...wish },
    'test',
  );
export const history = async (life: Composition): Promise<readonly TaskRun[]> =>
  (await life.holdfast.call('tasks.history', { limit: 200 }, 'test')).runs.toReversed();
/** When everything that runs has ended: the clock stands still meanwhile. */
export const quiet = async (life: Composition): Promise<readonly TaskRun[]> => {
  const isQuiet = async (): Promise<boolean> =>
    (await life.holdfast.call('turns.list', { limit: 200 }, 'test')).turns.every(
      (turn) => turn.endedAtMs !== undefined,
    );
  await expect.poll(isQuiet, { interval: 5 }).toBe(true);
  return history(life);
};
/** Time passes until then; what becomes due on the way has all the real time that it needs. */
export const goTo = async (life: Composition, at: string): Promise<readonly TaskRun[]> => {
  const endMs = Date.parse(at);
  while (virtual.clock.nowMs() < endMs) {
    const { tasks } = await life.holdfast.call('tasks.list', {}, 'test');
    const next = Math.min(endMs, ...tasks.map((task) => task.nextRunAtMs ?? endMs));
    await virtual.clock.advance(Math.max(1, next - virtual.clock.nowMs()));
    await quiet(life);
  }
  return history(life);
};
export const slots = (runs: readonly TaskRun[]): string[] =>
  runs.map((run) => `${new Date(run.slotMs).toISOString().slice(0, 16)} ${run.why}`);
