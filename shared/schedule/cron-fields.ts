import { refuse, type Refusal } from './refusal';

/** A validated expression of five or six fields, separated by single spaces. */
export interface CronExpression {
  readonly ok: true;
  readonly cron: string;
}

interface Field {
  readonly name: string;
  readonly min: number;
  readonly max: number;
  readonly names?: readonly string[];
}

const MONTHS = 'jan feb mar apr may jun jul aug sep oct nov dec'.split(' ');
const WEEKDAYS = 'sun mon tue wed thu fri sat'.split(' ');
const SECOND: Field = { name: 'second', min: 0, max: 59 };
const FIELDS: readonly Field[] = [
  { name: 'minute', min: 0, max: 59 },
  { name: 'hour', min: 0, max: 23 },
  { name: 'day of the month', min: 1, max: 31 },
  { name: 'month', min: 1, max: 12, names: MONTHS },
  { name: 'weekday', min: 0, max: 7, names: WEEKDAYS },
];
/** 29 February exists. */
const MONTH_DAYS = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/**
 * Validates a cron expression field by field: everything it accepts is computed the same way by the
 * date library on every day. Reversed ranges, steps beyond the field and dates that never occur are
 * rejected, because otherwise they would silently be read as something else. Source: S1-09.
 */
export function parseCron(input: string, words: readonly string[]): CronExpression | Refusal {
  if (words.length !== 5 && words.length !== 6)
    return refuse(
      'field_count',
      input,
      `cron has five fields (minute hour day month weekday) or six with seconds first; this has ${String(words.length)}.`,
    );
  const fields = words.length === 6 ? [SECOND, ...FIELDS] : FIELDS;
  for (const [index, field] of fields.entries()) {
    const problem = problemOf((words[index] ?? '').toLowerCase(), field);
    if (problem !== undefined)
      return refuse(problem.code, input, `the field for the ${field.name} ${problem.what}`);
  }
  const [dom = '*', month = '*', dow = '*'] = words.slice(-3).map((word) => word.toLowerCase());
  if (neverComes(dom, month, dow))
    return refuse(
      'never',
      input,
      'that day never comes in those months; use one up to 28, or "L" for the last.',
    );
  return { ok: true, cron: words.join(' ') };
}

interface Problem {
  readonly code: 'syntax' | 'out_of_range' | 'zero';
  readonly what: string;
}

const syntax = (part: string, field: Field): Problem => ({
  code: 'syntax',
  what: `cannot be read at "${part.slice(0, 20)}"; ${taken(field)}`,
});

const taken = ({ min, max }: Field): string =>
  `it takes ${String(min)} to ${String(max)}, "*", lists ("1,5"), ranges ("1-5") and steps ("*/5").`;

function problemOf(text: string, field: Field): Problem | undefined {
  for (const part of text.split(',')) {
    const problem = isSpecial(part, field) ? undefined : problemOfPart(part, field);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

/** `?`, `L`, `LW`, `15W` for days of the month; `?`, `5L`, `5#2` for weekdays. */
function isSpecial(part: string, field: Field): boolean {
  if (field.name === 'day of the month') return /^(\?|l|lw|([1-9]|[12]\d|3[01])w)$/.test(part);
  if (field.name === 'weekday')
    return /^(\?|([0-7]|sun|mon|tue|wed|thu|fri|sat)(l|#[1-5]|#l))$/.test(part);
  return false;
}

function problemOfPart(part: string, field: Field): Problem | undefined {
  const found = /^(\*|[a-z]{3}|\d{1,2})(?:-([a-z]{3}|\d{1,2}))?(?:\/(\d{1,3}))?$/.exec(part);
  if (found === null) return syntax(part, field);
  const [, from = '', to, step] = found;
  if (from === '*' && to !== undefined) return syntax(part, field);
  if (from !== '*' && step !== undefined && to === undefined)
    return {
      code: 'syntax',
      what: `cannot be read at "${part}"; write "${from}-${String(field.max)}/${step}".`,
    };
  if (step !== undefined) {
    if (Number(step) === 0) return { code: 'zero', what: `has a step of 0; ${taken(field)}` };
    if (Number(step) > field.max - field.min + 1)
      return {
        code: 'out_of_range',
        what: `has the step ${step}, which is larger than the field; ${taken(field)}`,
      };
  }
  if (from === '*') return undefined;
  const low = valueOf(from, field);
  const high = to === undefined ? low : valueOf(to, field, low);
  if (low === undefined || high === undefined) return syntax(part, field);
  for (const value of [low, high]) {
    if (value < field.min || value > field.max)
      return {
        code: 'out_of_range',
        what: `goes from ${String(field.min)} to ${String(field.max)}, not to ${String(value)}.`,
      };
  }
  return low > high
    ? {
        code: 'out_of_range',
        what: `has the range ${part}, which runs backwards; ${taken(field)}`,
      }
    : undefined;
}

/** At the end of a range Sunday is 7. */
function valueOf(word: string, field: Field, low?: number): number | undefined {
  if (/^\d+$/.test(word)) return Number(word);
  const index = field.names?.indexOf(word) ?? -1;
  if (index < 0) return undefined;
  const value = field.min + index;
  return low !== undefined && field.max === 7 && value === 0 ? 7 : value;
}

/** True if the days of the month lie beyond the end of every month named; weekdays would OR. */
function neverComes(dom: string, month: string, dow: string): boolean {
  if (!/^[\d,/w-]+$/.test(dom) || (dow !== '*' && dow !== '?')) return false;
  const firstDay = Math.min(...dom.split(',').map((part) => Number.parseInt(part, 10)));
  const last = Math.max(...monthsOf(month).map((value) => MONTH_DAYS[value - 1] ?? 31));
  return firstDay > last;
}

function monthsOf(text: string): readonly number[] {
  const field = FIELDS[3];
  if (field === undefined) return [];
  return text.split(',').flatMap((part) => {
    const [range = '*', step = '1'] = part.split('/');
    const [from = '*', to] = range.split('-');
    const low = from === '*' ? 1 : (valueOf(from, field) ?? 1);
    const high = from === '*' ? 12 : to === undefined ? low : (valueOf(to, field) ?? low);
    const months: number[] = [];
    for (let value = low; value <= high; value += Number(step)) months.push(value);
    return months;
  });
}
