import { storedText } from '../../../../shared/reason';
import type Database from 'better-sqlite3';
import type { TurnState, Usage } from '../../../../shared/types';
import { PURITIES } from '../../../../shared/states';
import type { JournalReads } from '../../../ports/journal/reads';
import type { EventRow, SessionRow, StartRow, StepRow, TurnRow } from '../../../ports/journal/rows';
import type { Frame, RecoveryAction } from '../../../ports/journal/entries';
import type { StoredText } from '../../../ports/journal/stored';
import type { InboxRow } from '../../../ports/journal/inbox';
import type { JsonValue } from '../../../ports/provider';
import { createApprovalReads, readRequestEvents } from './approvals';
import { createDraftReads } from './drafts';
import { createChannelReads } from './channels';
import { createQuestionReads } from './questions';
import { createGatewayReads } from './gateway';
import { createUsageReads } from './usage';
import { createOriginReads } from '../key-origin';
import { createSharedReads } from './shared';
import { createSpendReads } from './spend';
import { createSkillReads } from './skills';
import { createBreakerReads } from './breaker';
import { createOutageReads, fallbacksOf } from './outage';
import { createExternalReads } from './external';
import { workOf } from './activations';
import {
  decodeEnd,
  decodeStart,
  decodeText,
  KIND_CODES,
  type RawRow,
} from '../journal/entry-codec';
import { type Queries, queries } from '../prepared';
import { untilChanged } from '../until-changed';
import { type Row, numberOr, orUndefined, textOr } from '../row';

const STATES = ['started', 'completed', 'failed', 'ambiguous', 'skipped', 'confirmed'] as const;

// Subqueries instead of a join: one turn is read in a tenth of the time, and turns are read often.
// The newest step is searched from the end, so that a long turn costs no more than a short one.
const TURN_COLUMNS = `t.*, (SELECT key FROM sessions WHERE id = t.session_id) AS session_key,
  (SELECT agent FROM sessions WHERE id = t.session_id) AS agent,
  (SELECT step FROM steps WHERE turn_id = t.id ORDER BY step DESC LIMIT 1) AS step_count,
  (SELECT machine FROM shared_turns WHERE turn_id = t.id) AS shared_with`;
const TURN_FROM = 'FROM turns AS t';
/** A constant: building so long a text for each read would cost as much as the read. */
const TURN_BY_ID = `SELECT ${TURN_COLUMNS} ${TURN_FROM} WHERE t.id = ?`;
// Programs announce some calls under a generic name, so the latest description counts.
const STEP_QUERY = `SELECT s.turn_id, s.step, s.state, s.reused,
    (SELECT json_extract(j.body, '$.title') FROM outside_calls AS c
      JOIN journal AS j ON j.seq = c.call_seq
      WHERE c.turn_id = s.turn_id AND c.step = s.step) AS told,
    b.seq AS b_seq, b.at_ms AS b_at, b.key AS b_key, b.body AS b_body,
    e.seq AS e_seq, e.at_ms AS e_at, e.body AS e_body
  FROM steps AS s JOIN journal AS b ON b.seq = s.started_seq
  LEFT JOIN journal AS e ON e.seq = s.ended_seq`;

/**
 * A frame never changes once it is written, except that a reset deletes it with everything else.
 */
const FRAMES_KEPT = 50;
/**
 * A turn that continued after this many later turns of its session shows its calls only on its own
 * page.
 */
const TURNS_LOOKED_AT = 200;

const SESSION_QUERY = `SELECT s.*, p.key AS parent_key, f.title AS fork_title FROM sessions AS s
   LEFT JOIN sessions AS p ON p.id = s.parent_id AND p.deleted_at IS NULL
   LEFT JOIN sessions AS f ON f.id = s.fork_of`;

/** Reads of committed state. Statements are prepared once; none scans closed history. */
export function createReads(db: Database.Database): JournalReads {
  const frames = new Map<number, Frame>();
  /** Part of every idempotency key; assigned once, when the database is created. */
  let databaseId: string | undefined;
  const { rows, row, one, value, count } = queries(db);
  const bodyText = (seq: unknown): StoredText | undefined => {
    if (typeof seq !== 'number') return undefined;
    return one(
      (found) => decodeText(JSON.parse(String(found['body'] ?? '{}')) as Row),
      'SELECT body FROM journal WHERE seq = ?',
      seq,
    );
  };

  const frame = (id: number): Frame | undefined => {
    const same = frames.get(id);
    if (same !== undefined) return same;
    const read = one(
      (found) => (JSON.parse(String(found['body'])) as { frame: Frame }).frame,
      'SELECT j.body FROM frames AS f JOIN journal AS j ON j.seq = f.seq WHERE f.id = ?',
      id,
    );
    if (read === undefined) return undefined;
    // Turns of one agent share a frame and are resumed together.
    if (frames.size >= FRAMES_KEPT) frames.clear();
    frames.set(id, read);
    return read;
  };

  const originOf = createOriginReads(db);
  const readDatabaseId = (): string =>
    (databaseId ??= textOr(value("SELECT value FROM state WHERE key = 'database_id'"))) ?? '';

  return {
    ...createApprovalReads(db),
    ...createSkillReads(db),
    ...createDraftReads(db),
    ...createExternalReads(db),
    ...createBreakerReads(db),
    ...createChannelReads(db),
    ...createQuestionReads(db),
    ...createGatewayReads(db),
    ...createUsageReads(db, frame),
    ...createSpendReads(db),
    ...createSharedReads(db, originOf),
    ...createOutageReads(db),
    turn: untilChanged(db, (id) => one(turnOf, TURN_BY_ID, id)),
    openTurns: () =>
      rows(`SELECT ${TURN_COLUMNS} ${TURN_FROM} WHERE t.is_closed = 0 ORDER BY t.id`).map(turnOf),
    turns(filter) {
      const states = filter.states ?? [];
      const where = [
        't.id < ?',
        ...(filter.sessionId === undefined
          ? ['t.session_id NOT IN (SELECT id FROM sessions WHERE deleted_at IS NOT NULL)']
          : ['t.session_id = ?']),
        ...(states.length === 0 ? [] : [`t.state IN (${states.map(() => '?').join(', ')})`]),
        ...(states.length > 0 && states.every(isOpenState) ? ['t.is_closed = 0'] : []),
      ];
      return rows(
        `SELECT ${TURN_COLUMNS} ${TURN_FROM} WHERE ${where.join(' AND ')} ORDER BY t.id DESC LIMIT ?`,
        filter.beforeId ?? Number.MAX_SAFE_INTEGER,
        ...(filter.sessionId === undefined ? [] : [filter.sessionId]),
        ...states,
        filter.limit,
      ).map(turnOf);
    },
    steps: (turnId) =>
      rows(`${STEP_QUERY} WHERE s.turn_id = ? ORDER BY s.step`, turnId).map(stepOf),
    newestStep: (turnId) =>
      one(stepOf, `${STEP_QUERY} WHERE s.turn_id = ? ORDER BY s.step DESC LIMIT 1`, turnId),
    prompt: (turn) => bodyText(turn.promptSeq) ?? { kind: 'inline', text: '' },
    frame,
    frameIdByHash: (hash) =>
      numberOr(value('SELECT id FROM frames WHERE hash = ?', Buffer.from(hash, 'hex'))),
    session: (ref) =>
      'id' in ref
        ? one(sessionOf, `${SESSION_QUERY} WHERE s.id = ?`, ref.id)
        : one(sessionOf, `${SESSION_QUERY} WHERE s.key = ?`, ref.key),
    countPinned: () => count('SELECT count(*) FROM sessions WHERE pinned_at IS NOT NULL'),
    countForks: (sessionId) =>
      count('SELECT count(*) FROM sessions WHERE fork_of = ? AND deleted_at IS NULL', sessionId),
    pinnedSessions: () =>
      rows(
        `${SESSION_QUERY} WHERE s.pinned_at IS NOT NULL AND s.archived_at IS NULL
         ORDER BY s.last_event_at DESC, s.id DESC`,
      ).map(sessionOf),
    sessions: (limit, before, isArchived = false) =>
      rows(
        `${SESSION_QUERY} WHERE (s.last_event_at, s.id) < (?, ?) AND s.deleted_at IS NULL
           AND ${isArchived ? 's.archived_at IS NOT NULL' : 's.archived_at IS NULL AND s.pinned_at IS NULL'}
         ORDER BY s.last_event_at DESC, s.id DESC LIMIT ?`,
        before?.lastEventAtMs ?? Number.MAX_SAFE_INTEGER,
        before?.id ?? Number.MAX_SAFE_INTEGER,
        limit,
      ).map(sessionOf),
    events: (sessionId, options) => readEvents(rows, bodyText, sessionId, options),
    history: (sessionId, beforeTurnId, limit) =>
      rows(
        // A fork continues after a turn of another session, which may be a fork itself.
        `WITH RECURSIVE line (session_id, before_id) AS (
           SELECT @sessionId, @turnId UNION ALL
           SELECT f.fork_of, min(f.fork_turn + 1, line.before_id)
           FROM line JOIN sessions AS f ON f.id = line.session_id WHERE f.fork_of IS NOT NULL)
         SELECT t.prompt_seq, s.ended_seq FROM line JOIN turns AS t
           ON t.session_id = line.session_id AND t.id < line.before_id
         LEFT JOIN steps AS s ON s.turn_id = t.id AND s.step = t.answer_step
         WHERE t.state = 'completed'
           AND t.id > coalesce((SELECT json_extract(j.body, '$.behindTurn') FROM turns AS own
             JOIN journal AS j ON j.seq = own.prompt_seq WHERE own.id = @turnId), 0)
           AND t.closed_seq < coalesce(
             (SELECT started_seq FROM steps WHERE turn_id = @turnId ORDER BY step LIMIT 1),
             9223372036854775807)
         ORDER BY t.id DESC LIMIT @limit`,
        { sessionId, turnId: beforeTurnId, limit },
      )
        .reverse()
        .map((found) => ({
          prompt: bodyText(found['prompt_seq']) ?? { kind: 'inline' as const, text: '' },
          answer: bodyText(found['ended_seq']),
        })),
    outcome: (sessionId, beforeTurnId) =>
      bodyText(
        value(
          `SELECT prompt_seq FROM turns WHERE session_id = @sessionId AND is_outcome = 1
             AND id < coalesce(@turnId, 9223372036854775807)
             AND id > coalesce((SELECT json_extract(j.body, '$.behindTurn') FROM turns AS own
               JOIN journal AS j ON j.seq = own.prompt_seq WHERE own.id = @turnId), 0)
           ORDER BY id DESC LIMIT 1`,
          { sessionId, turnId: beforeTurnId ?? null },
        ),
      ),
    inbox: ({ includeSettled, limit, afterId = 0 }) =>
      (includeSettled
        ? rows('SELECT * FROM (SELECT * FROM inbox ORDER BY id DESC LIMIT ?) ORDER BY id', limit)
        : rows(
            'SELECT * FROM inbox WHERE settled_at IS NULL AND id > ? ORDER BY id LIMIT ?',
            afterId,
            limit,
          )
      ).map(inboxOf),
    openInboxesOfTurn: (turnId) =>
      rows('SELECT * FROM inbox WHERE turn_id = ? AND settled_at IS NULL ORDER BY id', turnId).map(
        inboxOf,
      ),
    inboxesOfTurn: (turnId) =>
      rows('SELECT * FROM inbox WHERE turn_id = ? ORDER BY id', turnId).map(inboxOf),
    inboxItem: (id) => one(inboxOf, 'SELECT * FROM inbox WHERE id = ?', id),
    pendingReplies: (channel, { turnId }) =>
      rows(
        `SELECT ${TURN_COLUMNS} ${TURN_FROM}
         WHERE t.is_reply_pending = 1 AND t.channel = ? AND t.id > ? ORDER BY t.id LIMIT 100`,
        channel,
        turnId,
      ).map(turnOf),
    starts: (limit) => rows('SELECT * FROM starts ORDER BY id DESC LIMIT ?', limit).map(startOf),
    startsBetween: (fromMs, toMs) =>
      rows(
        'SELECT * FROM starts WHERE started_at > ? AND started_at <= ? ORDER BY id LIMIT 1000',
        fromMs,
        toMs,
      ).map(startOf),
    recoveriesOfStart: (startId) =>
      rows('SELECT * FROM recoveries WHERE start_id = ? ORDER BY turn_id LIMIT 10000', startId).map(
        (found) => ({
          turnId: Number(found['turn_id']),
          action: found['action'] as RecoveryAction,
          reason: storedText(found['reason']),
          atMs: Number(found['at_ms']),
        }),
      ),
    unansweredSessions: (limit) =>
      rows(
        `SELECT s.id, s.key, s.last_event_at, s.last_event_seq FROM sessions AS s
         WHERE s.last_is_message = 1
           AND NOT EXISTS (SELECT 1 FROM turns WHERE turns.session_id = s.id AND turns.prompt_seq = s.last_event_seq)
         ORDER BY s.id LIMIT ?`,
        limit,
      ).map((found) => ({
        sessionId: Number(found['id']),
        key: String(found['key']),
        atMs: Number(found['last_event_at']),
        text: bodyText(found['last_event_seq']) ?? { kind: 'inline' as const, text: '' },
      })),
    keptSince(atMs) {
      const found = row(
        'SELECT coalesce(sum(steps), 0) AS steps, coalesce(sum(saved_usd), 0) AS usd FROM kept_hours WHERE hour_ms >= ?',
        Math.floor(atMs / 3_600_000) * 3_600_000,
      );
      return { steps: Number(found?.['steps'] ?? 0), savedUsd: Number(found?.['usd'] ?? 0) };
    },
    countByState: () =>
      Object.fromEntries(
        rows('SELECT state, count(*) AS n FROM turns WHERE is_closed = 0 GROUP BY state').map(
          (found) => [String(found['state']), Number(found['n'])],
        ),
      ),
    lastEntryAtMs: () => numberOr(value('SELECT at_ms FROM journal ORDER BY seq DESC LIMIT 1')),
    databaseId: readDatabaseId,
    originOf,
  };
}

const isOpenState = (state: TurnState): boolean =>
  !(['completed', 'failed', 'cancelled', 'discarded'] as readonly TurnState[]).includes(state);

/** Events with their own rows. */
const EVENT_KINDS = new Map<number, EventRow['kind']>(
  (['session.created', 'message.accepted', 'session.interrupted', 'turn.closed'] as const).map(
    (kind) => [KIND_CODES[kind], kind],
  ),
);

function readEvents(
  rows: Queries['rows'],
  bodyText: (seq: unknown) => StoredText | undefined,
  sessionId: number,
  options: { readonly limit: number; readonly beforeSeq?: number },
): readonly EventRow[] {
  const before = options.beforeSeq ?? Number.MAX_SAFE_INTEGER;
  const stored = rows(
    `SELECT e.seq, e.kind, e.turn_id, e.text_seq, j.at_ms, t.state, t.is_outcome,
       c.id AS child_id, c.key AS child_key FROM session_events AS e
     JOIN journal AS j ON j.seq = e.seq LEFT JOIN turns AS t ON t.id = e.turn_id
     LEFT JOIN sessions AS c ON c.id = CASE e.kind
       WHEN ${String(KIND_CODES['session.created'])} THEN json_extract(j.body, '$.sessionId')
       WHEN ${String(KIND_CODES['turn.closed'])} THEN nullif(t.session_id, e.session_id) END
     WHERE e.session_id = ? AND e.seq < ? ORDER BY e.seq DESC LIMIT ?`,
    sessionId,
    before,
    options.limit,
  );
  // Tool calls are not stored twice: the steps of the turns in this range are the events.
  const oldest = stored.length < options.limit ? 0 : Number(stored.at(-1)?.['seq'] ?? 0);
  const tools = rows(
    `${STEP_QUERY} WHERE s.turn_id IN
         (SELECT id FROM turns WHERE session_id = ? AND prompt_seq < ? ORDER BY id DESC LIMIT ?)
       AND s.started_seq > ? AND s.started_seq < ? AND json_extract(b.body, '$.p') IS NOT ${String(PURITIES.indexOf('llm'))}
     ORDER BY s.started_seq DESC LIMIT ?`,
    sessionId,
    before,
    Math.max(TURNS_LOOKED_AT, options.limit),
    oldest,
    before,
    options.limit,
  );
  const events: EventRow[] = stored.map((found) => ({
    seq: Number(found['seq']),
    atMs: Number(found['at_ms']),
    kind: EVENT_KINDS.get(Number(found['kind'])) ?? 'session.interrupted',
    turnId: numberOr(found['turn_id']),
    text: bodyText(found['text_seq']),
    ...(typeof found['state'] === 'string' ? { turnState: found['state'] as TurnState } : {}),
    ...(typeof found['child_id'] === 'number'
      ? { child: { id: found['child_id'], key: String(found['child_key']) } }
      : {}),
    isOutcome: found['is_outcome'] === 1,
  }));
  for (const found of tools) {
    const step = stepOf(found);
    events.push({
      seq: Number(found['b_seq']),
      atMs: step.startedAtMs,
      kind: 'step.started',
      turnId: step.turnId,
      text: undefined,
      step,
    });
  }
  const window = { afterSeq: oldest, beforeSeq: before, limit: options.limit };
  events.push(...readRequestEvents(rows, sessionId, window));
  return events.sort((a, b) => a.seq - b.seq).slice(-options.limit);
}

function usageOf(row: Row, prefix: 'tokens' | 'saved'): Usage {
  const cost = numberOr(row[prefix === 'tokens' ? 'cost_usd' : 'saved_usd']);
  return {
    inputTokens: Number(row[`${prefix}_in`]),
    outputTokens: Number(row[`${prefix}_out`]),
    ...(cost === undefined ? {} : { costUsd: cost }),
  };
}

function turnOf(row: Row): TurnRow {
  return {
    id: Number(row['id']),
    sessionId: Number(row['session_id']),
    sessionKey: String(row['session_key']),
    agent: String(row['agent']),
    state: row['state'] as TurnState,
    reason: storedText(row['reason']),
    promptStart: String(row['prompt_start']),
    promptSeq: Number(row['prompt_seq']),
    channel: String(row['channel']),
    peer: String(row['peer']),
    attempt: Number(row['attempt']),
    crashes: Number(row['crashes']),
    stalls: Number(row['stalls']),
    frameId: numberOr(row['frame_id']),
    framedAtMs: numberOr(row['framed_at']),
    acceptedAtMs: Number(row['accepted_at']),
    startedAtMs: numberOr(row['started_at']),
    endedAtMs: numberOr(row['ended_at']),
    answerStep: numberOr(row['answer_step']),
    limitRaises: Number(row['limit_raises']),
    isAnswered: row['is_answered'] === 1,
    stepCount: Number(row['step_count'] ?? 0),
    usage: usageOf(row, 'tokens'),
    reusedCount: Number(row['reused']),
    savedUsage: usageOf(row, 'saved'),
    isReplyPending: row['is_reply_pending'] === 1,
    ...fallbacksOf(row),
    ...workOf(row),
    ...(typeof row['shared_with'] === 'string' ? { sharedWith: row['shared_with'] } : {}),
  };
}

function stepOf(row: Row): StepRow {
  const raw: RawRow = {
    seq: Number(row['b_seq']),
    at_ms: Number(row['b_at']),
    kind: KIND_CODES['step.started'],
    turn_id: Number(row['turn_id']),
    step: Number(row['step']),
    key: row['b_key'] as Buffer | null,
    body: null,
  };
  const told = textOr(row['told']);
  const start = decodeStart(raw, JSON.parse(String(row['b_body'] ?? '{}')) as Row);
  // The name of its tool says less than the description at its start.
  const hint = told === undefined || told === start.tool ? {} : { hint: told };
  return {
    ...start,
    ...hint,
    state: STATES[Number(row['state'])] ?? 'ambiguous',
    startedAtMs: Number(row['b_at']),
    endedAtMs: numberOr(row['e_at']),
    endedSeq: numberOr(row['e_seq']),
    end:
      typeof row['e_body'] === 'string' ? decodeEnd(JSON.parse(row['e_body']) as Row) : undefined,
    reusedCount: Number(row['reused']),
  };
}

function sessionOf(row: Row): SessionRow {
  return {
    id: Number(row['id']),
    key: String(row['key']),
    title: String(row['title']),
    agent: String(row['agent']),
    createdAtMs: Number(row['created_at']),
    lastEventAtMs: Number(row['last_event_at']),
    turnCount: Number(row['turn_count']),
    openTurnCount: Number(row['open_turn_count']),
    parent: textOr(row['parent_key']),
    isPinned: row['pinned_at'] !== null,
    isArchived: row['archived_at'] !== null,
    isDeleted: row['deleted_at'] !== null,
    fork:
      typeof row['fork_of'] === 'number' && typeof row['fork_turn'] === 'number'
        ? {
            sessionId: row['fork_of'],
            turnId: row['fork_turn'],
            title: textOr(row['fork_title']) ?? '',
          }
        : undefined,
  };
}

function inboxOf(row: Row): InboxRow {
  return {
    id: Number(row['id']),
    item: row['item'] as InboxRow['item'],
    turnId: numberOr(row['turn_id']),
    sessionId: numberOr(row['session_id']),
    title: String(row['title']),
    detail: storedText(row['detail']),
    // An item without readable facts is still shown, with its title and its turn.
    facts:
      typeof row['facts'] === 'string'
        ? orUndefined(() => JSON.parse(String(row['facts'])) as JsonValue)
        : undefined,
    createdAtMs: Number(row['created_at']),
    settledAtMs: numberOr(row['settled_at']),
    outcome: textOr(row['outcome']),
    toldOn: textOr(row['told_on']),
    attemptedOn: textOr(row['attempted_on']),
  };
}

function startOf(row: Row): StartRow {
  return {
    id: Number(row['id']),
    startedAtMs: Number(row['started_at']),
    reason: row['reason'] as StartRow['reason'],
    downSinceMs: numberOr(row['down_since']),
    stoppedAtMs: numberOr(row['stopped_at']),
    stopReason: textOr(row['stop_reason']),
    noticedAtMs: numberOr(row['noticed_at']),
    bootId: String(row['boot_id']),
    instanceId: String(row['instance_id']),
    machineId: String(row['machine_id']),
    version: String(row['version']),
  };
}
