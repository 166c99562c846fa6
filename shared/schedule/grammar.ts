import type { WallDate } from '../limits/zone-time';
import { parseCron, type CronExpression } from './cron-fields';
import { refuse, type Refusal } from './refusal';
import { DEFAULT_DEBOUNCE_MS, parseTrigger, type Trigger } from './trigger';

/** Ten centuries of nothing would be a slip: 100 years is the longest interval and delay. */
const MAX_MS = 100 * 365.25 * 86_400_000;
/** The smallest interval for users; agents have a larger one. */
const SMALLEST_MS = 1_000;
const MAX_CHARS = 200;

/** Meaning of a text, before it is bound to an instant and a zone. */
export type ParsedSchedule =
  | { readonly ok: true; readonly kind: 'interval'; readonly ms: number }
  | { readonly ok: true; readonly kind: 'once'; readonly ms: number }
  | { readonly ok: true; readonly kind: 'once'; readonly atMs: number }
  /** The task's zone determines the instant. */
  | { readonly ok: true; readonly kind: 'once'; readonly wall: WallDate }
  /** Once a day at the time of day of its creation. */
  | { readonly ok: true; readonly kind: 'daily' }
  | { readonly ok: true; readonly kind: 'daily'; readonly cron: string }
  | { readonly ok: true; readonly kind: 'cron'; readonly cron: string }
  /** Not by time. */
  | {
      readonly ok: true;
      readonly kind: 'event';
      readonly trigger: Trigger;
      readonly debounceMs: number;
    };

const ACCEPTED =
  'use for example "every 5m", "in 30m", "daily at 09:00", "0 9 * * 1-5" or "2027-06-01T09:00".';

const UNITS = new Map<string, number>(
  (
    [
      [1_000, 's sec secs second seconds'],
      [60_000, 'm min mins minute minutes'],
      [3_600_000, 'h hr hrs hour hours'],
      [86_400_000, 'd day days'],
      [604_800_000, 'w week weeks'],
    ] as const
  ).flatMap(([ms, names]) => names.split(' ').map((name) => [name, ms] as const)),
);

const NICKNAMES = new Map([
  ['@hourly', '0 * * * *'],
  ['@daily', '0 0 * * *'],
  ['@midnight', '0 0 * * *'],
  ['@weekly', '0 0 * * 0'],
  ['@monthly', '0 0 1 * *'],
  ['@yearly', '0 0 1 1 *'],
  ['@annually', '0 0 1 1 *'],
]);

const DAYS = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'];
/** Number of a weekday by its name or its first three letters; -1 for anything else. */
const dayOf = (word: string): number =>
  DAYS.findIndex((day) => day === word || day.slice(0, 3) === word);

/**
 * Parses a schedule as users and agents write it. Never throws, bounded time, same answer for the
 * same text; an unknown form is rejected with the input and the accepted forms, never guessed.
 * Source: S1-06..S1-10, S0-35.
 */
export function parseSchedule(input: unknown): ParsedSchedule | Refusal {
  if (typeof input !== 'string') return refuse('not_string', input, `give a text; ${ACCEPTED}`);
  if (input.length > MAX_CHARS)
    return /^\s*(every|in)\s+-?\d{16}/i.test(input.slice(0, MAX_CHARS))
      ? tooLarge(input)
      : refuse('too_long', input, `it is longer than ${String(MAX_CHARS)} characters; ${ACCEPTED}`);
  const text = input.trim();
  if (text === '') return refuse('empty', input, ACCEPTED);
  if (/[^\x20-\x7e\t\r\n]/.test(input))
    return refuse('non_ascii', input, `it has a character outside plain ASCII; ${ACCEPTED}`);
  if (/[\r\n]/.test(text))
    return refuse('trailing', input, `it has more than one line; ${ACCEPTED}`);
  const words = text.toLowerCase().split(/[ \t]+/);
  const first = words[0] ?? '';
  const rest = words.slice(1);
  if (first === 'every') return every(input, rest);
  if (first === 'in') return delay(input, rest);
  if (first === 'on') return onEvent(input, text.slice(2).trim());
  if (first === 'hourly' && rest.length === 0) return { ok: true, kind: 'interval', ms: 3_600_000 };
  if (first === 'daily' || first === 'weekdays' || first === 'weekly')
    return dayForm(input, first, rest);
  if (first === 'monthly')
    return refuse('syntax', input, 'a month has no fixed length; write "0 0 1 * *" for its first.');
  const nickname = rest.length === 0 ? NICKNAMES.get(first) : undefined;
  if (nickname !== undefined) return { ok: true, kind: 'cron', cron: nickname };
  const instant = readInstant(input, first === 'at' ? text.slice(2).trim() : text);
  if (instant !== undefined) return instant;
  return looksLikeCron(words) ? fromCron(parseCron(input, text.split(/[ \t]+/))) : syntax(input);
}

const syntax = (input: string): Refusal => refuse('syntax', input, ACCEPTED);
const tooLarge = (input: string): Refusal =>
  refuse('too_large', input, 'it is longer than 100 years; the longest is 100 years.');

/** Two or more words made only of cron characters. */
function looksLikeCron(words: readonly string[]): boolean {
  if (words.length < 2) return false;
  return words.length >= 5 || /^[*?\d]/.test(words[0] ?? '');
}

function fromCron(parsed: Refusal | CronExpression): ParsedSchedule | Refusal {
  return parsed.ok ? { ok: true, kind: 'cron', cron: parsed.cron } : parsed;
}

function every(input: string, words: readonly string[]): ParsedSchedule | Refusal {
  const [first, second] = words;
  if (first === undefined)
    return refuse('incomplete', input, 'specify how often, for example "every 5m".');
  if (first === 'day') return dayForm(input, 'daily', words.slice(1));
  if (first === 'weekday') return dayForm(input, 'weekdays', words.slice(1));
  if (dayOf(first) >= 0) return dayForm(input, 'weekly', ['on', ...words]);
  const alone = UNITS.get(first);
  if (alone !== undefined && second === undefined && first.length > 1)
    return { ok: true, kind: 'interval', ms: alone };
  const parsed = lengthOf(input, words.join(' '), 'every 5m');
  return typeof parsed === 'number' ? { ok: true, kind: 'interval', ms: parsed } : parsed;
}

function onEvent(input: string, text: string): ParsedSchedule | Refusal {
  const parsed = parseTrigger(input, text);
  if (!parsed.ok) return parsed;
  const { trigger, debounce } = parsed;
  const debounceMs =
    debounce === undefined ? DEFAULT_DEBOUNCE_MS : lengthOf(input, debounce, 'debounce 1m');
  return typeof debounceMs === 'number'
    ? { ok: true, kind: 'event', trigger, debounceMs }
    : debounceMs;
}

function delay(input: string, words: readonly string[]): ParsedSchedule | Refusal {
  if (words.length === 0)
    return refuse('incomplete', input, 'specify after how long, for example "in 30m".');
  const parsed = lengthOf(input, words.join(' '), 'in 30m');
  return typeof parsed === 'number' ? { ok: true, kind: 'once', ms: parsed } : parsed;
}

/** `5m`, `5 min`, `1h30m`, `1.5h`: whole milliseconds, or why not. */
function lengthOf(input: string, text: string, example: string): number | Refusal {
  if (/^-/.test(text)) {
    return /^-0+(\.0+)?([^\d.]|$)/.test(text)
      ? refuse('zero', input, `the time must be above zero, for example "${example}".`)
      : refuse('negative', input, `the time must be above zero, for example "${example}".`);
  }
  if (UNITS.has(text))
    return refuse('incomplete', input, `the number is missing, for example "${example}".`);
  if (!/^\d/.test(text)) return syntax(input);
  let ms = 0;
  let at = 0;
  let smallest = Infinity;
  const part = /(\d+(?:\.\d+)?) ?([a-z_][a-z_]*)?(?: |$|(?=\d))/y;
  while (at < text.length) {
    part.lastIndex = at;
    const found = part.exec(text);
    if (found === null) return at === 0 ? badNumber(input, text) : trailing(input);
    const [whole, number = '', unit] = found;
    if (unit === undefined)
      return refuse(
        'missing_unit',
        input,
        'the unit is missing: s, m, h, d or w, as in "every 5m".',
      );
    const unitMs = UNITS.get(unit);
    if (unitMs === undefined) {
      return at === 0 || /^[\d.]+ ?[a-z_]+$/.test(text.slice(at))
        ? refuse(
            'unknown_unit',
            input,
            `"${unit.slice(0, 20)}" is not a unit; use s, m, h, d or w.`,
          )
        : trailing(input);
    }
    if (unitMs >= smallest)
      return refuse('syntax', input, 'write larger units first and each once, as in "1h30m".');
    smallest = unitMs;
    ms += Number(number) * unitMs;
    at += whole.length;
  }
  if (!(ms <= MAX_MS)) return tooLarge(input);
  if (ms === 0)
    return refuse('zero', input, `the time must be above zero, for example "${example}".`);
  if (ms < SMALLEST_MS) return refuse('too_small', input, 'the smallest is 1 second ("1s").');
  return Math.round(ms);
}

const trailing = (input: string): Refusal =>
  refuse('trailing', input, `there is unexpected text after the schedule; ${ACCEPTED}`);

function badNumber(input: string, text: string): Refusal {
  // A number with something after its unit: the unit was valid.
  return /^\d+(\.\d+)? ?[a-z]+ /.test(text) ? trailing(input) : syntax(input);
}

/** `daily`, `daily at 9`, `weekdays at 09:00`, `weekly on monday at 9am`. */
function dayForm(
  input: string,
  form: 'daily' | 'weekdays' | 'weekly',
  words: readonly string[],
): ParsedSchedule | Refusal {
  let rest = [...words];
  let days = form === 'weekdays' ? '1-5' : '*';
  if (form === 'weekly') {
    if (rest.length === 0) return { ok: true, kind: 'interval', ms: 604_800_000 };
    const day = dayOf(rest[1] ?? '');
    if (rest[0] !== 'on' || day < 0)
      return refuse('syntax', input, 'write for example "weekly on monday at 09:00".');
    days = String(day);
    rest = rest.slice(2);
  }
  if (rest.length === 0) {
    if (form === 'daily') return { ok: true, kind: 'daily' };
    return withoutTime(input, form);
  }
  if (rest[0] !== 'at') return trailing(input);
  if (rest.length === 1) return withoutTime(input, form);
  const time = readTime(rest.slice(1).join(''));
  if (time === undefined)
    return refuse('out_of_range', input, 'the time of day is between 00:00 and 23:59 ("09:00").');
  const cron = `${String(time.minute)} ${String(time.hour)} * * ${days}`;
  return form === 'daily' ? { ok: true, kind: 'daily', cron } : { ok: true, kind: 'cron', cron };
}

function withoutTime(input: string, form: 'daily' | 'weekdays' | 'weekly'): Refusal {
  const example = form === 'weekly' ? 'weekly on monday' : form;
  return refuse('incomplete', input, `specify the time, for example "${example} at 09:00".`);
}

function readTime(text: string): { readonly hour: number; readonly minute: number } | undefined {
  const found = /^(\d{1,2})(?::(\d{2}))?(am|pm)?$/.exec(text);
  if (found === null) return undefined;
  const [, hours = '', minutes = '0', half] = found;
  let hour = Number(hours);
  const minute = Number(minutes);
  if (half !== undefined) {
    if (hour < 1 || hour > 12) return undefined;
    hour = (hour % 12) + (half === 'pm' ? 12 : 0);
  }
  return hour <= 23 && minute <= 59 ? { hour, minute } : undefined;
}

const INSTANT =
  /^(\d{4})-(\d{2})-(\d{2})(?:[t ](\d{2}):(\d{2})(?::(\d{2})(?:\.(\d{1,3}))?)?(z|[+-]\d{2}:?\d{2})?)?$/i;

/** An ISO date and time, with or without an offset; undefined if the text is not one. */
function readInstant(input: string, text: string): ParsedSchedule | Refusal | undefined {
  const found = INSTANT.exec(text);
  if (found === null) return undefined;
  const [, year, month, day, hour, minute, second = '0', , offset] = found;
  if (hour === undefined || minute === undefined)
    return refuse('incomplete', input, 'the time of day is missing, as in "2027-06-01T09:00".');
  const wall: WallDate = {
    year: Number(year),
    month: Number(month),
    day: Number(day),
    hour: Number(hour),
    minute: Number(minute),
    second: Number(second),
  };
  const asUtc = Date.UTC(wall.year, wall.month - 1, wall.day, wall.hour, wall.minute, wall.second);
  const offsetMs = offsetOf(offset ?? 'z');
  const isReal =
    new Date(asUtc).getUTCDate() === wall.day &&
    wall.month >= 1 &&
    wall.month <= 12 &&
    wall.hour <= 23 &&
    wall.minute <= 59 &&
    wall.second <= 59 &&
    Math.abs(offsetMs) <= LARGEST_OFFSET_MS;
  if (!isReal)
    return refuse(
      'out_of_range',
      input,
      'this date or time does not exist; write it as in "2027-06-01T09:00".',
    );
  return {
    ok: true,
    kind: 'once',
    ...(offset === undefined ? { wall } : { atMs: asUtc - offsetMs }),
  };
}

/** No zone has ever been further from UTC. */
const LARGEST_OFFSET_MS = 16 * 3_600_000;

/** `Z`, `+02:00`, `-1130` in milliseconds; minutes above 59 are not an offset: Infinity. */
function offsetOf(offset: string): number {
  if (/^z$/i.test(offset)) return 0;
  const digits = offset.replace(/\D/g, '');
  const minutes = Number(digits.slice(2));
  const ms = (Number(digits.slice(0, 2)) * 60 + minutes) * 60_000;
  return minutes > 59 ? Infinity : offset.startsWith('-') ? -ms : ms;
}
