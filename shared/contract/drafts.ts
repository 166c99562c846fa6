/** Staged drafts of files. */
import { z } from 'zod';
import { once } from '../once';
import { exactObject } from '../exact-object';
import { draftDiff, draftView, applyResult } from '../types/drafts';
import { CONFIRMED, QUERY, hash, sessionRef, limit, type VerbSpec } from './base';

/** Numbers of changes as listed by `drafts.diff`, from 0; absent: the whole draft. */
const hunks = once(() => z.array(z.number().int().nonnegative()).min(1).max(4_000));

export const DRAFT_VERBS = {
  'drafts.list': {
    ...QUERY,
    input: exactObject(() => ({
      session: sessionRef.optional(),
      /** Applied and discarded ones instead, newest first. */
      decided: z.boolean().optional(),
      limit: limit.optional(),
    })),
    output: exactObject(() => ({ drafts: z.array(draftView) })),
    about: 'List drafts of files and the status of each',
  },
  'drafts.diff': {
    ...QUERY,
    input: exactObject(() => ({ draftId: z.number().int().positive() })),
    output: () => draftDiff,
    about: 'Show what applying a draft would change in its file, line by line',
  },
  'drafts.promote': {
    ...CONFIRMED,
    input: exactObject(() => ({
      draftId: z.number().int().positive(),
      requestHash: hash,
      /** Even if the file changed since the draft was started. */
      overChanged: z.boolean().optional(),
      hunks: hunks().optional(),
    })),
    output: () => applyResult,
    about:
      'Apply a draft, or some of its changes, to its file, completely or not at all; the old file is saved',
  },
  'drafts.restore': {
    ...CONFIRMED,
    input: exactObject(() => ({ draftId: z.number().int().positive(), requestHash: hash })),
    output: () => applyResult,
    about:
      'Undo an applied draft, only if the file has not changed since; a file that it created is removed',
  },
  'drafts.discard': {
    ...CONFIRMED,
    input: exactObject(() => ({
      draftId: z.number().int().positive(),
      requestHash: hash,
      hunks: hunks().optional(),
    })),
    output: exactObject(() => ({
      draftId: z.number().int().positive(),
      path: z.string().max(4096),
    })),
    about: 'Discard a draft, or some of its changes; the file is not changed',
  },
} as const satisfies Record<string, VerbSpec>;
