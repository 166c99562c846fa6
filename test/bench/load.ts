/**
 * The measured programs: `node dist/bench/load.js <workload> <JSON options>`. Each runs in a
 * process of its own, under strace or not, and ends with one line of JSON on stdout. The
 * composition is imported only by the workloads that need it, so that reference processes stay bare.
 */
import fs from 'node:fs';
import path from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { ComposeOptions, Composition } from '../../electron/compose/options';
import { startRun, type BenchRun } from './parts/bench-world';
import { median, timed } from './parts/numbers';
import { openRaw } from './parts/raw';

interface LoadOptions {
  readonly dir: string;
  readonly repeats: number;
  /** Turns of one repeat (W1) or rounds of one repeat (W2). */
  readonly rounds: number;
  readonly variant?: string;
}

const W1_STEPS = 200;
const W2_TURNS = 50;
const W2_STEPS = 20;
const W3_TURNS = 200;
const W3_STEPS = 10;
const W3_DONE = 5;
/** What the app has behind it after its first minute of work: from here on a step gets no faster. */
const WARM_UP_TURNS = 20;

const compose = async (): Promise<(options: ComposeOptions) => Composition> =>
  (await import('../../electron/compose/compose')).compose;

const say = (value: unknown): void => {
  fs.writeSync(1, `${JSON.stringify(value)}\n`);
};

/** Microseconds of processor time that `work` takes: steadier than a clock on a busy machine. */
async function cpuOf(work: () => Promise<unknown>): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return user + system;
}

/** Runs `body` in a started composition and stops it. */
async function inRun<T>(dir: string, body: (run: BenchRun) => Promise<T>): Promise<T> {
  const run = await startRun(await compose(), path.join(dir, 'data'));
  await run.composition.lifecycle.start();
  const result = await body(run);
  await run.composition.lifecycle.stop('stop');
  return result;
}

let sessions = 0;

async function w1Turn(run: BenchRun): Promise<void> {
  sessions += 1;
  const done = run.closed(1);
  await run.send(W1_STEPS, `w1-${String(sessions)}`);
  await done;
}

async function w2Round(run: BenchRun): Promise<void> {
  const done = run.closed(W2_TURNS);
  await Promise.all(
    Array.from({ length: W2_TURNS }, (_, index) => {
      sessions += 1;
      return run.send(W2_STEPS, `w2-${String(sessions)}-${String(index)}`);
    }),
  );
  await done;
}

async function times(count: number, work: () => Promise<void>): Promise<void> {
  for (let index = 0; index < count; index += 1) await work();
}

const workloads: Readonly<Record<string, (options: LoadOptions) => Promise<unknown>>> = {
  /** Microseconds per step of W1 and of the three reference loops, side by side. */
  async w1({ dir, repeats, rounds }) {
    const raw = openRaw(path.join(dir, 'raw.db'));
    const result = {
      raw: [] as number[],
      twoCommits: [] as number[],
      folded: [] as number[],
      w1: [] as number[],
      w1CpuUs: [] as number[],
    };
    await inRun(dir, async (run) => {
      await times(WARM_UP_TURNS, () => w1Turn(run));
      for (const loop of [raw.single, raw.folded, raw.twoCommits]) loop(WARM_UP_TURNS * 100);
      const steps = rounds * W1_STEPS;
      const perStep = (ms: number): number => (ms * 1000) / steps;
      for (let repeat = 0; repeat < repeats; repeat += 1) {
        result.raw.push(
          perStep(
            await timed(() => {
              raw.single(steps);
            }),
          ),
        );
        const cpuUs = await cpuOf(async () => {
          result.w1.push(perStep(await timed(() => times(rounds, () => w1Turn(run)))));
        });
        result.w1CpuUs.push(cpuUs / steps);
        result.folded.push(
          perStep(
            await timed(() => {
              raw.folded(steps);
            }),
          ),
        );
        result.twoCommits.push(
          perStep(
            await timed(() => {
              raw.twoCommits(steps);
            }),
          ),
        );
      }
    });
    raw.db.close();
    return result;
  },

  /** Steps per second of W2 and of two reference loops, and the delay of the event loop in W2. */
  async w2({ dir, repeats, rounds }) {
    const raw = openRaw(path.join(dir, 'raw.db'));
    const result = {
      raw: [] as number[],
      group: [] as number[],
      w2: [] as number[],
      w2CpuUs: [] as number[],
    };
    const delays: { readonly p99Ms: number; readonly maxMs: number }[] = [];
    await inRun(dir, async (run) => {
      const steps = rounds * W2_TURNS * W2_STEPS;
      const perSecond = (ms: number): number => (steps * 1000) / ms;
      await times(Math.min(4, rounds * 2), () => w2Round(run));
      raw.single(Math.min(1500, steps));
      raw.group(steps, W2_TURNS);
      for (let repeat = 0; repeat < repeats; repeat += 1) {
        result.raw.push(
          perSecond(
            await timed(() => {
              raw.single(steps);
            }),
          ),
        );
        // A histogram of its own for each repeat: it must not see the reference loops, which block.
        await new Promise((resolve) => setTimeout(resolve, 5));
        const delay = monitorEventLoopDelay({ resolution: 1 });
        delay.enable();
        const cpuUs = await cpuOf(async () => {
          result.w2.push(perSecond(await timed(() => times(rounds, () => w2Round(run)))));
        });
        delay.disable();
        delays.push({ p99Ms: delay.percentile(99) / 1e6, maxMs: delay.max / 1e6 });
        result.w2CpuUs.push(cpuUs / steps);
        result.group.push(
          perSecond(
            await timed(() => {
              raw.group(steps, W2_TURNS);
            }),
          ),
        );
      }
    });
    raw.db.close();
    return {
      ...result,
      delayP99Ms: median(delays.map((one) => one.p99Ms)),
      delayMaxMs: Math.max(...delays.map((one) => one.maxMs)),
    };
  },

  /** Nothing but the work, for counting syncs from outside. */
  async work({ dir, rounds, variant }) {
    if (variant === 'raw') {
      const raw = openRaw(path.join(dir, 'raw.db'));
      raw.single(rounds * W1_STEPS);
      raw.db.close();
    } else {
      await inRun(dir, (run) =>
        times(rounds, () => (variant === 'w2' ? w2Round(run) : w1Turn(run))),
      );
    }
    return { steps: rounds * (variant === 'w2' ? W2_TURNS * W2_STEPS : W1_STEPS) };
  },

  /** Bytes of the database per step: growth over `rounds` turns, so that fixed cost falls out. */
  async bytes({ dir, rounds }) {
    const size = (): number => {
      const { size: bytes } = fs.statSync(path.join(dir, 'data', 'holdfast.db'));
      return bytes;
    };
    // The stop of the composition checkpoints the log into the file.
    await inRun(dir, (run) => times(5, () => w1Turn(run)));
    const before = size();
    await inRun(dir, (run) => times(rounds, () => w1Turn(run)));
    return { bytesPerStep: (size() - before) / (rounds * W1_STEPS) };
  },

  /** W3, first process: 200 turns stop in their sixth call; the parent then kills this one. */
  async 'w3-prepare'({ dir }) {
    const calls = fs.openSync(path.join(dir, 'calls.log'), 'a');
    let stalled = 0;
    const run = await startRun(await compose(), path.join(dir, 'data'), {
      onCall(turnId, index) {
        if (index < W3_DONE) {
          fs.writeSync(calls, `${String(turnId)} ${String(index)}\n`);
          return undefined;
        }
        stalled += 1;
        if (stalled === W3_TURNS) say({ isReady: true });
        return new Promise(() => undefined);
      },
    });
    await run.composition.lifecycle.start();
    await Promise.all(
      Array.from({ length: W3_TURNS }, (_, index) => run.send(W3_STEPS, `w3-${String(index)}`)),
    );
    await new Promise(() => undefined);
    return undefined;
  },

  /** W3, second process: finishes all turns and says which calls it made. */
  async 'w3-finish'({ dir }) {
    const calls: string[] = [];
    const run = await startRun(await compose(), path.join(dir, 'data'), {
      onCall(turnId, index) {
        calls.push(`${String(turnId)} ${String(index)}`);
      },
    });
    const done = run.closed(W3_TURNS);
    await run.composition.lifecycle.start();
    await done;
    say({ isDone: true });
    await run.composition.lifecycle.stop('stop');
    const before = new Set(
      fs.readFileSync(path.join(dir, 'calls.log'), 'utf8').split('\n').filter(Boolean),
    );
    const store = openRaw(path.join(dir, 'data', 'holdfast.db'));
    const ambiguous = Number(
      store.db.prepare('SELECT count(*) FROM steps WHERE state = 3').pluck().get(),
    );
    store.db.close();
    return {
      executedTwice: calls.filter((call) => before.has(call)).length,
      calls: calls.length,
      ambiguous,
    };
  },

  /** The reference of W3: the same rows done and left to do, and nothing but the commits. */
  async 'redo-prepare'({ dir }) {
    const raw = openRaw(path.join(dir, 'raw.db'));
    raw.group(W3_TURNS * W3_DONE, W2_TURNS);
    say({ isReady: true });
    await new Promise((resolve) => setTimeout(resolve, 60_000));
    return undefined;
  },
  'redo-finish'({ dir, variant }) {
    const raw = openRaw(path.join(dir, 'raw.db'));
    const done = raw.db.prepare('SELECT id, body FROM rows').all().length;
    const left = W3_TURNS * W3_STEPS - done;
    if (variant === 'group') raw.group(left, W3_TURNS);
    else raw.single(left);
    say({ isDone: true });
    raw.db.close();
    return Promise.resolve({ left });
  },

  /** The reference of W4: opens a database, writes one row, says so, and stays. */
  async bare({ dir }) {
    const raw = openRaw(path.join(dir, 'raw.db'));
    raw.single(1);
    say({ isReady: true });
    await new Promise((resolve) => setTimeout(resolve, 60_000));
    return undefined;
  },
};

const [name = '', json = '{}'] = process.argv.slice(2);
const workload = workloads[name];
if (workload === undefined) throw new Error(`There is no workload "${name}".`);
say(await workload({ repeats: 5, rounds: 1, ...(JSON.parse(json) as { dir: string }) }));
process.exit(0);
