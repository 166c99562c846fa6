/** Rows, marks, and filters of the events page. Pure. */
import type { HistoryEvent } from '../../shared/types';
import { TURN_STATES } from '../../shared/states';
import type { TurnState } from '../../shared/states';
import { CATALOGUE, sentenceText, t } from '../../shared/messages';
import type { MessageKey, Sentence, SentenceValue } from '../../shared/messages';
import { dayStartMs, durationText, localClocks } from '../parts/time-view';
import { shownTurn } from '../parts/state-view';
import type { Look, MarkName, Tone } from '../parts/state-view';
import { table } from '../../shared/table';

export type Source = 'journal' | 'audit';

/** A group of event kinds, named as users think of them. */
interface KindGroup {
  readonly value: string;
  readonly label: Extract<MessageKey, `events.kind.${string}`>;
  readonly kinds: readonly string[];
}

const GROUPS: Readonly<Record<Source, readonly KindGroup[]>> = {
  journal: [
    {
      value: 'turns',
      label: 'events.kind.turns',
      kinds: [
        'session.created',
        'message.accepted',
        'session.interrupted',
        'session.set',
        'turn.started',
        'turn.state',
        'turn.closed',
        'reply.attempted',
        'reply.piece',
        'reply.missed',
        'reply.delivered',
        'channel.heard',
        'channel.began',
        'channel.setAside',
        'channel.offset',
        'turn.pruned',
        'turn.requeued',
        'turn.abandoned',
        'turn.waits',
        'turn.moved',
        'turn.goes',
        'share.sent',
        'share.claimed',
        'share.away',
        'share.ended',
      ],
    },
    {
      value: 'steps',
      label: 'events.kind.steps',
      kinds: [
        'step.started',
        'step.ended',
        'steps.reused',
        'run.started',
        'phase.entered',
        'phase.left',
        'run.ended',
        'run.planned',
        'outside.session',
        'outside.call',
        'outside.asking',
        'outside.orphans',
        'draft.staged',
        'draft.promoting',
        'draft.promoted',
        'draft.kept',
        'draft.partApplied',
        'draft.discarded',
      ],
    },
    {
      value: 'schedules',
      label: 'events.kind.schedules',
      kinds: [
        'wake.queued',
        'wake.consumed',
        'wake.cancelled',
        'task.set',
        'task.state',
        'task.fired',
        'task.skipped',
        'timer.set',
        'timer.ended',
        'heartbeat.set',
        'heartbeat.ticked',
        'heartbeat.stopped',
        'task.moved',
        'task.event',
        'timer.moved',
        'heartbeat.moved',
      ],
    },
    {
      value: 'recovery',
      label: 'events.kind.recovery',
      kinds: [
        'turn.recovered',
        'decision.recorded',
        'approval.requested',
        'approval.answered',
        'inbox.opened',
        'inbox.retold',
        'inbox.settled',
        'process.decided',
        'missed.attempted',
        'missed.not_taken',
        'missed.told',
        'question.attempted',
        'question.not_taken',
        'question.sent',
        'question.told',
        'question.closed',
        'question.reminded',
        'question.not_reminded',
        'digest.attempted',
        'digest.not_taken',
        'digest.sent',
      ],
    },
    {
      value: 'outages',
      label: 'events.kind.outages',
      kinds: [
        'breaker.moved',
        'call.retried',
        'attempts.kept',
        'attempts.over',
        'gateway.asked',
        'gateway.refused',
        'gateway.begun',
        'gateway.used',
        'gateway.joined',
        'gateway.revoked',
        'budget.allowed',
        'budget.told',
        'turn.fell_back',
        'provider.contact',
        'provider.probed',
        'outage.declared',
        'outage.recovering',
        'outage.resolved',
        'outage.pruned',
      ],
    },
    {
      value: 'starts',
      label: 'events.kind.starts',
      kinds: ['marker.started', 'marker.noticed', 'marker.stopped'],
    },
  ],
  audit: [
    {
      value: 'turns',
      label: 'events.kind.turns',
      kinds: ['turn_accepted', 'turn_cancelled'],
    },
    {
      value: 'steps',
      label: 'events.kind.steps',
      kinds: ['step', 'step_memoized', 'world_drift'],
    },
    {
      value: 'recovery',
      label: 'events.kind.recovery',
      kinds: ['turn_recovered', 'decision_recorded', 'process_decided'],
    },
    {
      value: 'starts',
      label: 'events.kind.starts',
      kinds: [
        'start',
        'start_stage',
        'stop_stage',
        'stopped',
        'reset',
        'practice_kill',
        'upkeep',
        'notification',
        'audit.lines_lost',
      ],
    },
    {
      value: 'settings',
      label: 'events.kind.settings',
      kinds: ['setting_changed', 'provider_key_set', 'provider_key_removed', 'provider_removed'],
    },
  ],
};

export const groupsOf = (source: Source): readonly KindGroup[] => GROUPS[source];
/** The event kinds in a group; undefined for all. */
export const kindsOf = (source: Source, group: string | null): readonly string[] | undefined =>
  GROUPS[source].find(({ value }) => value === group)?.kinds;

const look = (tone: Tone, mark: MarkName): Look => ({ tone, mark });

const STEP = table<Look>({
  completed: look('ok', 'check'),
  error: look('attention', 'triangle'),
  failed: look('outage', 'cross'),
  cut_off: look('line', 'cut'),
  ambiguous: look('ambiguous', 'diamond'),
  skipped: look('muted', 'skip'),
  confirmed: look('ok', 'check'),
});
const BREAKERS = table<Look>({
  closed: look('ok', 'check'),
  open: look('outage', 'cross'),
  half_open: look('attention', 'loop'),
});
const RECOVERED = table<Look>({
  resume: look('kept', 'loop'),
  hold: look('ambiguous', 'diamond'),
  stale: look('ambiguous', 'diamond'),
  park: look('muted', 'pause'),
  discard: look('muted', 'skip'),
});
const INBOX = table<Look>({
  replay_decision: look('ambiguous', 'diamond'),
  limit: look('attention', 'pause'),
  restart_notice: look('kept', 'loop'),
});
const UNEXPECTED = ['crash', 'kill', 'power_loss'];
const PLAIN = look('line', 'mark');

const STATES: readonly string[] = TURN_STATES;

/** The mark of an event: its shape shows what happened, its color the outcome. */
export function eventLook(event: Pick<HistoryEvent, 'kind' | 'outcome'>): Look {
  const { kind, outcome = '' } = event;
  switch (kind) {
    case 'step':
    case 'step.ended':
      return STEP[outcome] ?? look('ok', 'check');
    case 'step.started':
      return look('line', 'play');
    case 'steps.reused':
    case 'step_memoized':
    case 'message.accepted':
    case 'turn_accepted':
      return look('kept', 'mark');
    case 'turn.started':
      return outcome === 'again' ? look('reissued', 'loop') : look('working', 'play');
    case 'turn.recovered':
    case 'turn_recovered':
      return RECOVERED[outcome] ?? PLAIN;
    case 'turn.state':
    case 'turn.requeued':
    case 'turn.waits':
    case 'turn.closed':
      return STATES.includes(outcome) ? shownTurn(outcome as TurnState) : PLAIN;
    case 'breaker.moved':
    case 'breaker_moved':
      return BREAKERS[outcome] ?? PLAIN;
    case 'call.retried':
    case 'attempts.kept':
      return look('working', 'loop');
    case 'turn_cancelled':
      return shownTurn('cancelled');
    case 'decision.recorded':
    case 'decision_recorded':
    case 'process.decided':
    case 'process_decided':
      return look('line', 'shield');
    case 'inbox.opened':
    case 'inbox.retold':
      return INBOX[outcome] ?? look('attention', 'triangle');
    case 'inbox.settled':
    case 'reply.delivered':
    case 'missed.told':
    case 'question.sent':
    case 'question.closed':
      return look('ok', 'check');
    case 'marker.started':
      return UNEXPECTED.includes(outcome) ? look('attention', 'triangle') : look('kept', 'loop');
    case 'start':
      return look('kept', 'loop');
    case 'marker.stopped':
    case 'stopped':
      return look('muted', 'stop');
    case 'practice_kill':
      return look('attention', 'triangle');
    case 'audit.lines_lost':
      return look('outage', 'cross');
    default:
      return PLAIN;
  }
}

/** A list row: an event, or the heading of an older day. */
export type ListRow = EventRow | { readonly kind: 'day'; readonly atMs: number };
export interface EventRow {
  readonly kind: 'event';
  readonly event: HistoryEvent;
  /** Stages of one start or stop, newest first, shown as one row. */
  readonly stages?: readonly HistoryEvent[];
}

/** Events with day headings between them; today needs none at the top. */
export function listRows(events: readonly HistoryEvent[], nowMs: number): readonly ListRow[] {
  const rows: ListRow[] = [];
  let day = dayStartMs(nowMs);
  // Comparing with the day's two ends is much faster than computing the day of 100,000 events.
  let endMs = Number.POSITIVE_INFINITY;
  for (const event of events) {
    if (event.atMs < day || event.atMs >= endMs) {
      day = dayStartMs(event.atMs);
      endMs = dayStartMs(day + 36 * 3_600_000);
      rows.push({ kind: 'day', atMs: day });
    }
    const above = rows.at(-1);
    if (above?.kind === 'event' && isSameRun(above.stages?.at(-1) ?? above.event, event))
      rows[rows.length - 1] = { ...above, stages: [...(above.stages ?? [above.event]), event] };
    else rows.push({ kind: 'event', event });
  }
  return rows;
}

/**
 * The row that contains an event, possibly as one of its stages. Without that event, the newest
 * row.
 */
export const rowOf = (rows: readonly ListRow[], id: string | undefined): EventRow | undefined => {
  const isOf = ({ event, stages }: EventRow): boolean =>
    event.id === id || stages?.some((stage) => stage.id === id) === true;
  return (
    rows.find((row): row is EventRow => row.kind === 'event' && isOf(row)) ??
    rows.find((row): row is EventRow => row.kind === 'event')
  );
};

const STAGES: readonly string[] = ['start_stage', 'stop_stage'];
/** Stages of one start are at most this far apart; a later one begins another row. */
const APART_MS = 60_000;
const isSameRun = (newer: HistoryEvent, older: HistoryEvent): boolean =>
  STAGES.includes(newer.kind) &&
  older.kind === newer.kind &&
  newer.atMs - older.atMs < APART_MS &&
  stageOf(older) < stageOf(newer);

/** The number of a stage, from the facts of its event. */
const stageOf = ({ detail }: HistoryEvent): number => Number(factsIn(detail).get('order') ?? 0);

/** The sentence of a row; several stages share one. */
export function rowText({ event, stages }: EventRow): string {
  if (stages === undefined) return eventText(event);
  const [fromMs, toMs] = [stages.at(-1)?.atMs ?? event.atMs, event.atMs];
  return t(event.kind === 'stop_stage' ? 'events.stages.stop' : 'events.stages.start', {
    count: stages.length,
    span: durationText(Math.max(0, toMs - fromMs)),
  });
}

/** The facts of an audit entry under their stored names, one per line. */
function factsIn(detail: string | undefined): ReadonlyMap<string, string> {
  return new Map(
    (detail ?? '').split('\n').flatMap((line) => {
      const at = line.indexOf(': ');
      return at > 0 ? [[line.slice(0, at), line.slice(at + 2)] as const] : [];
    }),
  );
}

/** Facts that add to the sentence above them, in display order. */
const TOLD_FACTS = [
  'cause',
  'error',
  'reason',
  'by',
  'path',
  'key',
  'from',
  'to',
  'mode',
  'durationMs',
] as const;
type ToldFact = (typeof TOLD_FACTS)[number];
const CALLERS = ['window', 'cli', 'tray', 'control', 'first_start'] as const;

/** The readable facts of an audit entry; the others are shown in the raw entry only. */
export function toldFacts(
  event: Pick<HistoryEvent, 'id' | 'detail'>,
): readonly { readonly name: ToldFact; readonly label: string; readonly text: string }[] {
  if (!isAuditLine(event)) return [];
  const facts = factsIn(event.detail);
  return TOLD_FACTS.flatMap((name) => {
    const value = facts.get(name);
    return value === undefined || value === ''
      ? []
      : [{ name, label: t(`events.fact.${name}`), text: factText(name, value) }];
  });
}

export const isAuditLine = ({ id }: Pick<HistoryEvent, 'id'>): boolean => id.startsWith('a');

function factText(name: ToldFact, value: string): string {
  if (name === 'durationMs') return durationText(Number(value) || 0);
  const caller = name === 'by' ? CALLERS.find((one) => one === value) : undefined;
  return caller === undefined ? value : t(`events.by.${caller}`);
}

/**
 * Puts newer events on top of the loaded ones. Undefined if there is a gap between them: then only
 * the newest page is shown, and the rest is loaded again.
 */
export function onTop(
  newest: readonly HistoryEvent[],
  known: readonly HistoryEvent[],
): readonly HistoryEvent[] | undefined {
  const first = known[0];
  if (first === undefined) return undefined;
  const at = newest.findIndex(({ id }) => id === first.id);
  if (at < 0) return undefined;
  return at === 0 ? known : [...newest.slice(0, at), ...known];
}

/** The next row for keyboard navigation: only events can be selected. */
export function stepRow(rows: readonly ListRow[], from: number, step: 1 | -1): number {
  for (let at = from + step; at >= 0 && at < rows.length; at += step) {
    if (rows[at]?.kind === 'event') return at;
  }
  return from;
}

/** The text of an event in the window's language, or main's English text if that fails. */
export function eventText({ sentence, words }: Pick<HistoryEvent, 'sentence' | 'words'>): string {
  return isKnown(sentence) ? sentenceText(withLocalClocks(sentence)) : words;
}

/** Further details of an event, in the same way; undefined if there are none. */
export function eventDetail({
  detail,
  detailSentences,
}: Pick<HistoryEvent, 'detail' | 'detailSentences'>): string | undefined {
  return detailSentences?.every(isKnown) === true
    ? detailSentences
        .filter(isKnown)
        .map((said) => sentenceText(withLocalClocks(said)))
        .join(' ')
    : detail;
}

/** Fields that contain a timestamp and never text. */
const MOMENTS: readonly string[] = ['time', 'first', 'last'];

function withLocalClocks({ key, values }: Sentence): Sentence {
  if (values === undefined) return { key };
  const told = Object.entries(values).map(([name, value]): [string, SentenceValue] => {
    if (typeof value === 'object') return [name, withLocalClocks(value)];
    const isMoment = typeof value === 'string' && MOMENTS.includes(name);
    return [name, isMoment ? localClocks(value) : value];
  });
  return { key, values: Object.fromEntries(told) };
}

/** False if main is newer than this window and uses a message missing from its catalogue. */
function isKnown(said: HistoryEvent['sentence']): said is Sentence {
  if (said === undefined || !Object.hasOwn(CATALOGUE, said.key)) return false;
  return Object.values(said.values ?? {}).every(
    (value) => typeof value !== 'object' || isKnown(value),
  );
}
