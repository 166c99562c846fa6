/** W3: 200 turns are killed half way; time until all are finished, and what ran twice. */
import { collect, median, medianRatio } from './numbers';
import { inFolder, loadCommand, startAndWait } from './programs';
import type { Report } from './report';

interface Finish {
  readonly executedTwice: number;
  readonly calls: number;
  readonly ambiguous: number;
}

/** Kills a process that has reached its middle and times the one that goes on after it. */
async function killed(
  prepare: string,
  finish: string,
  variant?: string,
): Promise<{ readonly ms: number; readonly said: Partial<Finish> }> {
  return inFolder(async (dir) => {
    const first = await startAndWait(loadCommand(prepare, { dir }));
    await first.kill();
    const second = await startAndWait(loadCommand(finish, { dir, variant }));
    const output = await second.ended();
    const said = JSON.parse(output.trim().split('\n').at(-1) ?? '{}') as Partial<Finish>;
    return { ms: second.firstLineMs, said };
  });
}

export async function addRecoveryFigures(report: Report, repeats: number): Promise<void> {
  const rounds = await collect(repeats, async () => ({
    raw: await killed('redo-prepare', 'redo-finish'),
    group: await killed('redo-prepare', 'redo-finish', 'group'),
    holdfast: await killed('w3-prepare', 'w3-finish'),
  }));
  const raw = rounds.map((round) => round.raw.ms);
  const holdfast = rounds.map((round) => round.holdfast.ms);
  const worst = (pick: (said: Partial<Finish>) => number | undefined): number =>
    Math.max(...rounds.map((round) => pick(round.holdfast.said) ?? Number.NaN));
  report.add(
    'W3, 200 turns killed after 5 of 10 steps',
    { name: 'raw redo, process start to finished', value: median(raw), unit: 'ms' },
    {
      name: 'raw redo with group commit / raw redo',
      value: medianRatio(
        rounds.map((round) => round.group.ms),
        raw,
      ),
      unit: '×',
    },
    { name: 'Holdfast, process start to finished', value: median(holdfast), unit: 'ms' },
    {
      name: 'Holdfast / raw redo',
      value: medianRatio(holdfast, raw),
      unit: '×',
      budget: { sense: '<=', limit: 2.5 },
    },
    {
      name: 'completed steps executed again',
      value: worst((said) => said.executedTwice),
      unit: '',
      budget: { sense: '<=', limit: 0 },
    },
    {
      name: 'started steps identified as ambiguous, of 200',
      value: Math.min(...rounds.map((round) => round.holdfast.said.ambiguous ?? 0)),
      unit: '',
      budget: { sense: '>=', limit: 200 },
    },
  );
}
