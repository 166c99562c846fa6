/** Drafts of files as verbs, windows and the command line see them. Rows S3-20, S3-21. */
import { z } from 'zod';
import { count, hash, id, text } from './base';

const atMs = z.number();

const DRAFT_STATES = ['ready', 'in_sync', 'draft_missing', 'substrate_missing'] as const;
const DRAFT_STAGES = ['staged', 'promoting', 'promoted', 'discarded'] as const;

export const draftView = z.strictObject({
  draftId: id,
  sessionId: id,
  sessionKey: text(200),
  sessionTitle: text(200),
  agent: text(64),
  turnId: id,
  workspace: text(4096),
  /** Below the workspace. */
  path: text(4096),
  /** Where the draft itself is. */
  place: text(8192),
  stage: z.enum(DRAFT_STAGES),
  /** Current state; not reported for a decided draft. */
  state: z.enum(DRAFT_STATES).optional(),
  sourceChanged: z.boolean(),
  draftChanged: z.boolean(),
  /** There was no file when the draft was started. */
  isNewFile: z.boolean(),
  /** Why the file cannot be reached. */
  problem: text(500).optional(),
  sizeBytes: count,
  stagedAtMs: atMs,
  updatedAtMs: atMs,
  fileChangedAtMs: atMs.optional(),
  decidedAtMs: atMs.optional(),
  /** The file that an applied draft replaced, in `drafts/kept` of the data directory under this hash. */
  keptHash: hash.optional(),
  /** Over the draft, the file and their state: an answer is bound to exactly this. */
  requestHash: hash,
});
export type DraftView = z.infer<typeof draftView>;

/**
 * A displayed line. `newer`: only in the file, written after the draft started, so applying it
 * removes it. `revived`: only in the draft, since removed from the file.
 */
const diffRow = z.strictObject({
  kind: z.enum(['same', 'removed', 'added', 'newer', 'revived']),
  text: text(500),
  fileLine: id.optional(),
  draftLine: id.optional(),
  /** The line is longer than what is shown. */
  isCut: z.literal(true).optional(),
});
export type DiffRow = z.infer<typeof diffRow>;

const diffHunk = z.strictObject({
  fileStart: count,
  draftStart: count,
  rows: z.array(diffRow),
});
export type DiffHunk = z.infer<typeof diffHunk>;

const diffSummary = z.strictObject({
  added: count,
  removed: count,
  newer: count,
  revived: count,
});
export type DiffSummary = z.infer<typeof diffSummary>;

export const draftDiff = z.strictObject({
  draft: draftView,
  /** Why there are no lines to show, if there are none. */
  kind: z.enum(['text', 'binary', 'too_large', 'missing']),
  hunks: z.array(diffHunk),
  summary: diffSummary,
  /** More changed lines than are shown; the sums count them all. */
  isCut: z.boolean(),
  /** Too different for an exact comparison: the whole middle counts as replaced. */
  isCoarse: z.boolean(),
  /** The original content of the file is no longer known: newer lines are not marked. */
  isBaseMissing: z.boolean(),
});
export type DraftDiff = z.infer<typeof draftDiff>;

/** What a tool call that writes a whole file would change in it, as the file is now. */
export const fileChange = z.strictObject({
  /** Below the agent's folder if it is in there, otherwise as the call states it. */
  path: text(4096),
  /**
   * `new`: there is no such file. `other`: the call writes no whole file. The rest: why there are no
   * lines to compare with.
   */
  kind: z.enum(['new', 'text', 'binary', 'too_large', 'outside', 'unreadable', 'other']),
  hunks: z.array(diffHunk),
  summary: diffSummary,
  /** More changed lines than are shown; the sums count them all. */
  isCut: z.boolean(),
  /** Too different for an exact comparison: the whole middle counts as replaced. */
  isCoarse: z.boolean(),
});
export type FileChange = z.infer<typeof fileChange>;

export const applyResult = z.strictObject({
  draftId: id,
  path: text(4096),
  /**
   * `settled`: the file already had this content. `part`: the chosen changes are in the file, the
   * others stay staged. `removed`: the file that the draft created is gone, and the draft is staged
   * again.
   */
  outcome: z.enum(['promoted', 'settled', 'part', 'removed']),
  /** The replaced file, in `drafts/kept` of the data directory. */
  keptHash: hash.optional(),
});
export type ApplyResult = z.infer<typeof applyResult>;
