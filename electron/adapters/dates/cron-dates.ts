import { Cron } from 'croner';
import type { WallDate } from '../../../shared/limits/zone-time';
import { dropOldest } from '../../engine/kernel/drop-oldest';
import type { CronDates } from '../../ports/dates';
import { isZone, wallOf } from '../../../shared/limits/zone-time';

/** Live objects take up to 85 KB each: a few are cached, others are created again. */
const MAX_OBJECTS = 64;
/** Many tasks share an expression and an instant, so answers are cached. */
const MAX_ANSWERS = 5_000;

/** Keeps the `limit` most recently used entries. */
class Recent<V> {
  readonly #entries = new Map<string, V>();
  readonly #limit: number;
  constructor(limit: number) {
    this.#limit = limit;
  }
  get(key: string, make: () => V): V {
    const known = this.#entries.get(key);
    if (known !== undefined || this.#entries.has(key)) {
      this.#entries.delete(key);
      this.#entries.set(key, known as V);
      return known as V;
    }
    const made = make();
    this.#entries.set(key, made);
    dropOldest(this.#entries, this.#limit);
    return made;
  }
}

/** Dates by croner. Load this module only when the first cron expression needs a date. */
export function createCronDates(): CronDates {
  const jobs = new Recent<Cron>(MAX_OBJECTS);
  const answers = new Recent<number | undefined>(MAX_ANSWERS);
  const job = (cron: string, zone: string): Cron =>
    jobs.get(
      `${zone} ${cron}`,
      () => new Cron(cron, { timezone: zone, paused: true, mode: '5-or-6-parts' }),
    );
  const next = (cron: string, zone: string, afterMs: number): number | undefined =>
    answers.get(`> ${String(afterMs)} ${zone} ${cron}`, () =>
      job(cron, zone).nextRun(new Date(afterMs))?.getTime(),
    );
  const countRuns = (
    cron: string,
    zone: string,
    { afterMs, toMs, most }: { afterMs: number; toMs: number; most: number },
  ): number => {
    let count = 0;
    for (let at = afterMs; at < toMs && count < most; count += 1) {
      const found = next(cron, zone, at);
      if (found === undefined || found > toMs) break;
      at = found;
    }
    return count;
  };
  return {
    next,
    count: (cron, zone, span) =>
      answers.get(
        `# ${String(span.afterMs)} ${String(span.toMs)} ${String(span.most)} ${zone} ${cron}`,
        () => countRuns(cron, zone, span),
      ) ?? 0,
    isZone,
    previous: (cron, zone, beforeMs) =>
      answers.get(`< ${String(beforeMs)} ${zone} ${cron}`, () =>
        job(cron, zone).previousRuns(1, new Date(beforeMs))[0]?.getTime(),
      ),
    wallOf,
    instantOf,
  };
}

/**
 * As a cron expression for that one date, so that skipped and repeated hours follow the same rule.
 */
function instantOf(zone: string, wall: WallDate): number | undefined {
  const { year, month, day, hour, minute, second } = wall;
  const pattern = [second, minute, hour, day, month, '*', year].join(' ');
  const once = new Cron(pattern, { timezone: zone, paused: true, mode: '7-part' });
  // Two days earlier in UTC is earlier in every zone.
  const before = new Date(Date.UTC(year, month - 1, day) - 2 * 86_400_000);
  return once.nextRun(before)?.getTime();
}
