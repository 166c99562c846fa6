import { table } from '../table';
import { isZone, type WallTime, type Zone } from './zone-time';

/** When a limit ends, as written in a sentence or an agent's data: reading it needs no clock. */
export type LimitReset =
  | { readonly atMs: number }
  | { readonly inMs: number }
  /** Local time, in the named zone or that of this computer. */
  | {
      readonly wall: {
        readonly date?: { readonly year?: number; readonly month: number; readonly day: number };
        /** 0 is Sunday. */
        readonly weekday?: number;
        /** Days from today. */
        readonly inDays?: number;
        readonly time?: Pick<WallTime, 'hour' | 'minute'>;
        readonly zone?: Zone;
      };
    };

/** Whole words only: "month" is not Monday. The first three letters decide. */
const MONTHS =
  'jan(?:uary)?|feb(?:ruary)?|mar(?:ch|zo)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember|i?embre)?|oct(?:ober|[uo]bre)?|nov(?:ember|i?embre)?|dec(?:ember)?';
const WEEKDAYS =
  'sun(?:day)?|mon(?:day)?|tue(?:s(?:day)?)?|wed(?:nesday)?|thu(?:r(?:s(?:day)?)?)?|fri(?:day)?|sat(?:urday)?';
const MONTH_NAMES = 'jan feb mar apr may jun jul aug sep oct nov dec'.split(' ');
const DAY_NAMES = 'sun mon tue wed thu fri sat'.split(' ');
const YEAR_MS = 366 * 86_400_000;
/** Zone abbreviations with a single meaning: minutes ahead of UTC, or the zone's name. */
const ABBREVIATIONS = table<Zone>({
  UTC: 0,
  GMT: 0,
  Z: 0,
  PT: 'America/Los_Angeles',
  MT: 'America/Denver',
  CT: 'America/Chicago',
  ET: 'America/New_York',
  PST: -480,
  PDT: -420,
  MST: -420,
  MDT: -360,
  CST: -360,
  CDT: -300,
  EST: -300,
  EDT: -240,
  CET: 60,
  CEST: 120,
  JST: 540,
  KST: 540,
  AEST: 600,
  AEDT: 660,
});

/** Words that directly precede the time. */
const LEAD =
  /\b(?:(?:resets?|retry)[-_]?at|resets?|resett?ing|(?:try|retry|retrying|available|continu\w+|resum\w+|back|renew\w*|refresh\w*|lifted|regain access|restart\w*|wait)(?: again| automatically| using (?:this|the) model)?)\b["'\s:=]*(?:(?:at|on|in|after|by|until|till|for|within)\b|["'\s:=~])*/gi;

/** From the longest to the shortest: a span names its parts in this order. */
const UNITS: readonly (readonly [RegExp, number])[] = [
  [/^(?:w|wks?|weeks?)$/i, 7 * 86_400_000],
  [/^(?:d|days?)$/i, 86_400_000],
  [/^(?:h|hrs?|hours?)$/i, 3_600_000],
  [/^(?:m|mins?|minutes?)$/i, 60_000],
  [/^(?:s|secs?|seconds?)$/i, 1_000],
  [/^(?:ms|milliseconds?|millis)$/i, 1],
];
const NUMBER_WORDS = 'zero one two three four five six seven eight nine ten eleven twelve'.split(
  ' ',
);
const HEDGE =
  /^(?:(?:about|approximately|approx\.?|around|roughly|another|at least|less than|up to|the next|~)\s*)+/i;
const PART = new RegExp(
  `^(\\d{1,3}(?:,\\d{3})+(?:\\.\\d+)?|\\d+(?:[.,]\\d+)?|half an?\\b|an?\\b|(?:${NUMBER_WORDS.join('|')})\\b)\\s*([a-z]+)(?![a-z])\\.?`,
  'i',
);
const BETWEEN = /^[\s,]*(?:and\s+)?/i;
/** `2:14` or `2:14:00`; no time of day follows it. */
const COUNTDOWN = /^(\d{1,3}):([0-5]\d)(?::([0-5]\d))?(?![\d:]|\s*[ap]\.?\s?m\b)/i;

/** `…|1760000000`: seconds since the epoch, or milliseconds. */
const EPOCH = /\|\s*(\d{10}(?:\d{3})?)\b/;
const EPOCH_FIRST =
  /^(?:(?:the|unix|epoch|timestamp|time)[\s:=]*)*(\d{10}(?:\d{3})?)(?:\.\d+)?(?![\d:]|\s*(?:m?s|sec\w*|milli\w*)\b)/i;
const ISO =
  /(?<!\d)(\d{4}-\d{2}-\d{2})[T ](\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?) ?(?:(Z)(?![a-z])|([+-]\d{2}):?(\d{2})?(?!\d))/i;
/** A day in another calendar, or in an unsupported form. */
const VAGUE =
  /^\d+ (?:month|year)|\b(?:next|coming|following|each|every|(?:first|1st|start|beginning|end|last)(?: day)? of(?: the| your| each| every)?) (?:(?:calendar|billing) )?(?:week|month|year|cycle|period)\b|(?:^|\bthe )\d{1,2}(?:st|nd|rd|th)\b|(?<!\d)20[2-9]\d(?!\d|:|\s*(?:requests|tokens|messages|credits)\b)/i;

export function epochReset(epoch: number): LimitReset | undefined {
  if (epoch >= 1e9 && epoch < 1e10) return { atMs: epoch * 1_000 };
  return epoch >= 1e12 && epoch < 1e13 ? { atMs: epoch } : undefined;
}

export const spanReset = (inMs: number): LimitReset | undefined =>
  inMs > 0 && inMs <= YEAR_MS ? { inMs: Math.ceil(inMs) } : undefined;

/** When it ends; undefined if the text names no time. Pure. LM-02 */
export function readWhen(text: string): LimitReset | undefined {
  const epoch = EPOCH.exec(text)?.[1];
  if (epoch !== undefined) return epochReset(Number(epoch));
  let day: { readonly resets: LimitReset; readonly endsAt: number } | undefined;
  for (const lead of text.matchAll(LEAD)) {
    if (day !== undefined && lead.index >= day.endsAt) break;
    const from = lead.index + lead[0].length;
    const rest = clauseOf(text.slice(from));
    const resets = readTold(rest, /\b(?:in|within|wait)[\s~]*$/i.test(lead[0]));
    if (resets === undefined) continue;
    // "at 10/9/2026 or try again in 2h 13m": the rest of the clause may be more exact than a day.
    if (!('wall' in resets) || resets.wall.time !== undefined) return resets;
    day ??= { resets, endsAt: from + rest.length };
  }
  return day?.resets;
}

const readTold = (text: string, isCountdown: boolean): LimitReset | undefined =>
  readSpan(text, isCountdown) ?? readInstant(text) ?? readWall(text);

/** Up to the end of its sentence, so that no other number is mistaken for the time. */
function clauseOf(text: string): string {
  const line = text.slice(0, 160).split(/[\n\r;]|\s\/[a-z]|\s·|\s∙|\s\|/i)[0] ?? '';
  const end = /[.!?]\s+(?=[A-Z])/g;
  for (const stop of line.matchAll(end)) {
    const before = line.slice(0, stop.index);
    if (!new RegExp(`\\b(?:${MONTHS}|${WEEKDAYS}|a\\.m|p\\.m)$`, 'i').test(before)) return before;
  }
  return line;
}

/** The parts at the start of the text, each with a smaller unit than the previous one. */
function readSpan(text: string, isCountdown: boolean): LimitReset | undefined {
  let rest = text.replace(HEDGE, '');
  let inMs = 0;
  let last = -1;
  for (let part = PART.exec(rest); part !== null; part = PART.exec(rest)) {
    const unit = UNITS.findIndex(([name]) => name.test(part?.[2] ?? ''));
    if (unit <= last) break;
    inMs += numberOf(part[1] ?? '') * (UNITS[unit]?.[1] ?? Number.NaN);
    last = unit;
    rest = rest.slice(part[0].length);
    // "1h30": the unit of the second number is left out.
    const bare = /^(\d{1,2})(?![\d:.a-z])/i.exec(rest)?.[1];
    if (bare !== undefined) return spanReset(inMs + Number(bare) * (UNITS[unit + 1]?.[1] ?? 0));
    rest = rest.replace(BETWEEN, '');
  }
  const isAfterDays = last === 0 || last === 1;
  const [found, hours, minutes, seconds = '0'] =
    isAfterDays || (isCountdown && last < 0) ? (COUNTDOWN.exec(rest) ?? []) : [];
  // "45:00" may also mean minutes and seconds.
  if (found !== undefined && (Number(hours) < 24 || /:.*:/.test(found)))
    inMs += (Number(hours) * 3_600 + Number(minutes) * 60 + Number(seconds)) * 1_000;
  return spanReset(inMs);
}

function numberOf(text: string): number {
  const word = text.toLowerCase();
  if (/^\d/.test(word)) return Number(word.replaceAll(/,(?=\d{3}(?!\d))/g, '').replace(',', '.'));
  if (word.startsWith('half')) return 0.5;
  return Math.max(1, NUMBER_WORDS.indexOf(word));
}

function readInstant(text: string): LimitReset | undefined {
  const epoch = EPOCH_FIRST.exec(text)?.[1];
  if (epoch !== undefined) return epochReset(Number(epoch));
  const [found, date, time, isUtc, hours, minutes = '00'] = ISO.exec(text) ?? [];
  if (found === undefined) return undefined;
  const atMs = Date.parse(
    `${date ?? ''}T${time ?? ''}${isUtc === undefined ? `${hours ?? ''}:${minutes}` : 'Z'}`,
  );
  return Number.isFinite(atMs) ? { atMs } : undefined;
}

function readWall(text: string): LimitReset | undefined {
  const date = readDate(text);
  const weekday = new RegExp(`\\b(?:${WEEKDAYS})\\b`, 'i').exec(text)?.[0];
  const inDays = /\btomorrow\b/i.test(text) ? 1 : /\btoday\b/i.test(text) ? 0 : undefined;
  const time = readTime(text);
  const hasDay = date !== undefined || weekday !== undefined || inDays !== undefined;
  // Its time of day alone would belong to another day.
  if (!hasDay && (time === undefined || VAGUE.test(text))) return undefined;
  const zone = readZone(text);
  return {
    wall: {
      ...(date === undefined ? {} : { date }),
      ...(weekday === undefined || date !== undefined
        ? {}
        : { weekday: DAY_NAMES.indexOf(weekday.slice(0, 3).toLowerCase()) }),
      ...(inDays === undefined ? {} : { inDays }),
      ...(time === undefined ? {} : { time }),
      ...(zone === undefined ? {} : { zone }),
    },
  };
}

type CalendarDay = { year?: number; month: number; day: number };

/** Supported forms of a day; the first match counts, and its groups are named like their parts. */
const DATES: readonly RegExp[] = [
  /(?<!\d)(?<year>\d{4})[-/](?<month>\d{1,2})[-/](?<day>\d{1,2})(?!\d)/,
  /(?<![\d/])(?<month>\d{1,2})\/(?<day>\d{1,2})\/(?<year>\d{4}|\d{2})(?![\d/])/,
  /^(?<month>\d{1,2})\/(?<day>\d{1,2})(?=[\s,.)]*(?:$|at\b|or\b|(?<![\d/])[\d(]))/,
  /(?<![\d.])(?<day>\d{1,2})\.(?<month>\d{1,2})\.(?<year>\d{4})(?!\d)/,
  new RegExp(
    `\\b(?<month>${MONTHS})\\.?\\s+(?<day>\\d{1,2})(?:st|nd|rd|th)?(?![\\d:]|\\s*[ap]\\.?m)(?:,?\\s+(?<year>20\\d{2})(?![\\d:]))?`,
    'i',
  ),
  new RegExp(
    `\\b(?<day>\\d{1,2})(?:st|nd|rd|th)?[\\s-]+(?:de\\s+|of\\s+)?(?<month>${MONTHS})\\b(?:\\.?,?[\\s-]+(?:de\\s+)?(?<year>20\\d{2})(?![\\d:]))?`,
    'i',
  ),
];

function readDate(text: string): CalendarDay | undefined {
  for (const form of DATES) {
    const { year, month, day } = form.exec(text)?.groups ?? {};
    if (month === undefined || day === undefined) continue;
    const inYear = year === undefined ? undefined : Number(year) + (year.length === 2 ? 2_000 : 0);
    const named = MONTH_NAMES.indexOf(month.slice(0, 3).toLowerCase()) + 1;
    const [first, second] = [named === 0 ? Number(month) : named, Number(day)];
    // 29/10: only one of the two can be the month.
    return first > 12 ? dateOf(second, first, inYear) : dateOf(first, second, inYear);
  }
  return undefined;
}

function dateOf(month: number, day: number, year: number | undefined): CalendarDay | undefined {
  const isOne = month >= 1 && month <= 12 && day >= 1 && day <= 31;
  return isOne ? { month, day, ...(year === undefined ? {} : { year }) } : undefined;
}

function readTime(text: string): { hour: number; minute: number } | undefined {
  const twelve = /\b(\d{1,2})(?::(\d{2}))?(?::\d{2})?\s*([ap])\.?\s?m\b/i.exec(text);
  if (twelve !== null) {
    const hour = Number(twelve[1]);
    if (hour < 1 || hour > 12) return undefined;
    const isAfternoon = twelve[3]?.toLowerCase() === 'p';
    return timeOf((hour % 12) + (isAfternoon ? 12 : 0), Number(twelve[2] ?? 0));
  }
  const full = /(?<![\d:+-])(\d{1,2}):(\d{2})(?::\d{2})?(?![\d:])/.exec(text);
  if (full !== null) return timeOf(Number(full[1]), Number(full[2]));
  if (/\bnoon\b/i.test(text)) return { hour: 12, minute: 0 };
  return /\bmidnight\b/i.test(text) ? { hour: 0, minute: 0 } : undefined;
}

const timeOf = (hour: number, minute: number): { hour: number; minute: number } | undefined =>
  hour <= 23 && minute <= 59 ? { hour, minute } : undefined;

/** The zone as named: the sign of `Etc/GMT+5` is reversed. */
function readZone(text: string): Zone | undefined {
  const names = text.match(/\b[a-z][a-z_]+(?:\/[a-z0-9_+-]+){1,2}/gi) ?? [];
  const named = names.find(isZone);
  if (named !== undefined) return named;
  const [, sign, hours, minutes = '0'] =
    /\b(?:UTC|GMT)\s*([+-])\s*(\d{1,2})(?::?(\d{2}))?\b/i.exec(text) ??
    /:\d{2}(?:\s*[ap]m)?(?=\s|\+)\s*([+-])(\d{2}):?(\d{2})\b/i.exec(text) ??
    [];
  const ahead = Number(hours) * 60 + Number(minutes);
  if (ahead <= 14 * 60) return sign === '-' ? -ahead : ahead;
  const inWords =
    /(?<!\baustralian )\b([pmce])(?:acific|ountain|entral|astern)(?:(?: (?:standard|daylight))? time\b|(?<=(?:\d|[ap]\.?m\.?|noon|midnight) \w+)(?! \w+ time))/i;
  const short = text
    .replaceAll(/\b(?:utc|gmt)\b/gi, 'UTC')
    .replace(inWords, (_words, first: string) => `${first.toUpperCase()}T`)
    .match(/\b[A-Z]{1,4}\b/g)
    ?.find((name) => Object.hasOwn(ABBREVIATIONS, name));
  return short === undefined ? undefined : ABBREVIATIONS[short];
}
