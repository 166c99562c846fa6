import { storedReason, storedText } from '../../../../shared/reason';
import type Database from 'better-sqlite3';
import { unreachable } from '../../../engine/kernel/unreachable';
import type { JournalEntry } from '../../../ports/journal/entries';
import type { StoredText } from '../../../ports/journal/stored';
import type {
  SkillEntry,
  PhaseVisit,
  RunAction,
  RunRow,
  SkillReads,
} from '../../../ports/journal/skills';
import type { Applied } from './fold-table';
import { decodeEntry, type RawRow } from '../journal/entry-codec';
import { queries } from '../prepared';
import { type Row, numberOr } from '../row';

/**
 * The table `runs` as a fold: the entries about runs, and the entries that end or hold the turn of
 * a run.
 */
export interface SkillsFold {
  readonly apply: (entry: SkillEntry, applied: Applied) => void;
  /** Open runs end with their turn. */
  turnClosed(entry: Extract<JournalEntry, { kind: 'turn.closed' }>, atMs: number): void;
  /** A question about a turn belongs to its innermost open run. */
  inboxOpened(entry: Extract<JournalEntry, { kind: 'inbox.opened' }>): void;
  inboxSettled(inboxId: number): void;
  turnPruned(turnId: number): void;
}

export function createSkillsFold(db: Database.Database): SkillsFold {
  const sql = (text: string): Database.Statement => db.prepare(text);
  const on = {
    started: sql(
      `INSERT INTO runs (id, turn_id, parent_id, call_step, skill, version, state, input_seq, started_at)
       VALUES (@runId, @turnId, @parentRunId, @callStep, @skill, @version, 'running', @seq, @atMs)`,
    ),
    entered: sql(
      `UPDATE runs SET phase = @phase, visit = @visit, version = @version, plan_key = @planKey,
         visits = json_set(visits, @key, @visit) WHERE id = @runId AND is_open = 1`,
    ),
    left: sql(
      `UPDATE runs SET phase = coalesce(?, phase), visit = 0, plan_key = '', artifact_seq = ?,
         history = json_insert(history, '$[#]', json(?)) WHERE id = ? AND is_open = 1`,
    ),
    ended: sql(
      `UPDATE runs SET state = ?, reason = ?, ended_at = ?, is_open = 0, awaiting = NULL
       WHERE id = ? AND is_open = 1`,
    ),
    planned: sql('UPDATE runs SET action = ?, action_reason = ? WHERE id = ?'),
    turnClosed: sql(
      `UPDATE runs SET state = ?, reason = ?, ended_at = ?, is_open = 0, awaiting = NULL
       WHERE turn_id = ? AND is_open = 1`,
    ),
    awaits: sql(
      `UPDATE runs SET awaiting = ? WHERE id =
         (SELECT max(id) FROM runs WHERE turn_id = ? AND is_open = 1)`,
    ),
    awaitsNoMore: sql('UPDATE runs SET awaiting = NULL WHERE awaiting = ?'),
    pruned: sql('DELETE FROM runs WHERE turn_id = ?'),
  };
  return {
    apply: (entry, { seq, atMs }) => {
      switch (entry.kind) {
        case 'run.started':
          on.started.run({
            ...entry,
            parentRunId: entry.parentRunId ?? null,
            callStep: entry.callStep ?? null,
            seq,
            atMs,
          });
          return;
        case 'phase.entered':
          // Names of phases consist of letters, digits and dashes. Quoted, they are one key of the
          // path.
          on.entered.run({ ...entry, key: `$."${entry.phase}"` });
          return;
        case 'phase.left': {
          const { phase, visit, next } = entry;
          const visited = { phase, visit, ...(next === undefined ? {} : { next }), leftAtMs: atMs };
          on.left.run(next ?? null, seq, JSON.stringify(visited), entry.runId);
          return;
        }
        case 'run.ended':
          on.ended.run(entry.state, storedReason(entry.reason), atMs, entry.runId);
          return;
        case 'run.planned':
          on.planned.run(entry.action, storedReason(entry.reason), entry.runId);
          return;
        default:
          unreachable(entry);
      }
    },
    turnClosed(entry, atMs) {
      // A turn that ends normally has ended its runs before. Otherwise they end with it.
      const state = entry.state === 'completed' ? 'cancelled' : entry.state;
      on.turnClosed.run(state, storedReason(entry.reason), atMs, entry.turnId);
    },
    inboxOpened(entry) {
      if (entry.turnId !== undefined) on.awaits.run(entry.inboxId, entry.turnId);
    },
    inboxSettled(inboxId) {
      on.awaitsNoMore.run(inboxId);
    },
    turnPruned(turnId) {
      on.pruned.run(turnId);
    },
  };
}

/** Reads of the table `runs`; the texts are stored once, in the journal. */
export function createSkillReads(db: Database.Database): SkillReads {
  const { rows, one } = queries(db);

  const textAt = (seq: unknown): StoredText | undefined => {
    if (typeof seq !== 'number') return undefined;
    const found = one(
      (row) => decodeEntry(row as unknown as RawRow),
      'SELECT * FROM journal WHERE seq = ?',
      seq,
    );
    if (found?.kind === 'run.started') return found.input;
    return found?.kind === 'phase.left' ? found.artifact : undefined;
  };
  const runOf = (row: Row): RunRow => {
    const base = {
      id: Number(row['id']),
      turnId: Number(row['turn_id']),
      parentRunId: numberOr(row['parent_id']),
      callStep: numberOr(row['call_step']),
      skill: String(row['skill']),
      version: String(row['version']),
      state: row['state'] as RunRow['state'],
      reason: storedText(row['reason']),
      phase: String(row['phase']),
      visit: Number(row['visit']),
      planKey: String(row['plan_key']),
      awaitingInboxId: numberOr(row['awaiting']),
      action: (row['action'] ?? undefined) as RunAction | undefined,
      actionReason: storedText(row['action_reason']),
      startedAtMs: Number(row['started_at']),
      endedAtMs: numberOr(row['ended_at']),
    };
    try {
      const input = textAt(row['input_seq']);
      const artifact = textAt(row['artifact_seq']);
      const isMissing =
        input === undefined || (typeof row['artifact_seq'] === 'number' && artifact === undefined);
      return {
        ...base,
        visits: JSON.parse(String(row['visits'])) as Record<string, number>,
        history: JSON.parse(String(row['history'])) as PhaseVisit[],
        input: input ?? { kind: 'inline', text: '' },
        artifact,
        ...(isMissing ? { damage: 'The input of this skill run is missing in the journal.' } : {}),
      };
    } catch {
      // One unreadable record must not block the others (S4-34).
      return {
        ...base,
        visits: {},
        history: [],
        input: { kind: 'inline', text: '' },
        artifact: undefined,
        damage: 'The record of this run in the journal cannot be read.',
      };
    }
  };
  return {
    run: (id) => one(runOf, 'SELECT * FROM runs WHERE id = ?', id),
    runsOfTurn: (turnId) =>
      rows('SELECT * FROM runs WHERE turn_id = ? ORDER BY id', turnId).map(runOf),
    runs: ({ includeEnded, limit }) =>
      rows(
        `SELECT * FROM runs ${includeEnded ? '' : 'WHERE is_open = 1'} ORDER BY id DESC LIMIT ?`,
        limit,
      ).map(runOf),
  };
}
