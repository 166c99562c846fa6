/** The sentences of Home, from the snapshot alone. Pure; every number has a source. */
import { hostFacts, isHidden } from '../../shared/host-facts';
import { hostHeadline, hostNeedsText } from '../../shared/host-words';
import { t } from '../../shared/messages';
import type {
  ApprovalView,
  InboxItem,
  ReplayDecision,
  RestartNotice,
  StatusSnapshot,
  TrayState,
  TurnSummary,
} from '../../shared/types';
import { groupEntries, openEntries } from '../decisions/decision-view';
import type { Entry } from '../decisions/decision-view';
import { isOutage, titleOf, type ConnectionLook } from '../outages/outages-view';
import { oneLine } from '../parts/inert-view';
import { clockText, durationText, localClocks } from '../parts/time-view';

interface Headline {
  readonly state: TrayState;
  readonly title: string;
  readonly sub: string;
  /** Where the problem is shown in full and can be corrected. */
  readonly act?: 'settings';
}

const wordOf = (count: number): string => t('number.word', { count });

const waitSentence = (waiting: number): string =>
  t('home.sub.wait', { word: wordOf(waiting), waiting });

const workSentence = (counts: StatusSnapshot['counts'], waits: number): string => {
  if (counts.running > 0 && waits > 0) {
    return t('home.sub.runAndWait', {
      word: wordOf(counts.running),
      running: counts.running,
      text: t('number.lower', { count: waits }),
      waiting: waits,
    });
  }
  if (counts.running > 0) {
    return t('home.sub.run', { word: wordOf(counts.running), running: counts.running });
  }
  if (waits > 0) return waitSentence(waits);
  return t('home.sub.nothing');
};

/**
 * After a restart that resumed turns: what they reused from the journal. Read-only steps may have
 * run again, so nothing is claimed of these; the number is the journal's.
 */
const withReused = (sub: string, { restart, kept }: StatusSnapshot): string => {
  const count = kept.stepsReusedToday;
  return restart === undefined ||
    restart.isDismissed ||
    restart.resumedTurns.length === 0 ||
    count === 0
    ? sub
    : `${sub} ${t('home.sub.reused', { word: wordOf(count), count })}`;
};

/**
 * Running and waiting work besides the questions; turns at a limit are already counted in the
 * title.
 */
function besideDecisions({ counts, outside }: StatusSnapshot): string {
  const held = (outside?.providers ?? []).reduce((sum, { waiting }) => sum + waiting, 0);
  return counts.running + counts.queued + held === 0
    ? t('home.sub.nothingElse')
    : workSentence(counts, counts.queued + held);
}

/** What is down, by name if it is one provider; the event broker if every provider is up. */
function outageHead(status: StatusSnapshot, waits: number): Omit<Headline, 'state'> {
  const down = (status.outside?.providers ?? []).filter(({ state }) => isOutage(state));
  const { counts } = status;
  const [first] = down;
  if (first === undefined) {
    const { delivery } = status;
    return delivery?.broker === 'down'
      ? {
          title: t('home.head.broker'),
          sub: [
            workSentence(counts, waits),
            ...(delivery.depth === 0 ? [] : [t('home.sub.events', { count: delivery.depth })]),
          ].join(' '),
        }
      : { title: t('home.head.outage'), sub: workSentence(counts, waits) };
  }
  const name = titleOf(first.provider);
  if (down.length > 1) {
    return {
      title: t('home.head.outageOf', { count: down.length, name }),
      sub: workSentence(counts, waits),
    };
  }
  const isBack = first.state === 'recovering';
  const runs =
    counts.running === 0
      ? []
      : [t('home.sub.run', { word: wordOf(counts.running), running: counts.running })];
  const held = t(isBack ? 'outages.sub.canary' : 'outages.sub.wait', { count: first.waiting });
  return {
    title: t(isBack ? 'outages.head.recovering' : 'outages.head.down', { name }),
    sub: [...runs, held].join(' '),
  };
}

interface NotWell {
  /** The worst first. */
  readonly connections: readonly {
    readonly look: Pick<ConnectionLook, 'name' | 'word' | 'tone'>;
  }[];
  /** Listed items that can wait. */
  readonly later: number;
  /** A list of the page could not be read. */
  readonly isUnread: boolean;
}

/** Problems on an otherwise quiet page: it is never called quiet above a problem. */
export function quietProblem({ connections, later, isUnread }: NotWell): string | undefined {
  if (isUnread) return t('home.problem.unread');
  const worst = connections.find(({ look }) => look.tone !== 'ok')?.look;
  if (worst !== undefined) {
    return t('home.problem.connection', { name: oneLine(worst.name, 64), text: worst.word });
  }
  return later > 0 ? t('home.problem.later', { count: later }) : undefined;
}

/**
 * The one sentence and the line below it. The tray's state decides which, so both agree.
 * `problem`: of {@link quietProblem}.
 */
export const headline = (status: StatusSnapshot, locale?: string, problem?: string): Headline =>
  withHidden(headOf(status, locale, problem), status);

function headOf(status: StatusSnapshot, locale?: string, problem?: string): Headline {
  const { counts, tray } = status;
  const waits = counts.waiting + counts.queued;
  const state = tray;
  if (status.journal.refusal) {
    const { of, message } = status.journal.refusal;
    return {
      state,
      title: t(of === 'reads' ? 'home.head.unread' : 'home.head.refused'),
      sub: message,
    };
  }
  if (status.programChanged && tray !== 'stopped')
    return {
      state,
      title: t('home.head.programChanged'),
      sub: t('home.sub.programChanged'),
    };
  switch (tray) {
    case 'stopped':
      return {
        state,
        title: status.phase === 'starting' ? t('home.head.starting') : t('home.head.stopping'),
        sub: t('home.sub.safe'),
      };
    case 'attention':
      return { state, ...attentionHead(status, waits) };
    case 'outage':
      return { state, ...outageHead(status, waits) };
    case 'degraded':
      return { state, ...degradedHead(status, workSentence(counts, waits)) };
    case 'working':
      return {
        state,
        title: t('home.head.running', {
          word: t('number.word', { count: counts.running }),
          count: counts.running,
        }),
        sub: withReused(waits > 0 ? waitSentence(waits) : t('home.sub.noneWaits'), status),
      };
    case 'paused':
      return {
        state,
        title: pausedTitle(status, waits, locale),
        sub: t('home.sub.paused', { word: wordOf(counts.running), running: counts.running }),
      };
    case 'idle':
      return {
        state,
        title:
          problem === undefined
            ? (connectingTitle(status) ?? quietTitle(status, locale))
            : t('home.head.quietBut', { text: problem }),
        sub: workSentence(counts, waits),
      };
  }
}

/** Here, and on other computers. */
function attentionHead(status: StatusSnapshot, waits: number): Omit<Headline, 'state'> {
  const { counts } = status;
  const there = hostNeedsText(hostFacts(status.hosts), t);
  if (counts.needsYou === 0 && there !== undefined)
    return { title: there, sub: workSentence(counts, waits) };
  const sub = withReused(besideDecisions(status), status);
  return {
    title: t('home.head.decisions', {
      word: t('number.word', { count: counts.needsYou }),
      count: counts.needsYou,
    }),
    sub: there === undefined ? sub : `${sub} ${there}.`,
  };
}

/** A host whose state is hidden is always shown on the page. HO-02 */
function withHidden(head: Headline, { hosts }: StatusSnapshot): Headline {
  const hidden = hostFacts(hosts)
    .filter(isHidden)
    .map((fact) => hostHeadline(fact, t))
    .filter((text) => text !== head.title);
  const [first, second, ...more] = hidden;
  if (first === undefined) return head;
  const said = [first, ...(second === undefined ? [] : [second])].map((text) =>
    t('host.sentence', { text }),
  );
  const rest = more.length === 0 ? [] : [t('home.sub.hostsMore', { count: more.length })];
  return { ...head, sub: [head.sub, ...said, ...rest].filter((text) => text !== '').join(' ') };
}

/** The title is not "quiet" until every computer has reported. */
function connectingTitle({ hosts }: StatusSnapshot): string | undefined {
  const [fact] = hostFacts(hosts);
  if (fact?.kind !== 'connecting') return undefined;
  return t('home.head.quietBut', { text: `${hostHeadline(fact, t)}.` });
}

/** In the order of the tray's reasons: the text names the cause of the degraded state. */
function degradedHead(status: StatusSnapshot, work: string): Omit<Headline, 'state'> {
  const { delivery, lostRuns = 0, outside, configProblems } = status;
  const dead = delivery?.deadLetters ?? 0;
  if (dead > 0) return { title: t('home.head.undelivered', { count: dead }), sub: work };
  if (delivery?.isNearlyFull === true) return { title: t('home.head.nearlyFull'), sub: work };
  if (lostRuns > 0)
    return { title: t('home.head.lostRuns', { count: lostRuns }), sub: t('home.sub.lostRuns') };
  const keyless = outside?.providers.find(({ state }) => state === 'key');
  if (keyless !== undefined) {
    const name = titleOf(keyless.provider);
    return { title: t('outages.head.key', { name }), sub: work };
  }
  const [problem] = configProblems.filter(
    ({ line, level }) => line !== undefined && level !== 'hint',
  );
  if (problem !== undefined)
    return { title: t('home.head.config'), sub: problem.message, act: 'settings' };
  const hidden = hostFacts(status.hosts).find(isHidden);
  if (hidden !== undefined) return { title: hostHeadline(hidden, t), sub: work };
  return { title: t('home.head.degraded'), sub: work };
}

function pausedTitle({ paused, nowMs }: StatusSnapshot, waiting: number, locale?: string): string {
  const untilMs = paused?.untilMs;
  return untilMs === undefined
    ? t('home.head.paused', { waiting })
    : t('home.head.pausedUntil', { time: clockText(untilMs, nowMs, locale), waiting });
}

/** Includes the next task, if there is one. */
function quietTitle({ schedule, nowMs }: StatusSnapshot, locale?: string): string {
  const next = schedule?.next[0];
  return next === undefined
    ? t('home.head.quiet')
    : t('home.head.quietNext', { time: clockText(next.atMs, nowMs, locale) });
}

interface RestartSentence {
  /** The lead, in bold. */
  readonly lead: string;
  readonly rest: string;
  readonly isUnexpected: boolean;
}

const UNEXPECTED = ['crash', 'kill', 'power_loss'] as const;

interface Decided {
  /** Turns that still need a decision; absent while that is unknown. */
  readonly undecided?: ReadonlySet<number> | undefined;
  /** When the last of the others was decided, if that is known. */
  readonly decidedAtMs?: number | undefined;
}

/** When the last question of these turns was answered. */
export function lastDecidedAtMs(
  { heldTurns, staleTurns, parkedTurns, startedAtMs }: RestartNotice,
  items: readonly InboxItem[],
): number | undefined {
  const asked = new Set([...heldTurns, ...staleTurns, ...parkedTurns]);
  const times = items.flatMap(({ turnId, settledAtMs }) =>
    turnId !== undefined && asked.has(turnId) && (settledAtMs ?? 0) >= startedAtMs
      ? [settledAtMs ?? 0]
      : [],
  );
  return times.length === 0 ? undefined : Math.max(...times);
}

/** What happened to the turns that the start did not resume. */
function waitingParts(
  { heldTurns, staleTurns, parkedTurns }: RestartNotice,
  {
    undecided,
    decidedAtMs,
    nowMs,
    locale,
  }: Decided & { readonly nowMs: number; readonly locale?: string | undefined },
): readonly string[] {
  const open = (turns: readonly number[]): number =>
    undecided === undefined ? turns.length : turns.filter((turn) => undecided.has(turn)).length;
  const [held, stale, parked] = [open(heldTurns), open(staleTurns), open(parkedTurns)];
  const all = heldTurns.length + staleTurns.length + parkedTurns.length;
  const decided = all - held - stale - parked;
  return [
    ...(held > 0 ? [t('restart.held', { count: held })] : []),
    ...(stale > 0 ? [t('restart.stale', { count: stale })] : []),
    ...(parked > 0 ? [t('restart.parked', { count: parked })] : []),
    ...(decided > 0
      ? [
          decidedAtMs === undefined
            ? t('restart.decided', { count: decided })
            : t('restart.decidedAt', {
                count: decided,
                time: clockText(decidedAtMs, nowMs, locale),
              }),
        ]
      : []),
  ];
}

/**
 * Why Holdfast was restarted, with the real reason and numbers. S0-29, S0-30. While it is unknown
 * which turns still need a decision: as the start found them.
 */
export function restartSentence(
  notice: RestartNotice,
  nowMs: number,
  locale?: string,
  decided: Decided = {},
): RestartSentence | undefined {
  if (notice.reason === 'first_start') return undefined;
  const isUnexpected = UNEXPECTED.some((reason) => reason === notice.reason);
  const parts: string[] = [];
  if (notice.downSinceMs !== undefined && isUnexpected) {
    parts.push(
      t('restart.at', { time: clockText(notice.downSinceMs, nowMs, locale) }),
      t(`restart.why.${notice.reason as (typeof UNEXPECTED)[number]}`),
    );
  } else if (isUnexpected)
    parts.push(t(`restart.why.${notice.reason as (typeof UNEXPECTED)[number]}`));
  if (isUnexpected) parts.push(t('restart.down', { duration: durationText(notice.downMs) }));

  const did: string[] = [];
  if (notice.resumedTurns.length > 0) {
    did.push(t('restart.resumed', { count: notice.resumedTurns.length }));
  }
  did.push(...waitingParts(notice, { ...decided, nowMs, locale }));
  const outcome = notice.restoreSkipped
    ? t('restart.skipped')
    : did.length === 0
      ? t('restart.nothing')
      : `${did.join(', ')}.`;
  return {
    lead: isUnexpected
      ? t('restart.lead.unexpected')
      : t(
          `restart.lead.${notice.reason as 'clean' | 'stop_cut_off' | 'takeover' | 'os_shutdown' | 'update' | 'data_copied'}`,
        ),
    rest: parts.length === 0 ? outcome : `${parts.join(', ')}. ${outcome}`,
    isUnexpected,
  };
}

/** What needs the user, oldest first. Outages need no answer: Home shows them separately. */
export function needsYou(
  items: readonly InboxItem[],
  decisions: readonly ReplayDecision[],
  requests: readonly ApprovalView[] = [],
): readonly Entry[] {
  const asking = items.filter(({ kind }) => kind !== 'outage');
  return openEntries(groupEntries(asking, decisions, requests)).toSorted(
    (one, other) => one.item.createdAtMs - other.item.createdAtMs || one.item.id - other.item.id,
  );
}

/** At most this many pips; longer turns show their last ones. */
const MAX_PIPS = 12;
type Pip = 'reused' | 'done' | 'working';

/** One pip per step: reused ones first, the one in progress last. */
export function pipsOf(turn: Pick<TurnSummary, 'steps' | 'reused'>): readonly Pip[] {
  if (turn.steps === 0) return [];
  const reused = Math.min(turn.reused, turn.steps - 1);
  const all: Pip[] = Array.from({ length: turn.steps }, (_, index) =>
    index === turn.steps - 1 ? 'working' : index < reused ? 'reused' : 'done',
  );
  return all.slice(-MAX_PIPS);
}

interface Wait {
  /** What it waits for, in our words or the engine's. */
  readonly what: string;
  /** When it continues; absent if unknown. */
  readonly next?: string;
}

/** What a queued turn waits for and what lets it start, as known now. */
export function waitOf(
  turn: Pick<TurnSummary, 'sessionId' | 'reason'>,
  running: readonly Pick<TurnSummary, 'id' | 'sessionId'>[],
  status: Pick<StatusSnapshot, 'paused' | 'nowMs'> | undefined,
  locale?: string,
): Wait {
  if (turn.reason !== '') return { what: localClocks(turn.reason, locale) };
  if (status?.paused) {
    const { untilMs } = status.paused;
    return {
      what: t('home.wait.paused'),
      next:
        untilMs === undefined
          ? t('home.next.resume')
          : t('home.next.at', { time: clockText(untilMs, status.nowMs, locale) }),
    };
  }
  const before = running.find(({ sessionId }) => sessionId === turn.sessionId);
  if (before) {
    return { what: t('home.wait.session', { id: before.id }), next: t('home.next.after') };
  }
  if (running.length === 0) return { what: t('home.wait.next') };
  return { what: t('home.wait.place', { count: running.length }), next: t('home.next.place') };
}

/** The line below a quiet headline: today's work, if any. */
export function withFinished(sub: string, finishedToday: number | undefined): string {
  return finishedToday === undefined || finishedToday === 0
    ? sub
    : `${sub} ${t('home.finishedToday', { count: finishedToday })}`;
}
