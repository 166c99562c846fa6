/** W1 and W2: time, syncs and bytes of a durable step. */
import { median, medianRatio } from './numbers';
import { countSyncs, hasStrace, inFolder, runOn, type Disk } from './programs';
import type { Figure, Report } from './report';

interface W1 {
  readonly raw: number[];
  readonly twoCommits: number[];
  readonly folded: number[];
  readonly w1: number[];
  readonly w1CpuUs: number[];
}
interface W2 {
  readonly raw: number[];
  readonly group: number[];
  readonly w2: number[];
  readonly w2CpuUs: number[];
  readonly delayP99Ms: number;
  readonly delayMaxMs: number;
}

/** Turns of one repeat: a slow disk needs fewer for the same precision. */
const W1_TURNS: Readonly<Record<Disk, number>> = { native: 10, slow: 2 };
const W2_ROUNDS: Readonly<Record<Disk, number>> = { native: 5, slow: 2 };

export async function addStepFigures(report: Report, disk: Disk, repeats: number): Promise<void> {
  const isSlow = disk === 'slow';
  const w1 = await inFolder((dir) =>
    runOn<W1>(disk, 'w1', { dir, repeats, rounds: W1_TURNS[disk] }),
  );
  const us = (name: string, values: readonly number[]): Figure => ({
    name,
    value: median(values),
    unit: 'µs/step',
  });
  report.add(
    `W1, one turn of 200 steps, ${disk} disk`,
    us('raw', w1.raw),
    { name: 'raw, two commits / raw', value: medianRatio(w1.twoCommits, w1.raw), unit: '×' },
    { name: 'raw, folded / raw', value: medianRatio(w1.folded, w1.raw), unit: '×' },
    us('Holdfast', w1.w1),
    us('Holdfast, processor time', w1.w1CpuUs),
    {
      name: 'Holdfast / raw',
      value: medianRatio(w1.w1, w1.raw),
      unit: '×',
      budget: { sense: '<=', limit: isSlow ? 1.15 : 2 },
    },
  );
  const w2 = await inFolder((dir) =>
    runOn<W2>(disk, 'w2', { dir, repeats, rounds: W2_ROUNDS[disk] }),
  );
  const perSecond = (name: string, values: readonly number[]): Figure => ({
    name,
    value: median(values),
    unit: 'steps/s',
  });
  report.add(
    `W2, 50 turns of 20 steps at once, ${disk} disk`,
    perSecond('raw', w2.raw),
    { name: 'raw, group commit / raw', value: medianRatio(w2.group, w2.raw), unit: '×' },
    perSecond('Holdfast', w2.w2),
    us('Holdfast, processor time', w2.w2CpuUs),
    {
      name: 'Holdfast / raw',
      value: medianRatio(w2.w2, w2.raw),
      unit: '×',
      budget: { sense: '>=', limit: isSlow ? 15 : 1.5 },
    },
    {
      name: 'event loop delay, p99',
      value: w2.delayP99Ms,
      unit: 'ms',
      budget: { sense: '<=', limit: 20 },
    },
    { name: 'event loop delay, longest', value: w2.delayMaxMs, unit: 'ms' },
  );
}

export async function addSyncAndSizeFigures(report: Report): Promise<void> {
  const section = 'Syncs and bytes of a step';
  const variants = [
    { name: 'raw', variant: 'raw', turns: 20, stepsPerTurn: 200, limit: undefined },
    { name: 'W1', variant: 'w1', turns: 20, stepsPerTurn: 200, limit: 1.05 },
    { name: 'W2', variant: 'w2', turns: 10, stepsPerTurn: 1000, limit: 0.06 },
  ] as const;
  for (const { name, variant, turns, stepsPerTurn, limit } of variants) {
    const few = 2;
    const count = (rounds: number): Promise<number> =>
      inFolder((dir) => countSyncs('work', { dir, rounds, variant }));
    // The difference of two runs: start and stop fall out.
    const value = hasStrace()
      ? ((await count(few + turns)) - (await count(few))) / (turns * stepsPerTurn)
      : undefined;
    report.add(section, {
      name: `syncs per step, ${name}`,
      value,
      unit: '',
      ...(limit === undefined ? {} : { budget: { sense: '<=', limit } }),
      ...(value === undefined ? { note: 'strace counts them; there is none' } : {}),
    });
  }
  const { bytesPerStep } = await inFolder((dir) =>
    runOn<{ bytesPerStep: number }>('native', 'bytes', { dir, rounds: 50 }),
  );
  report.add(section, {
    name: 'bytes per step in the database',
    value: bytesPerStep,
    unit: 'bytes',
    budget: { sense: '<=', limit: 400 },
  });
}
