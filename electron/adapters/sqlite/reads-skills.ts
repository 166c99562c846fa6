import type Database from 'better-sqlite3';
import type { StoredText } from '../../ports/journal/journal';
import type { PhaseVisit, RunAction, RunRow, SkillReads } from '../../ports/journal/skills';
import { decodeEntry, type RawRow } from './entry-codec';

type Row = Record<string, unknown>;

/** Reads of the table `runs`; the texts stand in the journal, once. */
export function createSkillReads(db: Database.Database): SkillReads {
  const one = db.prepare('SELECT * FROM runs WHERE id = ?');
  const ofTurn = db.prepare('SELECT * FROM runs WHERE turn_id = ? ORDER BY id');
  const open = db.prepare('SELECT * FROM runs WHERE is_open = 1 ORDER BY id DESC LIMIT ?');
  const all = db.prepare('SELECT * FROM runs ORDER BY id DESC LIMIT ?');
  const entry = db.prepare('SELECT * FROM journal WHERE seq = ?');

  const textAt = (seq: unknown): StoredText | undefined => {
    if (typeof seq !== 'number') return undefined;
    const raw = entry.get(seq) as RawRow | undefined;
    const found = raw === undefined ? undefined : decodeEntry(raw);
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
      reason: String(row['reason']),
      phase: String(row['phase']),
      visit: Number(row['visit']),
      planKey: String(row['plan_key']),
      awaitingInboxId: numberOr(row['awaiting']),
      action: (row['action'] ?? undefined) as RunAction | undefined,
      actionReason: String(row['action_reason']),
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
        ...(isMissing ? { damage: 'The journal has lost what this run was given.' } : {}),
      };
    } catch {
      // One record that cannot be read must not keep the others from going on (S4-34).
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
    run: (id) => {
      const row = one.get(id) as Row | undefined;
      return row === undefined ? undefined : runOf(row);
    },
    runsOfTurn: (turnId) => (ofTurn.all(turnId) as Row[]).map(runOf),
    runs: ({ includeEnded, limit }) => ((includeEnded ? all : open).all(limit) as Row[]).map(runOf),
  };
}

const numberOr = (value: unknown): number | undefined =>
  typeof value === 'number' ? value : undefined;
