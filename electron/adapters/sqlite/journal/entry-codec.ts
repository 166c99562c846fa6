import type { Usage } from '../../../../shared/types';
import { PURITIES } from '../../../../shared/states';
import type {
  ConversationCut,
  EntryKind,
  JournalEntry,
  StepEnd,
  StepStart,
} from '../../../ports/journal/entries';
import type { StoredText } from '../../../ports/journal/stored';

/**
 * Encodes journal entries as rows and decodes them. Kinds are small integers (`journal_kinds` names
 * them); a number is never given a second meaning. Bodies have short keys because a step is written
 * twice per turn step and its size has a budget (400 bytes per step). After each code: its writer
 * and meaning; docs/explanation/journal.md is generated from it.
 */
export const KIND_CODES: Readonly<Record<EntryKind, number>> = {
  'session.created': 1, // sessions: a conversation with an agent exists
  'message.accepted': 2, // sessions: a message and its turn; `send` returns after this
  'session.set': 160, // sessions: the user renamed, pinned, archived or deleted a session
  'session.interrupted': 3, // api: the user interrupted a session
  'frame.recorded': 4, // turns: what is sent in addition to the conversation; once per content
  'turn.started': 5, // turns: an attempt starts, with the frame and the clock it will always see
  'step.started': 6, // turns: the intent of a model or tool call
  'step.ended': 7, // turns, recovery: completed, failed, ambiguous, skipped or confirmed
  'steps.reused': 8, // turns: stored results that a resumed run used again
  'turn.recovered': 9, // recovery: what a start decided about a turn
  'turn.state': 10, // turns, recovery: queued, running, waiting, held or parked, with the reason
  'decision.recorded': 11, // recovery: the user's answer
  'turn.closed': 12, // turns, recovery: the end of a turn; the answer is the step it names
  'reply.delivered': 13, // replies: the channel has confirmed the answer
  'inbox.opened': 14, // turns, recovery: an item needs the user's decision
  'inbox.retold': 265, // replies: an open item says something else, such as one more restart
  'inbox.settled': 15, // recovery: it no longer does
  'process.decided': 150, // recovery: wait for, end or leave a command that outlived a crash
  'missed.told': 142, // replies: a channel has accepted the notice that a task or timer was missed
  'missed.attempted': 132, // replies: such a notice is sent to a channel that would show it twice
  'missed.not_taken': 133, // replies: that channel has reported that it did not accept it
  'marker.started': 16, // compose: a start: reason, boot, instance, machine, version
  'marker.noticed': 17, // replies: the restart notice has been delivered
  'marker.stopped': 18, // compose: a clean stop
  'turn.pruned': 19, // compose: the steps of an old closed turn are deleted; their totals stay
  'approval.requested': 20, // permissions: a call waits for permission, or for its external result
  'approval.answered': 21, // permissions: the answer, bound to exactly that call
  'run.started': 35, // skills: a run of a skill: by which call, which version, its input
  'phase.entered': 36, // skills: a visit of a phase, with the key of its step plan
  'phase.left': 37, // skills: its artifact and what follows; never entered again automatically
  'run.ended': 38, // skills, recovery: completed, failed, discarded or ended with its turn
  'run.planned': 39, // recovery, skills: what a start decided about one run, or asked about
  'turn.requeued': 25, // turns: a failed model call: the turn waits for its next try
  'turn.abandoned': 26, // recovery, compose: a run was overtaken, or ended by an unexpected error
  'wake.queued': 27, // wakes: a session is to be woken at an instant
  'wake.consumed': 28, // sessions: it became a turn; in the commit of its message
  'wake.cancelled': 29, // wakes, api: it is dropped
  'draft.staged': 45, // executors: a write is a draft of its session; rides in the step's intent
  'draft.promoting': 46, // drafts: the intent to apply a draft: old and new version
  'draft.promoted': 47, // drafts: the draft is applied
  'draft.kept': 48, // drafts: the file was not replaced, the draft is staged as before
  'draft.partApplied': 220, // drafts: some changes of a draft are applied, the others stay staged
  'draft.discarded': 49, // drafts: the user discarded a draft
  'outside.session': 55, // executors: where an external agent keeps a conversation
  'outside.call': 56, // executors: what the agent reports that a step does; again when it knows more
  'outside.asking': 57, // executors: the agent requests permission; allowed, on disk before it gets the answer
  'outside.orphans': 58, // executors: leftover processes of a turn, and their result
  'breaker.moved': 60, // breaker: a breaker's state or count changed
  'call.retried': 61, // executors: an attempt of a call failed; the time of the next one
  'attempts.kept': 111, // retry: a channel or MCP server failed again; the time of the next attempt
  'attempts.over': 112, // retry: it succeeded, or the user restarted it
  'task.set': 80, // schedule: a task, or its change, with its next run
  'task.state': 81, // schedule: active, paused, completed, missed or canceled
  'task.fired': 82, // sessions: a scheduled run became a turn; in the commit of its message
  'task.skipped': 83, // schedule: a scheduled run was skipped, and why
  'timer.set': 84, // schedule: a session is to be woken once
  'timer.ended': 85, // sessions, schedule: it fired, was canceled, or was missed
  'heartbeat.set': 86, // schedule: a session is to be woken at an interval
  'heartbeat.ticked': 87, // sessions, schedule: a wake-up became a turn, or was only counted
  'heartbeat.stopped': 88, // schedule: it no longer is
  'task.moved': 129, // schedule: the clock was set back: its next run is by the new time
  'timer.moved': 130, // schedule: the same for a timer
  'heartbeat.moved': 131, // schedule: the same for a heartbeat
  'gateway.asked': 113, // gateway: a whole answer is requested; cost unknown if nothing follows
  'gateway.refused': 114, // gateway: the request was not accepted and no longer counts
  'gateway.begun': 110, // gateway: an answer started; interrupted if no `gateway.used` follows
  'gateway.used': 95, // gateway: the usage of an answer through the gateway, and its client
  'gateway.joined': 120, // gateway: a client has its own token; the hash of it
  'gateway.revoked': 121, // gateway: the token of a client is revoked
  'channel.heard': 100, // sessions: a message of a channel became a turn; in its commit
  'channel.began': 270, // sessions: work on a channel message begins; counts the starts that began with it
  'channel.setAside': 271, // sessions: a channel message will never become a turn; in the commit of its item
  'channel.offset': 101, // compose: messages of a channel up to here are handled
  'reply.piece': 125, // replies: this many pieces of a long answer have arrived, the next one is sent
  'reply.attempted': 140, // replies: an answer goes to a channel that would show it twice
  'reply.missed': 141, // replies: that channel has reported that it did not accept it
  'question.attempted': 170, // replies: a question is sent to a channel that would show it twice
  'question.not_taken': 171, // replies: that channel has reported that it did not accept it
  'question.sent': 172, // replies: a channel has accepted a question; the ID of its message
  'question.told': 173, // replies: its message was changed: another step, other answers
  'question.reminded': 190, // replies: a reminder about open questions goes to a channel
  'question.not_reminded': 191, // replies: that channel has reported that it did not accept it
  'digest.attempted': 192, // replies: the digest of a day goes to a channel
  'digest.not_taken': 193, // replies: that channel has reported that it did not accept it
  'digest.sent': 194, // replies: that channel has accepted it
  'question.closed': 174, // replies: it is decided, and its message says what happened
  'provider.contact': 62, // outage: a failure, a named wait, or the first success after failures
  'outage.declared': 63, // outage: a provider is down: its turns wait
  'outage.recovering': 64, // outage: first success, second success, or a failure in between
  'outage.resolved': 65, // outage: no turn is waiting
  'provider.probed': 66, // outage: a light request, without a model call
  'turn.waits': 67, // outage, turns: the turn waits for its provider, at its place
  'turn.goes': 195, // outage: the user continued a waiting turn now
  'turn.fell_back': 211, // fallback: another model or agent answers the turn from here on
  'turn.moved': 68, // outage: the user changed the order of the queue
  'budget.allowed': 180, // budgets: a person allowed more for the current period of a budget
  'task.event': 210, // schedule: an event that a task waits for; its run is due after the debounce
  'budget.told': 181, // budgets: a budget is nearly or fully spent; with its inbox item
  'share.sent': 225, // sessions: the turn goes to the shared queue; in the commit of its message
  'share.claimed': 226, // sharing: this computer owns a shared turn, and where it continues
  'share.away': 227, // sharing: another computer has the turn, or may claim it
  'share.ended': 228, // sharing: the end of the turn is here and in the shared store
  'outage.pruned': 70, // compose: older outages and probes are deleted
};

/** The codes of these kinds, as the list of an SQL condition. */
export const codesOf = (...kinds: readonly EntryKind[]): string =>
  kinds.map((kind) => String(KIND_CODES[kind])).join(', ');

export const isKind = (word: string): word is EntryKind => Object.hasOwn(KIND_CODES, word);

/** Kinds by their codes. A kind that a newer version wrote is not in it. */
export const KIND_NAMES = new Map<number, EntryKind>(
  Object.entries(KIND_CODES).map(([kind, code]) => [code, kind as EntryKind]),
);

/** One row of the table `journal`, without its sequence and time. */
interface EncodedRow {
  readonly kind: number;
  readonly turnId: number | null;
  readonly step: number | null;
  readonly key: Buffer | null;
  readonly body: string | null;
}

/** A row as read back. */
export interface RawRow {
  readonly seq: number;
  readonly at_ms: number;
  readonly kind: number;
  readonly turn_id: number | null;
  readonly step: number | null;
  readonly key: Buffer | null;
  readonly body: string | null;
}

export const STEP_STATE_CODES = {
  started: 0,
  completed: 1,
  failed: 2,
  ambiguous: 3,
  skipped: 4,
  confirmed: 5,
} as const;

type Body = Record<string, unknown>;

/** The large fields of a body: prompts, results, answers. Paths for SQL's `json_remove`. */
export const LARGE_FIELDS = "'$.x', '$.answer', '$.facts'";

/** SQL condition: the end of a step says that it was completed or confirmed. */
export const isFinishedStep = (body: string): string =>
  // The end of a step that is not completed starts with its state.
  `(substr(${body}, 1, 5) <> '{"s":' OR substr(${body}, 6, 1) = '${String(STEP_STATE_CODES.confirmed)}')`;

/** Entry to row. */
export function encodeEntry(entry: JournalEntry): EncodedRow {
  const kind = KIND_CODES[entry.kind];
  if (entry.kind === 'step.started') {
    return {
      kind,
      turnId: entry.turnId,
      step: entry.step,
      key: Buffer.from(entry.key, 'hex'),
      body: JSON.stringify(encodeStart(entry)),
    };
  }
  if (entry.kind === 'step.ended') {
    return {
      kind,
      turnId: entry.turnId,
      step: entry.step,
      key: null,
      body: JSON.stringify({
        ...encodeEnd(entry.end),
        ...(entry.isElsewhere === true ? { f: 1 } : {}),
      }),
    };
  }
  if (entry.kind === 'message.accepted') {
    const { kind: _kind, turnId, text, ...rest } = entry;
    return {
      kind,
      turnId,
      step: null,
      key: null,
      body: JSON.stringify({ ...rest, ...encodeText(text) }),
    };
  }
  const { kind: _name, ...fields } = entry as JournalEntry & Body;
  const turnId = typeof fields['turnId'] === 'number' ? fields['turnId'] : null;
  const step = typeof fields['step'] === 'number' ? fields['step'] : null;
  delete (fields as Body)['turnId'];
  delete (fields as Body)['step'];
  return { kind, turnId, step, key: null, body: JSON.stringify(fields) };
}

/** Row to entry; undefined for a kind that a newer version wrote. */
export function decodeEntry(row: RawRow): JournalEntry | undefined {
  const kind = KIND_NAMES.get(row.kind);
  if (kind === undefined) return undefined;
  const body = (row.body === null ? {} : JSON.parse(row.body)) as Body;
  if (kind === 'step.started') return { kind, ...decodeStart(row, body) };
  if (kind === 'step.ended') {
    const isElsewhere = body['f'] === 1 ? { isElsewhere: true as const } : {};
    const [turnId, step] = [row.turn_id ?? 0, row.step ?? 0];
    return { kind, turnId, step, end: decodeEnd(body), ...isElsewhere };
  }
  if (kind === 'message.accepted') {
    return {
      kind,
      turnId: row.turn_id ?? 0,
      ...body,
      text: decodeText(body),
    } as unknown as JournalEntry;
  }
  return {
    kind,
    ...(row.turn_id === null ? {} : { turnId: row.turn_id }),
    ...(row.step === null ? {} : { step: row.step }),
    ...body,
  } as unknown as JournalEntry;
}

/** `x` is the text; `b` and `n` name a blob and its length, `s` is its beginning. */
function encodeText(text: StoredText): Body {
  return text.kind === 'inline'
    ? { x: text.text }
    : {
        b: text.address,
        n: text.chars,
        ...(text.start === undefined ? {} : { s: text.start }),
      };
}

export function decodeText(body: Body): StoredText {
  return typeof body['b'] === 'string'
    ? {
        kind: 'blob',
        address: body['b'],
        chars: Number(body['n'] ?? 0),
        ...(typeof body['s'] === 'string' ? { start: body['s'] } : {}),
      }
    : { kind: 'inline', text: typeof body['x'] === 'string' ? body['x'] : '' };
}

function encodeStart(start: StepStart): Body {
  // The most common case is not written: an effect of a tool with side effects.
  const flags =
    (start.hasEffects ? 0 : 1) | (start.isWorkspaceRead ? 2 : 0) | (start.isIdempotent ? 4 : 0);
  const { purity, attempt, hint, call, againOf, requestId, scope } = start;
  const body: Body = { t: start.tool };
  if (purity !== 'side_effect') body['p'] = PURITIES.indexOf(purity);
  if (attempt !== 1) body['a'] = attempt;
  if (hint !== '') body['h'] = hint;
  if (call !== undefined) body['c'] = [call.step, call.part];
  if (againOf !== undefined) body['g'] = againOf;
  if (flags !== 0) body['f'] = flags;
  if (requestId !== undefined) body['r'] = requestId;
  if (scope !== undefined) body['k'] = [scope.runId, scope.phase, scope.visit];
  return body;
}

export function decodeStart(row: RawRow, body: Body): StepStart {
  const flags = Number(body['f'] ?? 0);
  const call = body['c'] as readonly [number, number] | undefined;
  const scope = body['k'] as readonly [number, string, number] | undefined;
  return {
    turnId: row.turn_id ?? 0,
    step: row.step ?? 0,
    attempt: Number(body['a'] ?? 1),
    // Missing in a damaged row.
    tool: String(body['t'] ?? ''),
    purity: PURITIES[Number(body['p'])] ?? 'side_effect',
    key: row.key === null ? '' : row.key.toString('hex'),
    hint: typeof body['h'] === 'string' ? body['h'] : '',
    ...(call === undefined ? {} : { call: { step: call[0], part: call[1] } }),
    ...(body['g'] === undefined ? {} : { againOf: Number(body['g']) }),
    hasEffects: (flags & 1) === 0,
    isWorkspaceRead: (flags & 2) !== 0,
    isIdempotent: (flags & 4) !== 0,
    ...(body['r'] === undefined ? {} : { requestId: Number(body['r']) }),
    ...(scope === undefined
      ? {}
      : { scope: { runId: scope[0], phase: scope[1], visit: scope[2] } }),
  };
}

const usageBody = (usage: Usage): readonly (number | null)[] => [
  usage.inputTokens,
  usage.outputTokens,
  usage.costUsd ?? null,
];

function usageOf(value: unknown): Usage | undefined {
  if (!Array.isArray(value)) return undefined;
  const [inputTokens, outputTokens, costUsd] = value as [number, number, number | null];
  return { inputTokens, outputTokens, ...(costUsd === null ? {} : { costUsd }) };
}

function encodeEnd(end: StepEnd): Body {
  const body = encodeOutcome(end);
  return end.workedMs === undefined ? body : { ...body, y: end.workedMs };
}

function encodeOutcome(end: StepEnd): Body {
  switch (end.state) {
    case 'completed': {
      const body = encodeText(end.content);
      if (end.isError) body['e'] = 1;
      if (end.usage !== undefined) body['u'] = usageBody(end.usage);
      if (end.drift !== undefined) body['d'] = end.drift;
      if (end.isAfterDrift === true) body['r'] = 1;
      return body;
    }
    case 'failed':
      return {
        s: 2,
        m: end.error,
        ...(end.isCutOff ? { o: 1 } : {}),
        ...(end.usage === undefined ? {} : { u: usageBody(end.usage) }),
        ...(end.shorter === undefined ? {} : { z: end.shorter }),
      };
    case 'ambiguous':
      return {
        s: 3,
        m: end.error,
        ...(end.content === undefined ? {} : { ...encodeText(end.content), q: 1 }),
      };
    case 'skipped':
      return { s: 4, w: end.by, ...encodeText(end.content) };
    case 'confirmed':
      return { s: 5, w: end.by, ...encodeText(end.content) };
  }
}

export function decodeEnd(body: Body): StepEnd {
  const end = decodeOutcome(body);
  return typeof body['y'] === 'number' ? { ...end, workedMs: body['y'] } : end;
}

function decodeOutcome(body: Body): StepEnd {
  const usage = usageOf(body['u']);
  const drift = body['d'] as 'same' | 'changed' | undefined;
  switch (Number(body['s'] ?? 1)) {
    case 2:
      return {
        state: 'failed',
        error: String(body['m'] ?? ''),
        isCutOff: body['o'] === 1,
        ...(usage === undefined ? {} : { usage }),
        ...(body['z'] === undefined ? {} : { shorter: body['z'] as ConversationCut }),
      };
    case 3:
      return {
        state: 'ambiguous',
        error: String(body['m'] ?? ''),
        ...(body['q'] === 1 ? { content: decodeText(body) } : {}),
      };
    case 4:
      return { state: 'skipped', by: body['w'] as 'policy' | 'person', content: decodeText(body) };
    case 5:
      return {
        state: 'confirmed',
        by: body['w'] as 'status_check' | 'person',
        content: decodeText(body),
      };
    default:
      return {
        state: 'completed',
        content: decodeText(body),
        isError: body['e'] === 1,
        ...(usage === undefined ? {} : { usage }),
        ...(drift === undefined ? {} : { drift }),
        ...(body['r'] === 1 ? { isAfterDrift: true } : {}),
      };
  }
}
