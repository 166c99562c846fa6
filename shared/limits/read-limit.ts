/**
 * Reads the sentences with which agents and providers report that a usage limit is reached. Pure:
 * no clock inside. LM-02, LM-03
 */
import { readWhen, type LimitReset } from './read-when';
import { instantOf, isZone, wallOf, type WallTime, type Zone } from './zone-time';

/** The limit that is reached; `other` if the sentence does not say. */
export type LimitWindow = 'session' | 'weekly' | 'daily' | 'monthly' | 'model' | 'credit' | 'other';

/** A usage limit that is reached. */
export interface UsageLimit {
  readonly window: LimitWindow;
  /** Absent: no time was given. */
  readonly resets?: LimitReset;
}

/** Usage of a window of a limit, as an agent reports it during its work. */
export interface LimitNotice {
  readonly status: 'allowed' | 'warning' | 'reached';
  readonly limit: UsageLimit;
  /** From 0 to 1. */
  readonly used?: number;
}

const NAMED =
  '(?:usage|session|weekly|daily|monthly|hourly|(?:5|five)[- ]?hour|opus|sonnet|haiku|fable|plan|spend|free(?:[- ]tier)?|premium requests?|message|account|subscription|codex|claude(?: \\w+)?)';
/** Known wordings. */
const FORMS: readonly RegExp[] = [
  new RegExp(
    `\\b${NAMED}(?: (?:usage|weekly|spend|request|max))? (?:limit|quota)s? (?:(?:is|was|has been|have been|have) )?(?:reached|exceeded|hit|exhausted)\\b`,
    'i',
  ),
  /\b(?:hit|reached|exceeded|exhausted|used up|used all(?: of)?|over|at) your (?:[\w.'-]+ ){0,4}?(?:limits?|quota|capacity|allotment|allowance)\b(?! of (?:turns|steps|tokens per))/i,
  /\bout of (?:extra usage|usage|credits?|quota|(?:included |premium )?requests|tokens for)\b/i,
  /\busage[_ -]?limit[_ -]?(?:reached|exceeded|error|hit)\b|\b\w*UsageLimit(?:Reached|Exceeded|Error)\b/i,
  /\b(?:insufficient|exceeded|exhausted)[_ -]?(?:your )?(?:current )?quota\b|\bquota[_ -]?(?:has been )?(?:exceeded|exhausted|reached|used up)\b/i,
  /\bTerminalQuotaError\b|\bquota will reset\b|\breached the quota limit\b/i,
  /\b(?:your|usage) (?:limit|quota) (?:will )?resets?\b/i,
  /\bfree usage exceeded\b|\bcredit balance is too low\b|\binsufficient (?:credits|balance)\b/i,
  /\b(?:limit|quota) reached\b[^.\n]{0,20}\b(?:resets?|try again|retry)\b/i,
];
/** Limits of one request or one turn, which waiting does not lift. */
const NOT_THAT =
  /\b(?:context|output|input|length|token|turn|step|size|recursion|file|image|prompt|iteration|retry|max[_ -]?turns)s?[ _-](?:window )?limit\b|\bnot your usage limit\b/i;

const WINDOWS: readonly (readonly [RegExp, LimitWindow])[] = [
  [/\b(?:opus|sonnet|haiku|fable)\b|\b(?:on|for) this model\b/i, 'model'],
  [/\bweekly\b|\bseven[_ ]day\b|\bper week\b/i, 'weekly'],
  [/\bsession\b|\b(?:5|five)[- _]?hour\b/i, 'session'],
  [/\bdaily\b|\bper[- ]day\b|\bfor today\b/i, 'daily'],
  [
    /\bextra usage\b|\bcredit|\bspend\b|\binsufficient[_ ]quota\b|\bbilling\b|\binsufficient balance\b/i,
    'credit',
  ],
  [/\bmonthly\b|\bper month\b/i, 'monthly'],
];

const MAX_CHARS = 4_000;

/** The limit that a text reports; undefined if it concerns something else. Pure. */
export function readLimit(said: string): UsageLimit | undefined {
  const text = plainText(said);
  const isOne =
    FORMS.some((form) => form.test(text)) && !(NOT_THAT.test(text) && !/\busage\b/i.test(text));
  return isOne ? describeLimit(text) : undefined;
}

/** The window and the time in a text that is known to report a limit. Pure. */
export function describeLimit(said: string): UsageLimit {
  const text = plainText(said);
  const resets = readWhen(text);
  const window = WINDOWS.find(([words]) => words.test(text))?.[1] ?? 'other';
  return resets === undefined ? { window } : { window, resets };
}

const plainText = (said: string): string =>
  said
    .slice(0, MAX_CHARS)
    .replaceAll(/[\u2018\u2019]/g, "'")
    .replaceAll(/[\u00a0\u202f]/g, ' ');

const DAY_MS = 86_400_000;
/** The longest window of any plan, plus a day: later times are shown to the user. */
export const FAR_MS = 8 * DAY_MS;

/** When a limit ends. */
interface LimitEnd {
  readonly atMs: number;
  /** More than 8 days away: the user should know. */
  readonly isFar: boolean;
}

/**
 * When a limit ends, always in the future: a past time of day means its next occurrence; a past
 * instant or an empty span gives none. `zone` is the computer's. Pure.
 */
export function limitEnd(
  resets: LimitReset | undefined,
  { nowMs, zone }: { readonly nowMs: number; readonly zone: Zone },
): LimitEnd | undefined {
  if (resets === undefined) return undefined;
  const atMs =
    'atMs' in resets
      ? resets.atMs
      : 'inMs' in resets
        ? nowMs + resets.inMs
        : wallEnd(resets.wall, nowMs, zone);
  return Number.isFinite(atMs) && atMs > nowMs
    ? { atMs: Math.ceil(atMs), isFar: atMs - nowMs > FAR_MS }
    : undefined;
}

type Wall = Extract<LimitReset, { wall: unknown }>['wall'];

function wallEnd(wall: Wall, nowMs: number, own: Zone): number {
  const zone = typeof wall.zone === 'string' && !isZone(wall.zone) ? own : (wall.zone ?? own);
  const today = wallOf(zone, nowMs);
  const at = (day: Partial<WallTime>): number =>
    instantOf(zone, { ...today, hour: 0, minute: 0, ...wall.time, ...day });
  const isPast = (atMs: number): boolean => atMs <= nowMs;
  const { date } = wall;
  if (date !== undefined) {
    const isToday = date.month === today.month && date.day === today.day;
    const first = at({ ...date, year: date.year ?? today.year });
    if (!isPast(first)) return first;
    // A day without a time of day: until it is over.
    if (isToday && wall.time === undefined) return at({ day: today.day + 1 });
    return date.year === undefined ? at({ ...date, year: today.year + 1 }) : Number.NaN;
  }
  const ahead = daysAhead(wall, new Date(Date.UTC(today.year, today.month - 1, today.day)));
  const first = at({ day: today.day + ahead.days });
  if (!isPast(first)) return first;
  if (wall.time === undefined) return at({ day: today.day + 1 });
  return at({ day: today.day + ahead.days + ahead.again });
}

/** Days until the requested day, and from there to its next occurrence. */
function daysAhead(
  { weekday, inDays }: Pick<Wall, 'weekday' | 'inDays'>,
  today: Date,
): { readonly days: number; readonly again: number } {
  if (inDays !== undefined) return { days: inDays, again: 1 };
  if (weekday === undefined) return { days: 0, again: 1 };
  return { days: (weekday - today.getUTCDay() + 7) % 7, again: 7 };
}
