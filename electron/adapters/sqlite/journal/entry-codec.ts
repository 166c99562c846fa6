import type { Usage } from '../../../../shared/model';
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
 * How a journal entry becomes a row and back. Kinds are small integers (`journal_kinds` names
 * them); a number is never given a second meaning. Bodies have short keys because a step is
 * written twice per turn step and its size is a budget (400 bytes a step).
 */
export const KIND_CODES: Readonly<Record<EntryKind, number>> = {
  'session.created': 1,
  'message.accepted': 2,
  'session.interrupted': 3,
  'frame.recorded': 4,
  'turn.started': 5,
  'step.started': 6,
  'step.ended': 7,
  'steps.reused': 8,
  'turn.recovered': 9,
  'turn.state': 10,
  'decision.recorded': 11,
  'turn.closed': 12,
  'reply.delivered': 13,
  'inbox.opened': 14,
  'inbox.settled': 15,
  'process.decided': 150,
  'missed.told': 142,
  'missed.attempted': 132,
  'missed.not_taken': 133,
  'marker.started': 16,
  'marker.noticed': 17,
  'marker.stopped': 18,
  'turn.pruned': 19,
  'approval.requested': 20,
  'approval.answered': 21,
  'run.started': 35,
  'phase.entered': 36,
  'phase.left': 37,
  'run.ended': 38,
  'run.planned': 39,
  'turn.requeued': 25,
  'turn.abandoned': 26,
  'wake.queued': 27,
  'wake.consumed': 28,
  'wake.cancelled': 29,
  'draft.staged': 45,
  'draft.promoting': 46,
  'draft.promoted': 47,
  'draft.kept': 48,
  'draft.discarded': 49,
  'outside.session': 55,
  'outside.call': 56,
  'outside.asking': 57,
  'outside.orphans': 58,
  'breaker.moved': 60,
  'call.retried': 61,
  'attempts.kept': 111,
  'attempts.over': 112,
  'task.set': 80,
  'task.state': 81,
  'task.fired': 82,
  'task.skipped': 83,
  'timer.set': 84,
  'timer.ended': 85,
  'heartbeat.set': 86,
  'heartbeat.ticked': 87,
  'heartbeat.stopped': 88,
  'task.moved': 129,
  'timer.moved': 130,
  'heartbeat.moved': 131,
  'gateway.asked': 113,
  'gateway.refused': 114,
  'gateway.begun': 110,
  'gateway.used': 95,
  'gateway.joined': 120,
  'gateway.revoked': 121,
  'channel.heard': 100,
  'channel.offset': 101,
  'reply.piece': 125,
  'reply.attempted': 140,
  'reply.missed': 141,
  'provider.contact': 62,
  'outage.declared': 63,
  'outage.recovering': 64,
  'outage.resolved': 65,
  'provider.probed': 66,
  'turn.waits': 67,
  'turn.moved': 68,
  'outage.pruned': 70,
};

/** The codes of these kinds, as the list of an SQL condition. */
export const codesOf = (...kinds: readonly EntryKind[]): string =>
  kinds.map((kind) => String(KIND_CODES[kind])).join(', ');

const KIND_NAMES = new Map<number, EntryKind>(
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
      body: JSON.stringify(encodeEnd(entry.end)),
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
    return { kind, turnId: row.turn_id ?? 0, step: row.step ?? 0, end: decodeEnd(body) };
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

/** `x` is the text; `b` and `n` name a blob and its length, `s` is how it begins. */
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
  // What most steps are is not written: an effect of a side effect tool.
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
    tool: String(body['t']),
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
