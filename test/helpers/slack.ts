import { availableParallelism, loadavg } from 'node:os';

/** Programs that want each core; Windows always reports 0. */
const perCore = (loadavg()[0] ?? 0) / availableParallelism();

/**
 * Upper bounds in tests say "it did not wait for the thing it must not wait for", never how fast
 * something is: figures belong to the bench. A busy machine may take this many times as long, and one
 * on which programs wait for each core takes as many times longer, up to four.
 */
export const SLACK = 10 * Math.min(4, Math.max(1, perCore));
