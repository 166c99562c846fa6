import type { TurnState } from '../../shared/types';

/** The source of a text in the index. */
type SearchPart = 'prompt' | 'answer' | 'call' | 'result' | 'reason' | 'title';

/** A current text of the journal. */
export interface SearchText {
  readonly seq: number;
  readonly atMs: number;
  readonly part: SearchPart;
  readonly text: string;
  readonly turnId?: number;
  /** Title of the turn; only for entries that are read for hits. */
  readonly title?: string;
  readonly step?: number;
  readonly tool?: string;
  readonly sessionId: number;
  readonly session: string;
  readonly agent: string;
  readonly state?: TurnState;
  readonly costUsd?: number;
}

/** Words of one search: tokens of the index. */
export interface IndexQuery {
  /** Each must be in the text. */
  readonly tokens: readonly string[];
  /** One must start like this. */
  readonly prefix?: string;
  /** Index terms for who and where: exactly as `SearchMarks` writes them. */
  readonly marks: readonly string[];
  readonly fromSeq: number;
  /** Only entries before this one. */
  readonly beforeSeq: number;
}

/**
 * The search index: a separate file next to the database that can be deleted at any time. It holds
 * words without their texts; the text of a hit is read from the journal.
 * Implemented by adapters/search/search-index.ts.
 */
export interface SearchIndex {
  /** Sequences of matching entries, the newest first. */
  find(query: IndexQuery, limit: number): readonly number[];
  /** Texts of these entries, without secrets; deleted ones are left out. */
  read(seqs: readonly number[]): Promise<readonly SearchText[]>;
  /** Indexes the next entries in one transaction. Returns whether more are left. */
  fill(): Promise<boolean>;
  /**
   * Removes entries that retention or a deletion has taken from the journal; bounded work per call.
   */
  sweep(): boolean;
  /** Number of journal entries that are not indexed yet. */
  behind(): number;
  /** The first entry at or after this moment. */
  seqAt(atMs: number): number;
  close(): void;
}
