import type { TurnState } from '../../shared/types';

/** What a text in the index is a part of. */
export type SearchPart = 'prompt' | 'answer' | 'call' | 'result' | 'reason' | 'title';

/** A text of the journal, as it is now. */
export interface SearchText {
  readonly seq: number;
  readonly atMs: number;
  readonly part: SearchPart;
  readonly text: string;
  readonly turnId?: number;
  /** Of the turn; only of entries that are read for hits. */
  readonly title?: string;
  readonly step?: number;
  readonly tool?: string;
  readonly sessionId: number;
  readonly session: string;
  readonly agent: string;
  readonly state?: TurnState;
  readonly costUsd?: number;
}

/** Words of one search: tokens that the index knows. */
export interface IndexQuery {
  /** Each must be in the text. */
  readonly tokens: readonly string[];
  /** One must begin like this. */
  readonly prefix?: string;
  /** Marks of who and where: exactly as `SearchMarks` writes them. */
  readonly marks: readonly string[];
  readonly fromSeq: number;
  /** Only entries before this one. */
  readonly beforeSeq: number;
}

/**
 * The search index: a separate file next to the database that can be deleted at any time. It holds
 * words without their texts; the text of a hit is read from the journal.
 */
export interface SearchIndex {
  /** Sequences of matching entries, the newest first. */
  find(query: IndexQuery, limit: number): readonly number[];
  /** Texts of these entries, without secrets; one that is gone is left out. */
  read(seqs: readonly number[]): Promise<readonly SearchText[]>;
  /** Takes the next entries in; one transaction. Returns whether more are left. */
  fill(): Promise<boolean>;
  /** Drops what retention or a deletion has taken from the journal; bounded work per call. */
  sweep(): boolean;
  /** Entries of the journal that it does not know yet. */
  behind(): number;
  /** The first entry at or after this moment. */
  seqAt(atMs: number): number;
  close(): void;
}
