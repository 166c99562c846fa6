/**
 * "Copy diagnostics": the report of `holdfast doctor` as text. A system dialog does not scroll, and
 * nothing is copied unseen, so text that does not fit is left out of both, with a note. Pure.
 */
import type { DoctorReport } from './types';
import { EN_DESKTOP } from './messages/en-desktop';
import { sayFrom } from './messages/say';
import { valueWords } from './value-words';

const say = sayFrom(EN_DESKTOP);

const MARKS = { ok: 'ok  ', warn: 'warn', fail: 'FAIL' } as const;

/** Characters per line of such a dialog, and lines that fit on the lowest screens. */
const LINE_CHARS = 72;
const MAX_LINES = 34;

interface Shown {
  readonly start: string;
  readonly detail: string;
  /** The oldest parts of the detail, which did not fit. */
  readonly left: number;
}

const told = ({ start, detail, left }: Shown): string =>
  `${start}${left === 0 ? '' : `${say('diagnostics.older', { count: left })} `}${detail}`;

const linesOf = (text: string): number =>
  text.split('\n').reduce((sum, line) => sum + Math.max(1, Math.ceil(line.length / LINE_CHARS)), 0);

/** Drops the oldest part of a list, otherwise shortens; undefined if nothing can be dropped. */
function shorter(check: Shown): Shown | undefined {
  const end = check.detail.indexOf('; ');
  if (end >= 0) return { ...check, detail: check.detail.slice(end + 2), left: check.left + 1 };
  if (check.detail.length <= LINE_CHARS) return undefined;
  return { ...check, detail: `${check.detail.slice(0, -LINE_CHARS).trimEnd()}…` };
}

export function diagnosticsText(report: DoctorReport): string {
  const head = say('diagnostics.head', {
    version: report.version,
    text: say(report.ok ? 'diagnostics.ok' : 'diagnostics.notOk'),
  });
  const checks = report.checks.map(({ level, name, detail }): Shown => ({
    start: `${MARKS[level]}  ${valueWords(name)}: `,
    detail: detail.replaceAll('\n', '\n      '),
    left: 0,
  }));
  const text = (): string => [head, ...checks.map(told), ''].join('\n');
  while (linesOf(text()) > MAX_LINES) {
    const longest = checks.reduce(
      (most, { detail }, at) => (detail.length > (checks[most]?.detail.length ?? 0) ? at : most),
      0,
    );
    const less = checks[longest] === undefined ? undefined : shorter(checks[longest]);
    if (less === undefined) break;
    checks[longest] = less;
  }
  return text();
}
