import { spanText } from '../../shared/durations';
import { sentence, sentenceText, type Sentence, type SentenceValue } from '../../shared/messages';
import { SLOT_REASONS, TASK_STATES } from '../../shared/schedule/states';
import { slotSentences } from '../../shared/schedule/words';
import { RESTART_REASONS, type HistoryEvent } from '../../shared/model';
import { CLOSED_TURN_STATES } from '../../shared/states';
import type { AuditLine } from '../adapters/log/audit-reader';
import type { HistoryRow } from '../adapters/sqlite/history-reads';

/**
 * What an event says; the rest of {@link HistoryEvent} is where it stands. The words are those of the
 * sentences in the language of this process; windows say the sentences in their own.
 */
export type EventWords = Pick<HistoryEvent, 'kind' | 'words'> & {
  readonly sentence?: Sentence;
  readonly outcome?: string;
  readonly detail?: string;
  readonly detailSentences?: Sentence[];
};

type Facts = Readonly<Record<string, unknown>>;
const textOf = (value: unknown): string =>
  typeof value === 'string' ? value : typeof value === 'number' ? String(value) : '';
/** A row that is damaged is told all the same. */
const numberOf = (value: unknown, other = 0): number => {
  const number = Number(value ?? other);
  return Number.isFinite(number) ? number : other;
};
const countOf = (value: unknown): number => (Array.isArray(value) ? value.length : 0);

function toolOf(started: Facts | undefined): SentenceValue {
  const tool = textOf(started?.['t']);
  return plainTool(tool);
}

/** Tools that come with Holdfast are known by their plain names. */
const plainTool = (tool: string): SentenceValue =>
  tool === 'model' || tool === ''
    ? sentence('event.step.model')
    : tool.replace(/^(files|shell|fetch)\./, '');

/** Tool and what it is about, as the start of the step says. */
function about(started: Facts | undefined): SentenceValue {
  const hint = textOf(started?.['h']);
  const tool = toolOf(started);
  return hint === '' ? tool : sentence('event.step.about', { tool, text: hint });
}

const RECOVERED = ['resume', 'hold', 'park', 'stale', 'discard', 'none'] as const;
function recoveredText(action: unknown): SentenceValue {
  const known = RECOVERED.find((one) => one === action);
  return known === undefined ? textOf(action) : sentence(`event.recovered.${known}`);
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
const ITEMS = [
  'replay_decision',
  'limit',
  'approval',
  'unanswered',
  'restart_notice',
  'outage',
  'problem',
] as const;
const OUTAGE_PHASES = ['trial', 'canary', 'drain', 'back'] as const;
const lastErrorOf = (body: Facts): string =>
  textOf((body['record'] as Facts | undefined)?.['lastError']);
const ASKING = ['asked', 'allowed', 'refused'] as const;
const RUN_ENDS = ['completed', 'failed', 'discarded', 'cancelled'] as const;
const RUN_ACTIONS = ['resume', 'retry', 'skip', 'discard'] as const;
const REQUEST_ANSWERS = ['allowed', 'denied', 'result', 'cleared'] as const;
const TIMER_ENDS = ['fired', 'cancelled', 'missed'] as const;
const oneOf = <T extends string>(all: readonly T[], value: unknown): T =>
  all.find((one) => one === value) ?? (all[0] as T);

const BREAKER_STATES = ['closed', 'open', 'half_open'] as const;
function breakerWords(body: Facts): [said: Sentence, outcome: string, detail: string] {
  const name = textOf(body['name']);
  const state = oneOf(BREAKER_STATES, body['state']);
  const count = numberOf(body['failures']);
  const detail = textOf(body['lastError'] ?? body['cause']);
  if (body['isGone'] === true) return [sentence('event.breaker.gone', { name }), state, ''];
  if (body['from'] === state)
    return [sentence('event.breaker.counted', { name, count }), state, detail];
  return [sentence(`event.breaker.${state}`, { name }), state, detail];
}

/** Hours and minutes on this computer. */
function clockTime(atMs: number): string {
  return new Date(atMs).toTimeString().slice(0, 8);
}

function detailOf(
  detail: string | readonly Sentence[] | undefined,
): Pick<EventWords, 'detail' | 'detailSentences'> {
  if (detail === undefined || detail === '') return {};
  if (typeof detail === 'string') return { detail };
  return { detail: detail.map(sentenceText).join(' '), detailSentences: [...detail] };
}

/** A journal row in words. Pure; a kind that a newer version wrote says so. */
export function journalWords(row: HistoryRow): EventWords {
  const { body, kind } = row;
  const id = row.turnId ?? 0;
  const step = row.step ?? 0;
  const say = (
    said: Sentence,
    outcome?: string,
    detail?: string | readonly Sentence[],
  ): EventWords => ({
    kind: kind ?? 'unknown',
    words: sentenceText(said),
    sentence: said,
    ...(outcome === undefined || outcome === '' ? {} : { outcome }),
    ...detailOf(detail),
  });
  switch (kind) {
    case 'session.created':
      return say(
        sentence('event.session.created', { name: textOf(body['agent']) }),
        undefined,
        textOf(body['title']),
      );
    case 'message.accepted':
      return say(
        sentence('event.message.accepted', { text: textOf(body['promptStart']) }),
        undefined,
        textOf(body['channel']),
      );
    case 'draft.staged':
      return say(sentence('event.draft.staged', { name: textOf(body['path']) }));
    case 'draft.promoting':
    case 'draft.promoted':
    case 'draft.discarded':
      return say(
        sentence(`event.${kind}`, { id: numberOf(body['draftId']) }),
        undefined,
        textOf(body['by']),
      );
    case 'channel.heard':
      return say(sentence('event.channel.heard', { id, name: textOf(body['channel']) }));
    case 'channel.offset':
      return say(sentence('event.channel.offset', { name: textOf(body['channel']) }));
    case 'reply.attempted':
      return say(sentence('event.reply.attempted', { id, name: textOf(body['channel']) }));
    case 'reply.piece':
      return say(sentence('event.reply.piece', { id, count: numberOf(body['pieces']) }));
    case 'reply.missed':
      return say(sentence('event.reply.missed', { id }));
    case 'gateway.used':
      return say(
        sentence('event.gateway.used', { name: textOf(body['provider']) }),
        body['isRemembered'] === true ? 'remembered' : undefined,
      );
    case 'draft.kept':
      return say(
        sentence('event.draft.kept', { id: numberOf(body['draftId']) }),
        undefined,
        textOf(body['reason']),
      );
    case 'outside.session':
      return say(
        sentence(
          body['isInTerminal'] === true
            ? 'event.outside.inTerminal'
            : row.turnId === undefined
              ? 'event.outside.adopted'
              : 'event.outside.session',
          { name: textOf(body['agent']) },
        ),
      );
    case 'outside.call':
      return say(sentence('event.outside.call', { step }), undefined, textOf(body['title']));
    case 'outside.asking': {
      const state = oneOf(ASKING, body['state']);
      return say(sentence(`event.outside.${state}`, { step }), state, textOf(body['by']));
    }
    case 'outside.orphans':
      return say(
        sentence('event.outside.orphans', { count: numberOf(body['found']), id }),
        numberOf(body['left']) > 0 ? 'left' : 'ended',
      );
    case 'breaker.moved':
      return say(...breakerWords(body));
    case 'call.retried':
      return say(
        sentence('event.call.retried', { id, step, time: clockTime(numberOf(body['dueAtMs'])) }),
        textOf(body['failure']),
        textOf(body['message']),
      );
    case 'approval.requested': {
      const key =
        body['request'] === 'custom_tool' ? 'event.approval.customTool' : 'event.approval.asked';
      return say(sentence(key, { tool: textOf(body['tool']) }), undefined, textOf(body['hint']));
    }
    case 'approval.answered': {
      const answer = oneOf(REQUEST_ANSWERS, body['answer']);
      return say(sentence(`event.approval.${answer}`, { id }), answer, textOf(body['note']));
    }
    case 'run.started':
      return say(
        sentence('event.run.started', { id: numberOf(body['runId']), name: textOf(body['skill']) }),
      );
    case 'phase.entered':
    case 'phase.left':
      return say(
        sentence(`event.${kind}`, { id: numberOf(body['runId']), name: textOf(body['phase']) }),
      );
    case 'run.ended': {
      const state = oneOf(RUN_ENDS, body['state']);
      return say(
        sentence(`event.run.${state}`, { id: numberOf(body['runId']) }),
        state,
        textOf(body['reason']),
      );
    }
    case 'run.planned': {
      const action = oneOf(RUN_ACTIONS, body['action']);
      return say(
        sentence(`event.run.plan.${action}`, { id: numberOf(body['runId']) }),
        action,
        textOf(body['reason']),
      );
    }
    case 'session.interrupted':
      return say(sentence('event.session.interrupted'), undefined, textOf(body['note']));
    case 'frame.recorded':
      return say(sentence('event.frame.recorded'));
    case 'turn.started': {
      const count = numberOf(body['attempt'], 1);
      return count > 1
        ? say(sentence('event.turn.startedAgain', { id, count }), 'again')
        : say(sentence('event.turn.started', { id }));
    }
    case 'step.started':
      return say(sentence('event.step.started', { step, tool: about(body) }));
    case 'step.ended': {
      const end = stepEnd(body);
      return say(
        sentence(end.key, { step, tool: about(row.started) }),
        end.outcome,
        textOf(body['m']),
      );
    }
    case 'steps.reused':
      return say(sentence('event.steps.reused', { count: countOf(body['steps']) }), 'reused');
    case 'turn.recovered':
      return say(
        sentence('event.turn.recovered', { id, text: recoveredText(body['action']) }),
        textOf(body['action']),
        textOf(body['reason']),
      );
    case 'turn.state': {
      const state = oneOf(OPEN, body['state']);
      return say(sentence(`event.turn.${state}`, { id }), state, textOf(body['reason']));
    }
    case 'decision.recorded': {
      const answer = oneOf(ANSWERS, body['answer']);
      return say(sentence(`event.decision.${answer}`, { id, step }), answer, textOf(body['by']));
    }
    case 'turn.closed': {
      const state = oneOf(CLOSED_TURN_STATES, body['state']);
      return say(sentence(`event.turn.${state}`, { id }), state, textOf(body['reason']));
    }
    case 'reply.delivered':
      return say(sentence('event.reply.delivered', { id, name: textOf(body['channel']) }));
    case 'inbox.opened': {
      const item = oneOf(ITEMS, body['item']);
      return say(
        sentence(`event.inbox.${item}`, { title: textOf(body['title']) }),
        item,
        textOf(body['detail']),
      );
    }
    case 'inbox.settled':
      return say(sentence('event.inbox.settled', { outcome: textOf(body['outcome']) }));
    case 'marker.started': {
      const reason = oneOf(RESTART_REASONS, body['reason']);
      return say(sentence(`event.started.${reason}`), reason, textOf(body['version']));
    }
    case 'marker.noticed':
      return say(sentence('event.marker.noticed', { name: textOf(body['channel']) }));
    case 'marker.stopped':
      return say(sentence('event.marker.stopped'), undefined, textOf(body['reason']));
    case 'turn.requeued':
      return say(
        sentence('event.turn.requeued', { id, count: numberOf(body['streak'], 1) }),
        'waiting',
        textOf(body['reason']),
      );
    case 'turn.waits':
      return say(
        sentence('event.turn.waits', { id, name: textOf(body['provider']) }),
        'waiting',
        textOf(body['reason']),
      );
    case 'turn.moved':
      return say(sentence('event.turn.moved', { id }));
    case 'outage.pruned':
      return say(sentence('event.outage.pruned'));
    case 'provider.contact': {
      const isGood = body['contact'] === 'success';
      return say(
        sentence(isGood ? 'event.provider.answered' : 'event.provider.failed', {
          name: textOf(body['provider']),
        }),
        textOf(body['contact']),
        isGood ? undefined : lastErrorOf(body),
      );
    }
    case 'provider.probed':
      return say(
        sentence(body['ok'] === true ? 'event.provider.probeOk' : 'event.provider.probeFailed', {
          name: textOf(body['provider']),
        }),
        textOf(body['why']),
        textOf(body['error']),
      );
    case 'outage.declared':
      return say(
        sentence('event.outage.declared', {
          name: textOf(body['provider']),
          count: numberOf(body['failedTurns']),
        }),
        'down',
        textOf(body['reason']),
      );
    case 'outage.recovering': {
      const phase = oneOf(OUTAGE_PHASES, body['phase']);
      return say(sentence(`event.outage.${phase}`, { name: textOf(body['provider']) }), phase);
    }
    case 'outage.resolved':
      return say(
        sentence('event.outage.resolved', { name: textOf(body['provider']) }),
        'answering',
      );
    case 'turn.abandoned':
      return say(
        sentence('event.turn.abandoned', { id }),
        textOf(body['why']),
        textOf(body['message']),
      );
    case 'wake.queued':
      return say(sentence('event.wake.queued', { text: textOf(body['note']) }));
    case 'wake.consumed':
      return say(sentence('event.wake.consumed', { id }));
    case 'wake.cancelled':
      return say(sentence('event.wake.cancelled'), undefined, textOf(body['reason']));
    case 'task.set':
      return say(
        sentence('event.task.set', { id: numberOf(body['taskId']), name: textOf(body['name']) }),
        undefined,
        textOf(body['schedule']),
      );
    case 'task.state': {
      const state = oneOf(TASK_STATES, body['state']);
      return say(sentence(`event.task.${state}`, { id: numberOf(body['taskId']) }), state);
    }
    case 'task.fired':
    case 'task.skipped': {
      const why = oneOf(SLOT_REASONS, body['why']);
      return say(
        sentence(`event.${kind}`, { id: numberOf(body['taskId']) }),
        why,
        slotSentences({
          why,
          lateMs: numberOf(body['lateMs']),
          missed: numberOf(body['missed'], 1),
          ...(typeof body['windowMs'] === 'number' ? { windowMs: body['windowMs'] } : {}),
        }),
      );
    }
    case 'timer.set':
      return say(
        sentence('event.timer.set', {
          name: textOf(body['timerId']),
          duration: spanText(numberOf(body['seconds']) * 1000),
        }),
        undefined,
        textOf(body['message']),
      );
    case 'timer.ended': {
      const how = oneOf(TIMER_ENDS, body['how']);
      return say(sentence(`event.timer.${how}`, { name: textOf(body['timerId']) }), how);
    }
    case 'heartbeat.set':
      return say(sentence('event.heartbeat.set'), undefined, textOf(body['message']));
    case 'heartbeat.ticked':
      return say(
        sentence(row.turnId === undefined ? 'event.heartbeat.skipped' : 'event.heartbeat.ticked'),
      );
    case 'heartbeat.stopped':
      return say(sentence('event.heartbeat.stopped'), undefined, textOf(body['by']));
    case 'turn.pruned':
      return say(sentence('event.turn.pruned', { id }));
    case undefined:
      return say(sentence('event.unknown'));
  }
}

/** A line of the audit in words; an event without words of its own shows its name. Pure. */
export function auditWords(line: AuditLine): EventWords {
  const { event, facts } = line;
  const id = textOf(facts['turnId']);
  const values = {
    id,
    step: textOf(facts['step']),
    tool: plainTool(textOf(facts['tool'])),
    outcome: textOf(facts['state'] ?? facts['outcome']),
    version: textOf(facts['version']),
    name: textOf(
      facts['key'] ?? facts['name'] ?? facts['provider'] ?? facts['agent'] ?? facts['topic'],
    ),
    text:
      event === 'turn_recovered'
        ? recoveredText(facts['action'])
        : textOf(facts['answer'] ?? facts['to']).replace('_', '-'),
    count: numberOf(facts['lost'] ?? facts['count'] ?? facts['failedTurns']),
  };
  const key = AUDIT_KEYS.find((one) => one === `audit.${event}`);
  const outcome = textOf(
    facts['state'] ?? facts['action'] ?? facts['answer'] ?? facts['reason'] ?? facts['outcome'],
  );
  const detail = Object.entries(facts)
    .map(([name, value]) => `${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join('\n');
  return {
    kind: event,
    ...(key === undefined ? { words: event.replaceAll('_', ' ') } : said(sentence(key, values))),
    ...(outcome === '' ? {} : { outcome }),
    ...(detail === '' ? {} : { detail }),
  };
}

const said = (one: Sentence): Pick<EventWords, 'words' | 'sentence'> => ({
  words: sentenceText(one),
  sentence: one,
});

const AUDIT_KEYS = [
  'audit.start',
  'audit.stopped',
  'audit.turn_accepted',
  'audit.step',
  'audit.step_memoized',
  'audit.world_drift',
  'audit.session_adopted',
  'audit.session_handed_back',
  'audit.turn_cancelled',
  'audit.turn_recovered',
  'audit.decision_recorded',
  'audit.setting_changed',
  'audit.agent_added',
  'audit.agent_changed',
  'audit.agent_removed',
  'audit.provider_key_set',
  'audit.provider_key_removed',
  'audit.practice_kill',
  'audit.upkeep',
  'audit.reset',
  'audit.notification',
  'audit.audit.lines_lost',
  'audit.conversation_shortened',
  'audit.breaker_moved',
  'audit.breaker_damaged',
  'audit.outage_declared',
  'audit.outage_resolved',
  'audit.provider_probed',
  'audit.provider_quota',
  'audit.turn_moved',
  'audit.event',
  'audit.event_refused',
  'audit.event_shed',
  'audit.event_buried',
  'audit.letters_replayed',
  'audit.letters_purged',
] as const;
