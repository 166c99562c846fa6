/**
 * Local times of zones, by cron's rules: a skipped time is the end of its gap, a repeated one the
 * first occurrence. Pure.
 */

/** A local date and time; the month counts from 1. */
export interface WallTime {
  readonly year: number;
  readonly month: number;
  readonly day: number;
  readonly hour: number;
  readonly minute: number;
}

export interface WallDate extends WallTime {
  readonly second: number;
}

const DAY_MS = 86_400_000;
const MAX_FORMATS = 32;
const formats = new Map<string, Intl.DateTimeFormat | undefined>();

function formatOf(zone: string): Intl.DateTimeFormat | undefined {
  if (formats.has(zone)) return formats.get(zone);
  if (formats.size >= MAX_FORMATS) formats.clear();
  let format: Intl.DateTimeFormat | undefined;
  try {
    format = new Intl.DateTimeFormat('en-US', {
      timeZone: zone,
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    });
  } catch {
    // The only way in which the runtime reports an unknown zone.
  }
  formats.set(zone, format);
  return format;
}

const MAX_KNOWN = 1_000;
const known = new Map<string, boolean>();

/**
 * Each of 10,000 tasks queries, in more zones than formats are cached: only the answer is cached
 * for longer.
 */
export function isZone(zone: string): boolean {
  const before = known.get(zone);
  if (before !== undefined) return before;
  const isOne = /^[A-Za-z][A-Za-z0-9_+/-]{1,63}$/.test(zone) && formatOf(zone) !== undefined;
  if (known.size >= MAX_KNOWN) known.clear();
  known.set(zone, isOne);
  return isOne;
}

/** How far the zone is ahead of UTC at an instant. */
function offsetMs(zone: string, atMs: number): number {
  const parts = formatOf(zone)?.formatToParts(new Date(atMs)) ?? [];
  const of = (type: Intl.DateTimeFormatPartTypes): number =>
    Number(parts.find((part) => part.type === type)?.value ?? 0);
  const asUtc = Date.UTC(
    of('year'),
    of('month') - 1,
    of('day'),
    of('hour'),
    of('minute'),
    of('second'),
  );
  return asUtc - Math.floor(atMs / 1000) * 1000;
}

/** A time zone: its name, or minutes ahead of UTC. */
export type Zone = string | number;

const aheadMs = (zone: Zone, atMs: number): number =>
  typeof zone === 'number' ? zone * 60_000 : offsetMs(zone, atMs);

/** Local time of the zone at an instant. */
export function wallOf(zone: Zone, atMs: number): WallTime & { readonly second: number } {
  const shown = new Date(atMs + aheadMs(zone, atMs));
  return {
    year: shown.getUTCFullYear(),
    month: shown.getUTCMonth() + 1,
    day: shown.getUTCDate(),
    hour: shown.getUTCHours(),
    minute: shown.getUTCMinutes(),
    second: shown.getUTCSeconds(),
  };
}

/** The instant of a local time in the zone; days beyond a month carry over. */
export function instantOf(zone: Zone, wall: WallTime): number {
  const asUtc = Date.UTC(wall.year, wall.month - 1, wall.day, wall.hour, wall.minute);
  const early = asUtc - aheadMs(zone, asUtc - DAY_MS);
  const late = asUtc - aheadMs(zone, asUtc + DAY_MS);
  for (const atMs of [early, late].toSorted((a, b) => a - b))
    if (atMs + aheadMs(zone, atMs) === asUtc) return atMs;
  // In a gap: the instant at which the clock is set forward.
  let [low, high] = [Math.min(early, late), Math.max(early, late)];
  while (high - low > 1_000) {
    const middle = Math.floor((low + high) / 2);
    if (middle + aheadMs(zone, middle) < asUtc) low = middle;
    else high = middle;
  }
  return Math.ceil(high / 60_000) * 60_000;
}
