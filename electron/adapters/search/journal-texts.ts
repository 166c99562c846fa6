import type Database from 'better-sqlite3';
import { parsedJson } from '../../../shared/parsed-json';
import { storedText } from '../../../shared/reason';
import { turnTitle } from '../../../shared/turn-title';
import type { TurnState } from '../../../shared/types';
import type { Blobs } from '../../ports/blobs';
import type { JournalEntry } from '../../ports/journal/entries';
import type { StoredText } from '../../ports/journal/stored';
import type { AnswerPart } from '../../ports/provider';
import type { SearchText } from '../../ports/search';
import { codesOf, decodeEntry, type RawRow } from '../sqlite/journal/entry-codec';
import { preparedOnce } from '../sqlite/prepared';
import { numberOr, orUndefined, type Row } from '../sqlite/row';
import { isJson } from '../../engine/kernel/json-object';

/** Entries that contain words of a person, an agent or a tool. */
const SEARCHED = codesOf(
  'session.created',
  'session.set',
  'message.accepted',
  'step.started',
  'step.ended',
  'outside.call',
  'turn.state',
  'turn.closed',
);

/** Characters of one text that are searched: the rest of a very long one is not. */
const MAX_CHARS = 64_000;

interface JournalTextsDeps {
  readonly db: Database.Database;
  readonly blobs: Pick<Blobs, 'get'>;
  readonly redactText: (text: string) => string;
  readonly decodeAnswer: (text: string) => { readonly parts: readonly AnswerPart[] } | undefined;
}

/** A text that still has to be redacted and truncated. */
type Said = Pick<SearchText, 'part' | 'text'> & { readonly tool?: string };

const ROW = `SELECT j.seq, j.at_ms, j.kind, j.turn_id, j.step, NULL AS key, j.body,
    t.state, t.cost_usd, t.prompt_start, s.id AS session_id, s.key AS session, s.agent
  FROM journal AS j LEFT JOIN turns AS t ON t.id = j.turn_id
  JOIN sessions AS s ON s.id = coalesce(t.session_id, json_extract(j.body, '$.sessionId'))
  WHERE s.deleted_at IS NULL`;

const isRow = (row: Row | undefined): row is Row => row !== undefined;

export interface JournalTexts {
  /** Texts of these entries, in order; deleted and empty ones are left out. */
  read(seqs: readonly number[]): Promise<readonly SearchText[]>;
  /** The searched entries behind one, the oldest first. */
  after(
    seq: number,
    limit: number,
  ): Promise<{
    readonly texts: readonly SearchText[];
    /** Every entry up to this one has been returned. */
    readonly toSeq: number;
    readonly isMore: boolean;
  }>;
  /** Whether an entry still has its text. */
  isThere(seq: number): boolean;
  lastSeq(): number;
}

/** The journal's texts for search. Secrets never leave this module. */
export function createJournalTexts(deps: JournalTextsDeps): JournalTexts {
  const sql = preparedOnce(deps.db);
  const saidOf = createReader(deps, (turnId, step, column) => {
    const found = sql(
      `SELECT j.seq, j.at_ms, j.kind, j.turn_id, j.step, NULL AS key, j.body FROM journal AS j
       JOIN steps AS s ON j.seq = s.${column} WHERE s.turn_id = ? AND s.step = ?`,
    ).get(turnId, step) as RawRow | undefined;
    return found && orUndefined(() => decodeEntry(found));
  });
  const textOf = async (row: Row): Promise<SearchText | undefined> => {
    const entry = orUndefined(() => decodeEntry(row as unknown as RawRow));
    const said = entry === undefined ? undefined : await saidOf(entry);
    const text = said && deps.redactText(said.text.slice(0, MAX_CHARS)).trim();
    if (said === undefined || !text) return undefined;
    const [turnId, step, costUsd] = ['turn_id', 'step', 'cost_usd'].map((name) =>
      numberOr(row[name]),
    );
    return {
      seq: Number(row['seq']),
      atMs: Number(row['at_ms']),
      ...said,
      text,
      ...(turnId === undefined ? {} : { turnId, state: row['state'] as TurnState }),
      ...(step === undefined ? {} : { step }),
      ...(costUsd === undefined ? {} : { costUsd }),
      sessionId: Number(row['session_id']),
      session: String(row['session']),
      agent: String(row['agent']),
    };
  };
  const textsOf = async (rows: readonly Row[]): Promise<readonly SearchText[]> => {
    const texts: SearchText[] = [];
    for (const row of rows) {
      const text = await textOf(row);
      if (text !== undefined) texts.push(text);
    }
    return texts;
  };
  const titleOf = (row: Row): { readonly title?: string } => {
    const prompt = row['prompt_start'];
    return typeof prompt === 'string' ? { title: turnTitle(deps.redactText(prompt)) } : {};
  };
  const lastSeq = (): number =>
    Number((sql('SELECT max(seq) AS seq FROM journal').get() as Row)['seq'] ?? 0);
  return {
    lastSeq,
    isThere: (seq) => sql(`${ROW} AND j.seq = ?`).get(seq) !== undefined,
    async read(seqs) {
      const one = sql(`${ROW} AND j.seq = ?`);
      const rows = seqs.map((seq) => one.get(seq) as Row | undefined).filter(isRow);
      const titles = new Map(rows.map((row) => [Number(row['seq']), titleOf(row)]));
      return (await textsOf(rows)).map((text) => ({ ...text, ...titles.get(text.seq) }));
    },
    async after(seq, limit) {
      const end = lastSeq();
      const rows = sql(
        `${ROW} AND j.seq > ? AND j.seq <= ? AND j.kind IN (${SEARCHED}) ORDER BY j.seq LIMIT ?`,
      ).all(seq, end, limit) as Row[];
      const isMore = rows.length === limit;
      const toSeq = isMore ? Number(rows.at(-1)?.['seq']) : end;
      return { texts: await textsOf(rows), toSeq, isMore };
    },
  };
}

type StepEntry = (
  turnId: number,
  step: number,
  column: 'started_seq' | 'ended_seq',
) => JournalEntry | undefined;

/** Truncated, or not JSON: searched as plain text. */
const parsed = (text: string): unknown => {
  const value = parsedJson(text);
  return value === undefined ? text : value;
};

const valueText = (value: unknown): string => {
  if (typeof value === 'string') return value;
  try {
    return JSON.stringify(value) ?? '';
  } catch {
    return ''; // Nested too deep to be written.
  }
};

/** The input of a call as a user reads it: one line per value. */
const inputText = (input: unknown): string =>
  isJson(input)
    ? Object.entries(input)
        .map(([name, value]) => `${name}: ${valueText(value)}`)
        .join('\n')
    : valueText(input);

const said = (part: Said['part'], text: string, tool?: string): Said => ({
  part,
  text,
  ...(tool === undefined ? {} : { tool }),
});

function createReader(
  { blobs, decodeAnswer }: Pick<JournalTextsDeps, 'blobs' | 'decodeAnswer'>,
  stepEntry: StepEntry,
): (entry: JournalEntry) => Promise<Said | undefined> {
  const wholeOf = async (text: StoredText): Promise<string> => {
    if (text.kind === 'inline') return text.text;
    // A tool's result is deleted at the end of its turn; its start stays in the journal.
    return (await blobs.get(text.address).catch(() => undefined)) ?? text.start ?? '';
  };
  const answerOf = async (turnId: number, step: number) => {
    const entry = stepEntry(turnId, step, 'ended_seq');
    return entry?.kind === 'step.ended' && entry.end.state === 'completed'
      ? decodeAnswer(await wholeOf(entry.end.content))
      : undefined;
  };
  const endOf = async (entry: JournalEntry & { kind: 'step.ended' }) => {
    const { end } = entry;
    const start = stepEntry(entry.turnId, entry.step, 'started_seq');
    const tool = start?.kind === 'step.started' ? start.tool : '';
    const isModel = start?.kind === 'step.started' && start.purity === 'llm';
    const error = 'error' in end ? end.error : '';
    const text = 'content' in end && end.content !== undefined ? await wholeOf(end.content) : '';
    if (!isModel) return said('result', [text, error].filter(Boolean).join('\n'), tool);
    const parts = decodeAnswer(text)?.parts ?? [];
    const spoken = parts.flatMap((part) => (part.kind === 'text' ? [part.text] : []));
    return said('answer', [...spoken, error].filter(Boolean).join('\n'));
  };
  return async (entry) => {
    switch (entry.kind) {
      case 'session.created':
      case 'session.set':
        return said('title', entry.title ?? '');
      case 'message.accepted':
        return said('prompt', await wholeOf(entry.text));
      case 'step.started': {
        const { call } = entry;
        if (call === undefined) return undefined;
        const part = (await answerOf(entry.turnId, call.step))?.parts[call.part];
        const args = part?.kind === 'tool_call' ? inputText(part.args) : '';
        return said('call', args || entry.hint, entry.tool);
      }
      case 'outside.call':
        return said('call', `${entry.title}\n${inputText(parsed(entry.input))}`, entry.tool);
      case 'step.ended':
        return endOf(entry);
      case 'turn.state':
      case 'turn.closed':
        return said('reason', storedText(entry.reason));
      default:
        return undefined;
    }
  };
}
