/** Staged drafts of files. */
import { z } from 'zod';
import { once } from '../once';
import { draftDiff, draftView, promoteResult } from '../types/drafts';
import { hash, sessionRef, limit, type VerbSpec } from './base';

export const DRAFT_VERBS = {
  'drafts.list': {
    kind: 'query',
    danger: 'none',
    surface: 'all',
    input: once(() =>
      z.strictObject({
        session: sessionRef.optional(),
        /** Promoted and discarded ones instead, newest first. */
        decided: z.boolean().optional(),
        limit: limit.optional(),
      }),
    ),
    output: once(() => z.strictObject({ drafts: z.array(draftView) })),
    about: 'Staged drafts of files and how each stands now',
  },
  'drafts.diff': {
    kind: 'query',
    danger: 'none',
    surface: 'all',
    input: once(() => z.strictObject({ draftId: z.number().int().positive() })),
    output: () => draftDiff,
    about: 'What promoting a draft would change in its file, line by line',
  },
  'drafts.promote': {
    kind: 'command',
    danger: 'confirm',
    surface: 'all',
    input: once(() =>
      z.strictObject({
        draftId: z.number().int().positive(),
        requestHash: hash,
        /** Even if the file changed since the draft was started. */
        overChanged: z.boolean().optional(),
      }),
    ),
    output: () => promoteResult,
    about: 'Put a draft in place of its file, whole or not at all; the old file is kept',
  },
  'drafts.restore': {
    kind: 'command',
    danger: 'confirm',
    surface: 'all',
    input: once(() => z.strictObject({ draftId: z.number().int().positive(), requestHash: hash })),
    output: () => promoteResult,
    about: 'Put back the file that a promotion replaced; only while nobody has changed it since',
  },
  'drafts.discard': {
    kind: 'command',
    danger: 'confirm',
    surface: 'all',
    input: once(() => z.strictObject({ draftId: z.number().int().positive(), requestHash: hash })),
    output: once(() =>
      z.strictObject({ draftId: z.number().int().positive(), path: z.string().max(4096) }),
    ),
    about: 'Throw a draft away; the file stays as it is',
  },
} as const satisfies Record<string, VerbSpec>;
