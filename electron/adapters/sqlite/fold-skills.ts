import type Database from 'better-sqlite3';
import { unreachable } from '../../engine/kernel/unreachable';
import type { JournalEntry } from '../../ports/journal/journal';
import type { SkillEntry } from '../../ports/journal/skills';
import type { Applied } from './fold-table';

/** The table `runs` as a fold: the entries about runs, and what ends or holds the turn of a run. */
export interface SkillsFold {
  readonly apply: (entry: SkillEntry, applied: Applied) => void;
  /** Open runs end with their turn. */
  turnClosed(entry: Extract<JournalEntry, { kind: 'turn.closed' }>, atMs: number): void;
  /** A question about a turn is one of its innermost open run. */
  inboxOpened(entry: Extract<JournalEntry, { kind: 'inbox.opened' }>): void;
  inboxSettled(inboxId: number): void;
  turnPruned(turnId: number): void;
}

export function createSkillsFold(db: Database.Database): SkillsFold {
  const sql = (text: string): Database.Statement => db.prepare(text);
  const on = {
    started: sql(
      `INSERT INTO runs (id, turn_id, parent_id, call_step, skill, version, state, input_seq, started_at)
       VALUES (?, ?, ?, ?, ?, ?, 'running', ?, ?)`,
    ),
    entered: sql(
      `UPDATE runs SET phase = ?, visit = ?, version = ?, plan_key = ?,
         visits = json_set(visits, ?, ?) WHERE id = ? AND is_open = 1`,
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
          on.started.run(
            entry.runId,
            entry.turnId,
            entry.parentRunId ?? null,
            entry.callStep ?? null,
            entry.skill,
            entry.version,
            seq,
            atMs,
          );
          return;
        case 'phase.entered':
          on.entered.run(
            entry.phase,
            entry.visit,
            entry.version,
            entry.planKey,
            // Names of phases are letters, digits and dashes; quoted they are one key of the path.
            `$."${entry.phase}"`,
            entry.visit,
            entry.runId,
          );
          return;
        case 'phase.left': {
          const { phase, visit, next } = entry;
          const visited = { phase, visit, ...(next === undefined ? {} : { next }), leftAtMs: atMs };
          on.left.run(next ?? null, seq, JSON.stringify(visited), entry.runId);
          return;
        }
        case 'run.ended':
          on.ended.run(entry.state, entry.reason, atMs, entry.runId);
          return;
        case 'run.planned':
          on.planned.run(entry.action, entry.reason, entry.runId);
          return;
        default:
          unreachable(entry);
      }
    },
    turnClosed(entry, atMs) {
      // A turn that ends by itself has ended its runs before; else they end with it.
      const state = entry.state === 'completed' ? 'cancelled' : entry.state;
      on.turnClosed.run(state, entry.reason, atMs, entry.turnId);
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
