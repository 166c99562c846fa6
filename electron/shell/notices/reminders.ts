/**
 * Reminders of open questions: 10 minutes and 1 hour after a question was asked, then only the
 * tray, and at the time the user chose. The time of the question is on disk, so a restart neither
 * loses nor repeats a reminder. Pure.
 */
import type { Notice } from './notification-policy';
import { decisionRoute } from './notices';
import { say } from '../say';

/** A question that needs the user's answer. */
export interface OpenQuestion {
  readonly turnId: number;
  readonly askedAtMs: number;
  readonly agent: string;
  readonly tool: string | undefined;
  /** A call that the user wants to be notified of at any time. */
  readonly isUrgent: boolean;
}

const REMIND_AFTER_MS = [600_000, 3_600_000] as const;

/**
 * Questions whose reminder became due after `lookedMs` and up to now; all of them once `wantedAtMs`
 * has come, the time chosen by the user.
 */
export const dueQuestions = (
  open: readonly OpenQuestion[],
  {
    lookedMs,
    nowMs,
    wantedAtMs = Infinity,
  }: { readonly lookedMs: number; readonly nowMs: number; readonly wantedAtMs?: number },
): readonly OpenQuestion[] =>
  wantedAtMs <= nowMs
    ? open
    : open.filter(({ askedAtMs }) =>
        REMIND_AFTER_MS.some((after) => {
          const dueMs = askedAtMs + after;
          return dueMs > lookedMs && dueMs <= nowMs;
        }),
      );

/** Ms until the next reminder is due; undefined if there is none. */
export function untilNextMs(
  open: readonly OpenQuestion[],
  nowMs: number,
  wantedAtMs?: number,
): number | undefined {
  const coming = open
    .flatMap(({ askedAtMs }) => REMIND_AFTER_MS.map((after) => askedAtMs + after))
    .concat(wantedAtMs ?? [])
    .map((dueMs) => dueMs - nowMs)
    .filter((ms) => ms > 0);
  return coming.length === 0 ? undefined : Math.min(...coming);
}

const ageText = (ms: number): string => {
  const minutes = Math.round(ms / 60_000);
  return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h`;
};

/** One notice for all that are due: agent, tool, and age, never the tool's input (D4). */
export function reminderNotice(due: readonly OpenQuestion[], nowMs: number): Notice | undefined {
  const [first] = due.toSorted((a, b) => a.askedAtMs - b.askedAtMs);
  if (first === undefined) return undefined;
  const age = ageText(nowMs - first.askedAtMs);
  const turns = new Set(due.map(({ turnId }) => turnId)).size;
  // The key of the notice about new questions, which this one replaces.
  const shared = { key: 'decisions', kind: 'decision' } as const;
  if (turns > 1) {
    return {
      ...shared,
      title: say('notice.reminder', { count: turns }),
      body: say('notice.reminder.many', { duration: age }),
      route: '/decisions',
    };
  }
  return {
    ...shared,
    title: say('notice.reminder', { count: 1 }),
    body: say('notice.reminder.one', {
      name: [first.agent, ...(first.tool === undefined ? [] : [first.tool])].join(', '),
      duration: age,
    }),
    route: decisionRoute(first.turnId),
  };
}
