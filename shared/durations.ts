import { table } from './table';

/**
 * Durations as users write them: `90s`, `30m`, `1h30m`, `every 2h`, a plain number of milliseconds.
 * Other text is rejected with a reason, never silently replaced. Source: S0-19, S0-21.
 */
const UNIT_MS = table<number>({
  ms: 1,
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 604_800_000,
});

/** Result of {@link parseDuration}: whole milliseconds, or a sentence that explains the error. */
type DurationResult =
  { readonly ok: true; readonly ms: number } | { readonly ok: false; readonly reason: string };

/** Reads a duration; the result is a whole number of ms, 0 or more, at most ten years. */
export function parseDuration(text: unknown): DurationResult {
  if (typeof text === 'number') {
    return Number.isInteger(text) && text >= 0
      ? limit(text)
      : { ok: false, reason: `${String(text)} is not a whole number of milliseconds` };
  }
  if (typeof text !== 'string') {
    return {
      ok: false,
      reason: `${typeof text} is not a duration; write for example "90s" or "1h"`,
    };
  }
  const body = text
    .trim()
    .toLowerCase()
    .replace(/^every\s+/, '');
  if (/^\d+$/.test(body)) return limit(Number(body));
  const parts = [...body.matchAll(/(\d+(?:\.\d+)?)\s*(ms|s|m|h|d|w)\s*/gy)];
  const consumed = parts.reduce((length, part) => length + part[0].length, 0);
  if (parts.length === 0 || consumed !== body.length) {
    return {
      ok: false,
      reason: `"${text.slice(0, 40)}" is not a duration; write for example "90s" or "1h"`,
    };
  }
  const ms = parts.reduce((sum, part) => sum + Number(part[1]) * (UNIT_MS[part[2] ?? ''] ?? 0), 0);
  return limit(Math.round(ms));
}

function limit(ms: number): DurationResult {
  return ms <= 10 * 365 * 86_400_000
    ? { ok: true, ms }
    : { ok: false, reason: 'longer than ten years' };
}

const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** A wait for a timer of the system, which fires at once above 24.8 days. */
export const timerMs = (ms: number): number => Math.min(ms, LONGEST_TIMER_MS);

/** "4 min 13 s", "1 h 29 min", "2 d 3 h". */
export function spanText(ms: number): string {
  const s = Math.max(1, Math.round(ms / 1000));
  const units = [
    ['d', 86_400],
    ['h', 3_600],
    ['min', 60],
    ['s', 1],
  ] as const;
  const first = units.findIndex(([, size]) => s >= size);
  const [unit, size] = units[first] ?? ['s', 1];
  const next = units[first + 1];
  const rest = next === undefined ? 0 : Math.floor((s % size) / next[1]);
  const head = `${String(Math.floor(s / size))} ${unit}`;
  return next === undefined || rest === 0 ? head : `${head} ${String(rest)} ${next[0]}`;
}
