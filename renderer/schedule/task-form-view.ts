/**
 * What the task form shows before anything is saved: upcoming runs, clock changes, the command.
 * Pure.
 */
import { t } from '../../shared/messages';
import type { VerbOutput } from '../../shared/contract';
import type { TaskView } from '../../shared/schedule/model';
import { parseCheck } from '../../shared/schedule/check';
import { quoted } from '../../shared/shell-quoted';
import { formatsHere, localClocks, untilText } from '../parts/time-view';

/** One of the next runs, or a clock change between two of them. */
type PreviewRow =
  | {
      readonly kind: 'run';
      readonly number: number;
      readonly atMs: number;
      readonly day: string;
      readonly time: string;
      readonly utc: string;
    }
  | { readonly kind: 'clocks'; readonly atMs: number; readonly text: string };

const formatters = new Map<string, Intl.DateTimeFormat>();
const format = (
  atMs: number,
  zone: string,
  locale: string | undefined,
  options: Intl.DateTimeFormatOptions,
): string => {
  const key = `${locale ?? ''} ${zone} ${JSON.stringify(options)}`;
  const known =
    formatters.get(key) ??
    new Intl.DateTimeFormat(locale ?? formatsHere(), { timeZone: zone, ...options });
  formatters.set(key, known);
  return known.format(atMs);
};

const DAY = { weekday: 'short', day: 'numeric', month: 'long' } as const;
const LONG_DAY = { weekday: 'long', day: 'numeric', month: 'long' } as const;

/** Clock time in a time zone, with seconds only if they are not zero. */
export function timeIn(atMs: number, zone: string, locale?: string): string {
  const hasSeconds = Math.floor(atMs / 1_000) % 60 !== 0;
  return format(atMs, zone, locale, { timeStyle: hasSeconds ? 'medium' : 'short' });
}

/** Offset of a time zone from UTC at an instant, in minutes. */
export function offsetMinutes(atMs: number, zone: string): number {
  const text = format(atMs, zone, 'en-US', { timeZoneName: 'longOffset' });
  const found = /GMT(?:([+-])(\d{2}):(\d{2}))?/.exec(text);
  const minutes = Number(found?.[2] ?? 0) * 60 + Number(found?.[3] ?? 0);
  return found?.[1] === '-' ? -minutes : minutes;
}

/** The first instant with the offset of `toMs`, to the minute; the two offsets must differ. */
function changeMs(fromMs: number, toMs: number, zone: string): number {
  const after = offsetMinutes(toMs, zone);
  let [low, high] = [fromMs, toMs];
  while (high - low > 60_000) {
    const middle = Math.floor((low + high) / 2);
    if (offsetMinutes(middle, zone) === after) high = middle;
    else low = middle;
  }
  return high;
}

/** The next runs with local time and UTC, and the effect of clock changes. */
export function previewRows(
  next: readonly string[],
  zone: string,
  { isByClock, locale }: { readonly isByClock: boolean; readonly locale?: string },
): readonly PreviewRow[] {
  const instants = next.map((iso) => Date.parse(iso));
  return instants.flatMap((atMs, at): PreviewRow[] => {
    const before = instants[at - 1];
    const run: PreviewRow = {
      kind: 'run',
      number: at + 1,
      atMs,
      day: format(atMs, zone, locale, DAY),
      time: timeIn(atMs, zone, locale),
      utc: t('taskForm.utc', { time: timeIn(atMs, 'UTC', locale) }),
    };
    if (before === undefined) return [run];
    const ahead = offsetMinutes(atMs, zone) - offsetMinutes(before, zone);
    if (ahead === 0) return [run];
    const changedMs = changeMs(before, atMs, zone);
    const day = format(changedMs, zone, locale, LONG_DAY);
    const isSameTime = timeIn(before, zone, locale) === run.time;
    const text = [
      t(ahead > 0 ? 'taskForm.clocks.forward' : 'taskForm.clocks.back', { day }),
      ...(isByClock
        ? isSameTime
          ? [t('taskForm.clocks.stays', { time: run.time })]
          : []
        : [t('taskForm.clocks.moves')]),
    ].join(' ');
    return [{ kind: 'clocks', atMs: changedMs, text }, run];
  });
}

/** The sentence under the title: the schedule as text, and its first run. */
export function formSentence(
  meant: { readonly words: string; readonly next: readonly string[] } | undefined,
  zone: string,
  at: { readonly nowMs: number; readonly locale?: string },
): string {
  const first = meant?.next[0];
  if (meant === undefined || first === undefined) return t('taskForm.sub.none');
  const atMs = Date.parse(first);
  const isToday = format(atMs, zone, at.locale, DAY) === format(at.nowMs, zone, at.locale, DAY);
  const time = timeIn(atMs, zone, at.locale);
  return t('taskForm.sub', {
    text: localClocks(meant.words, at.locale),
    time: isToday ? time : t('time.dayAndTime', { day: format(atMs, zone, at.locale, DAY), time }),
    duration: untilText(atMs, at.nowMs),
  });
}

export interface Wish {
  readonly name: string;
  readonly prompt: string;
  readonly schedule: string;
  readonly zone: string;
  readonly agent: string | undefined;
  readonly catchup: 'default' | 'always' | 'never';
  readonly channel: string;
  readonly peer: string;
  readonly check: string;
  readonly isShared: boolean;
}

/** The form's initial values: those of the task, or of a new one. */
export function wishOf(task: TaskView | undefined, zone: string): Wish {
  return {
    name: task?.name ?? '',
    prompt: task?.prompt ?? '',
    schedule: task?.schedule ?? '',
    zone: task?.zone ?? zone,
    agent: task?.agent,
    catchup: task?.catchup ?? 'default',
    // A new task sends its answer to the default channel.
    channel: task?.channel ?? '',
    peer: task?.peer ?? '',
    check: task?.check ?? '',
    isShared: task?.shared === true,
  };
}

/**
 * Whether one of several computers can run each of its times exactly once. True for a schedule that
 * was not parsed yet. DW-24
 */
export const canBeShared = (
  kind: Extract<VerbOutput<'schedule.parse'>, { ok: true }>['kind'] | undefined,
): boolean => kind !== 'interval' && kind !== 'event';

/** The equivalent terminal command. */
export function addCommand(wish: Wish): string {
  const option = (name: string, value: string): string[] =>
    value === '' ? [] : [`--${name}`, quoted(value)];
  return [
    'holdfast tasks add',
    quoted(wish.prompt),
    ...option('schedule', wish.schedule),
    ...option('name', wish.name),
    ...option('tz', wish.zone),
    ...option('agent', wish.agent ?? ''),
    ...option('check', wish.check.trim()),
    ...(wish.catchup === 'default' ? [] : ['--catchup', wish.catchup]),
    ...(wish.channel === ''
      ? []
      : ['--channel', quoted(wish.channel), '--peer', quoted(wish.peer)]),
    ...(wish.isShared ? ['--shared'] : []),
  ].join(' ');
}

/** False while a required field is empty. */
export const isComplete = (wish: Wish, isUnderstood: boolean): boolean =>
  wish.prompt.trim() !== '' &&
  wish.schedule.trim() !== '' &&
  isUnderstood &&
  checkProblem(wish.check) === undefined;

/** Why a check could not be parsed; undefined if it could, or if there is none. */
export function checkProblem(check: string): string | undefined {
  if (check.trim() === '') return undefined;
  const parsed = parseCheck(check);
  return parsed.ok ? undefined : parsed.error;
}
