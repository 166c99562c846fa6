import { spanText } from '../../shared/durations';
import { sentence, type Sentence, type SentenceValue } from '../../shared/messages';
import { SLOT_REASONS, TASK_STATES } from '../../shared/schedule/states';
import { slotSentences } from '../../shared/schedule/words';
import { RESTART_REASONS } from '../../shared/types';
import {
  BREAKER_STATES,
  CLOSED_TURN_STATES,
  DEFAULT_CLIENT,
  INBOX_KINDS,
} from '../../shared/states';
import type { EntryKind } from '../ports/journal/entries';
import {
  countOf,
  numberOf,
  oneOf,
  plainTool,
  recoveredText,
  textOf,
  type Facts,
} from './event-facts';

/** A journal row as its words need it; a turn or a step that it does not name is 0. */
interface Told {
  readonly body: Facts;
  readonly id: number;
  readonly step: number;
  readonly turnId: number | undefined;
  /** The start of the step whose end this is. */
  readonly started: Facts | undefined;
}

/** What is said of a row; an outcome or a detail that is empty is none. */
interface Said {
  readonly said: Sentence;
  readonly outcome: string | undefined;
  readonly detail: string | readonly Sentence[] | undefined;
}

const say = (said: Sentence, outcome?: string, detail?: string | readonly Sentence[]): Said => ({
  said,
  outcome,
  detail,
});

/** Tool and what it is about, as the start of the step says. */
function about(started: Facts | undefined): SentenceValue {
  const hint = textOf(started?.['h']);
  const tool = plainTool(textOf(started?.['t']));
  return hint === '' ? tool : sentence('event.step.about', { tool, text: hint });
}

const END_WORDS = {
  2: ['failed', 'event.step.failed'],
  3: ['ambiguous', 'event.step.ambiguous'],
  4: ['skipped', 'event.step.skipped'],
  5: ['confirmed', 'event.step.confirmed'],
} as const;

function stepEnd(body: Facts): {
  readonly outcome: string;
  readonly key: 'event.step.completed' | 'event.step.error' | 'event.step.cutOff' | EndKey;
} {
  const end = END_WORDS[numberOf(body['s'], 1) as keyof typeof END_WORDS] as
    (typeof END_WORDS)[keyof typeof END_WORDS] | undefined;
  if (end === undefined) {
    return body['e'] === 1
      ? { outcome: 'error', key: 'event.step.error' }
      : { outcome: 'completed', key: 'event.step.completed' };
  }
  if (end[0] === 'failed' && body['o'] === 1)
    return { outcome: 'cut_off', key: 'event.step.cutOff' };
  return { outcome: end[0], key: end[1] };
}
type EndKey = (typeof END_WORDS)[keyof typeof END_WORDS][1];

const OPEN = ['queued', 'running', 'requires_action', 'waiting', 'held', 'parked'] as const;
const ANSWERS = ['resume', 'confirm', 'skip', 'discard', 'raise_limit', 'discard_run'] as const;
const LEFT_ANSWERS = ['wait', 'end', 'leave'] as const;
const OUTAGE_PHASES = ['trial', 'canary', 'drain', 'back'] as const;
const lastErrorOf = (body: Facts): string =>
  textOf((body['record'] as Facts | undefined)?.['lastError']);
const ASKING = ['asked', 'allowed', 'refused'] as const;
const RUN_ENDS = ['completed', 'failed', 'discarded', 'cancelled'] as const;
const RUN_ACTIONS = ['resume', 'retry', 'skip', 'discard'] as const;
const REQUEST_ANSWERS = ['allowed', 'denied', 'result', 'cleared'] as const;
const TIMER_ENDS = ['fired', 'cancelled', 'missed', 'run'] as const;

function breakerWords(body: Facts): [said: Sentence, outcome: string, detail: string] {
  const name = textOf(body['name']);
  const state = oneOf(BREAKER_STATES, body['state']);
  const count = numberOf(body['failures']);
  const detail = textOf(body['lastError'] ?? body['cause']);
  if (body['isGone'] === true) return [sentence('event.breaker.gone', { name }), state, ''];
  if (body['from'] === state)
    // Closed as it was, which is no good news after a failure.
    return [sentence('event.breaker.counted', { name, count }), count === 0 ? state : '', detail];
  return [sentence(`event.breaker.${state}`, { name }), state, detail];
}

/** Hours and minutes on this computer. */
function clockTime(atMs: number): string {
  return new Date(atMs).toTimeString().slice(0, 8);
}

const draftMoved =
  (kind: 'draft.promoting' | 'draft.promoted' | 'draft.discarded') =>
  ({ body }: Told): Said =>
    say(
      sentence(`event.${kind}`, { id: numberOf(body['draftId']) }),
      undefined,
      textOf(body['by']),
    );

const phaseMoved =
  (kind: 'phase.entered' | 'phase.left') =>
  ({ body }: Told): Said =>
    say(sentence(`event.${kind}`, { id: numberOf(body['runId']), name: textOf(body['phase']) }));

const slotDecided =
  (kind: 'task.fired' | 'task.skipped') =>
  ({ body }: Told): Said => {
    const why = oneOf(SLOT_REASONS, body['why']);
    const slot = {
      why,
      lateMs: numberOf(body['lateMs']),
      missed: numberOf(body['missed'], 1),
      ...(typeof body['windowMs'] === 'number' ? { windowMs: body['windowMs'] } : {}),
    };
    return say(
      sentence(`event.${kind}`, { id: numberOf(body['taskId']) }),
      why,
      slotSentences(slot),
    );
  };

/** The words of every kind of journal row; a new kind does not compile without some. */
export const JOURNAL_WORDS: Readonly<Record<EntryKind, (told: Told) => Said>> = {
  'session.created': ({ body }) =>
    say(
      sentence('event.session.created', { name: textOf(body['agent']) }),
      undefined,
      textOf(body['title']),
    ),
  'message.accepted': ({ body }) =>
    say(
      sentence('event.message.accepted', { text: textOf(body['promptStart']) }),
      undefined,
      textOf(body['channel']),
    ),
  'draft.staged': ({ body }) => say(sentence('event.draft.staged', { name: textOf(body['path']) })),
  'draft.promoting': draftMoved('draft.promoting'),
  'draft.promoted': draftMoved('draft.promoted'),
  'draft.discarded': draftMoved('draft.discarded'),
  'channel.heard': ({ body, id }) =>
    say(sentence('event.channel.heard', { id, name: textOf(body['channel']) })),
  'channel.offset': ({ body }) =>
    say(sentence('event.channel.offset', { name: textOf(body['channel']) })),
  'reply.attempted': ({ body, id }) =>
    say(sentence('event.reply.attempted', { id, name: textOf(body['channel']) })),
  'reply.piece': ({ body, id }) =>
    say(sentence('event.reply.piece', { id, count: numberOf(body['pieces']) })),
  'reply.missed': ({ id }) => say(sentence('event.reply.missed', { id })),
  'gateway.asked': ({ body }) =>
    say(
      sentence('event.gateway.asked', {
        name: textOf(body['provider']),
        what: textOf(body['client']) || DEFAULT_CLIENT,
      }),
    ),
  'gateway.refused': ({ body }) =>
    say(
      sentence('event.gateway.refused', {
        name: textOf(body['provider']),
        what: textOf(body['client']) || DEFAULT_CLIENT,
      }),
    ),
  'gateway.begun': ({ body }) =>
    say(
      sentence('event.gateway.begun', {
        name: textOf(body['provider']),
        what: textOf(body['client']) || DEFAULT_CLIENT,
      }),
    ),
  'gateway.used': ({ body }) =>
    say(
      sentence('event.gateway.used', {
        name: textOf(body['provider']),
        what: textOf(body['client']) || DEFAULT_CLIENT,
      }),
      body['isRemembered'] === true ? 'remembered' : body['isCut'] === true ? 'cut' : undefined,
    ),
  'gateway.joined': ({ body }) =>
    say(sentence('event.gateway.joined', { name: textOf(body['client']) })),
  'gateway.revoked': ({ body }) =>
    say(sentence('event.gateway.revoked', { name: textOf(body['client']) })),
  'draft.kept': ({ body }) =>
    say(
      sentence('event.draft.kept', { id: numberOf(body['draftId']) }),
      undefined,
      textOf(body['reason']),
    ),
  'outside.session': ({ body, turnId }) =>
    say(
      sentence(
        body['isInTerminal'] === true
          ? 'event.outside.inTerminal'
          : turnId === undefined
            ? 'event.outside.adopted'
            : 'event.outside.session',
        { name: textOf(body['agent']) },
      ),
    ),
  'outside.call': ({ body, step }) =>
    say(sentence('event.outside.call', { step }), undefined, textOf(body['title'])),
  'outside.asking': ({ body, step }) => {
    const state = oneOf(ASKING, body['state']);
    return say(sentence(`event.outside.${state}`, { step }), state, textOf(body['by']));
  },
  'outside.orphans': ({ body, id }) =>
    say(
      sentence('event.outside.orphans', { count: numberOf(body['found']), id }),
      numberOf(body['left']) > 0 ? 'left' : 'ended',
    ),
  'breaker.moved': ({ body }) => say(...breakerWords(body)),
  'call.retried': ({ body, id, step }) =>
    say(
      sentence('event.call.retried', { id, step, time: clockTime(numberOf(body['dueAtMs'])) }),
      textOf(body['failure']),
      textOf(body['message']),
    ),
  'attempts.kept': ({ body }) => {
    const name = textOf(body['name']);
    const count = numberOf(body['streak']);
    const at = body['nextTryAtMs'];
    return say(
      at === undefined
        ? sentence('event.attempts.given_up', { name, count })
        : sentence('event.attempts.kept', { name, count, time: clockTime(numberOf(at)) }),
      '',
      textOf(body['lastError']),
    );
  },
  'attempts.over': ({ body }) =>
    say(sentence('event.attempts.over', { name: textOf(body['name']) })),
  'approval.requested': ({ body }) => {
    const key =
      body['request'] === 'custom_tool' ? 'event.approval.customTool' : 'event.approval.asked';
    return say(sentence(key, { tool: textOf(body['tool']) }), undefined, textOf(body['hint']));
  },
  'approval.answered': ({ body, id }) => {
    const answer = oneOf(REQUEST_ANSWERS, body['answer']);
    return say(sentence(`event.approval.${answer}`, { id }), answer, textOf(body['note']));
  },
  'run.started': ({ body }) =>
    say(
      sentence('event.run.started', { id: numberOf(body['runId']), name: textOf(body['skill']) }),
    ),
  'phase.entered': phaseMoved('phase.entered'),
  'phase.left': phaseMoved('phase.left'),
  'run.ended': ({ body }) => {
    const state = oneOf(RUN_ENDS, body['state']);
    return say(
      sentence(`event.run.${state}`, { id: numberOf(body['runId']) }),
      state,
      textOf(body['reason']),
    );
  },
  'run.planned': ({ body }) => {
    const action = oneOf(RUN_ACTIONS, body['action']);
    return say(
      sentence(`event.run.plan.${action}`, { id: numberOf(body['runId']) }),
      action,
      textOf(body['reason']),
    );
  },
  'session.interrupted': ({ body }) =>
    say(sentence('event.session.interrupted'), undefined, textOf(body['note'])),
  'frame.recorded': () => say(sentence('event.frame.recorded')),
  'turn.started': ({ body, id }) => {
    const count = numberOf(body['attempt'], 1);
    return count > 1
      ? say(sentence('event.turn.startedAgain', { id, count }), 'again')
      : say(sentence('event.turn.started', { id }));
  },
  'step.started': ({ body, step }) =>
    say(sentence('event.step.started', { step, tool: about(body) })),
  'step.ended': ({ body, step, started }) => {
    const end = stepEnd(body);
    return say(sentence(end.key, { step, tool: about(started) }), end.outcome, textOf(body['m']));
  },
  'steps.reused': ({ body }) =>
    say(sentence('event.steps.reused', { count: countOf(body['steps']) }), 'reused'),
  'turn.recovered': ({ body, id }) =>
    say(
      sentence('event.turn.recovered', { id, text: recoveredText(body['action']) }),
      textOf(body['action']),
      textOf(body['reason']),
    ),
  'turn.state': ({ body, id }) => {
    const state = oneOf(OPEN, body['state']);
    return say(sentence(`event.turn.${state}`, { id }), state, textOf(body['reason']));
  },
  'decision.recorded': ({ body, id, step }) => {
    const answer = oneOf(ANSWERS, body['answer']);
    return say(sentence(`event.decision.${answer}`, { id, step }), answer, textOf(body['by']));
  },
  'turn.closed': ({ body, id }) => {
    const state = oneOf(CLOSED_TURN_STATES, body['state']);
    return say(sentence(`event.turn.${state}`, { id }), state, textOf(body['reason']));
  },
  'reply.delivered': ({ body, id }) =>
    say(sentence('event.reply.delivered', { id, name: textOf(body['channel']) })),
  'inbox.opened': ({ body }) => {
    const item = oneOf(INBOX_KINDS, body['item']);
    return say(
      sentence(`event.inbox.${item}`, { title: textOf(body['title']) }),
      item,
      textOf(body['detail']),
    );
  },
  'inbox.settled': ({ body }) =>
    say(sentence('event.inbox.settled', { outcome: textOf(body['outcome']) })),
  'process.decided': ({ body, id }) => {
    const answer = oneOf(LEFT_ANSWERS, body['answer']);
    return say(
      sentence(`event.process.${answer}`, { id, number: textOf(String(numberOf(body['pid']))) }),
      answer,
      textOf(body['by']),
    );
  },
  'missed.attempted': ({ body }) =>
    say(sentence('event.missed.attempted', { name: textOf(body['channel']) })),
  'missed.not_taken': () => say(sentence('event.missed.not_taken')),
  'missed.told': ({ body }) =>
    say(sentence('event.missed.told', { name: textOf(body['channel']) })),
  'marker.started': ({ body }) => {
    const reason = oneOf(RESTART_REASONS, body['reason']);
    return say(sentence(`event.started.${reason}`), reason, textOf(body['version']));
  },
  'marker.noticed': ({ body }) =>
    say(sentence('event.marker.noticed', { name: textOf(body['channel']) })),
  'marker.stopped': ({ body }) =>
    say(sentence('event.marker.stopped'), undefined, textOf(body['reason'])),
  'turn.requeued': ({ body, id }) =>
    say(
      sentence('event.turn.requeued', { id, count: numberOf(body['streak'], 1) }),
      'waiting',
      textOf(body['reason']),
    ),
  'turn.waits': ({ body, id }) =>
    say(
      sentence('event.turn.waits', { id, name: textOf(body['provider']) }),
      'waiting',
      textOf(body['reason']),
    ),
  'turn.moved': ({ id }) => say(sentence('event.turn.moved', { id })),
  'outage.pruned': () => say(sentence('event.outage.pruned')),
  'provider.contact': ({ body }) => {
    const isGood = body['contact'] === 'success';
    return say(
      sentence(isGood ? 'event.provider.answered' : 'event.provider.failed', {
        name: textOf(body['provider']),
      }),
      textOf(body['contact']),
      isGood ? undefined : lastErrorOf(body),
    );
  },
  'provider.probed': ({ body }) =>
    say(
      sentence(body['ok'] === true ? 'event.provider.probeOk' : 'event.provider.probeFailed', {
        name: textOf(body['provider']),
      }),
      textOf(body['why']),
      textOf(body['error']),
    ),
  'outage.declared': ({ body }) =>
    say(
      sentence('event.outage.declared', {
        name: textOf(body['provider']),
        count: numberOf(body['failedTurns']),
      }),
      'down',
      textOf(body['reason']),
    ),
  'outage.recovering': ({ body }) => {
    const phase = oneOf(OUTAGE_PHASES, body['phase']);
    return say(sentence(`event.outage.${phase}`, { name: textOf(body['provider']) }), phase);
  },
  'outage.resolved': ({ body }) =>
    say(sentence('event.outage.resolved', { name: textOf(body['provider']) }), 'answering'),
  'turn.abandoned': ({ body, id }) =>
    say(sentence('event.turn.abandoned', { id }), textOf(body['why']), textOf(body['message'])),
  'wake.queued': ({ body }) => say(sentence('event.wake.queued', { text: textOf(body['note']) })),
  'wake.consumed': ({ id }) => say(sentence('event.wake.consumed', { id })),
  'wake.cancelled': ({ body }) =>
    say(sentence('event.wake.cancelled'), undefined, textOf(body['reason'])),
  'task.set': ({ body }) =>
    say(
      sentence('event.task.set', { id: numberOf(body['taskId']), name: textOf(body['name']) }),
      undefined,
      textOf(body['schedule']),
    ),
  'task.state': ({ body }) => {
    const state = oneOf(TASK_STATES, body['state']);
    return say(sentence(`event.task.${state}`, { id: numberOf(body['taskId']) }), state);
  },
  'task.fired': slotDecided('task.fired'),
  'task.skipped': slotDecided('task.skipped'),
  'timer.set': ({ body }) =>
    say(
      sentence('event.timer.set', {
        name: textOf(body['timerId']),
        duration: spanText(numberOf(body['seconds']) * 1000),
      }),
      undefined,
      textOf(body['message']),
    ),
  'timer.ended': ({ body }) => {
    const how = oneOf(TIMER_ENDS, body['how']);
    return say(sentence(`event.timer.${how}`, { name: textOf(body['timerId']) }), how);
  },
  'heartbeat.set': ({ body }) =>
    say(sentence('event.heartbeat.set'), undefined, textOf(body['message'])),
  'heartbeat.ticked': ({ turnId }) =>
    say(sentence(turnId === undefined ? 'event.heartbeat.skipped' : 'event.heartbeat.ticked')),
  'heartbeat.stopped': ({ body }) =>
    say(sentence('event.heartbeat.stopped'), undefined, textOf(body['by'])),
  'task.moved': ({ body }) => say(sentence('event.task.moved', { id: numberOf(body['taskId']) })),
  'timer.moved': ({ body }) =>
    say(sentence('event.timer.moved', { name: textOf(body['timerId']) })),
  'heartbeat.moved': () => say(sentence('event.heartbeat.moved')),
  'turn.pruned': ({ id }) => say(sentence('event.turn.pruned', { id })),
};
