/**
 * Which notices become a notification: pure rules over time. A notification is a pointer; the
 * record is the inbox, so nothing is lost by not showing one. Answers have no row there: they wait
 * on disk until they may be shown. What the user would miss while not to be disturbed is shown
 * afterward, even across a kill: open questions are looked up again, all others are held.
 */
import { say } from '../say';

export type NoticeKind =
  'restart' | 'decision' | 'outage' | 'delivery' | 'answer' | 'problem' | 'close_to_tray' | 'test';

export interface Notice {
  /** One notification per key: a newer one replaces an older one. */
  readonly key: string;
  readonly kind: NoticeKind;
  readonly title: string;
  /** At most two short facts; never a tool's input or output (D4). */
  readonly body: string;
  /** Where a click leads. */
  readonly route: string;
  /** Other routes that show the same: a user on one of them has seen it. */
  readonly alsoAt?: readonly string[];
  /** The number of things it reports; default: one. */
  readonly standsFor?: number;
  /** The one turn it is about: a button leads to its page, where it can be canceled. */
  readonly turnId?: number;
  /** About an approval that the user marked as urgent: shown even in quiet hours. */
  readonly isUrgent?: boolean;
}

export type NoticeMode = 'on' | 'silent' | 'off';

/** The setting that turns notices of a kind off; undefined if they are always shown. */
export function modeSetting(kind: NoticeKind) {
  switch (kind) {
    case 'restart':
      return 'notifications.restart';
    case 'decision':
      return 'notifications.decisions';
    case 'outage':
    case 'delivery':
      return 'notifications.outages';
    case 'answer':
      return 'notifications.answers';
    case 'problem':
    case 'close_to_tray':
    case 'test':
      return undefined;
  }
}

export type NoticeOutcome =
  | { readonly kind: 'shown' }
  | { readonly kind: 'suppressed'; readonly reason: 'off' | 'in_view' | 'do_not_disturb' }
  /** Shown as part of a summary. */
  | { readonly kind: 'summarised' }
  | { readonly kind: 'failed'; readonly reason: 'unsupported' | 'refused' | 'no_answer' };

/** A word or two for logs and `app.info`. */
export const outcomeText = (outcome: NoticeOutcome): string =>
  'reason' in outcome ? `${outcome.kind}: ${outcome.reason}` : outcome.kind;

export interface NoticeFacts {
  readonly mode: NoticeMode;
  readonly isQuiet: boolean;
  /** Route of our focused window; undefined while none has the focus. */
  readonly focusedRoute: string | undefined;
  readonly nowMs: number;
}

export interface NoticeHistory {
  readonly recent: readonly {
    readonly kind: NoticeKind;
    readonly atMs: number;
    readonly standsFor: number;
  }[];
  /**
   * Held back during quiet hours. Contains no questions: which of them are still open is checked
   * when the quiet hours end.
   */
  readonly held: readonly Notice[];
  /**
   * Number of notices of one session's answers that the user has not clicked: from the fourth on
   * they are silent.
   */
  readonly unheard?: Readonly<Record<string, number>>;
}

export const NO_HISTORY: NoticeHistory = { recent: [], held: [] };

type NoticePlan =
  | {
      readonly kind: 'show';
      readonly notice: Notice;
      readonly isSilent: boolean;
      readonly isSummary: boolean;
    }
  | { readonly kind: 'suppress'; readonly reason: 'off' | 'in_view' | 'do_not_disturb' };

const COALESCE_MS = 60_000;
/** More than this many of a kind within {@link COALESCE_MS} become one summary. */
const COALESCE_ABOVE = 3;
const MAX_HELD = 100;
/** After this many, notices of a frequent task are shown without sound. */
const ALOUD = 3;

/** The user requested these two just now, so they are never held back. */
const isAsked = (kind: NoticeKind): boolean => kind === 'test' || kind === 'close_to_tray';

const summaryTitle = (kind: NoticeKind, count: number): string => {
  switch (kind) {
    case 'decision':
    case 'restart':
    case 'outage':
    case 'delivery':
    case 'answer':
    case 'problem':
      return say(`notice.sum.${kind}`, { count });
    case 'close_to_tray':
    case 'test':
      return say('notice.sum.other', { count });
  }
};

/** The page that lists all of them. */
const summaryPlace = (kind: NoticeKind): Pick<Notice, 'body' | 'route'> => {
  switch (kind) {
    case 'outage':
      return { body: say('notice.place.outages'), route: '/outages' };
    case 'delivery':
      return { body: say('notice.place.events'), route: '/events/delivery' };
    case 'answer':
      return { body: say('notice.place.sessions'), route: '/sessions' };
    case 'restart':
    case 'decision':
    case 'problem':
    case 'close_to_tray':
    case 'test':
      return { body: say('notice.place.inbox'), route: '/decisions' };
  }
};

/** Home is too general: a user on it may not have seen the item. */
const showsIt = ({ route, alsoAt = [] }: Notice): readonly string[] =>
  [route, ...alsoAt].filter((place) => place !== '/');

export function planNotice(
  history: NoticeHistory,
  notice: Notice,
  facts: NoticeFacts,
): { readonly plan: NoticePlan; readonly history: NoticeHistory } {
  if (facts.mode === 'off' && !isAsked(notice.kind)) {
    return { plan: { kind: 'suppress', reason: 'off' }, history };
  }
  if (facts.isQuiet && !isAsked(notice.kind) && notice.isUrgent !== true) {
    const plan = { kind: 'suppress', reason: 'do_not_disturb' } as const;
    if (notice.kind === 'decision') return { plan, history };
    const held = [...history.held.filter(({ key }) => key !== notice.key), notice].slice(-MAX_HELD);
    return { plan, history: { ...history, held } };
  }
  if (facts.focusedRoute !== undefined && showsIt(notice).includes(facts.focusedRoute)) {
    return { plan: { kind: 'suppress', reason: 'in_view' }, history };
  }
  const recent = [
    ...history.recent.filter(({ atMs }) => Math.abs(facts.nowMs - atMs) < COALESCE_MS),
    { kind: notice.kind, atMs: facts.nowMs, standsFor: notice.standsFor ?? 1 },
  ];
  const ofKind = recent.filter(({ kind }) => kind === notice.kind);
  const isSummary = ofKind.length > COALESCE_ABOVE && !isAsked(notice.kind);
  const told = ofKind.reduce((sum, { standsFor }) => sum + standsFor, 0);
  const shown: Notice = isSummary
    ? {
        key: `summary:${notice.kind}`,
        kind: notice.kind,
        title: summaryTitle(notice.kind, told),
        ...summaryPlace(notice.kind),
      }
    : notice;
  // Each answer is a new one, even with the same key.
  const repeats = notice.kind === 'answer' && !isSummary;
  const before = repeats ? (history.unheard?.[shown.key] ?? 0) : 0;
  const isRepeated = before >= ALOUD;
  return {
    plan: {
      kind: 'show',
      notice: shown,
      isSilent: facts.mode === 'silent' || isRepeated,
      isSummary,
    },
    history: {
      ...history,
      recent,
      ...(repeats ? { unheard: counted(history.unheard, shown.key, before + 1) } : {}),
    },
  };
}

/** Keeps only the newest keys: answers have one per session. */
function counted(
  unheard: NoticeHistory['unheard'],
  key: string,
  count: number,
): Readonly<Record<string, number>> {
  const { [key]: _before, ...rest } = unheard ?? {};
  return Object.fromEntries([...Object.entries(rest), [key, count] as const].slice(-MAX_HELD));
}

/** The user opened the page it points to: the next one has sound again. */
export function heard(history: NoticeHistory, key: string): NoticeHistory {
  const { [key]: _before, ...unheard } = history.unheard ?? {};
  return { ...history, unheard };
}

/** The one notice that replaces all held-back ones; undefined if there were none. */
export function summariseHeld(held: readonly Notice[]): Notice | undefined {
  const [first] = held;
  if (first === undefined) return undefined;
  if (held.length === 1) return first;
  const count = (notices: readonly Notice[]): number =>
    notices.reduce((sum, { standsFor = 1 }) => sum + standsFor, 0);
  const all = count(held);
  const decisions = count(held.filter(({ kind }) => kind === 'decision'));
  const facts = [
    decisions === 0 ? '' : say('notice.away.decisions', { count: decisions }),
    all - decisions === 0 ? '' : say('notice.away.rest', { count: all - decisions }),
  ].filter((fact) => fact !== '');
  return {
    key: 'summary:quiet',
    kind: 'problem',
    title: say('notice.away', { count: all }),
    body: `${facts.join(', ')}.`,
    route: '/decisions',
  };
}
