import type { EntryKind, JournalEntry, StepStart } from './journal/entries';

/** What was finished in one interval of the requested time. */
interface SlotCount {
  /** Start of the slot. */
  readonly slotMs: number;
  readonly steps: number;
  /** Turns that were completed. */
  readonly turns: number;
}

/** One journal row as users may read it. */
export interface HistoryRow {
  readonly seq: number;
  readonly atMs: number;
  readonly turnId: number | undefined;
  readonly sessionId: number | undefined;
  readonly step: number | undefined;
  /** Without prompts, results and frames; undefined if a newer version wrote it. */
  readonly entry: JournalEntry | undefined;
  /** For a finished step: the data of its start. */
  readonly started: StepStart | undefined;
}

/** Selects rows. */
interface HistoryFilter {
  readonly kinds?: readonly EntryKind[];
  readonly turnId?: number;
  readonly sessionId?: number;
}

/** Starts of the engine in a time range, from the one that was running at its beginning. */
export interface StartSpan {
  readonly startedAtMs: number;
  readonly reason: string;
  readonly downSinceMs: number | undefined;
  readonly stoppedAtMs: number | undefined;
}

/**
 * Reads of the journal by time. Every call reads a bounded range of sequence numbers, so that a
 * caller that walks through a long history can yield in between. No index is needed: rows are
 * appended in time order, so a moment is found by bisection. If the clock was set back, a few rows
 * near that place may be on the wrong side.
 * Implemented by adapters/sqlite/tables/history.ts.
 */
export interface HistoryReads {
  /** Whether a word is the kind of an entry. */
  isKind(word: string): word is EntryKind;
  /** Sequence of the newest row; 0 in an empty journal. */
  lastSeq(): number;
  /** Sequence of the first row at or after a moment; one above the last if there is none. */
  seqAt(atMs: number): number;
  /** The newest row at or before a sequence; undefined if there is none. */
  rowBefore(seq: number): { readonly seq: number; readonly atMs: number } | undefined;
  /** What was finished in rows after `afterSeq` up to `toSeq`, in intervals of `slotMs`. */
  counts(afterSeq: number, toSeq: number, slotMs: number): readonly SlotCount[];
  /** Rows after `afterSeq` up to `toSeq`, newest first, at most `limit`. */
  rows(afterSeq: number, toSeq: number, filter: HistoryFilter, limit: number): HistoryRow[];
  /** Sequences between which the rows of a turn or session are; a wider range is also correct. */
  bounds(filter: HistoryFilter): { readonly firstSeq: number; readonly lastSeq: number };
  /** Starts since a moment, oldest first, with the one before it; at most 2,000. */
  starts(fromMs: number): readonly StartSpan[];
}

/** One line of the audit as written: secrets are already hidden in the file. */
export interface AuditLine {
  readonly place: AuditPlace;
  readonly atMs: number;
  readonly event: string;
  readonly facts: Readonly<Record<string, unknown>>;
}

/** A byte of a month's file. */
export interface AuditPlace {
  readonly month: string;
  readonly byte: number;
}

/**
 * The audit, read from its end.
 * Implemented by adapters/log/audit-reader.ts.
 */
export interface AuditReader {
  /** The position after the newest line; undefined if there is no audit yet. */
  end(): Promise<AuditPlace | undefined>;
  /** A position after every line up to a moment, and not far after. */
  endAt(atMs: number): Promise<AuditPlace | undefined>;
  /** The lines of one block that ends at `before`, newest first, and where the next one ends. */
  back(before: AuditPlace): Promise<{ lines: AuditLine[]; next: AuditPlace | undefined }>;
}

/** One sleep of the computer as recorded in the log. */
export interface PowerRecord {
  readonly kind: 'suspend' | 'resume';
  readonly atMs: number;
}

/**
 * Sleeps and wake-ups in the log since a moment, oldest first. Those that were rotated away or not
 * logged are unknown. Never throws.
 * Implemented by adapters/log/power-records.ts.
 */
export type PowerRecords = (sinceMs: number) => Promise<readonly PowerRecord[]>;
