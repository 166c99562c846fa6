import { isDeepStrictEqual } from 'node:util';
import { afterEach, describe, expect, it } from 'vitest';
import type { CrashPointName } from '../../electron/engine/kernel/crash-points';
import { endNats, NO_NATS } from '../helpers/nats-server';
import { createPlace, driveToEnd, finalState, type Place } from './all-together';
import { endLives, MODES, startLife, type Mode } from './lives';
import { createRandom } from '../helpers/random';
import { isLeftOut } from '../helpers/skips';

/** Killed runs; `HOLDFAST_KILL_RUNS` says another number. A failure names the seed of its run. */
const USUAL_RUNS = process.env['npm_lifecycle_event'] === 'test:kill' ? 200 : 12;
const RUNS = Number(process.env['HOLDFAST_KILL_RUNS'] ?? USUAL_RUNS);
const FIRST_SEED = Number(process.env['HOLDFAST_KILL_SEED'] ?? 1);
/** Runs at the same time. */
const WORKERS = 3;

const places = new Set<Place>();
afterEach(async () => {
  endLives();
  endNats();
  for (const place of places) await place.end();
  places.clear();
});

/** How often each point was passed, as the host says when it stops. */
type Passed = Readonly<Partial<Record<CrashPointName, number>>>;

/** A place in the work, or any moment of it. */
type Instant =
  | { readonly kind: 'point'; readonly point: CrashPointName; readonly hit: number }
  | { readonly kind: 'delay'; readonly delayMs: number };

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

async function killedLife(place: Place, instant: Instant): Promise<void> {
  const life = startLife(place.realm, {
    hasStatusCheck: true,
    ...(instant.kind === 'point' ? { crash: instant } : {}),
  });
  const timer =
    instant.kind === 'delay' ? setTimeout(() => void life.kill(), instant.delayMs) : undefined;
  try {
    await life.ready();
    await driveToEnd(place, life);
  } catch (error) {
    // Killed on the way, or while it was starting: that is one of the instants.
    const isAlive = await Promise.race([
      life.ended.then(() => false),
      pause(2_000).then(() => true),
    ]);
    if (isAlive) throw error;
  } finally {
    clearTimeout(timer);
    await life.kill();
  }
}

/** A life to its end, and what it passed on the way. */
async function wholeLife(place: Place): Promise<Passed> {
  const life = startLife(place.realm, { hasStatusCheck: true });
  await life.ready();
  await driveToEnd(place, life);
  const line = await life.ask({ kind: 'stop' });
  await life.stop();
  return (line?.['counts'] ?? {}) as Passed;
}

async function inPlace<T>(mode: Mode, use: (place: Place) => Promise<T>): Promise<T> {
  const place = await createPlace(mode);
  places.add(place);
  try {
    return await use(place);
  } finally {
    places.delete(place);
    await place.end();
  }
}

interface Undisturbed {
  readonly state: Record<string, unknown>;
  /** Every time a point was passed: the instants to choose from. */
  readonly instants: readonly Instant[];
}

const undisturbed = (): Promise<Undisturbed> =>
  inPlace('always', async (place) => {
    const passed = Object.entries(await wholeLife(place)) as [CrashPointName, number][];
    return {
      state: await finalState(place),
      instants: passed.flatMap(([point, count]) =>
        Array.from({ length: count }, (_, index) => ({
          kind: 'point' as const,
          point,
          hit: index + 1,
        })),
      ),
    };
  });

/** One to three kills in a row, three of four at a durable write, the others at any moment. */
async function killedRun(seed: number, reference: Undisturbed): Promise<void> {
  const random = createRandom(seed);
  const mode = MODES[random(3)] ?? 'always';
  const story: string[] = [`seed ${String(seed)}`, mode];
  const again = `repeat with HOLDFAST_KILL_SEED=${String(seed)} HOLDFAST_KILL_RUNS=1`;
  try {
    const state = await inPlace(mode, async (place) => {
      const kills = 1 + random(3);
      for (let kill = 0; kill < kills; kill += 1) {
        const instant: Instant =
          random(4) === 0
            ? { kind: 'delay', delayMs: random(3_000) }
            : (reference.instants[random(reference.instants.length)] as Instant);
        story.push(JSON.stringify(instant));
        await killedLife(place, instant);
      }
      await wholeLife(place);
      return finalState(place);
    });
    const different = Object.keys(reference.state).filter(
      (key) => !isDeepStrictEqual(state[key], reference.state[key]),
    );
    const words = different.map(
      (key) =>
        `${key} is ${JSON.stringify(state[key])}\nundisturbed: ${JSON.stringify(reference.state[key])}`,
    );
    if (words.length > 0) throw new Error(words.join('\n'));
  } catch (error) {
    const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
    throw new Error(`${story.join(', ')}: ${again}\n${text}`);
  }
}

describe.skipIf(isLeftOut('kills of a turn that uses everything', NO_NATS))(
  'everything at once',
  () => {
    it(
      `X-05 a turn of a schedule, queued by an outage, in a skill, waiting for leave and publishing to NATS: ${String(RUNS)} runs killed at random points end as the undisturbed one`,
      async () => {
        const reference = await undisturbed();
        expect(reference.state).toMatchObject({ problems: [], waiting: [], elsewhere: [] });
        expect(reference.state['effects']).toHaveLength(11);
        const failures: string[] = [];
        let next = FIRST_SEED;
        const worker = async (): Promise<void> => {
          for (;;) {
            const seed = next;
            next += 1;
            if (seed >= FIRST_SEED + RUNS) return;
            await killedRun(seed, reference).catch((error: unknown) => {
              failures.push(error instanceof Error ? error.message : String(error));
            });
          }
        };
        await Promise.all(Array.from({ length: WORKERS }, worker));
        expect(failures.join('\n\n')).toBe('');
      },
      60_000 + RUNS * 20_000,
    );
  },
);
