/**
 * Describes each kind of journal entry in a sentence. An entry may be damaged or written by another
 * version, so no field is assumed valid, and each entry still gets a description.
 */
import { storedText } from '../../../shared/reason';
import { spanText } from '../../../shared/durations';
import { providerTitle } from '../../../shared/provider-title';
import { sentence, type Sentence, type SentenceValue } from '../../../shared/messages';
import {
  CHECK_ENDS,
  SLOT_REASONS,
  TASK_STATES,
  type CheckSaid,
} from '../../../shared/schedule/states';
import { slotSentences } from '../../../shared/schedule/words';
import { RESTART_REASONS } from '../../../shared/types';
import {
  BREAKER_STATES,
  CLOSED_TURN_STATES,
  DEFAULT_CLIENT,
  INBOX_KINDS,
} from '../../../shared/states';
import type { EntryKind, JournalEntry, StepStart } from '../../ports/journal/entries';
import { stepEnd } from './step-end';

export const textOf = (value: unknown): string =>
  typeof value === 'string' ? value : typeof value === 'number' ? String(value) : '';
/** A damaged row still gets a description. */
export const numberOf = (value: unknown, other = 0): number => {
  const number = Number(value ?? other);
  return Number.isFinite(number) ? number : other;
};
const countOf = (value: unknown): number => (Array.isArray(value) ? value.length : 0);
/**
 * The value if it is one of these, else the first of them: a newer version may have written others.
 */
const oneOf = <T extends string>(all: readonly [T, ...T[]], value: unknown): T =>
  all.find((one) => one === value) ?? all[0];

/** Tools that come with Holdfast are known by their plain names. */
export const plainTool = (tool: string): SentenceValue =>
  tool === 'model' || tool === ''
    ? sentence(tool === '' ? 'event.step.unknownTool' : 'event.step.model')
    : tool.replace(/^(files|shell|fetch)\./, '');

const RECOVERED = ['resume', 'hold', 'park', 'stale', 'discard', 'none'] as const;
/** A start's decision about a turn. */
export function recoveredText(action: unknown): SentenceValue {
  const known = RECOVERED.find((one) => one === action);
  return known === undefined ? textOf(action) : sentence(`event.recovered.${known}`);
}

/** The fields of a kind of entry, of which each may be missing. */
type Read<K extends EntryKind, E = JournalEntry> = E extends { readonly kind: infer Kind }
  ? K extends Kind
    ? Partial<E>
    : never
  : never;

/** The turn and step of an entry; 0 if it names none. */
export interface EntryPlace {
  readonly id: number;
  readonly step: number;
  readonly turnId: number | undefined;
  /** The start of the step whose end this is. */
  readonly started: StepStart | undefined;
}

/** The text of an entry; an empty outcome or detail is missing. */
export interface EntryText {
  readonly sentence: Sentence;
  readonly outcome: string | undefined;
  readonly detail: string | readonly Sentence[] | undefined;
}

const say = (
  one: Sentence,
  outcome?: string,
  detail?: string | readonly Sentence[],
): EntryText => ({ sentence: one, outcome, detail });

/** The one thing that an entry about a session changes. */
function sessionSet(entry: Partial<Extract<JournalEntry, { kind: 'session.set' }>>) {
  if (entry.isDeleted === true) return 'event.session.deleted';
  if (entry.isArchived !== undefined)
    return entry.isArchived ? 'event.session.archived' : 'event.session.unarchived';
  if (entry.isPinned !== undefined)
    return entry.isPinned ? 'event.session.pinned' : 'event.session.unpinned';
  return 'event.session.renamed';
}

/** Tool and subject, from the step's start entry. */
function about(started: Partial<Pick<StepStart, 'hint' | 'tool'>> = {}): SentenceValue {
  const hint = textOf(started.hint);
  const tool = plainTool(textOf(started.tool));
  return hint === '' ? tool : sentence('event.step.about', { tool, text: hint });
}

const OPEN = ['queued', 'running', 'requires_action', 'waiting', 'held', 'parked'] as const;
const ANSWERS = ['resume', 'confirm', 'skip', 'discard', 'raise_limit', 'discard_run'] as const;
const LEFT_ANSWERS = ['wait', 'end', 'leave'] as const;
const OUTAGE_PHASES = ['trial', 'canary', 'drain', 'back'] as const;
const ASKING = ['asked', 'allowed', 'refused'] as const;
const RUN_ENDS = ['completed', 'failed', 'discarded', 'cancelled'] as const;
const RUN_ACTIONS = ['resume', 'retry', 'skip', 'discard'] as const;
const REQUEST_ANSWERS = ['allowed', 'denied', 'result', 'cleared'] as const;
const TIMER_ENDS = ['fired', 'cancelled', 'missed', 'run'] as const;

const DEPENDENCIES = ['provider', 'mcp', 'agent', 'channel', 'http', 'browser'] as const;
/** Whose breaker it is, as its name tells. */
export function breakerSubject(name: string): SentenceValue {
  const kind = DEPENDENCIES.find((one) => name.startsWith(`${one}.`));
  if (kind === undefined) return name;
  const own = name.slice(kind.length + 1);
  return sentence(`event.breaker.of.${kind}`, {
    name: kind === 'provider' ? providerTitle(own) : own,
  });
}

function breakerText(
  entry: Read<'breaker.moved'>,
): [one: Sentence, outcome: string, detail: string] {
  const name = breakerSubject(textOf(entry.name));
  const state = oneOf(BREAKER_STATES, entry.state);
  const count = numberOf(entry.failures);
  const detail = textOf(entry.lastError ?? entry.cause);
  if (entry.isGone === true) return [sentence('event.breaker.gone', { name }), state, ''];
  if (entry.from === state)
    // Closed as it was, which is no good news after a failure.
    return [sentence('event.breaker.counted', { name, count }), count === 0 ? state : '', detail];
  return [sentence(`event.breaker.${state}`, { name }), state, detail];
}

/** Hours and minutes on this computer. */
function clockTime(atMs: number): string {
  return new Date(atMs).toTimeString().slice(0, 8);
}

const gatewayCall = (
  kind: 'asked' | 'refused' | 'begun' | 'used',
  {
    provider,
    client,
    insteadOf,
  }: { readonly provider?: string; readonly client?: string; readonly insteadOf?: string },
): Sentence => {
  const name = textOf(provider);
  const what = textOf(client) || DEFAULT_CLIENT;
  const first = textOf(insteadOf);
  return first === ''
    ? sentence(`event.gateway.${kind}`, { name, what })
    : sentence('event.gateway.usedInstead', { name, what, first });
};

const draftMoved =
  (kind: 'draft.promoting' | 'draft.promoted' | 'draft.discarded') =>
  (entry: Read<'draft.promoting' | 'draft.promoted' | 'draft.discarded'>): EntryText =>
    say(sentence(`event.${kind}`, { id: numberOf(entry.draftId) }), undefined, textOf(entry.by));

const phaseMoved =
  (kind: 'phase.entered' | 'phase.left') =>
  (entry: Read<'phase.entered' | 'phase.left'>): EntryText =>
    say(sentence(`event.${kind}`, { id: numberOf(entry.runId), name: textOf(entry.phase) }));

/** What a check came to, as an entry of any version has it. */
function checkOf(check: unknown): { readonly check?: CheckSaid } {
  if (typeof check !== 'object' || check === null || !('end' in check)) return {};
  const end = oneOf(CHECK_ENDS, check.end);
  const detail = 'detail' in check && typeof check.detail === 'string' ? check.detail : undefined;
  return { check: { end, ...(detail === undefined ? {} : { detail }) } };
}

const slotDecided =
  (kind: 'task.fired' | 'task.skipped') =>
  (entry: Read<'task.fired' | 'task.skipped'>): EntryText => {
    const why = oneOf(SLOT_REASONS, entry.why);
    const slot = {
      why,
      lateMs: numberOf(entry.lateMs),
      missed: numberOf(entry.missed, 1),
      ...(typeof entry.windowMs === 'number' ? { windowMs: entry.windowMs } : {}),
      ...(entry.waits === true ? { isEvent: true } : {}),
      ...checkOf(entry.check),
    };
    return say(sentence(`event.${kind}`, { id: numberOf(entry.taskId) }), why, slotSentences(slot));
  };

/** The sentence of every kind of entry; a new kind does not compile without one. */
export const ENTRY_TEXTS: {
  readonly [K in EntryKind]: (entry: Read<K>, place: EntryPlace) => EntryText;
} = {
  'session.created': (entry) =>
    say(
      sentence('event.session.created', { name: textOf(entry.agent) }),
      undefined,
      textOf(entry.title),
    ),
  'message.accepted': (entry) =>
    say(
      sentence('event.message.accepted', { text: textOf(entry.promptStart) }),
      undefined,
      textOf(entry.channel),
    ),
  'draft.staged': (entry) => say(sentence('event.draft.staged', { name: textOf(entry.path) })),
  'draft.promoting': draftMoved('draft.promoting'),
  'draft.promoted': draftMoved('draft.promoted'),
  'draft.discarded': draftMoved('draft.discarded'),
  'channel.heard': (entry, { id }) =>
    say(sentence('event.channel.heard', { id, name: textOf(entry.channel) })),
  'channel.setAside': (entry) =>
    say(sentence('event.channel.setAside', { name: textOf(entry.channel) })),
  'channel.began': (entry) => say(sentence('event.channel.began', { name: textOf(entry.channel) })),
  'channel.offset': (entry) =>
    say(sentence('event.channel.offset', { name: textOf(entry.channel) })),
  'reply.attempted': (entry, { id }) =>
    say(sentence('event.reply.attempted', { id, name: textOf(entry.channel) })),
  'reply.piece': (entry, { id }) =>
    say(sentence('event.reply.piece', { id, count: numberOf(entry.pieces) })),
  'reply.missed': (_entry, { id }) => say(sentence('event.reply.missed', { id })),
  'gateway.asked': (entry) => say(gatewayCall('asked', entry)),
  'gateway.refused': (entry) => say(gatewayCall('refused', entry)),
  'gateway.begun': (entry) => say(gatewayCall('begun', entry)),
  'gateway.used': (entry) =>
    say(
      gatewayCall('used', entry),
      entry.isRemembered === true ? 'remembered' : entry.isCut === true ? 'cut' : undefined,
    ),
  'gateway.joined': (entry) =>
    say(sentence('event.gateway.joined', { name: textOf(entry.client) })),
  'gateway.revoked': (entry) =>
    say(sentence('event.gateway.revoked', { name: textOf(entry.client) })),
  'draft.partApplied': (entry) =>
    say(sentence('event.draft.partApplied', { id: numberOf(entry.draftId) })),
  'draft.kept': (entry) =>
    say(
      sentence(entry.isUnconfirmed === true ? 'event.draft.unconfirmed' : 'event.draft.kept', {
        id: numberOf(entry.draftId),
      }),
      undefined,
      textOf(entry.reason),
    ),
  'outside.session': (entry, { turnId }) =>
    say(
      sentence(
        entry.isInTerminal === true
          ? 'event.outside.inTerminal'
          : turnId === undefined
            ? 'event.outside.adopted'
            : 'event.outside.session',
        { name: textOf(entry.agent) },
      ),
    ),
  'outside.call': (entry, { step }) =>
    say(sentence('event.outside.call', { step }), undefined, textOf(entry.title)),
  'outside.asking': (entry, { step }) => {
    const state = oneOf(ASKING, entry.state);
    return say(sentence(`event.outside.${state}`, { step }), state, textOf(entry.by));
  },
  'outside.orphans': (entry, { id }) =>
    say(
      sentence('event.outside.orphans', { count: numberOf(entry.found), id }),
      numberOf(entry.left) > 0 ? 'left' : 'ended',
    ),
  'breaker.moved': (entry) => say(...breakerText(entry)),
  'call.retried': (entry, { id, step }) =>
    say(
      sentence('event.call.retried', { id, step, time: clockTime(numberOf(entry.dueAtMs)) }),
      textOf(entry.failure),
      textOf(entry.message),
    ),
  'attempts.kept': (entry) => {
    const name = textOf(entry.name);
    const count = numberOf(entry.streak);
    const at = entry.nextTryAtMs;
    return say(
      at === undefined
        ? sentence('event.attempts.given_up', { name, count })
        : sentence('event.attempts.kept', { name, count, time: clockTime(numberOf(at)) }),
      '',
      textOf(entry.lastError),
    );
  },
  'attempts.over': (entry) => say(sentence('event.attempts.over', { name: textOf(entry.name) })),
  'approval.requested': (entry) => {
    const key =
      entry.request === 'custom_tool' ? 'event.approval.customTool' : 'event.approval.asked';
    return say(sentence(key, { tool: textOf(entry.tool) }), undefined, textOf(entry.hint));
  },
  'approval.answered': (entry, { id }) => {
    const answer = oneOf(REQUEST_ANSWERS, entry.answer);
    return say(sentence(`event.approval.${answer}`, { id }), answer, textOf(entry.note));
  },
  'run.started': (entry) =>
    say(sentence('event.run.started', { id: numberOf(entry.runId), name: textOf(entry.skill) })),
  'phase.entered': phaseMoved('phase.entered'),
  'phase.left': phaseMoved('phase.left'),
  'run.ended': (entry) => {
    const state = oneOf(RUN_ENDS, entry.state);
    return say(
      sentence(`event.run.${state}`, { id: numberOf(entry.runId) }),
      state,
      storedText(entry.reason),
    );
  },
  'run.planned': (entry) => {
    const action = oneOf(RUN_ACTIONS, entry.action);
    return say(
      sentence(`event.run.plan.${action}`, { id: numberOf(entry.runId) }),
      action,
      storedText(entry.reason),
    );
  },
  'session.set': (entry) => say(sentence(sessionSet(entry), { name: textOf(entry.title) })),
  'session.interrupted': (entry) =>
    say(sentence('event.session.interrupted'), undefined, textOf(entry.note)),
  'frame.recorded': () => say(sentence('event.frame.recorded')),
  'turn.started': (entry, { id }) => {
    const count = numberOf(entry.attempt, 1);
    return count > 1
      ? say(sentence('event.turn.startedAgain', { id, count }), 'again')
      : say(sentence('event.turn.started', { id }));
  },
  'step.started': (entry, { step }) =>
    say(sentence('event.step.started', { step, tool: about(entry) })),
  'step.ended': (entry, { step, started }) => {
    const end = stepEnd(entry.end);
    return say(sentence(end.key, { step, tool: about(started) }), end.outcome, end.error);
  },
  'steps.reused': (entry) =>
    say(sentence('event.steps.reused', { count: countOf(entry.steps) }), 'reused'),
  'turn.recovered': (entry, { id }) =>
    say(
      sentence('event.turn.recovered', { id, text: recoveredText(entry.action) }),
      textOf(entry.action),
      storedText(entry.reason),
    ),
  'turn.state': (entry, { id }) => {
    const state = oneOf(OPEN, entry.state);
    return say(sentence(`event.turn.${state}`, { id }), state, storedText(entry.reason));
  },
  'decision.recorded': (entry, { id, step }) => {
    const answer = oneOf(ANSWERS, entry.answer);
    return say(sentence(`event.decision.${answer}`, { id, step }), answer, textOf(entry.by));
  },
  'turn.closed': (entry, { id }) => {
    const state = oneOf(CLOSED_TURN_STATES, entry.state);
    return say(sentence(`event.turn.${state}`, { id }), state, storedText(entry.reason));
  },
  'reply.delivered': (entry, { id }) =>
    say(sentence('event.reply.delivered', { id, name: textOf(entry.channel) })),
  'inbox.opened': (entry) => {
    const item = oneOf(INBOX_KINDS, entry.item);
    return say(
      sentence(`event.inbox.${item}`, { title: textOf(entry.title) }),
      item,
      storedText(entry.detail),
    );
  },
  'inbox.retold': (entry) =>
    say(
      sentence('event.inbox.restart_notice', { title: textOf(entry.title) }),
      'restart_notice',
      storedText(entry.detail),
    ),
  'inbox.settled': (entry) =>
    say(sentence('event.inbox.settled', { outcome: textOf(entry.outcome) })),
  'process.decided': (entry, { id }) => {
    const answer = oneOf(LEFT_ANSWERS, entry.answer);
    return say(
      sentence(`event.process.${answer}`, { id, number: textOf(String(numberOf(entry.pid))) }),
      answer,
      textOf(entry.by),
    );
  },
  'question.attempted': (entry) =>
    say(sentence('event.question.attempted', { name: textOf(entry.channel) })),
  'question.not_taken': (entry) =>
    say(sentence('event.question.not_taken', { name: textOf(entry.channel) })),
  'question.sent': (entry) => say(sentence('event.question.sent', { name: textOf(entry.channel) })),
  'question.told': (entry) => say(sentence('event.question.told', { name: textOf(entry.channel) })),
  'question.reminded': (entry) =>
    say(sentence('event.question.reminded', { name: textOf(entry.channel) })),
  'question.not_reminded': (entry) =>
    say(sentence('event.question.not_reminded', { name: textOf(entry.channel) })),
  'digest.attempted': (entry) =>
    say(sentence('event.digest.attempted', { name: textOf(entry.channel) })),
  'digest.not_taken': (entry) =>
    say(sentence('event.digest.not_taken', { name: textOf(entry.channel) })),
  'digest.sent': (entry) => say(sentence('event.digest.sent', { name: textOf(entry.channel) })),
  'question.closed': (entry) =>
    say(sentence('event.question.closed', { name: textOf(entry.channel) })),
  'missed.attempted': (entry) =>
    say(sentence('event.missed.attempted', { name: textOf(entry.channel) })),
  'missed.not_taken': () => say(sentence('event.missed.not_taken')),
  'missed.told': (entry) => say(sentence('event.missed.told', { name: textOf(entry.channel) })),
  'marker.started': (entry) => {
    const reason = oneOf(RESTART_REASONS, entry.reason);
    return say(sentence(`event.started.${reason}`), reason, textOf(entry.version));
  },
  'marker.noticed': (entry) =>
    say(sentence('event.marker.noticed', { name: textOf(entry.channel) })),
  'marker.stopped': (entry) =>
    say(sentence('event.marker.stopped'), undefined, textOf(entry.reason)),
  'turn.requeued': (entry, { id }) =>
    say(
      sentence('event.turn.requeued', { id, count: numberOf(entry.streak, 1) }),
      'waiting',
      storedText(entry.reason),
    ),
  'turn.waits': (entry, { id }) =>
    say(
      sentence('event.turn.waits', { id, name: textOf(entry.provider) }),
      'waiting',
      storedText(entry.reason),
    ),
  'turn.goes': (_entry, { id }) => say(sentence('event.turn.goes', { id })),
  'turn.fell_back': (entry, { id }) =>
    say(sentence('event.turn.fell_back', { id, name: textOf(entry.agent) || textOf(entry.model) })),
  'turn.moved': (_entry, { id }) => say(sentence('event.turn.moved', { id })),
  'budget.allowed': (entry) =>
    say(
      sentence('event.budget.allowed', {
        name: textOf(entry.budget),
        cost: numberOf(entry.usd).toFixed(2),
      }),
    ),
  'budget.told': (entry) =>
    say(
      sentence(entry.told === 'spent' ? 'event.budget.spent' : 'event.budget.nearly', {
        name: textOf(entry.budget),
      }),
    ),
  'share.sent': (_entry, { id }) => say(sentence('event.share.sent', { id })),
  'share.claimed': (entry, { id }) => {
    const name = textOf(entry.from);
    return say(
      name === ''
        ? sentence('event.share.claimed', { id })
        : sentence('event.share.continued', { id, name, step: numberOf(entry.atStep) }),
    );
  },
  'share.away': (entry, { id }) => {
    const name = textOf(entry.machine);
    return say(
      name === ''
        ? sentence('event.share.queued', { id })
        : typeof entry.atStep === 'number' && entry.atStep > 1
          ? sentence('event.share.moved', { id, name, step: entry.atStep })
          : sentence('event.share.away', { id, name }),
      textOf(entry.why).replaceAll('_', ' '),
    );
  },
  'share.ended': (_entry, { id }) => say(sentence('event.share.ended', { id })),
  'outage.pruned': () => say(sentence('event.outage.pruned')),
  'provider.contact': (entry) => {
    const isGood = entry.contact === 'success';
    return say(
      sentence(isGood ? 'event.provider.answered' : 'event.provider.failed', {
        name: textOf(entry.provider),
      }),
      textOf(entry.contact),
      isGood ? undefined : textOf(entry.record?.lastError),
    );
  },
  'provider.probed': (entry) =>
    say(
      sentence(entry.ok === true ? 'event.provider.probeOk' : 'event.provider.probeFailed', {
        name: textOf(entry.provider),
      }),
      textOf(entry.why),
      textOf(entry.error),
    ),
  'outage.declared': (entry) =>
    say(
      sentence('event.outage.declared', {
        name: textOf(entry.provider),
        count: numberOf(entry.failedTurns),
      }),
      'down',
      storedText(entry.reason),
    ),
  'outage.recovering': (entry) => {
    const phase = oneOf(OUTAGE_PHASES, entry.phase);
    return say(sentence(`event.outage.${phase}`, { name: textOf(entry.provider) }), phase);
  },
  'outage.resolved': (entry) =>
    say(sentence('event.outage.resolved', { name: textOf(entry.provider) }), 'answering'),
  'turn.abandoned': (entry, { id }) =>
    say(sentence('event.turn.abandoned', { id }), textOf(entry.why), textOf(entry.message)),
  'wake.queued': (entry) => say(sentence('event.wake.queued', { text: textOf(entry.note) })),
  'wake.consumed': (_entry, { id }) => say(sentence('event.wake.consumed', { id })),
  'wake.cancelled': (entry) =>
    say(sentence('event.wake.cancelled'), undefined, textOf(entry.reason)),
  'task.set': (entry) =>
    say(
      sentence('event.task.set', { id: numberOf(entry.taskId), name: textOf(entry.name) }),
      undefined,
      textOf(entry.schedule),
    ),
  'task.state': (entry) => {
    const state = oneOf(TASK_STATES, entry.state);
    return say(sentence(`event.task.${state}`, { id: numberOf(entry.taskId) }), state);
  },
  'task.event': (entry) =>
    say(
      sentence('event.task.event', { id: numberOf(entry.taskId) }),
      undefined,
      textOf(entry.what),
    ),
  'task.fired': slotDecided('task.fired'),
  'task.skipped': slotDecided('task.skipped'),
  'timer.set': (entry) =>
    say(
      sentence('event.timer.set', {
        name: textOf(entry.timerId),
        duration: spanText(numberOf(entry.seconds) * 1000),
      }),
      undefined,
      textOf(entry.message),
    ),
  'timer.ended': (entry) => {
    const how = oneOf(TIMER_ENDS, entry.how);
    return say(sentence(`event.timer.${how}`, { name: textOf(entry.timerId) }), how);
  },
  'heartbeat.set': (entry) =>
    say(sentence('event.heartbeat.set'), undefined, textOf(entry.message)),
  'heartbeat.ticked': (_entry, { turnId }) =>
    say(sentence(turnId === undefined ? 'event.heartbeat.skipped' : 'event.heartbeat.ticked')),
  'heartbeat.stopped': (entry) =>
    say(sentence('event.heartbeat.stopped'), undefined, textOf(entry.by)),
  'task.moved': (entry) => say(sentence('event.task.moved', { id: numberOf(entry.taskId) })),
  'timer.moved': (entry) => say(sentence('event.timer.moved', { name: textOf(entry.timerId) })),
  'heartbeat.moved': () => say(sentence('event.heartbeat.moved')),
  'turn.pruned': (_entry, { id }) => say(sentence('event.turn.pruned', { id })),
};
