/** Middle value; the mean of the middle two where the count is even. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? upper) + upper) / 2;
}

/** Median of the ratios of values measured side by side: what disturbs both falls out. */
export function medianRatio(ours: readonly number[], reference: readonly number[]): number {
  return median(ours.map((value, index) => value / (reference[index] ?? Number.NaN)));
}

/** Calls `work` and returns the milliseconds that it took. */
export async function timed(work: () => Promise<unknown> | void): Promise<number> {
  const startMs = performance.now();
  await work();
  return performance.now() - startMs;
}

/** Calls `work` `times` times, one after the other, and collects what it returns. */
export async function collect<T>(times: number, work: (index: number) => Promise<T>): Promise<T[]> {
  const all: T[] = [];
  for (let index = 0; index < times; index += 1) all.push(await work(index));
  return all;
}
