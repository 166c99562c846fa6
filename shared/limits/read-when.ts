import type { WallTime, Zone } from './zone-time';

/** When a limit ends, as a sentence or an agent's data says it: no clock is needed to read it. */
export type LimitReset =
  | { readonly atMs: number }
  | { readonly inMs: number }
  /** On a wall clock, of the zone that is named or else of this computer. */
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

const MONTHS = 'jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec';
const WEEKDAYS = 'sun|mon|tue|wed|thu|fri|sat';
const YEAR_MS = 366 * 86_400_000;
/** Minutes ahead of UTC of the abbreviations that mean one zone only. */
const ABBREVIATIONS: Readonly<Record<string, number>> = {
  utc: 0,
  gmt: 0,
  z: 0,
  pst: -480,
  pdt: -420,
  mst: -420,
  mdt: -360,
  cst: -360,
  cdt: -300,
  est: -300,
  edt: -240,
  cet: 60,
  cest: 120,
  jst: 540,
  kst: 540,
  aest: 600,
  aedt: 660,
};

/** Words that come right before the time. */
const LEAD =
  /\b(?:resets?|reset(?:ting)?|(?:try|retry|retrying|available|continu\w+|resum\w+|back|renews?|restart\w*)(?: again| automatically| using (?:this|the) model)?)\b[\s:]*(?:at|on|in|after|by|~|[\s:])*/gi;
const UNITS: readonly (readonly [RegExp, number])[] = [
  [/(\d+(?:\.\d+)?)\s*(?:d|days?)(?![a-z])/i, 86_400_000],
  [/(\d+(?:\.\d+)?)\s*(?:h|hrs?|hours?)(?![a-z])/i, 3_600_000],
  [/(\d+(?:\.\d+)?)\s*(?:m|mins?|minutes?)(?![a-z])/i, 60_000],
  [/(\d+(?:\.\d+)?)\s*(?:s|secs?|seconds?)(?![a-z])/i, 1_000],
  [/(\d+(?:\.\d+)?)\s*(?:ms|milliseconds?)(?![a-z])/i, 1],
];
const SPAN =
  /^(?:(?:about|approximately|approx\.?|around|another|less than|~)\s*)*(?:an? |(?:\d+(?:\.\d+)?)\s*(?:d|days?|h|hrs?|hours?|m|mins?|minutes?|s|secs?|seconds?|ms|milliseconds?)(?![a-z]))/i;

/** `…|1760000000`: seconds since the epoch, or milliseconds. */
const EPOCH = /\|\s*(\d{10}(?:\d{3})?)\b/;
const ISO = /\b\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:?\d{2})?/i;

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
  for (const lead of text.matchAll(LEAD)) {
    const rest = clauseOf(text.slice(lead.index + lead[0].length));
    const found = readSpan(rest) ?? readInstant(rest) ?? readWall(rest);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Up to the end of its sentence, so that no other number is taken for the time. */
function clauseOf(text: string): string {
  const line = text.slice(0, 160).split(/[\n\r;]|\s\/[a-z]|\s·|\s∙|\s\|/i)[0] ?? '';
  const end = /[.!?]\s+(?=[A-Z])/g;
  for (const stop of line.matchAll(end)) {
    const before = line.slice(0, stop.index);
    if (!new RegExp(`\\b(?:${MONTHS}|${WEEKDAYS}|a\\.m|p\\.m)$`, 'i').test(before)) return before;
  }
  return line;
}

function readSpan(text: string): LimitReset | undefined {
  if (!SPAN.test(text)) return undefined;
  const words = text.replace(/\ban? (?=minute|hour|day|second)/gi, '1 ');
  let rest = words.replaceAll(/(?<=\d)[\s,]*(?:and\s+)?(?=[a-z])/gi, '');
  let inMs = 0;
  for (const [unit, unitMs] of UNITS) {
    const found = unit.exec(rest);
    if (found?.[1] === undefined) continue;
    inMs += Number(found[1]) * unitMs;
    rest = rest.slice(0, found.index) + rest.slice(found.index + found[0].length);
  }
  return spanReset(inMs);
}

function readInstant(text: string): LimitReset | undefined {
  const found = ISO.exec(text)?.[0];
  if (found === undefined || !/(?:Z|[+-]\d{2}:?\d{2})$/i.test(found)) return undefined;
  const atMs = Date.parse(found.toUpperCase());
  return Number.isFinite(atMs) ? { atMs } : undefined;
}

function readWall(text: string): LimitReset | undefined {
  const date = readDate(text);
  const weekday = new RegExp(`\\b(${WEEKDAYS})[a-z]*\\b`, 'i').exec(text)?.[1]?.toLowerCase();
  const inDays = /\btomorrow\b/i.test(text) ? 1 : /\btoday\b/i.test(text) ? 0 : undefined;
  const time = readTime(text);
  if (date === undefined && weekday === undefined && inDays === undefined && time === undefined)
    return undefined;
  const zone = readZone(text);
  return {
    wall: {
      ...(date === undefined ? {} : { date }),
      ...(weekday === undefined || date !== undefined
        ? {}
        : { weekday: WEEKDAYS.split('|').indexOf(weekday) }),
      ...(inDays === undefined ? {} : { inDays }),
      ...(time === undefined ? {} : { time }),
      ...(zone === undefined ? {} : { zone }),
    },
  };
}

function readDate(text: string): { year?: number; month: number; day: number } | undefined {
  const iso = /\b(\d{4})-(\d{2})-(\d{2})\b/.exec(text);
  if (iso !== null) return dateOf(Number(iso[2]), Number(iso[3]), Number(iso[1]));
  const year = Number(/\b(20\d{2})\b(?!:)/.exec(text)?.[1] ?? Number.NaN);
  const dated = new RegExp(
    `\\b(${MONTHS})[a-z]*\\.?\\s+(\\d{1,2})(?:st|nd|rd|th)?(?![\\d:]|\\s*[ap]\\.?m)`,
    'i',
  ).exec(text);
  const reversed = new RegExp(
    `\\b(\\d{1,2})(?:st|nd|rd|th)?\\s+(?:de\\s+|of\\s+)?(${MONTHS})[a-z]*\\b`,
    'i',
  ).exec(text);
  const found =
    dated === null
      ? { month: reversed?.[2], day: reversed?.[1] }
      : { month: dated[1], day: dated[2] };
  if (found.month === undefined || found.day === undefined) return undefined;
  return dateOf(
    MONTHS.split('|').indexOf(found.month.toLowerCase()) + 1,
    Number(found.day),
    Number.isNaN(year) ? undefined : year,
  );
}

function dateOf(
  month: number,
  day: number,
  year: number | undefined,
): { year?: number; month: number; day: number } | undefined {
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

/** The zone as it is named; a name that nobody knows is left to the reader of the clock. */
function readZone(text: string): Zone | undefined {
  const ahead = /\b(?:UTC|GMT)\s*([+-])\s*(\d{1,2})(?::?(\d{2}))?\b/i.exec(text);
  if (ahead !== null) {
    const minutes = Number(ahead[2]) * 60 + Number(ahead[3] ?? 0);
    return ahead[1] === '-' ? -minutes : minutes;
  }
  const named = /\b[A-Z][A-Za-z_]+\/[A-Za-z_+-]+(?:\/[A-Za-z_+-]+)?/.exec(text)?.[0];
  if (named !== undefined) return named;
  const short = /\b([A-Z]{3,4}|Z)\b(?![a-z])/.exec(text.replaceAll(/\b[AP]\.?M\b/g, ''))?.[1];
  return short === undefined ? undefined : ABBREVIATIONS[short.toLowerCase()];
}
