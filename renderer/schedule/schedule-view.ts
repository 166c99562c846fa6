/** Texts of the Schedule page: its headline, its decisions, and its tasks. Pure. */
import type { DayLine, StatusSnapshot } from '../../shared/types';
import type { ScheduleSlot, TaskForecast, TaskRun, TaskView } from '../../shared/schedule/model';
import { t } from '../../shared/messages';
import { lateText, markKind } from '../charts/schedule-lines-view';
import type { MarkKind } from '../charts/schedule-lines-view';
import { oneLine } from '../parts/inert-view';
import type { Look, MarkName, Tone } from '../parts/state-view';
import {
  clockText,
  compactText,
  dayOf,
  durationText,
  localClocks,
  moneyText,
} from '../parts/time-view';

const MINUTE_MS = 60_000;
/** Decisions closer than this count as made together. */
const TOGETHER_MS = MINUTE_MS;
/** An absence that ended at most this long before a decision is its reason. */
const JUST_BACK_MS = 3 * MINUTE_MS;

interface LabeledLook extends Look {
  readonly label: string;
}

const STATE_LOOK = {
  active: ['ok', 'check'],
  paused: ['muted', 'pause'],
  completed: ['ok', 'check'],
  missed: ['attention', 'triangle'],
  cancelled: ['muted', 'skip'],
} as const satisfies Record<TaskView['state'], readonly [Tone, MarkName]>;

/** State of a task as mark and label. */
export function taskLook(state: TaskView['state']): LabeledLook {
  const [tone, mark] = STATE_LOOK[state];
  return { tone, mark, label: t(`task.state.${state}`) };
}

const KIND_LOOK = {
  ran: ['ok', 'check'],
  late: ['kept', 'loop'],
  skipped: ['muted', 'skip'],
  missed: ['attention', 'triangle'],
  failed: ['outage', 'cross'],
  working: ['working', 'play'],
  waits: ['waiting', 'clock'],
} as const satisfies Record<Exclude<MarkKind, 'coming'>, readonly [Tone, MarkName]>;

/** Outcome of a scheduled run as mark and label. S0-23, S0-24, S0-28. */
export function slotLook(slot: Pick<ScheduleSlot, 'outcome' | 'why' | 'status'>): LabeledLook {
  const kind = markKind(slot);
  const [tone, mark] = KIND_LOOK[kind as Exclude<MarkKind, 'coming'>];
  const label = kind === 'ran' && slot.why === 'by_hand' ? t('decided.byHand') : t(`lines.${kind}`);
  return { tone, mark, label };
}

/** A decision as text: why a run was late or did not happen, and what its turn waits for. */
export function slotSentence(
  slot: Pick<ScheduleSlot, 'words' | 'outcome' | 'why' | 'status' | 'error'>,
): string {
  const { words, error } = slot;
  const kind = markKind(slot);
  if (error === undefined || (kind !== 'waits' && kind !== 'failed')) return oneLine(words, 300);
  return oneLine(`${words} ${kind === 'waits' ? t('decided.waits', { text: error }) : error}`, 400);
}

/** The late runs of a task for which the delay alone is enough explanation. */
const SHORT = {
  in_window: 'decided.short.late',
  always: 'decided.short.always',
  window: 'decided.short.window',
  never: 'decided.short.never',
} as const satisfies Partial<Record<ScheduleSlot['why'], string>>;

/** The same in one line next to its mark, without what the mark already shows. */
export function slotShort(
  slot: Parameters<typeof slotSentence>[0] & Pick<ScheduleSlot, 'lateMs' | 'slots' | 'oldestMs'>,
): string {
  const kind = markKind(slot);
  const key = SHORT[slot.why as keyof typeof SHORT] as (typeof SHORT)['window'] | undefined;
  if (key === undefined || kind === 'waits' || kind === 'failed') return slotSentence(slot);
  const duration = lateText(slot.lateMs);
  if (kind === 'missed') return t('decided.short.missed', { duration });
  const late = t(key, { duration });
  return slot.slots > 1 && slot.oldestMs !== undefined && slot.outcome === 'ran'
    ? t('decided.short.many', { text: late, count: slot.slots })
    : late;
}

export interface DecisionGroup {
  readonly atMs: number;
  /** `Decided at 07:12`. */
  readonly title: string;
  /** `, after 7 h 32 min asleep`. */
  readonly after: string;
  readonly away: 'asleep' | 'stopped' | undefined;
  readonly slots: readonly ScheduleSlot[];
}

const isCatchUp = ({ why }: ScheduleSlot): boolean =>
  why === 'in_window' || why === 'always' || why === 'window' || why === 'never';
/** A run that was on time needs no explanation. */
const isTold = (slot: ScheduleSlot): boolean => {
  const kind = markKind(slot);
  return slot.why !== 'on_time' || kind === 'waits' || kind === 'failed';
};

/** Decisions made together, newest first; the input is sorted the same way. */
export function decisionGroups(
  slots: readonly ScheduleSlot[],
  stretches: DayLine['stretches'],
  at: { readonly nowMs: number; readonly locale?: string },
): readonly DecisionGroup[] {
  const groups: ScheduleSlot[][] = [];
  for (const slot of slots) {
    if (!isTold(slot)) continue;
    const group = groups.at(-1);
    const first = group?.[0];
    const isSame =
      first !== undefined &&
      isCatchUp(first) &&
      isCatchUp(slot) &&
      first.atMs - slot.atMs <= TOGETHER_MS;
    if (isSame) group?.push(slot);
    else groups.push([slot]);
  }
  return groups.map((group) => {
    // Runs that waited in line belong to the decision about the first of them.
    const atMs = Math.min(...group.map((slot) => slot.atMs));
    const time = clockText(atMs, at.nowMs, at.locale);
    const wasCaughtUp = group.some(isCatchUp);
    const away = wasCaughtUp ? awayBefore(stretches, atMs) : undefined;
    const kind = away?.kind === 'running' ? undefined : away?.kind;
    return {
      atMs,
      title: wasCaughtUp ? t('decided.at', { time }) : t('decided.due', { time }),
      after:
        away === undefined || kind === undefined
          ? ''
          : t(`decided.after.${kind}`, { duration: durationText(away.toMs - away.fromMs) }),
      away: kind,
      slots: group.toSorted((one, other) => one.taskId - other.taskId),
    };
  });
}

const awayBefore = (
  stretches: DayLine['stretches'],
  atMs: number,
): DayLine['stretches'][number] | undefined =>
  stretches.findLast(
    ({ kind, toMs }) => kind !== 'running' && toMs <= atMs + 1_000 && atMs - toMs <= JUST_BACK_MS,
  );

/**
 * The line below the headline: the result of the last absence, or else the number of tasks; then
 * what is next.
 */
export function scheduleSub(
  outlook: StatusSnapshot['schedule'],
  groups: readonly DecisionGroup[],
  at: { readonly nowMs: number; readonly locale?: string },
): string {
  const group = groups.find(({ slots }) => slots.some(isCatchUp));
  const next = outlook?.next[0];
  return [
    group === undefined
      ? t('schedule.sub.tasks', { count: outlook?.active ?? 0 })
      : awaySentence(group),
    next === undefined
      ? t('schedule.sub.nothing')
      : t('schedule.sub.next', {
          name: oneLine(next.name, 60),
          time: clockText(next.atMs, at.nowMs, at.locale),
        }),
  ].join(' ');
}

function awaySentence({ away, slots }: DecisionGroup): string {
  const caught = slots.filter(({ why }) => why === 'in_window' || why === 'always').length;
  const missed = slots.filter(({ outcome }) => outcome === 'missed').length;
  const skipped = slots.length - caught - missed;
  const parts = [
    ...(caught > 0 ? [t('schedule.sub.in_window', { count: caught })] : []),
    ...(skipped > 0 ? [t('schedule.sub.skipped', { count: skipped })] : []),
    ...(missed > 0 ? [t('schedule.sub.missed', { count: missed })] : []),
  ];
  const last = parts.pop() ?? '';
  const text = parts.length === 0 ? last : t('schedule.and', { first: parts.join(', '), last });
  return t(`schedule.sub.${away ?? 'plain'}`, { text });
}

/** Recipient of its answers, as text. */
export function answersTo({ channel, peer }: Pick<TaskView, 'channel' | 'peer'>): string {
  const name =
    channel === 'window' || channel === 'cli' ? t(`task.channel.${channel}`) : oneLine(channel, 64);
  return peer === '' ? name : `${name}, ${oneLine(peer, 200)}`;
}

/**
 * What happens to a scheduled time that passed while nothing could run; `windowText` is the
 * setting.
 */
export function missedText(catchup: TaskView['catchup'], windowText: string | undefined): string {
  if (catchup !== 'default') return t(`task.catchup.${catchup}`);
  return isWindowOff(windowText)
    ? t('task.catchup.defaultOff')
    : t('task.catchup.default', { text: windowText ?? '' });
}

/** "0" and "off" mean never. */
export const isWindowOff = (windowText: string | undefined): boolean =>
  windowText === 'off' || /^0+[a-z]*$/i.test(windowText ?? '');

/** The time of a run in a short list; a task may run several times a day. */
export function dayText(atMs: number, nowMs: number, locale?: string): string {
  const day = new Date(atMs).toDateString();
  if (day === new Date(nowMs).toDateString()) return clockText(atMs, nowMs, locale);
  const before = new Date(nowMs);
  before.setDate(before.getDate() - 1);
  if (day === before.toDateString()) return t('task.yesterday');
  return nowMs - atMs < 6 * 86_400_000
    ? dayOf(atMs, { weekday: 'long' }, locale)
    : dayOf(atMs, { day: 'numeric', month: 'short' }, locale);
}

/** "about $3.10 a month", or in tokens if no price is known. BU-05 */
export function forecastText({ usdPerMonth, tokensPerMonth, isAtLeast }: TaskForecast): string {
  if (usdPerMonth === undefined)
    return t('task.forecast.tokens', { text: compactText(tokensPerMonth) });
  return t(isAtLeast ? 'task.forecast.least' : 'task.forecast.about', {
    cost: moneyText(usdPerMonth),
  });
}

/** The schedule of a task as text; its time zone is shown next to it. */
export const ruleWords = ({ words, zone }: Pick<TaskView, 'words' | 'zone'>): string =>
  localClocks(words).replace(`, ${zone} time`, '');

/** The schedule as its author wrote it, where the words of {@link ruleWords} do not say the same. */
export function ruleAsWritten(
  task: Pick<TaskView, 'kind' | 'schedule' | 'words' | 'zone'>,
): string | undefined {
  // Before its clocks are those of this computer.
  const words = task.words.replace(`, ${task.zone} time`, '').toLowerCase();
  const isSame =
    task.kind === 'once' || task.kind === 'interval' || task.schedule.toLowerCase() === words;
  return isSame ? undefined : task.schedule;
}

/** Result of a run: its answer, or else the decision as text. */
export function runOutcome(run: TaskRun): string {
  const kind = markKind(run);
  if (kind === 'failed' || kind === 'waits') return slotSentence(run);
  const answer = run.result?.trim() ?? '';
  if (run.outcome !== 'ran' || answer === '') return localClocks(slotShort(run));
  return oneLine(answer, 200);
}

/** Tasks whose name, schedule, prompt, or agent contain all search words. */
export function findTasks(tasks: readonly TaskView[], search: string): readonly TaskView[] {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  return tasks.filter((task) => {
    const text = `${task.name} ${task.schedule} ${task.prompt} ${task.agent}`.toLowerCase();
    return words.every((word) => text.includes(word));
  });
}
